"""Arguments that have no values or no meaning: masked elements, and numbers of threads that are none."""

import numpy as np
import pytest

from tauforge import ProgramError

from .reference import mixed, plain

MIXED, PLAIN = mixed().compile(), plain().compile()


@pytest.mark.parametrize("wrong", [0, -1, True, False, np.True_, 1.0, 2.5, float("nan"), "2", [2], -(10**30)])
def test_a_number_of_threads_that_is_none(wrong):
    for shape in ((3,), (100, 3)):
        with pytest.raises(ProgramError) as error:
            PLAIN(np.zeros(shape), np.zeros(shape), threads=wrong)
        text = f"plain: threads is {wrong!r}; it must be a whole number of at least 1, or None"
        assert str(error.value) == text


@pytest.mark.parametrize("many", [np.int64(2), np.uint8(3), 10**6, 10**30])
def test_numbers_of_threads_of_any_type_and_size(many):
    a, b = np.random.default_rng(0).normal(size=(2, 50_000, 3))
    np.testing.assert_array_equal(PLAIN(a, b, threads=many), PLAIN(a, b, threads=1))
    np.testing.assert_array_equal(PLAIN(a[0], b[0], threads=many), PLAIN(a[0], b[0]))


HIDDEN = np.ma.array(np.ones((4, 3)), mask=np.eye(4, 3))


class Variable:
    """What makes an array when asked, with a mask, as variables of a NetCDF file do."""

    def __array__(self, dtype=None, copy=None):
        return HIDDEN

    def __len__(self):
        return len(HIDDEN)


MASKED = {
    "one state": HIDDEN[0],
    "batch": HIDDEN,
    "list of rows": [*HIDDEN],
    "list with a masked number": [1.0, np.ma.masked, 2.0],
    "variable of a file": Variable(),
    "integers": np.ma.array([1, 2, 3], mask=[0, 0, 1]),
    "single precision": HIDDEN.astype(np.float32),
}


@pytest.mark.parametrize("masked", MASKED.values(), ids=MASKED)
def test_masked_elements_are_refused(masked):
    whole = np.ones((4, 3) if len(masked) == 4 else 3)
    for call in (
        lambda: PLAIN(masked, whole),
        lambda: PLAIN(a=masked, b=whole),
        lambda: PLAIN(masked, whole, out=np.empty_like(whole)),
        lambda: PLAIN(masked, whole, threads=2),
    ):
        with pytest.raises(ProgramError, match=r"plain: a has masked elements, .* a\.filled\(numpy\.nan\)"):
            call()


def test_masked_parameters_and_results_are_refused():
    names = MIXED.program.parameters
    values = dict.fromkeys(names, 1.0) | {names[0]: np.ma.masked}
    with pytest.raises(ProgramError, match=f"mixed: {names[0]} has masked elements"):
        MIXED(np.ones(3), np.ones((2, 3)), 1.0, values)
    with pytest.raises(ProgramError, match=r"out for c has masked elements; pass its data, c\.data"):
        PLAIN(np.ones((4, 3)), np.ones(3), out=HIDDEN.copy())


def test_masked_arrays_without_masked_elements_are_plain():
    a, b = np.random.default_rng(1).normal(size=(2, 4, 3))
    for mask in (np.ma.nomask, np.zeros((4, 3), bool)):
        result = PLAIN(np.ma.array(a, mask=mask), b)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, PLAIN(a, b))
    np.testing.assert_array_equal(np.isnan(PLAIN(HIDDEN.filled(np.nan), b)).any(axis=1), HIDDEN.mask.any(axis=1))
