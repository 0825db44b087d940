"""The operations that a node can have: the only list, from which the tables elsewhere are made."""

OPERATIONS = (
    "const", "symbol", "add", "neg", "mul", "div", "sqrt", "sin", "cos", "asin", "acos", "atan2", "abs", "sign",
)  # fmt: skip
"""Their names. Add new ones at the end: the order of arguments depends on the index."""
CONST, SYMBOL, ADD, NEG, MUL, DIV, SQRT, SIN, COS, ASIN, ACOS, ATAN2, ABS, SIGN = OPERATIONS

LIBRARY = {SIN: 1, COS: 1, ASIN: 1, ACOS: 1, ATAN2: 2}
"""Functions with these names in Python's math module and the C library, and how many arguments they take.

They are read, evaluated, compiled and printed in the same way, unless a table elsewhere says otherwise.
"""
FUNCTIONS = (SQRT, *LIBRARY, ABS, SIGN)
"""Operations that are written as calls."""
