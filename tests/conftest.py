"""What all tests share."""

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """Keep compiled code away from the user's cache."""
    os.environ["TAUFORGE_CACHE"] = str(tmp_path_factory.mktemp("cache"))
