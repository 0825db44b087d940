"""The numbers of the adaptive methods that are compiled with the model.

All are written in the increments u of the state, so that one loop serves them. In the stage i,

    y_i = y + Σ a_ij u_j,    u_i = h f(t + c_i h, y_i)                                               explicit
    (1 - h γ J) u_i = γ (h f(t + c_i h, y_i) + Σ C_ij u_j + d_i h² ∂f/∂t)                            Rosenbrock

and then y(t + θ h) = y + Σ_j u_j Σ_p P_jp θ^p, of which y(t + h) = y + Σ m_j u_j is the end. The last stage of an
explicit method is the first of the next step.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

Floats = NDArray[np.float64]


class Tableau(NamedTuple):
    """A method.

    Attributes
    ----------
    order
        The order of the method.
    control
        The power of the step that the estimated error is proportional to.
    stages
        The number of stages of a step; further rows of A and c are stages that only the interpolant needs.
    A
        As above.
    C
        As above.
    c
        As above.
    d
        As above.
    m
        As above.
    P
        The interpolant, one row for each stage and one column for each power of θ from the first on.
    error
        The estimate of the error, as a combination of increments.
    lower
        An estimate of lower order that tames the first, as in DOP853; zero for all others.
    gamma
        The γ of a Rosenbrock method, zero for an explicit one.
    """

    order: int
    control: int
    stages: int
    A: Floats
    C: Floats
    c: Floats
    d: Floats
    m: Floats
    P: Floats
    error: Floats
    lower: Floats
    gamma: float

    @property
    def is_explicit(self) -> bool:
        """Whether no linear equations are solved."""
        return self.gamma == 0.0

    @property
    def extra(self) -> int:
        """The number of stages that only the interpolant needs."""
        return len(self.c) - self.stages

    @property
    def numbers(self) -> Floats:
        """All numbers in one row, as the compiled loop reads them."""
        lowest, largest = 0.2, 10.0 if self.is_explicit else 6.0
        head = [self.gamma, -1.0 / self.control, 0.9, lowest, largest]
        parts = (self.A, self.C, self.c, self.d, self.m, self.error, self.lower, self.P)
        return np.concatenate([head, *(part.ravel() for part in parts)])


def _lower_triangle(rows: list[list[float]]) -> Floats:
    """Return a matrix from the entries below its diagonal."""
    found = np.zeros((len(rows) + 1, len(rows) + 1))
    for i, row in enumerate(rows, 1):
        found[i, : len(row)] = row
    return found


def _nested(middle: list[Floats], m: Floats) -> Floats:
    """Return θ m + θ (1 - θ) (D_1 + θ D_2 + θ² D_3 + …) as powers of θ, for each stage."""
    P = np.zeros((len(m), len(middle) + 2))
    P[:, 0] = m
    for power, row in enumerate(middle):
        P[:, power] += row
        P[:, power + 1] -= row
    return P[:, : len(middle) + 1]


def _tsit5() -> Tableau:
    """Return Tsitouras' method of the order 5 with an estimate of the order 4 (2011), and its interpolant."""
    A = _lower_triangle(
        [
            [0.161],
            [-0.008480655492356989, 0.335480655492357],
            [2.8971530571054935, -6.359448489975075, 4.3622954328695815],
            [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
            [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383],
            [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774],
        ]
    )
    error = [-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
             0.5823571654525552, -0.45808210592918697, 1.0 / 66.0]  # fmt: skip
    scales = [-1.0530884977290216, 0.1017, 2.490627285651252793, -16.54810288924490272, 47.37952196281928122,
              -34.87065786149660974, 2.5]  # fmt: skip
    quadratics: list[
        Any
    ] = [  # of θ, lowest power first; the first row's other factor is θ - 1.33, that of all others is θ
        [0.7139816917074209, -1.4364028541716351, 1.0],
        [1.2949852507374631, -2.1966568338249754, 1.0],
        [1.57803468208092486, -2.38535645472061657, 1.0],
        np.polynomial.polynomial.polyfromroots([1.21712927295533244, 0.61620406037800089]),
        np.polynomial.polynomial.polyfromroots([1.203071208372362603, 0.658047292653547382]),
        np.polynomial.polynomial.polyfromroots([1.2, 0.666666666666666667]),
        np.polynomial.polynomial.polyfromroots([1.0, 0.6]),
    ]
    firsts = [[-1.3299890189751412, 1.0], *([[0.0, 1.0]] * 6)]
    P = [s * np.polynomial.polynomial.polymul(f, q) for s, f, q in zip(scales, firsts, quadratics, strict=True)]
    c = np.array([0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0])
    none = np.zeros(7)
    return Tableau(5, 5, 7, A, 0.0 * A, c, none, A[6], np.array(P), np.array(error), none, 0.0)


def _dop8() -> Tableau:
    """Return Dormand and Prince's method of the order 8, with the estimates and the interpolant of DOP853."""
    stages, extra = len(DOP853.B) + 1, len(DOP853.C_EXTRA)
    size = stages + extra
    A = np.zeros((size, size))
    A[: stages - 1, : stages - 1] = DOP853.A
    A[stages - 1, : stages - 1] = DOP853.B
    A[stages:] = DOP853.A_EXTRA
    c = np.concatenate([DOP853.C, [1.0], DOP853.C_EXTRA])
    m, first, last = np.zeros(size), np.eye(size)[0], np.eye(size)[stages - 1]
    m[: stages - 1] = DOP853.B
    nested = [m, first - m, 2.0 * m - last - first, *DOP853.D]
    P = np.zeros((size, len(nested)))
    factor: Any = np.ones(1)
    for k, row in enumerate(nested):  # the factors are θ, 1 - θ, θ, 1 - θ, …
        factor = np.polynomial.polynomial.polymul(factor, [0.0, 1.0] if k % 2 == 0 else [1.0, -1.0])
        P[:, : len(factor) - 1] += np.outer(row, factor[1:])
    error, lower = (np.pad(e, (0, size - len(e)))[:stages] for e in (DOP853.E5, DOP853.E3))
    return Tableau(8, 8, stages, A, np.zeros((stages, stages)), c, np.zeros(stages), m[:stages], P, error, lower, 0.0)


def _rodas5p() -> Tableau:
    """Return Steinebach's stiffly accurate Rosenbrock method of the order 5 (BIT 63, 27, 2023)."""
    end = [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946]
    A = _lower_triangle(
        [
            [3.0],
            [2.849394379747939, 0.45842242204463923],
            [-6.954028509809101, 2.489845061869568, -10.358996098473584],
            [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
            end,
            [*end, 1.0],
            [*end, 1.0, 1.0],
        ]
    )
    C = _lower_triangle(
        [
            [-14.155112264123755],
            [-17.97296035885952, -2.859693295451294],
            [147.12150275711716, -1.41221402718213, 71.68940251302358],
            [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
            [24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
            [30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
             -28.087943162872662],
            [37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
             -54.66780262877968, -9.48861652309627],
        ]
    )  # fmt: skip
    c = np.array([0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1.0, 1.0, 1.0])
    d = np.array([0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734,
                  2.325825639765069, 0.0, 0.0, 0.0])  # fmt: skip
    H = [
        [25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
         1.1241088310450404, 0.4272876194431874, -0.17202221070155493],
        [-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
         15.98066361424651, -6.789040303419874, -6.710236069923372],
        [11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
         -59.78993625266729, -0.15582684282751913, 4.883087185713722],
    ]  # fmt: skip
    m = np.array([*end, 1.0, 1.0, 1.0])
    error = np.eye(8)[7]
    P = _nested([np.array(row) for row in H], m)
    return Tableau(5, 5, 8, A, C, c, d, m, P, error, np.zeros(8), 0.21193756319429014)


def _rodas4() -> Tableau:
    """Return Hairer and Wanner's stiffly accurate Rosenbrock method of the order 4, RODAS (1996)."""
    end = [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950]
    A = _lower_triangle(
        [
            [1.544],
            [0.9466785280815826, 0.2557011698983284],
            [3.314825187068521, 2.896124015972201, 0.9986419139977817],
            end,
            [*end, 1.0],
        ]
    )
    C = _lower_triangle(
        [
            [-5.6688],
            [-2.430093356833875, -0.2063599157091915],
            [-0.1073529058151375, -9.594562251023355, -20.47028614809616],
            [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160],
            [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
        ]
    )
    H = [
        [10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662, 0.0],
        [-0.6762803392806898, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872, 0.0],
    ]
    m, c = np.array([*end, 1.0, 1.0]), np.array([0.0, 0.386, 0.21, 0.63, 1.0, 1.0])
    d = np.array([0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0])
    P = _nested([np.array(row) for row in H], m)
    return Tableau(4, 4, 6, A, C, c, d, m, P, np.eye(6)[5], np.zeros(6), 0.25)


_MADE = {"Tsit5": _tsit5, "DOP8": _dop8, "Rodas4": _rodas4, "Rodas5P": _rodas5p}
COMPILED = tuple(_MADE)
"""Names of the methods that are compiled with the model."""


@cache
def tableau(method: str) -> Tableau:
    """Return a method by its name."""
    return _MADE[method]()
