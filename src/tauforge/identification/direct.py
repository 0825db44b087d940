"""The simulated motion of a robot with estimated values, for the methods that need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from ..errors import IdentificationError, ProgramError
from ..simulation.controllers import Controller
from ..simulation.simulate import simulate
from .recording import Recording
from .result import robot_of
from .samples import Samples
from .states import Source

Floats = NDArray[np.float64]


class Motion:
    """Makes samples along the motion that the identified robot has under its controller.

    Without a controller, the robot is taken to follow the recorded reference.
    """

    def __init__(self, samples: Samples, controllers: Sequence[Any]) -> None:
        self.samples, self.controllers = samples, controllers

    def __call__(self, values: Floats) -> Samples:
        """Return the samples of the robot with these values."""
        pairs = zip(self.samples.sources, self.controllers, strict=True)
        sources = [self._source(source, controller, values) for source, controller in pairs]
        return self.samples.changed(sources=sources)

    def _source(self, source: Source, controller: Any, values: Floats) -> Source:
        rec = source.recording
        q, qd, qdd = _followed(rec) if controller is None else self._simulated(source, controller, values)
        how = replace(source.filters, cutoff=None)
        return replace(source, recording=rec.changed(q=q, qd=qd, qdd=qdd), filters=how)

    def _simulated(self, source: Source, controller: Any, values: Floats) -> tuple[Floats, Floats, Floats]:
        robot = robot_of(self.samples.columns, values, self.samples.speeds)
        rec = source.recording
        states = source.start()
        method = "Tsit5" if isinstance(controller, Controller) else "DOP853"
        try:
            found = simulate(
                robot,
                rec.t,
                controller=controller,
                q0=states[0],
                qd0=states[1],
                method=method,
                rtol=1e-6,
                max_steps=50 * len(rec),
            )
        except ProgramError as error:
            raise IdentificationError(
                f"{rec.name}: the robot with the first estimate cannot be simulated: {error}"
            ) from None
        return found.q, found.qd, found.qdd


def _followed(rec: Recording) -> tuple[Floats, Floats, Floats]:
    """Return the reference with its derivatives."""
    if rec.reference is None:
        raise IdentificationError(
            f"{rec.name} has no reference, and no controller is given; one of them is needed for a motion without noise"
        )
    curve = make_interp_spline(rec.t, rec.reference, k=5)
    return tuple(np.asarray(curve(rec.t, nu=k)) for k in range(3))  # type: ignore[return-value]
