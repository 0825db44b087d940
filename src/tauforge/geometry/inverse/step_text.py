"""What is said about one step: its equation and type, its solution, and its conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...equations.factor import leaves, total
from ...graph.node import ZERO, as_node
from ...graph.operations import ATAN2, SQRT
from ...spatial.vector import dot
from ...targets.expression import Call, Element, Expression, Number, Product, Quotient, Sum, Variable
from .derivation import Display, Formula, Heading, Paragraph, Part, Transform
from .letters import Letters
from .loop import DISTANCE, Equation
from .plan import Carry
from .trace import BOTH, LINEAR, SQUARE, TURN, Traced

READABLE = 18
"""Names and numbers of an expression that is written out in a solution."""
BRIEF = 14
"""Names and numbers of one in a condition."""
PARALLEL = 1e-9
"""By how much the cosine between parallel axes may differ from one."""


def _of(*terms: tuple[int, Sequence[Expression]]) -> Expression:
    """Return a sum of products with signs."""
    parts = [(sign < 0, factors[0] if len(factors) == 1 else Product(tuple(factors))) for sign, factors in terms]
    return parts[0][1] if len(parts) == 1 and not parts[0][0] else Sum(tuple(parts))


def _total(terms: Sequence[tuple[Expression, Expression]]) -> Expression:
    """Return a sum of coefficients times names, as people write it."""
    found = list[tuple[bool, Expression]]()
    for coefficient, name in terms:
        if _is(coefficient, 0.0):
            continue
        negative = isinstance(coefficient, Sum) and len(coefficient.terms) == 1
        own = coefficient.terms[0][1] if isinstance(coefficient, Sum) and negative else coefficient
        factors = own.factors if isinstance(own, Product) else (own,)
        found.append((negative, own if _is(name, 1.0) else name if _is(own, 1.0) else Product((*factors, name))))
    if not found:
        return Number(0.0)
    return found[0][1] if len(found) == 1 and not found[0][0] else Sum(tuple(found))


def _over(top: Expression, bottom: Expression) -> Expression:
    """Return a quotient; a number below it that is one goes, and its sign goes to the top."""
    if isinstance(bottom, Sum) and len(bottom.terms) == 1:
        return _over(_opposite(top), bottom.terms[0][1])
    is_one = isinstance(bottom, Number) and abs(bottom.value - 1.0) < PARALLEL
    return top if is_one else Quotient(top, bottom)


def _opposite(x: Expression) -> Expression:
    if not isinstance(x, Sum):
        return Sum(((True, x),))
    return x.terms[0][1] if len(x.terms) == 1 else total(Sum(((not negative, term),)) for negative, term in x.terms)


def _is(x: Expression, value: float) -> bool:
    return isinstance(x, Number) and x.value == value


def _said(text: str) -> str:
    """Return a text with words for what belongs to the frame."""
    text = re.sub(r"turn\d∩turn\d|o\(turn\d\)|\borigin\b", "the frame's origin", text)
    return re.sub(r"[xz]\(turn\d\)", "an axis of the frame", text)


def _is_negative(x: Expression) -> bool:
    return isinstance(x, Sum) and x.terms[0][0]


class StepText:
    """What is said about one step."""

    def __init__(self, letters: Letters, steps: Sequence[Traced], number: int) -> None:
        self.letters, self.steps, self.number, self.own = letters, steps, number, steps[number]
        axis = letters.chain.axes[self.own.step.joint]
        self.axis, self.place = axis, axis.place
        self.q: Expression = Element("q", (axis.place,), axis.place)
        self.C, self.S = (Variable(letters.wave(c, axis.place)) for c in "CS")
        before = sum(x.form in (TURN, SQUARE) for x in steps[:number])
        self.epsilon = Variable(letters.epsilon(before + 1)) if self.own.form in (TURN, SQUARE) else None
        self.first = self.own.sign if self.own.form == SQUARE else 1
        self._form()
        if self.own.form == TURN:
            signs = [self.forms[k] for k in "XYZ" if not _is(self.forms[k], 0.0)]
            if 2 * sum(map(_is_negative, signs)) > len(signs):
                self.own.values = {k: as_node(-x) for k, x in self.own.values.items()}
                self.first = -1
                self._form()

    def _form(self) -> None:
        """Write all expressions of the step."""
        x = self.own.values
        values = {name: node for d in self.own.definitions for name, node in d.entries} | dict(x)
        if self.own.form == TURN:
            values |= {"reach": x["X"] * x["X"] + x["Y"] * x["Y"], "far": x["Z"] * x["Z"]}
        if self.own.form == BOTH:
            vx, vy = x["Y1"], x["Y2"]
            values |= {"size": vx * vx + vy * vy}
            values |= {"sine": vx * x["Z2"] - vy * x["Z1"], "cosine": vx * x["Z1"] + vy * x["Z2"]}
        self.closed = self.letters.closed(values)
        self.forms = {name: entry for name, (entry,) in self.closed.outputs.items()}

    @property
    def type(self) -> str:
        return {TURN: "type 2", BOTH: "type 3", LINEAR: "type 1", SQUARE: "type 5"}[self.own.form]

    def parts(self) -> Iterator[Part]:
        """Yield the step's heading, equations, solution and conditions."""
        yield Heading(f"Step {self.number + 1}: {self.axis.name}")
        yield self._where()
        for d in self.own.definitions:
            what = _said(d.meaning)
            yield Paragraph((f"With {'the point ' * ('∩' in what)}{what}:",))
            yield Display(tuple((Variable(name), "=", self.forms[name]) for name, _ in d.entries))
        yield from {TURN: self._turn, BOTH: self._both, LINEAR: self._linear, SQUARE: self._square}[self.own.form]()
        yield from (Paragraph(x, item=True) for x in self._conditions())

    def _where(self) -> Paragraph:
        i, j = self.own.links
        step, equation, numbers = self.own.step, self.own.step.equation, self.letters.numbers
        if step.part:
            return Paragraph((f"From the rotation K of the upper arm: {_said(str(equation))}.",))
        known: list[str | Formula] = []
        for k in sorted(step.needs):
            place = self.letters.chain.axes[k].place
            known += [", " if known else "", (Element("q", (place,), place),)]
        given: list[str | Formula] = ["With ", *known, " known, " if known else ""] if known else []
        left = Transform(numbers[i], numbers[j])
        right = [Transform(numbers[i], "0")] * (i > 0) + [Transform()]
        right += [Transform(self.letters.end, numbers[j])] * (numbers[j] != self.letters.end)
        start = "compare " if given else "Compare "
        return Paragraph((*given, start, (left, "=", *right), f": {_said(str(equation))}."))

    def _coefficients(self, names: str) -> Formula:
        found: list[Expression | str | Transform] = []
        for name in names.split():
            found += [*([","] if found else []), Variable(name), "=", self.forms[name]]
        return tuple(found)

    def _turn(self) -> Iterator[Part]:
        forms, e = self.forms, self.epsilon
        assert e
        X, Y, Z = map(Variable, "XYZ")
        yield from self._squares()
        shape = (_of((1, [X, self.S]), (1, [Y, self.C])), "=", Z)
        values = tuple((Variable(k), "=", forms[k]) for k in "XYZ")
        if leaves(forms["X"]) + leaves(forms["Y"]) > READABLE:
            yield Paragraph(("This is an equation of type 2, with",))
            yield Display((*values, shape))
        else:
            yield Display(((self._left("X", "Y"), "=", forms["Z"]),))
            yield Paragraph(("This is type 2, ", shape, ", with"))
            yield Display(values)
        square = _of((1, [X, X]), (1, [Y, Y]))
        if _is(forms["Z"], 0.0):
            angles = Call(ATAN2, (Product((e, Y)), _of((-1, [e, X]))))
            yield Paragraph(("Its two solutions are half a turn apart:",))
            yield Display(((self.q, "=", angles),))
            return
        root = Call(SQRT, (_of((1, [X, X]), (1, [Y, Y]), (-1, [Z, Z])),))
        yield Paragraph(("Its solutions are, with ", (e, "=", Number(1.0)), " and -1,"))
        yield Display(
            (
                (self.S, "=", Quotient(_of((1, [X, Z]), (1, [e, Y, root])), square)),
                (self.C, "=", Quotient(_of((1, [Y, Z]), (-1, [e, X, root])), square)),
                (self.q, "=", Call(ATAN2, (self.S, self.C))),
            )
        )

    def _left(self, X: str, Y: str) -> Expression:
        """Return X S + Y C, with the coefficients written out."""
        return _total([(self.forms[X], self.S), (self.forms[Y], self.C)])

    def _squares(self) -> Iterator[Part]:
        """Say of which pair of equations the squares were added, if a later step has them."""
        equation = self.own.step.equation
        if not isinstance(equation, Equation) or equation.kind != DISTANCE:
            return
        for number, other in enumerate(self.steps[self.number + 1 :], self.number + 2):
            carry = other.step.equation
            if not isinstance(carry, Carry) or carry.feature.name not in (equation.first.name, equation.second.name):
                continue
            axes = self.letters.chain.numbers().axes
            mine, own = (axes[k] for k in (self.own.step.joint, other.step.joint))
            if self.own.form == SQUARE:
                kind = "type 4" if _is(self.forms["X"], 0.0) else "type 5"
            elif abs(abs(dot(mine.h, own.h)) - 1.0) < PARALLEL:
                kind = "type 6" if any(other.values[x] is ZERO for x in ("X1", "Y1")) else "type 7"
            else:
                continue
            yield Paragraph((f"It is the sum of the squares of the equations of step {number}, a pair of {kind}.",))
            return

    def _both(self) -> Iterator[Part]:
        f = self.forms
        yield Display(tuple((self._left(f"X{k}", f"Y{k}"), "=", f[f"Z{k}"]) for k in (1, 2)))
        yield Paragraph(("These are type 3, two equations for the sine and the cosine, with one solution:",))
        alone = any(_is(f[x], 0.0) for x in ("X2", "Y2"))  # each equation has one of them by itself
        longest = max(leaves(f[x]) for x in (("Z1", "Z2") if alone else ("sine", "cosine", "size")))
        shown: list[Formula] = []
        if longest > READABLE:
            shown = [(Variable(x), "=", f[x]) for x in ("X2", "Y2", "Z1", "Z2")]
        X, Y, A, B = (Variable(x) if shown else f[x] for x in ("X2", "Y2", "Z1", "Z2"))
        if alone:
            flat = _is(f["Y2"], 0.0)
            s, c = (_over(B, X), _over(A, X)) if flat else (_opposite(_over(A, Y)), _over(B, Y))
        elif shown:
            square = _of((1, [X, X]), (1, [Y, Y]))
            s, c = Quotient(_of((1, [X, B]), (-1, [Y, A])), square), Quotient(_of((1, [X, A]), (1, [Y, B])), square)
        else:
            s, c = (_over(f[x], f["size"]) for x in ("sine", "cosine"))
        yield Display((*shown, (self.S, "=", s), (self.C, "=", c), (self.q, "=", Call(ATAN2, (self.S, self.C)))))

    def _linear(self) -> Iterator[Part]:
        X, Y = self.forms["X"], self.forms["Y"]
        if not _is(X, 1.0):
            yield Display(((_total([(X, self.q)]), "=", Y),))
        yield Paragraph(("This is type 1, linear in ", (self.q,), ", with one solution:"))
        if leaves(X) == 1:
            yield Display(((self.q, "=", _over(Y, X)),))
            return
        x, y = Variable("X"), Variable("Y")
        yield Display(((x, "=", X), (y, "=", Y), (self.q, "=", Quotient(y, x))))

    def _square(self) -> Iterator[Part]:
        e, X, Z = self.epsilon, Variable("X"), Variable("Z")
        assert e
        root = Call(SQRT, (Z,))
        none = _is(self.forms["X"], 0.0)
        inner = self.q if none else _total([(Number(1.0), self.q), (self.forms["X"], Number(1.0))])
        yield from self._squares()
        yield Paragraph(("The squared distance is quadratic in ", (self.q,), ":"))
        yield Display(((Product((inner, inner)), "=", self.forms["Z"]),))
        values = [] if none else [(X, "=", self.forms["X"])]
        answer = _of((1, [e, root])) if none else _of((1, [e, root]), (-1, [X]))
        yield Paragraph(("With",))
        yield Display((*values, (Z, "=", self.forms["Z"])))
        yield Paragraph(("Its solutions are, with ", (e, "=", Number(1.0)), " and -1,"))
        yield Display(((self.q, "=", answer),))

    def _conditions(self) -> Iterator[tuple[str | Formula, ...]]:
        """Yield when the step has no solution, or does not determine its joint, and what is done then."""
        zero, free, form = Number(0.0), " or ".join(map(_said, self.own.free)), self.own.form
        if form == TURN:
            X, Y, Z = map(Variable, "XYZ")
            yield from self._undetermined((X, "=", Y, "=", zero), free)
            if _is(self.forms["Z"], 0.0):
                return
            square: Formula = (_of((1, [X, X]), (1, [Y, Y])), "<", Product((Z, Z)))
            same: Formula = (_of((1, [X, X]), (1, [Y, Y])), "=", Product((Z, Z)))
            brief = max(leaves(self.forms["reach"]), leaves(self.forms["far"])) <= BRIEF
            said: list[str | Formula] = [", that is, ", (self.forms["reach"], "<", self.forms["far"])] if brief else []
            yield ("No solution if ", square, *said, ": the pose is out of reach.")
            yield ("Both solutions are one if ", same, ": the edge of the reach.")
        elif form == BOTH:
            yield from self._undetermined(
                (self.forms["size"], "=", zero) if leaves(self.forms["size"]) <= BRIEF else (), free
            )
        elif form == SQUARE:
            yield ("No solution if ", (Variable("Z"), "<", zero), ": the pose is out of reach.")
            yield ("Both solutions are one if ", (Variable("Z"), "=", zero), ".")
        else:
            yield from self._undetermined((Variable("X"), "=", zero), free)

    def _undetermined(self, formula: Formula, free: str) -> Iterator[tuple[str | Formula, ...]]:
        if free:
            where: list[str | Formula] = [" (", formula, ")"] if formula else []
            yield (
                f"Undetermined where {free}", *where, ": any ", (self.q,), " satisfies the equation, or none. The one "
                "given in near is taken, 0 by default; a solution then represents infinitely many.",
            )  # fmt: skip
