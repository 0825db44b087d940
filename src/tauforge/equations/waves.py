"""Polynomials -> products of the sines and cosines that people write: c2, s23, c2².

Axes that are parallel give sums of angles. Which angles belong together is found by trying: the choice with the fewest
factors is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from ..graph.functions import HALF, rebuild
from ..graph.node import ONE, TWO, ZERO, Node, add, as_node, mul, neg
from ..graph.operations import COS, NEG, SIN
from .polynomial import Polynomial, Powers, Wave, collected, multiplied

Frequency = tuple[int, ...]
"""How often each angle of a group is taken; the first that is not zero is positive."""
Sound = dict[tuple[Frequency, str], Node]
"""A sum of waves of sums of angles, with their constants."""
Products = dict[Powers, Node]
"""A polynomial whose waves are factors like others."""

Groups = list[tuple[Node, ...]]
"""Angles that are added."""

_MANY = 5
"""With more angles than these, neighbours are joined one after the other instead of in all ways."""


def products(forms: Sequence[Polynomial], joints: Sequence[Node]) -> list[Products]:
    """Return polynomials with waves of sums of angles as factors; ``joints`` are the angles that can be added."""
    angles = {angle: None for form in forms for _, waves in form for angle, _, _ in waves}
    chain = [joint for joint in joints if joint in angles]
    others: Groups = [(angle,) for angle in angles if angle not in joints]
    tried = [_written(forms, [*groups, *others]) for groups in _groupings(forms, chain, others)]
    return min(tried, key=_size)


def _groupings(forms: Sequence[Polynomial], chain: Sequence[Node], others: Groups) -> Iterable[Groups]:
    """Return the ways to cut a chain of angles into groups of neighbours."""
    if not chain:
        return [[]]
    if len(chain) <= _MANY:
        spots = range(1, len(chain))
        cuts = [cut for k in range(len(chain)) for cut in combinations(spots, k)]
        return [[tuple(chain[a:b]) for a, b in zip((0, *cut), (*cut, len(chain)), strict=True)] for cut in cuts]
    best: Groups = [(angle,) for angle in chain]
    for _ in chain:
        joined: list[Groups] = [[*best[:i], best[i] + best[i + 1], *best[i + 2 :]] for i in range(len(best) - 1)]
        better = min([best, *joined], key=lambda groups: _size(_written(forms, [*groups, *others])))
        if better == best:
            break
        best = better
    return [best]


def _size(forms: Iterable[Products]) -> int:
    return sum(1 + sum(n for _, n in powers) for form in forms for powers in form)


def _written(forms: Sequence[Polynomial], groups: Sequence[tuple[Node, ...]]) -> list[Products]:
    return [_of_groups(form, groups) for form in forms]


def _of_groups(form: Polynomial, groups: Sequence[tuple[Node, ...]]) -> Products:
    """Turn the waves of one group after the other into factors."""
    for group in groups:
        sounds: dict[tuple[Powers, tuple[Wave, ...]], Sound] = {}
        for (powers, waves), x in form.items():
            inside = {angle: (k, op) for angle, k, op in waves if angle in group}
            outside = tuple(wave for wave in waves if wave[0] not in group)
            sound = sounds.setdefault((powers, outside), {})
            for key, part in _together([inside.get(angle, (0, COS)) for angle in group]).items():
                sound[key] = add(sound.get(key, ZERO), mul(part, x))
        form = collected(
            ((multiplied(powers, factors), outside), x)
            for (powers, outside), sound in sounds.items()
            for factors, x in _factors(sound, group)
        )
    return {powers: x for (powers, _), x in form.items()}


def _together(waves: Sequence[tuple[int, str]]) -> Sound:
    """Return a product of waves of different angles as a sum of waves of their sums and differences."""
    sound: Sound = {((), COS): ONE}
    for k, op in waves:
        longer: Sound = {}
        for (frequency, kind), x in sound.items():
            for sign in (1, -1) if k else (1,):
                key, part = _joined(kind, op, sign, (*frequency, sign * k))
                part = mul(part, x) if k else x
                longer[key] = add(longer.get(key, ZERO), part)
        sound = {key: x for key, x in longer.items() if x is not ZERO}
    return sound


def _joined(kind: str, op: str, sign: int, frequency: Frequency) -> tuple[tuple[Frequency, str], Node]:
    """Return one half of a product of two waves: that of the sum of their angles, or that of the difference."""
    if kind is op:
        x = HALF if op is COS or sign < 0 else neg(HALF)
        return _standing(frequency, COS, x)
    x = HALF if kind is SIN or sign > 0 else neg(HALF)
    return _standing(frequency, SIN, x)


def _standing(frequency: Frequency, op: str, x: Node) -> tuple[tuple[Frequency, str], Node]:
    first = next((k for k in frequency if k), 0)
    if first < 0:
        return (tuple(-k for k in frequency), op), neg(x) if op is SIN else x
    return (frequency, op), x


def _factors(sound: Sound, group: Sequence[Node]) -> Iterable[tuple[Powers, Node]]:
    """Yield a sum of waves as products of sines and cosines of angles that are taken once, where there are such."""
    rest = {key: x for key, x in sound.items() if x is not ZERO and not (key[1] is SIN and not any(key[0]))}
    while rest:
        (frequency, op), x = min(rest.items(), key=lambda pair: (-max(map(abs, pair[0][0])), pair[0]))
        del rest[frequency, op]
        if max(map(abs, frequency)) > 1:
            found = _pair(frequency, op, x, rest)
            if found:
                yield _powers(found[:2], group, found[2])
                continue
        yield _powers([(frequency, op)], group, x)


def _pair(
    f: Frequency, op: str, x: Node, rest: Sound
) -> tuple[tuple[Frequency, str], tuple[Frequency, str], Node] | None:
    """Return two waves and a constant whose product is a wave and another that is left, which is taken out."""
    if op is SIN and all(k % 2 == 0 for k in f) and max(map(abs, f)) == 2:
        half = tuple(k // 2 for k in f)
        return (half, SIN), (half, COS), mul(TWO, x)  # sin 2a = 2 sin a cos a
    for (g, other), y in rest.items():
        if other is not op or (y is not x and y is not neg(x)):
            continue
        if any((a + b) % 2 for a, b in zip(f, g, strict=True)):
            continue
        total = tuple((a + b) // 2 for a, b in zip(f, g, strict=True))
        difference = tuple((a - b) // 2 for a, b in zip(f, g, strict=True))
        if max(map(abs, (*total, *difference))) > 1:
            continue
        del rest[g, op]
        same = y is x
        if op is COS:  # cos f + cos g = 2 cos t cos d; cos f - cos g = -2 sin t sin d
            first, second = (COS, COS) if same else (SIN, SIN)
            scale = TWO if same else neg(TWO)
        else:  # sin f + sin g = 2 sin t cos d; sin f - sin g = 2 cos t sin d
            first, second = (SIN, COS) if same else (COS, SIN)
            scale = TWO
        a, scale = _standing(total, first, scale)
        b, scale = _standing(difference, second, scale)
        return a, b, mul(scale, x)
    return None


def _powers(waves: Iterable[tuple[Frequency, str]], group: Sequence[Node], x: Node) -> tuple[Powers, Node]:
    """Return waves as factors, with the constant before them."""
    made: Powers = ()
    for frequency, op in waves:
        angle = ZERO
        for node, k in zip(group, frequency, strict=True):
            angle = add(angle, mul(as_node(k), node))
        wave = rebuild(op, (angle,))
        if wave.op is NEG:
            wave, x = wave.args[0], neg(x)
        if wave is not ONE:
            made = multiplied(made, ((wave, 1),))
    return made, x
