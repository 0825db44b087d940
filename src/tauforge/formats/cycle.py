"""Links that carry each other in a circle, which a robot's file must not have."""

from __future__ import annotations


def cycle(antecedents: list[int], number: int) -> list[int]:
    """Return the cycle that the path from a link toward the base runs into; empty if it reaches the base."""
    way = {number: 0}  # each link with its place on the way
    link = antecedents[number - 1]
    while 0 < link <= len(antecedents):
        if link in way:
            return [*list(way)[way[link] :], link]
        way[link] = len(way)
        link = antecedents[link - 1]
    return []
