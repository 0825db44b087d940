"""The walk that builds graphs anew, and the tables that must know every operation."""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping

import pytest

import tauforge
from tauforge.graph import operations
from tauforge.graph.functions import atan2, cos, sin
from tauforge.graph.node import as_node, symbol
from tauforge.graph.rewrite import built_anew, replaced, rewrite, substitute

a, b = symbol("a"), symbol("b")


def test_what_does_not_change_is_the_same_object():
    x = sin(a) * cos(b) + atan2(a, b)
    assert substitute([x], {"c": b}) == [x]
    assert rewrite([a, b], built_anew) == {a: a, b: b}


def test_what_stands_on_what_changes_is_simplified_again():
    assert substitute([sin(a) + b], {"a": as_node(0.0)}) == [b]
    assert replaced([sin(a) * b], {sin(a): as_node(2.0)})[sin(a) * b] is 2 * b


def test_what_is_below_a_replaced_node_is_not_visited():
    assert a not in replaced([sin(a) * b], {sin(a): b})


def tables():
    """Give all dictionaries of modules whose keys are operations: at least half of the keys, and three."""
    for info in pkgutil.walk_packages(tauforge.__path__, "tauforge."):
        if "bench.with_" in info.name or info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in inspect.getmembers(module):
            table = getattr(value, "functions", value)
            keys = list(table) if isinstance(table, Mapping) else []
            if len(keys) > 3 and all(key in operations.OPERATIONS for key in keys):
                yield pytest.param(keys, id=f"{info.name}.{name}")


LEAVES = {operations.CONST, operations.SYMBOL}
SIGNS = {operations.ADD, operations.NEG, operations.MUL, operations.DIV}
ALGEBRAIC = {operations.SQRT, operations.ABS, operations.SIGN}
CALLED = {*operations.LIBRARY, operations.SIGN}


@pytest.mark.parametrize("keys", [*tables()])
def test_tables_of_operations_know_them_all(keys):
    """A table has all operations; or all but leaves; or arithmetic or functions alone; or the library's (and sign)."""
    every = set(operations.OPERATIONS)
    functions = every - LEAVES - SIGNS
    assert set(keys) in (every, every - LEAVES, SIGNS, functions, functions - ALGEBRAIC, CALLED)
