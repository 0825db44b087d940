"""What all tests share."""

import gc
import os
import re

import pytest
from hypothesis import HealthCheck, settings

# a busy machine is slow, not wrong
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

# graphs are many small objects, seldom in cycles: looking for these less often saves a tenth of the time
gc.set_threshold(200_000, 20, 20)

PINOCCHIO = re.compile(r"^(from|import) .*pinocchio", re.MULTILINE)


def pytest_addoption(parser):
    parser.addoption("--without-pinocchio", action="store_true", help="leave out the files of tests that import it")


def pytest_ignore_collect(collection_path, config):
    """Leave a file out on request only: a library that is missing by mistake is an error."""
    if config.getoption("--without-pinocchio") and collection_path.suffix == ".py":
        return bool(PINOCCHIO.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """Keep compiled code away from the user's cache, in one folder for all processes that run the tests."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    os.environ["TAUFORGE_CACHE"] = str(folder / "cache")
