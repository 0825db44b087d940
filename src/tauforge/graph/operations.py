"""The operations that a node can have: the one list from which the tables elsewhere are made."""

OPERATIONS = (
    "const", "symbol", "add", "neg", "mul", "div", "sqrt", "sin", "cos", "asin", "acos", "atan2", "abs", "sign",
)  # fmt: skip
"""Their names. Those of new ones go last: the order of arguments depends on the place."""
CONST, SYMBOL, ADD, NEG, MUL, DIV, SQRT, SIN, COS, ASIN, ACOS, ATAN2, ABS, SIGN = OPERATIONS

LIBRARY = {SIN: 1, COS: 1, ASIN: 1, ACOS: 1, ATAN2: 2}
"""Functions that Python's math module and the C library have by these names, and how many arguments they take.

They are read, evaluated, compiled and printed alike, except where a table elsewhere says otherwise.
"""
FUNCTIONS = (SQRT, *LIBRARY, ABS, SIGN)
"""Operations that are written as calls."""
