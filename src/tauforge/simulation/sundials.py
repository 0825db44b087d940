"""CVODE and IDA of SUNDIALS, by scikit-sundae, with the interface of SciPy's integrators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from .options import Options
from .system import System

Floats = NDArray[np.float64]


@final
class Sundials:
    """An integrator of SUNDIALS on its way to the next break.

    CVODE gets the rates f, IDA the residual y' - f; both get the exact Jacobian. What fails in a function that they
    call is kept, and raised after the step: no error can pass through their code.
    """

    def __init__(
        self, system: System, t: float, y: Floats, stop: float, first_step: float | None, how: Options
    ) -> None:
        self.status, self.t, self.t_old, self.y = "running", t, t, y
        self._system, self._stop = system, stop
        self._error: BaseException | None = None
        more: dict[str, Any] = {"rtol": how.rtol, "atol": how.atol}
        if np.isfinite(how.max_step):
            more["max_step"] = how.max_step
        self._one = np.eye(system.size)
        if how.method == "CVODE":
            self._solver = _library("cvode").CVODE(self._rates, jacfn=self._jacobian, **more)
            self._solver.init_step(t, y)
        else:
            self._solver = _library("ida").IDA(self._residual, jacfn=self._slopes, **more)
            self._solver.init_step(t, y, system.rates(t, y))

    def _kept(self, out: Any, compute: Callable[[], Floats]) -> None:
        """Fill memory with what a function returns, or with NaN if it fails."""
        try:
            out[:] = np.nan if self._error else compute()
        except BaseException as error:
            self._error = error
            out[:] = np.nan

    def _rates(self, t: float, y: Any, rates: Any) -> None:
        self._kept(rates, lambda: self._system.rates(t, np.array(y)))

    def _jacobian(self, t: float, y: Any, rates: Any, J: Any) -> None:
        self._kept(J, lambda: self._system.jacobian(t, np.array(y)))

    def _residual(self, t: float, y: Any, rates: Any, residual: Any) -> None:
        self._kept(residual, lambda: np.array(rates) - self._system.rates(t, np.array(y)))

    def _slopes(self, t: float, y: Any, rates: Any, residual: Any, cj: float, J: Any) -> None:
        self._kept(J, lambda: cj * self._one - self._system.jacobian(t, np.array(y)))

    def step(self) -> str | None:
        """Take a step, and return why there is none."""
        try:
            found = self._solver.step(self._stop, method="onestep", tstop=self._stop)
            if found.success and found.t <= self.t:  # after an interpolation, it first returns to where it was
                found = self._solver.step(self._stop, method="onestep", tstop=self._stop)
        except Exception as error:
            if self._error is None:
                self.status = "failed"
                return f"SUNDIALS: {error}"
            found = None
        if self._error is not None:
            raise self._error
        if found is None or not found.success or not found.t > self.t:
            self.status = "failed"
            return "no step changes the time" if found is None or found.success else f"SUNDIALS: {found.message}"
        self.t_old, self.t, self.y = self.t, float(found.t), np.array(found.y)
        self.status = "finished" if self.t >= self._stop else "running"
        return None

    def dense_output(self) -> Callable[[float], Floats]:
        """Return the interpolant of the last step."""
        end, last = self.t, self.y

        def state(t: float) -> Floats:
            return last if t == end else np.array(self._solver.step(t).y)

        return state


def _library(name: str) -> Any:
    try:
        from importlib import import_module

        return import_module(f"sksundae.{name}")
    except ImportError:
        raise ProgramError("CVODE and IDA need scikit-sundae: pip install 'tauforge[sundials]'") from None
