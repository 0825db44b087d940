"""Exchanging the definition of one value for another, if that pays."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from ...errors import ExpressionError
from .network import FORBIDDEN, LEAF, SUM, Definition, Fresh, Network

Builder = Callable[[Network, int, Random, Fresh], Definition | None]
"""Returns another definition of a value, made of values that exist and of fresh ones; None if it has none.

The arguments of the present definition have been dropped: what only this value needs has no uses.
"""


class Changes:
    """Exchanges definitions in a network.

    Parameters
    ----------
    network
        The network.
    random
        Where all choices come from.

    Attributes
    ----------
    fresh
        The values that accepted changes have added, for the caller to collect.
    crowded
        Whether there was no place left between two values, so that they should be numbered again.
    """

    def __init__(self, network: Network, random: Random) -> None:
        self.network, self.random = network, random
        self.fresh: list[int] = []
        self.crowded = False

    def attempt(
        self, number: int, build: Builder, slack: int = 0, heat: float = 0.0, limit: float | None = None
    ) -> int | None:
        """Try another definition of a value; return how much it saves, or None if it was not taken.

        Parameters
        ----------
        slack
            How much a change may cost.
        heat
            Above 0, a change that costs more is taken with the probability ``exp(-cost / heat)``.
        limit
            The place below which all that exists already must lie; by default the value's own. If there is none, the
            caller makes sure that nothing depends on the value, and numbers the values again.
        """
        net = self.network
        old, price = net.definition(number), net.price[number]
        freed: list[int] = []
        fresh: Fresh = {}
        gain = net.drop(number, freed) + price
        try:
            new = build(net, number, self.random, fresh)
        except ExpressionError:  # a constant would be too large for a float
            new = None
        if new is not None and number not in (new[1] >> 1, new[2] >> 1) and not _same(old, new):
            net.define(number, new)
            gain -= net.take(number, fresh, net.place[number] if limit is None else limit) + net.price[number]
            if self._accepts(gain, slack, heat) and not self._cancels(number, fresh):
                self._settle(number, freed, fresh)
                return gain
            net.drop(number, [])
            net.define(number, old)
        net.take(number, fresh)
        for i in fresh:
            net.remove(i)
        return None

    def _accepts(self, gain: int, slack: int, heat: float) -> bool:
        if gain + slack >= 0:
            return True
        return heat > 0 and gain > -FORBIDDEN // 2 and self.random.random() < math.exp(gain / heat)

    def _cancels(self, number: int, fresh: Fresh) -> bool:
        """Tell whether a new sum loses digits."""
        net = self.network
        return any(
            net.kind[i] == SUM and (net.samples.cancels(i, net.first[i]) or net.samples.cancels(i, net.second[i]))
            for i in (number, *fresh)
            if net.uses[i]
        )

    def _settle(self, number: int, freed: list[int], fresh: Fresh) -> None:
        """Forget what is not used any more, and give fresh values their places."""
        net = self.network
        for i in freed:
            if not net.uses[i] and net.kind[i] != LEAF:
                net.remove(i)
        high = net.place[number]
        for i in fresh:
            if not net.uses[i]:
                net.remove(i)
                continue
            low = max(net.place[x >> 1] for x in (net.first[i], net.second[i]) if x >= 0)
            net.place[i] = (low + high) / 2
            self.crowded |= not low < net.place[i] < high
            self.fresh.append(i)


def _same(one: Definition, other: Definition) -> bool:
    return one[0] == other[0] and {*one[1:]} == {*other[1:]}
