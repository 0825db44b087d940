"""The reader that checks LaTeX is itself strict."""

import pytest

from .latex_reader import Unreadable, compute

DOCUMENT = r"""\documentclass[a4paper]{article}
\begin{document}
\section*{f\_g}
anything at all
\section*{Equations}
\subsection*{f\_g}
\begin{align*}
%s
\end{align*}
\end{document}
"""


def test_values():
    rows = r"""t_{1} &= -q_{1}^{2}\,(2 - \dot{q}_{1}) \\
&\quad {} + \frac{1\cdot 10^{-2}}{\sqrt{4}} \\
\tau_{1} &= t_{1}\,\operatorname{atan2}(1, \lvert q_{1}\rvert) - \mathit{WI}_{1,2}"""
    known = compute(DOCUMENT % rows, {"q_{1}": -3.0, r"\dot{q}_{1}": 1.0, r"\mathit{WI}_{1,2}": 0.5})
    assert known["t_{1}"] == pytest.approx(-9 + 0.005)
    assert known[r"\tau_{1}"] == pytest.approx((-9 + 0.005) * 0.3217505543966422 - 0.5)


@pytest.mark.parametrize(
    "row",
    [
        "a &= b",  # no value
        "x &= 1",  # an input has a value already
        r"a &= 1 \\" + "\na &= 2",  # two values
        "a &= x x",  # no sign between
        "a &= (x",
        "a &= x)",
        "a &= x + - x",
        "a &= x^{3}",
        r"a &= \frac{x}",
        r"a &= \tan(x)",
        "a &= x_{1}_{2}",
        "a_1 &= x",
        "a &= x # x",
    ],
)
def test_refuses(row):
    with pytest.raises((Unreadable, ValueError, KeyError)):
        compute(DOCUMENT % row, {"x": 1.0, "x_{1}": 1.0})
