"""A single pass, applied to a Program."""

from random import Random

from tauforge.program.network.change import Changes
from tauforge.program.network.cost import Prices
from tauforge.program.network.network import Network
from tauforge.program.passes import PASSES


def applied(name, program, steps=1000):
    """Return what a pass makes of a Program, checked and proved equal; it costs no more."""
    changes = Changes(Network(program, Prices()), Random(0))
    merged = changes.network.cost()
    saved = PASSES[name](changes, steps)
    assert changes.network.cost() == merged - saved
    made = changes.network.rebuilt()
    made.check()
    assert made.count().total <= program.count().total
    assert program.certify(made)
    return made
