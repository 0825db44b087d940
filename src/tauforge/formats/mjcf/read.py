"""Reading MJCF through MuJoCo's own compiler, so that everything in it has its MuJoCo meaning.

The compiled model gives each body a pose relative to its parent, and joints that move it one after another. Here each
joint carries a link whose z is the joint's axis; the last joint of a body carries the body. If the body's frame in the
file differs, a constant frame with the body's name marks it. docs/formats.md has a table of what becomes what.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import RobotError, RobotWarning
from ...limits import spend
from ...robot.base import Base
from ...robot.body import Body
from ...robot.kinds import PRISMATIC, REVOLUTE
from ...robot.robot import Robot
from ...spatial.pose import HERE
from ...spatial.vector import ZERO, Vector
from ..angles import SNAP
from ..apart import run_apart
from ..source import Source
from . import compiler
from .compiler import compiled
from .equalities import closed
from .links import KINDS, Tree, disabled, tree_of
from .scan import compiled_with, is_heavy, scan
from .tendons import tendons
from .unmodelled import unmodelled
from .visuals import visuals

_UNNAMED = "MuJoCo Model"
_NEAR = 1e-6
_USED = {  # the fields of each kind of element that go into a pose or an inertia, under MuJoCo's prefix
    ("body", "body"): ("pos", "quat", "ipos", "iquat", "mass", "inertia"),
    ("joint", "jnt"): ("pos", "axis", "stiffness"),
    ("site", "site"): ("pos", "quat"),
    ("tendon", "tendon"): ("stiffness", "damping", "frictionloss", "lengthspring"),
    ("equality", "eq"): ("data",),
    ("geom", "geom"): ("pos", "quat", "size"),
}


def read(path: Path, snap: float = SNAP, lenient: bool = False, folders: Sequence[str | Path] = ()) -> Robot:
    """Read a robot from an MJCF file; one RobotWarning lists everything that the models here leave out."""
    documents = scan(path, folders)
    source = documents[0].source
    if documents[0].root == "robot":
        spend("bytes", -path.stat().st_size, path)  # it is read again
        urdf: Robot = import_module("...urdf", __name__).read(path, snap, lenient)
        return urdf
    if documents[0].root != "mujoco":
        raise source.fault(1, f"the root element is <{documents[0].root}>; in MJCF it is <mujoco>, in URDF <robot>")
    model = _compiled(path, is_heavy(documents))
    if isinstance(model, str):
        raise compiled_with(documents, model)
    return robot_of(model, source, snap)


def robot_of(model: Any, source: Source, snap: float = SNAP) -> Robot:
    """Return the robot that a compiled model describes."""
    spend("links", model.nbody - 1 + model.nsite + model.ntendon + model.neq, source.path)
    if not model.njnt:
        raise source.fault(0, "no body has a joint, so nothing moves; a robot needs at least one joint")
    if fault := _unfit(model):
        raise source.fault(0, fault)
    try:
        tree = tree_of(model, snap)
        joints, loops, left_open = closed(model, tree)
        pulling = tuple(tendons(model, tree))
    except RobotError as error:
        raise source.fault(0, str(error)) from None
    robot = source.robot(
        name=_name(model) or source.path.stem,
        joints=joints,
        bodies=tree.bodies,
        gravity=ZERO if disabled(model, "GRAVITY") else Vector(*model.opt.gravity.tolist()),
        frames=tree.frames,
        loops=loops,
        tendons=pulling,
        base=Base(body=Body(name="world", visuals=visuals(model, 0, HERE))),
        free_frames=True,
    )
    robot, unfit = _with_home(robot, model, tree) if loops else (robot, [])
    if left_out := [*left_open, *unfit, *unmodelled(model)]:
        warnings.warn(f"{source.path}: the models here leave out {'; '.join(left_out)}", RobotWarning, stacklevel=5)
    return robot.merged()


def _with_home(robot: Robot, model: Any, tree: Tree) -> tuple[Robot, list[str]]:
    """Return the robot with its keyframe "home" as reference state, or with qpos0, and what is left out.

    Only hinges and slides have coordinates here that are MuJoCo's; all others are at zero.
    """
    named = [k for k in range(model.nkey) if model.key(k).name == "home"]
    states = [(f"the keyframe {model.key(k).name!r}", model.key_qpos[k]) for k in named]
    left_out = list[str]()
    for what, qpos in [*states, ("qpos0", model.qpos0)]:
        single = [j for j in range(model.njnt) if KINDS[model.jnt_type[j]] in (REVOLUTE, PRISMATIC)]
        places = {j: robot.joints[tree.number[j] - 1] for j in single}
        home = {x.name: float(qpos[model.jnt_qposadr[j]]) for j, x in places.items() if not x.mimic}
        if not any(home.values()):
            return robot, left_out
        try:
            return replace(robot, home=home), left_out
        except RobotError as error:
            left_out += [f"{what} as home: {error}"] * (what != "qpos0")
    return robot, left_out


def write(robot: Robot) -> str:
    """Refuse: MJCF is read only."""
    raise RobotError(f"{robot.name}: MJCF can only be read; save the robot as .toml")


def _compiled(path: Path, heavy: bool) -> Any:
    """Return MuJoCo's model of a file, or the error of its compiler."""
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise RobotError(f'{path}: reading MJCF needs MuJoCo: pip install "tauforge[mjcf]"') from None
    if not heavy:
        return compiled(path)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.mjb")
        done, said = run_apart("MuJoCo's compiler", "mujoco", compiler.__file__, str(path), str(model))
        return mujoco.MjModel.from_binary_path(str(model)) if done else said


def _unfit(model: Any) -> str:
    """Return which element has a number that is not finite; MuJoCo accepts some of these."""
    for (kind, prefix), keys in _USED.items():
        for key in keys:
            values = getattr(model, f"{prefix}_{key}")
            for i in np.flatnonzero(~np.isfinite(values).all(axis=tuple(range(1, values.ndim)))):
                name = getattr(model, kind)(i).name
                return f"{key} of {kind} {name or int(i)!r} is {values[i].tolist()}; it must be finite"
            if key in ("quat", "iquat", "axis"):  # MuJoCo scales these to unit length, but not the largest
                for i in np.flatnonzero(abs(np.linalg.norm(values, axis=1) - 1) > _NEAR):
                    return (
                        f"{key} of {kind} {getattr(model, kind)(i).name or int(i)!r} is too large; write numbers near 1"
                    )
    return ""


def _name(model: Any) -> str:
    name = bytes(model.names).split(b"\0")[0].decode("utf-8", "replace").strip()
    return "" if name == _UNNAMED else name
