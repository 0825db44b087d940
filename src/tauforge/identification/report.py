"""The report of an identification: one HTML file with its tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TauforgeError
from ..files import as_path, write_text
from ..graph.text import to_text
from ..spatial.inertia import NAMES
from ..view.document import document, figure
from ..view.drawing import draw
from ..view.figures import svg
from . import plots
from .consistent import Consistent
from .pseudo_inertia import COUNT
from .validation import Validation

if TYPE_CHECKING:
    from .result import Identification

GOOD, FAIR = 0.05, 0.3
"""Relative errors up to which a parameter is known well, and somewhat."""
FEW = 90
"""Undetermined parameters whose intervals are all computed; of more, only those of masses."""
UNITS = {**dict.fromkeys(NAMES[:6], "kg m²"), **dict.fromkeys(NAMES[6:9], "kg m"), "M": "kg"}
MEANINGS = {
    "IA": "rotor inertia",
    "FV": "viscous friction",
    "FS": "Coulomb friction",
    "FO": "offset of friction",
    "FA": "asymmetric viscous friction",
    "FB": "breakaway friction",
    "FL": "load-dependent friction",
    "K": "stiffness",
}


def write(path: str | Path, result: Identification, training: Validation | None, other: Validation | None) -> Path:
    """Write the report, whole or not at all."""
    if as_path(path).suffix not in (".html", ".htm"):
        raise TauforgeError(f"{path}: a report is written as .html")
    return write_text(path, html(result, training, other))


def html(result: Identification, training: Validation | None, other: Validation | None) -> str:
    """Return the report as HTML.

    Parameters
    ----------
    training
        Prediction of the recordings that were identified from.
    other
        Prediction of others.
    """
    style = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    parts = [
        *_top(result, training, other),
        *_robot(result),
        *_data(result),
        *(_prediction("other", "Prediction of other recordings", other) if other else ()),
        *(_prediction("training", "Fit of the recordings used", training, other is None) if training else ()),
        *_parameters(result),
        *(_standard(result, result.consistent) if result.consistent else ()),
        *_correlations(result),
    ]
    return document(f"Identification of {result.columns.robot.name}", parts, style)


def _top(result: Identification, training: Validation | None, other: Validation | None) -> Iterator[str]:
    """Yield title, the figures that matter most, and contents."""
    name = escape(result.columns.robot.name)
    known, total = int(result.fit.determined.sum()), len(result.names)
    yield f"<header><h1>Identification of {name}</h1><p class='totals'>"
    for found, words in ((other, "error on other recordings"), (training, "error on the recordings used")):
        if found:
            yield f"<span class='good'><b>{100 * found.overall:.1f} %</b> {words}</span>"
    yield f"<span class='{'good' if known == total else 'bad'}'><b>{known} of {total}</b> parameters determined</span>"
    if result.consistent:
        yield "<span class='good'><b>possible</b> masses and inertias of all links</span>"
    yield "</p><nav>"
    chapters = [("robot", "Robot"), ("data", "Data"), *([("other", "Prediction")] if other else [])]
    chapters += [*([("training", "Fit")] if training else []), ("parameters", "Parameters")]
    chapters += [*([("standard", "Links")] if result.consistent else []), ("correlations", "Correlations")]
    yield from (f"<a href='#{key}'>{title}</a>" for key, title in chapters)
    yield "</nav></header>"


def _robot(result: Identification) -> Iterator[str]:
    robot = result.columns.robot
    base = " on a floating base" if robot.base.floating else ""
    loops = f", {len(robot.loops)} closed loops" if robot.loops else ""
    yield _section(
        "robot", "Robot", f"{robot.name}: {len(robot.bodies)} moving links{base}{loops}, {robot.dof} torques."
    )
    with suppress(TauforgeError):  # a robot that cannot be drawn, such as one whose loops do not close at zero
        yield "<div class='scheme'>" + figure("Scheme", "All joints at zero.", draw(robot).svg) + "</div>"
    limits = {"lowest": "lower", "highest": "upper", "greatest speed": "velocity", "greatest torque": "effort"}
    moving = [joint for joint in robot.joints if joint.axes]
    used = {head: key for head, key in limits.items() if any(np.isfinite(getattr(x.limits, key)) for x in moving)}
    rows = [(x.name, x.kind.word, *(f"{getattr(x.limits, key):.4g}" for key in used.values())) for x in moving]
    yield from _table(("joint", "kind", *used), rows) if used else ()
    yield "</article></section>"


def _data(result: Identification) -> Iterator[str]:
    """Yield what was recorded, and how it was filtered."""
    words = f"Method: {result.method} least squares." if result.method in ("ordinary", "weighted", "total") else ""
    words = words or f"Method: {result.method}."
    yield _section("data", "Data", words)
    rows = []
    several = zip(result.recordings, result.filters, result.delays, result.weights, strict=False)
    for recording, how, late, weights in several:
        rows.append(
            (
                recording.name,
                f"{len(recording):,}",
                f"{recording.duration:.4g} s",
                f"{1.0 / recording.step:.4g} Hz",
                "none" if how.cutoff is None else f"{how.cutoff:.3g} Hz",
                f"1 of {how.decimation}",
                f"{how.bandwidth:.3g} Hz",
                f"{1e3 * late:.2g} ms",
                f"{weights.min():.2g} to {weights.max():.2g}",
            )
        )
    head = (
        "recording",
        "samples",
        "duration",
        "rate",
        "cut-off of positions",
        "samples kept",
        "torques compared up to",
        "delay of torques",
        "weights",
    )
    yield from _table(head, rows)
    if result.findings:
        yield "<h3>Findings</h3><ul>"
        yield from (f"<li>{escape(str(finding))}</li>" for finding in result.findings)
        yield "</ul>"
    yield "</article></section>"


def _prediction(key: str, title: str, found: Validation, residuals: bool = True) -> Iterator[str]:
    """Yield the errors of each torque, and the figures of torques and, if asked for, of residuals."""
    text = (
        f"Over all torques the difference between measured and predicted is {100 * found.overall:.2f} % of the "
        f"measured ones, up to {found.bandwidth:.3g} Hz. Whiteness is the largest autocorrelation of what is left: 0 "
        "for noise."
    )
    yield _section(key, title, text)
    largest = np.abs(found.residual).max(axis=0)
    columns = zip(found.torques, found.relative, found.rmse, largest, found.whiteness, strict=True)
    rows = [(name, f"{100 * a:.2f} %", f"{b:.4g}", f"{c:.4g}", f"{d:.2f}") for name, a, b, c, d in columns]
    yield from _table(("torque", "relative error", "root mean square", "largest", "whiteness"), rows)
    yield figure(
        "Torques",
        "Measured, predicted, and their difference; the relative error is above each panel.",
        svg(plots.torques(found)),
    )
    if residuals:
        text = (
            "Left: their distribution beside the normal one. Right: their autocorrelation; that of white noise stays "
            "in the grey band, 95 times out of 100."
        )
        yield figure("Residuals", text, svg(plots.whiteness(found)))
    yield "</article></section>"


def _parameters(result: Identification) -> Iterator[str]:
    """Yield the estimates with their errors, links first."""
    text = (
        "Standard errors include the noise's correlation over time and between joints. Torques depend on the base "
        "parameters only: R marks one that others are grouped with, as the last column says."
    )
    if result.undetermined:
        text += (
            f" These recordings do not determine {', '.join(result.undetermined)}; where they tell only the sum of "
            "such a parameter and others, the last column has that sum."
        )
    yield _section("parameters", "Parameters", text)
    forms = {name: to_text(expression) for name, expression in result.columns.base.relations.items()}
    yield "<div class='scroll'><table><thead><tr><th>parameter</th><th class='number'>value</th>"
    yield "<th class='number'>error</th><th class='number'>relative</th><th></th><th>meaning</th></tr></thead><tbody>"
    for (key, _), name, x, error in zip(result.columns.keys, result.names, result.values, result.errors, strict=True):
        words = forms.get(name) or MEANINGS.get(key) or UNITS.get(key, "")
        words += f"; the value is that {result.of_sum(name)}" * (name in result.sums)
        yield f"<tr><td>{escape(name)}</td>{_estimate(x, error)}<td class='form'>{escape(words)}</td></tr>"
    yield "</tbody></table></div></article></section>"


def _estimate(x: float, error: float) -> str:
    """Return the cells of a value, its error, and how well it is known."""
    if not np.isfinite(error):
        return "<td class='open' colspan='4'>undetermined</td>"
    relative = error / abs(x) if x else np.inf
    grade = "good" if relative <= GOOD else "fair" if relative <= FAIR else "poor"
    width = 100.0 * float(np.clip(np.log10(max(relative, 1e-4)) / 4.0 + 1.0, 0.04, 1.0))
    shown = f"{100 * relative:.2g} %" if relative < 1 else "over 100 %"
    numbers = "".join(f"<td class='number'>{text}</td>" for text in (f"{x:.5g}", f"{error:.2g}", shown))
    return f"{numbers}<td class='bar {grade}'><i style='width:{width:.0f}%'></i></td>"


def _standard(result: Identification, found: Consistent) -> Iterator[str]:
    """Yield the links' own parameters: those that the data determine, and the intervals of the others."""
    text = (
        f"A possible robot with these torques: its residual is {100 * found.harm:.2g} % longer than that of the "
        "estimates without conditions. Most of a link's own parameters cannot be told from torques. Where they cannot, "
        "the table has the interval that possible robots leave, at 95 % confidence, and no value; the robot itself has "
        "there what is closest to its prior."
    )
    yield _section("standard", "Links", text)
    intervals = _intervals(found)
    places = {name: k for k, name in enumerate(found.names)}
    robot = result.columns.robot
    whole = robot.expanded()
    first = 1 + len(robot.joints) - len(whole.joints)
    yield "<div class='scroll'><table><thead><tr><th>parameter</th><th class='number'>value</th>"
    yield "<th class='number'>error</th><th class='number'>relative</th><th></th><th>unit</th></tr></thead><tbody>"
    for j, link in enumerate(whole.bodies, first):
        yield f"<tr class='link'><td colspan='6'>{escape(link.name)}</td></tr>"
        for key in NAMES:
            k = places[f"{key}{j}"]
            cells = _estimate(found.values[k], found.errors[k])
            if name := intervals.get(found.names[k]):
                cells = f"<td class='open' colspan='4'>undetermined{name}</td>"
            yield f"<tr><td>{key}{j}</td>{cells}<td class='form'>{UNITS[key]}</td></tr>"
    yield "</tbody></table></div></article></section>"


