"""What several tests of compiled functions share."""

import pytest

from tauforge import store


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a directory where the next entry makes the store count all of them."""
    monkeypatch.setattr(store, "_written", store.LIMIT)
    tmp_path.chmod(0o700)
    return tmp_path
