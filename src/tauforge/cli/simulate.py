"""The commands that move a robot: ``simulate`` under torques or a controller, ``torques`` along a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

import tauforge as tf

from . import show
from .console import console, errors
from .find_robot import FindRobot, takes_robot

TaskOption = Annotated[
    Path | None, typer.Option("--task", "-k", metavar="FILE", help="The task's .toml file; options replace its values.")
]
Time = Annotated[str, typer.Option("--time", metavar="SECONDS", help="How long.")]
Dt = Annotated[str, typer.Option("--dt", metavar="SECONDS", help="The time between results.")]
Payload = Annotated[str, typer.Option("--payload", metavar="KG", help="The mass of a load at the robot's tip.")]
WhoseTorques = Annotated[
    str,
    typer.Option(
        "--efforts", metavar="WHOSE", help="Whose torques: independent, those of the joints (the default), or motors."
    ),
]
Save = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Save all results: .csv, .npz or .parquet.")]
PlotFile = Annotated[str, typer.Option("--plot", metavar="FILE", help="Plot the histories to FILE.")]
AnimateFile = Annotated[str, typer.Option("--animate", metavar="FILE", help="Write an animation to FILE.")]
Q0 = Annotated[
    str, typer.Option("--q0", metavar="LIST", help="Coordinates at the start, such as 0,pi/2; zero by default.")
]
Qd0 = Annotated[str, typer.Option("--qd0", metavar="LIST", help="Velocities at the start; zero by default.")]
Torque = Annotated[
    str,
    typer.Option(
        "--torque", metavar="LIST", help="Torques: numbers or expressions of t, q1, q2, …, qd1, … such as 5*sin(t),0."
    ),
]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="The integrator; DOP853 by default.")]
Rtol = Annotated[str, typer.Option("--rtol", metavar="NUMBER", help="The relative tolerance of each step.")]
Atol = Annotated[str, typer.Option("--atol", metavar="NUMBER", help="The absolute tolerance of each step.")]
Coordinates = Annotated[
    str,
    typer.Option("--coordinates", metavar="NAME", help="With closed loops: auto, independent or all; auto by default."),
]
Through = Annotated[
    str, typer.Option("--through", metavar="NAME", help="inertia: go on through singular states of the mechanism.")
]
Along = Annotated[
    str,
    typer.Option("--motion", metavar="LIST", help="The motion: expressions of t, one for each joint or one for all."),
]
Points = Annotated[
    str, typer.Option("--points", metavar="LISTS", help="Points to pass, evenly in time, such as '0,0; 1,0.5; 1,2'.")
]


@takes_robot(symbolic=False)
def simulate(
    robot: FindRobot,
    task: TaskOption = None,
    time: Time = "",
    q0: Q0 = "",
    qd0: Qd0 = "",
    torque: Torque = "",
    payload: Payload = "",
    efforts: WhoseTorques = "",
    method: Method = "",
    rtol: Rtol = "",
    atol: Atol = "",
    coordinates: Coordinates = "",
    through: Through = "",
    dt: Dt = "",
    output: Save = "",
    plot: PlotFile = "",
    animate: AnimateFile = "",
) -> None:
    """Simulate a robot under the torques or the controller of a task, and show what happened.

    Examples: `tauforge simulate kuka_lwr --task lwr_forward.toml --plot motion.svg` ·
    `tauforge simulate planar2r --time 5 --q0 0,pi/3 -o fall.csv --animate fall.html`
    """
    from .motion_tables import motion_table

    found = robot()
    changes: dict[str, Any] = {
        "simulation": _given(
            duration=time, dt=dt, method=method, rtol=rtol, atol=atol, coordinates=coordinates, through=through
        ),
        "start": _given(q=listed(q0), qd=listed(qd0)),
        "output": _given(save=output, plot=plot, animate=animate),
    }
    if payload:
        changes["payload"] = payload
    if efforts:
        changes["simulation"]["efforts"] = efforts
    if torque:
        changes |= {"torque": listed(torque), "controller": None}
    wanted = _task(task, changes)
    asked = wanted.output
    if asked.plot:
        show.pyplot()  # refused now if it is missing, not after all the work
    _check_files(asked)
    try:
        run = wanted.simulate(found)
    except (tf.SimulationError, KeyboardInterrupt) as error:
        part = getattr(error, "trajectory", None)
        if part is not None and asked.save:
            part.save(asked.save)
            told(asked.save, what="wrote the part computed so far to")
        raise
    console.print(motion_table(run))
    if asked.save:
        run.save(asked.save)
    if asked.plot:
        run.plot(asked.plot)
    if asked.animate:
        run.animate(asked.animate, robot=found)
    told(*asked)


@takes_robot(symbolic=False)
def torques(
    robot: FindRobot,
    task: TaskOption = None,
    along: Along = "",
    points: Points = "",
    time: Time = "",
    payload: Payload = "",
    efforts: WhoseTorques = "",
    dt: Dt = "",
    output: Save = "",
    plot: PlotFile = "",
) -> None:
    """Show the torques that a motion requires: peak, RMS, power and energy of each joint.

    Examples: `tauforge torques kuka_lwr --task lwr_torques.toml --plot torques.svg` ·
    `tauforge torques planar2r --points '0,0; 1,0.5' --time 2 --payload 1.5`
    """
    from .motion_tables import torque_table

    found = robot()
    each = listed(along)
    path = _given(
        expressions=each if len(each) > 1 else along, points=[listed(x) for x in points.split(";")] if points else []
    )
    changes: dict[str, Any] = {
        "motion": path | _given(duration=time),
        "simulation": _given(dt=dt, efforts=efforts),
        "output": _given(save=output, plot=plot),
    }
    if payload:
        changes["payload"] = payload
    wanted = _task(task, changes, anew=bool(path))
    asked = wanted.output
    if asked.plot:
        show.pyplot()
    _check_files(asked)
    run = wanted.torques(found)
    console.print(torque_table(run))
    if asked.save:
        run.save(asked.save)
    if asked.plot:
        run.plot(asked.plot)
    told(asked.save, asked.plot)


def _task(file: Path | None, changes: dict[str, Any], anew: bool = False) -> tf.Task:
    """Return the task in a file, if there is one, with the values of options; these can describe the motion anew."""
    task = tf.Task.load(file) if file else tf.Task.of()
    if anew:
        task = task.changed(motion=None)
    return task.changed(**{name: x for name, x in changes.items() if x or x is None})


def _check_files(asked: tuple[str, ...]) -> None:
    """Refuse files that could not be written after all the work."""
    from ..simulation.storage import ENDINGS as SAVED
    from ..view.animate import ENDINGS as ANIMATED

    for file, endings in zip(asked, (SAVED, (), ANIMATED), strict=True):
        path = Path(file)
        if file and not path.absolute().parent.is_dir():
            raise tf.TauforgeError(f"{file}: there is no folder {path.parent}; make it, or choose another place")
        if file and endings and path.suffix.lower() not in endings:
            raise tf.TauforgeError(f"{file}: it must end with one of {', '.join(endings)}")


def told(*files: str, what: str = "wrote") -> None:
    """Name the files that were written."""
    if written := [name for name in files if name]:
        errors.print(f"[green]{what}[/green] {escape(', '.join(written))}", soft_wrap=True)


def _given(**values: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {key: x for key, x in values.items() if x}


def listed(text: str) -> list[str]:
    """Return the entries of an option with a list; commas within brackets, as in atan2(x, y), do not count."""
    entries, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            entries.append("")
        else:
            entries[-1] += c
    return [x.strip() for x in entries] if text.strip() else []
