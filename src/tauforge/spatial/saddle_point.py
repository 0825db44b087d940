"""Linear equations of motion under constraints, solved by one sparse factorisation without a choice of pivots.

    [M  Jᵀ] [ x]   [f]
    [J  -E] [-y] = [c],    M symmetric and positive, E diagonal and not negative

Unknowns are eliminated one after another, K = L D Lᵀ, with the zeros of K kept wherever they can be. An x is always
eliminated with a positive divisor. A y is eliminated once every x in its equation is: its divisor is then negative
wherever the equations eliminated so far are independent, since it is -j M̂⁻¹ jᵀ - e with the inverse inertia M̂⁻¹ that
they leave. So no divisor can vanish where the solution is unique, whatever else the order is. Two orders are tried:
from the last x to the first, as in a tree (Featherstone 2005), and the one that fills the fewest zeros each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..graph.node import Scalar, is_zero

Row = Mapping[int, Scalar]
Check = Callable[[int, Scalar], None]
"""Takes the number of an x and its divisor; raises an error if that is zero."""


class SaddlePoint:
    """The equations, ready for any number of right-hand sides.

    Parameters
    ----------
    M
        Symmetric; only the lower triangle is read.
    J
        One row per constraint, by unknown.
    E
        Compliance of each constraint; zero where it is rigid.
    check
        Is shown what is divided by for each x.
    sparsest
        Whether each unknown in turn is the one that has the fewest neighbours, instead of the last one.
    """

    def __init__(
        self,
        M: Sequence[Sequence[Scalar]],
        J: Sequence[Row],
        E: Sequence[Scalar],
        check: Check,
        sparsest: bool = False,
    ) -> None:
        self.count = len(M)
        K: list[dict[int, Scalar]] = [{} for _ in range(len(M) + len(J))]
        for i, row in enumerate(M):
            for k, x in enumerate(row[: i + 1]):
                if i == k or not is_zero(x):
                    K[i][k] = K[k][i] = x
        for i, constraint in enumerate(J, self.count):
            K[i][i] = -E[i - self.count]
            for k, x in constraint.items():
                K[i][k] = K[k][i] = x
        supports = [set(row) for row in J]
        left = set(range(len(K)))
        self._steps: list[tuple[int, Scalar, dict[int, Scalar]]] = []
        while left:
            v = _next(K, left, supports, self.count, sparsest)
            left.remove(v)
            own = K[v]
            if v < self.count:
                check(v, own[v])
            inverse = 1.0 / own.pop(v)
            factors = {u: x * inverse for u, x in own.items()}
            for u, factor in factors.items():
                left_of = K[u]
                del left_of[v]
                for w, x in own.items():
                    if w <= u:
                        left_of[w] = K[w][u] = left_of.get(w, 0.0) - factor * x
            for u in factors:
                K[u] = {w: x for w, x in K[u].items() if w == u or not is_zero(x)}
            self._steps.append((v, inverse, factors))

    @property
    def pivots(self) -> list[Scalar]:
        """For each constraint, how rigid the unknowns are against it once those eliminated before are held."""
        divisors = {v: 1.0 / inverse for v, inverse, _ in self._steps}
        return [-divisors[v] for v in range(self.count, len(self._steps))]

    def solved(self, f: Sequence[Scalar], c: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """Return x and y."""
        b = [*f, *c]
        for v, _, factors in self._steps:
            if not is_zero(b[v]):
                for u, factor in factors.items():
                    b[u] = b[u] - factor * b[v]
        for v, inverse, factors in reversed(self._steps):
            x = b[v] * inverse
            for u, factor in factors.items():
                if not is_zero(b[u]):
                    x = x - factor * b[u]
            b[v] = x
        return b[: self.count], [-x for x in b[self.count :]]


def _next(
    K: Sequence[Mapping[int, Scalar]], left: set[int], supports: Sequence[set[int]], count: int, sparsest: bool
) -> int:
    """Return the unknown to eliminate next."""
    free = [v for v in left if v >= count and not supports[v - count] & left]
    if not sparsest:
        return min(free) if free else max(v for v in left if v < count)
    return min((*free, *(v for v in left if v < count)), key=lambda v: (len(K[v]), v < count, -v))
