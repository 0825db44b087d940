"""The names of the operations that a node can have."""

OPERATIONS = (
    "const", "symbol", "add", "neg", "mul", "div", "sqrt", "sin", "cos", "asin", "acos", "atan2", "abs", "sign",
)  # fmt: skip
CONST, SYMBOL, ADD, NEG, MUL, DIV, SQRT, SIN, COS, ASIN, ACOS, ATAN2, ABS, SIGN = OPERATIONS