def _intervals(found: Consistent) -> dict[str, str]:
    """Return the intervals of undetermined parameters of links, as text."""
    links = set(found.names[: len(found.prior.matrices) * COUNT])
    open_ = [name for name in found.undetermined if name in links]
    shown = open_ if len(open_) <= FEW else [name for name in open_ if name[0] == "M" and name[1:].isdigit()]
    texts = dict.fromkeys(open_, " ")
    for name in shown:
        try:
            low, high = found.interval(name)
        except TauforgeError:
            continue
        if np.isinf(low) and np.isinf(high):
            texts[name] = ": any value"
        elif np.isinf(high):
            texts[name] = f": at least {low:.3g}"
        else:
            texts[name] = f": {low:.3g} … {high:.3g}" if np.isfinite(low) else f": at most {high:.3g}"
    return texts


def _correlations(result: Identification) -> Iterator[str]:
    yield _section("correlations", "Correlations", "Estimates that the data can hardly tell apart are dark.")
    yield figure(
        "Correlations", "Between the estimates of all parameters that are determined.", svg(plots.correlations(result))
    )
    yield "</article></section>"


def _section(key: str, title: str, text: str) -> str:
    return f"<section id='{key}'><h2>{escape(title)}</h2><article><p>{escape(text)}</p>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table whose columns after the first are numbers."""
    yield "<div class='scroll'><table><thead><tr>"
    yield "".join(f"<th{' class=number' if k else ''}>{escape(x)}</th>" for k, x in enumerate(head))
    yield "</tr></thead><tbody>"
    for row in rows:
        cells = (f"<td{' class=number' if k else ''}>{escape(x)}</td>" for k, x in enumerate(row))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
