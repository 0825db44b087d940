"""Robot: the frozen description that every model starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..errors import RobotError
from ..graph.evaluate import symbols
from ..graph.node import Node, Scalar, as_node
from ..graph.normal import literal
from ..graph.rewrite import substitute
from ..spatial.vector import Vector
from .base import BASE_LINK, Base, given_vector
from .body import Body
from .entries import axis_names, velocity_rows
from .following import led, numbered
from .frames import frame_name
from .home import Home, given_home, home_of
from .joint import ACTUATOR, FREE, Joint, given
from .kinds import FIXED, FLOATING
from .loop import Loop
from .placed import placed, with_antecedents
from .scalars import expressions, mapped
from .shown import Shown
from .tendon import Tendon
from .validate import validate
from .variables import is_plain, with_variables

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .coupling import Floats

DOWN = Vector(0.0, 0.0, -9.81)


@dataclass(frozen=True, kw_only=True, eq=False)
class Robot(Shown):
    """A tree of links, in which joint j carries link j, and the loops that close it.

    Links and joints are numbered from 1 in their order; link 0 is the base. Each parameter is a number, a symbol or an
    expression, which can be given as text ("2*L1", "pi/2"). The coordinates ``q`` are those of the moving joints, in
    joint order.

    Attributes
    ----------
    gravity
        Acceleration of gravity in the base frame.
    frames
        Constant frames on links, each a fixed joint that carries nothing. If a constant frame has the name of a link,
        models that ask for a frame of that name use it instead of the link's own frame, whose z is the joint's axis and
        which may differ from the frame in the file.
    tendons
        Springs, friction, inertia and motors along sums of joint coordinates.
    free_frames
        Whether the links' frames come from a drawing, as in URDF, so that models can choose others.
    chosen
        The joints that ``with_independent`` makes the independent ones of closed loops; by default they are found.
    home
        The reference state of closed loops, coordinates by joint: it decides in which way they are assembled. Joints
        that are left out are at zero. By default all are, or where that is not closed, a closed state near it.
    """

    name: str
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    gravity: Vector = DOWN
    loops: tuple[Loop, ...] = ()
    base: Base = field(default_factory=Base)
    frames: tuple[Joint, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    free_frames: bool = False
    chosen: tuple[str, ...] = ()
    home: Home = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", given_vector(self.gravity, "gravity"))
        object.__setattr__(self, "joints", tuple(self.joints))
        object.__setattr__(self, "bodies", tuple(self.bodies))
        object.__setattr__(self, "frames", tuple(self.frames))
        object.__setattr__(self, "tendons", tuple(self.tendons))
        object.__setattr__(self, "chosen", tuple(self.chosen))
        joints, frames = with_antecedents(self)
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "frames", frames)
        joints, tendons = numbered(self)
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "tendons", tendons)
        validate(self)
        object.__setattr__(self, "joints", led(self))
        if final := placed(self):
            for key in ("joints", "frames", "free_frames"):
                object.__setattr__(self, key, getattr(final, key))
        object.__setattr__(self, "home", given_home(self, self.home))
        if self.home and self.loops:
            from ..models.loops.freedom import check_home

            check_home(self)
        joints, loops = with_variables(self)
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "loops", loops)

    @property
    def dof(self) -> int:
        """Degrees of freedom, including those of a floating base: the length of qd; with closed loops, the mobility."""
        return len(self.velocity_names)

    @property
    def degrees(self) -> list[dict[int, float]]:
        """For each axis of each joint, the indices in qd of the velocities that move it, each with its ratio: one, or
        those of the joints that it follows.

        A floating base counts as the first joint.
        """
        return velocity_rows(self.expanded())

    @property
    def moving(self) -> tuple[int, ...]:
        """Numbers of the joints that move."""
        return tuple(j for j, joint in enumerate(self.joints, 1) if joint.axes)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that do not follow another, in the order of q; a floating base is not among them."""
        return tuple(joint.name for joint in self.joints if joint.axes and not joint.mimic)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the entries of q: a floating base's, then the joints', with .x, .y, .z, .w for a quaternion."""
        return tuple(joint.name + part for joint in self._free for part in joint.kind.coordinates)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the entries of qd, qdd and tau: a floating base's six, then the joints', or with closed loops those
        of the independent ones.
        """
        return self._degrees if self.loops else axis_names(self.expanded())

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the joints whose motion determines that of all others: all of a tree.

        With closed loops these are the actuated joints, in their order, then joints that driven tendons or a coupling
        move, and passive ones if the mechanism has more freedom than motors; or those chosen with ``with_independent``.
        A floating base comes before them; a platform that loops join with the ground is not one, even if it is free in
        the description.
        """
        owner = {joint.name + part: joint.name for joint in self.expanded().joints for part in joint.axes}
        return tuple(dict.fromkeys(owner[axis] for axis in self.velocity_names))

    @property
    def actuated(self) -> tuple[str, ...]:
        """Names of the joints that a motor drives; with closed loops they can be more than the independent ones."""
        return tuple(joint.name for joint in self.joints if joint.mu and joint.axes and not joint.mimic)

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors: those of actuated joints have the joints' names; then come driven tendons.

        With ``efforts="motors"``, models take and give their torques.
        """
        return (*self.actuated, *(tendon.name for tendon in self.tendons if tendon.driven))

    @property
    def coupling(self) -> Floats:
        """The matrix R of motors = R joints, (motors, joint_names): torques of motors act on the joints as Rᵀ times
        them.
        """
        from .coupling import coupling_matrix

        return coupling_matrix(self)

    @cached_property
    def _degrees(self) -> tuple[str, ...]:
        from ..models.loops.freedom import freedom

        return freedom(self.expanded()).degrees

    @property
    def _free(self) -> list[Joint]:
        """The joints that have entries in q and qd: a floating base, then those that do not follow another."""
        return [joint for joint in self.expanded().joints if not joint.mimic]

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the links and of the other constant frames."""
        links = (body.name for body in self.bodies)
        return tuple(dict.fromkeys((*links, *(frame.name for frame in self.frames))))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the parameters that have no value yet, in order of appearance.

        A plain symbol as a joint's velocity, acceleration or torque is an input of the models, not a parameter.
        """
        return tuple(symbols(x for key, x in self.expressions() if not (key in FREE and is_plain(x))))

    @property
    def is_serial(self) -> bool:
        """Whether each link is attached to the one before it."""
        return all(joint.antecedent == j for j, joint in enumerate(self.joints))

    def children(self, number: int) -> list[int]:
        """Return the numbers of a link's children."""
        return [j for j, joint in enumerate(self.joints, 1) if joint.antecedent == number]

    def expressions(self) -> Iterator[tuple[str, Node]]:
        """Yield every parameter that is a Node, with the name of the field that holds it."""
        return expressions(self)

    def map(self, change: Callable[[Scalar], Scalar]) -> Robot:
        """Return the robot with every parameter changed by a function."""
        return mapped(self, change)

    def derived(self, **changes: Any) -> Robot:
        """Return a robot with some fields changed in a way that needs no check."""
        robot = object.__new__(Robot)
        robot.__dict__.update({**{key: self.__dict__[key] for key in _FIELDS}, **changes})
        return robot

    def bind(self, values: Mapping[str, Scalar | str] | None = None, /, **more: Scalar | str) -> Robot:
        """Return the robot with values for some of its symbols: numbers, expressions, or expressions as text.

        Where other lengths need another closed state, ``home`` becomes the one near it.

        >>> robot.bind(D3=0.45, RL4="2*D3")                                     # doctest: +SKIP
        """
        chosen, known = {**(values or {}), **more}, self.symbols
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise RobotError(
                f"{self.name}: no symbol {', '.join(unknown)} in this robot (its symbols: {', '.join(known) or 'none'})"
            )
        nodes = {name: as_node(given(x, f"the value of {name}")) for name, x in chosen.items()}
        bound = self.map(lambda x: literal(substitute([x], nodes)[0]) if isinstance(x, Node) else x)
        if not (self.home and self.loops):
            return replace(bound)  # checks the new values
        from ..models.loops.freedom import home_near

        return replace(bound, home=home_near(bound))

    def neglect(self, *names: str) -> Robot:
        """Return the robot with parameters set to zero on every link, joint, cut joint and tendon.

        >>> robot.neglect("IA", "FV", "FS")                                     # doctest: +SKIP
        """
        from .parameters import neglected

        return neglected(self, names)

    def symbolic(self, *, inertia: bool = True, lengths: bool = False, actuators: bool = False) -> Robot:
        """Return the robot with symbols, named as in the papers, in the place of numbers.

        These are the links' ten inertial parameters (XX1, …, M1), the lengths that are not zero (D3, RL4, …), and the
        rotor inertias and friction coefficients that are not zero (IA1, FV1, FS1, …). A robot whose frames come from a
        drawing, as in URDF, first gets those of ``to_mdh`` if they have more zeros; the symbols belong to these frames.
        """
        from .parameters import symbolic

        return symbolic(self, inertia=inertia, lengths=lengths, actuators=actuators)

    def with_base(self, kind: str, body: Body | None = None) -> Robot:
        """Return the robot on a "fixed" or a "floating" base.

        ``body`` is the floating base's own link; by default the one in the description, or one without inertia. If the
        first link floats already, as in MJCF, the robot is returned unchanged, or with that link fixed.
        """
        if kind not in ("fixed", "floating"):
            raise RobotError(f"{self.name}: the base must be 'fixed' or 'floating', not {kind!r}")
        if self.joints and self.joints[0].sigma == FLOATING and all(joint.antecedent for joint in self.joints[1:]):
            none: dict[str, Any] = dict.fromkeys(ACTUATOR, 0.0)
            held = replace(self.joints[0], sigma=FIXED, mu=0, **none)
            home = {name: x for name, x in self.home.items() if name != held.name}
            return self if kind == "floating" else replace(self, joints=(held, *self.joints[1:]), home=home).merged()
        link = body or self.base.body or Body(name=BASE_LINK)
        floating = kind == "floating"
        return replace(self, base=replace(self.base, floating=floating, body=link if floating else self.base.body))

    def expanded(self) -> Robot:
        """Return a robot on a floating base as one whose first joint is floating; return any other unchanged.

        The base is then link 1, and the number of every other link is one higher.
        """
        if not self.base.floating or not self.base.body:
            return self
        first = Joint(name="base", antecedent=0, sigma=FLOATING, mu=0)
        base = replace(self.base, floating=False, mobile=False, body=None)
        return self.derived(
            joints=(first, *map(_later, self.joints)),
            bodies=(self.base.body, *self.bodies),
            base=base,
            loops=tuple(Loop(joint=_later(loop.joint), frame=_later(loop.frame)) for loop in self.loops),
            frames=tuple(map(_later, self.frames)),
            tendons=tuple(tendon.shifted(1) for tendon in self.tendons),
        )

    def with_frames(self, *names: str | None) -> Robot:
        """Return the robot with some of its constant frames as links without inertia, after all others."""
        wanted = {frame_name(self, name) for name in names if name}
        chosen = tuple(frame for frame in self.frames if frame.name in wanted)
        links = (Body(name=frame.name) for frame in chosen)
        return self.derived(joints=(*self.joints, *chosen), bodies=(*self.bodies, *links))

    def with_frame(
        self,
        name: str,
        *,
        on: str,
        xyz: Sequence[float] = (0.0, 0.0, 0.0),
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        axis: str | Sequence[float] = "z",
        relative_to: str = "link",
    ) -> Robot:
        """Return the robot with one more constant frame.

        Parameters
        ----------
        on
            Name of the link that carries it; or of a joint, whose link does; or of another frame.
        xyz, rpy
            Its origin, and roll, pitch and yaw about fixed axes (rad): in the frame ``on``, or of the base.
        axis
            Where its z points, in the frame that rpy has turned: "x", "y", "z", "-x", …, or a vector.
        relative_to
            "link" for coordinates of ``on``, or "world" for those of the base's frame where all coordinates are zero.
        """
        from .placed import check_relative_to, framed, pose_at

        where = f"{self.name}: frame {name!r}"
        check_relative_to(where, relative_to)
        return framed(self, name, on, pose_at(where, xyz, rpy, axis), relative_to)

    def with_loop(
        self,
        first: str,
        second: str,
        *,
        kind: str = "fixed",
        name: str | None = None,
        xyz: Sequence[float] | None = None,
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        axis: str | Sequence[float] = "z",
        relative_to: str = "link",
    ) -> Robot:
        """Return the robot with a loop closed between two frames, or between two links at a point of the drawing.

        A revolute cut turns about the z axes of both frames, which become one, and a prismatic one slides along them.
        With ``xyz``, both frames are there and ``axis`` is their z, so that the loop is closed with all coordinates at
        zero.

        Parameters
        ----------
        first, second
            Names of links or constant frames, or of joints, whose links' frames are then meant.
        kind
            The joint that closes the loop, from the first frame to the second: "fixed" makes both frames one,
            "spherical" their origins; "revolute" both origins and z axes; "prismatic" leaves a motion along z free; or
            "universal", "planar".
        name
            Name of that joint.
        xyz, rpy, axis
            Where that joint is, as in ``with_frame``; by default where the two frames are.
        relative_to
            "link" for coordinates of ``first``, or "world" for those of the base's frame.
        """
        from .loop import looped
        from .placed import ends_at

        at = ends_at(self, first, second, xyz, rpy, axis, relative_to)
        return looped(self, first, second, kind, name, at)

    def with_independent(self, *names: str) -> Robot:
        """Return the robot with other independent joints, those to which qd, qdd and tau of closed loops belong.

        Parameters
        ----------
        names
            Names of joints, whose axes are all independent, or of single axes, as in ``velocity_names``, in the order
            that qd is to have. None at all lets the robot find them again.
        """
        from ..models.loops.freedom import check_choice

        return check_choice(replace(self, chosen=names))

    def with_coupling(
        self,
        R: ArrayLike,
        *,
        joints: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        IA: Any = 0.0,
        FV: Any = 0.0,
        FS: Any = 0.0,
    ) -> Robot:
        """Return the robot with motors that each move a sum of joints: motors = R joints, as in identification.

        Coordinates and torques of models stay those of the joints; with ``efforts="motors"`` the torques are those of
        the motors, which act on the joints as Rᵀ times them. If you know joints = G motors, give the inverse of G. Each
        motor becomes a driven tendon, and the joints have no motors of their own then.

        Parameters
        ----------
        R
            One row per motor, one column per joint; or one gear ratio per joint.
        joints
            Names of the joints that the columns belong to; by default ``joint_names``.
        names
            Names of the motors; by default motor1, motor2, …
        IA, FV, FS
            Inertia, viscous and Coulomb friction of the motors, along their own coordinates: one each, or one for all.
        """
        from .coupling import coupled

        return coupled(self, R, joints, names, {"IA": IA, "FV": FV, "FS": FS})

    def with_home(self, home: Mapping[str, Any] | Sequence[float] = ()) -> Robot:
        """Return the robot with another reference state of its closed loops, which decides how they are assembled.

        Parameters
        ----------
        home
            Coordinates by joint, zero for those left out, or of all joints in one row, as ``tf.close_loops`` returns
            them. None at all lets the robot find a closed state near zero.
        """
        if isinstance(home, Mapping):
            return replace(self, home=home)
        names = replace(self, home={}).coordinate_names
        if isinstance(home, str) or not hasattr(home, "__iter__"):
            raise RobotError(f"{self.name}: home is {home!r}; it must be coordinates by joint, or a row of all")
        values = list(home)
        if values and len(values) != len(names):
            raise RobotError(f"{self.name}: home has {len(values)} coordinates; there are {', '.join(names)}")
        found = home_of(self.expanded(), values) if values else {}
        return replace(self, home={name: x for name, x in found.items() if name in self._own})

    @property
    def _own(self) -> set[str]:
        return {joint.name for joint in self.joints}

    @cached_property
    def reference(self) -> Home:
        """The reference state of closed loops, coordinates by joint: ``home``, or the closed state found near zero.

        Where lengths are symbols, it is ``home`` only.
        """
        if self.home or not self.loops:
            return self.home
        from ..models.loops.freedom import home_found

        return home_found(self)

    def tree(self) -> Robot:
        """Return the robot with its loops opened and every joint independent."""
        joints = tuple(replace(joint, mimic=None) for joint in self.joints)
        return self.derived(loops=(), chosen=(), home={}, joints=joints)

    def save(self, path: str | Path) -> None:
        """Write the robot to a file in the format of its ending."""
        from ..formats import save

        save(self, path)

    def merged(self) -> Robot:
        """Return the robot with each fixed link merged into its parent; a frame keeps its name."""
        from .assemble import merged

        return merged(self)

    def to_mdh(self, *, tolerance: float = 1e-12) -> Robot:
        """Return the robot with Khalil-Kleinfinger frames that have as many zeros as its geometry allows.

        The joints' coordinates and torques do not change; inertias are transformed, and the present frames are kept as
        constant frames with the links' names. Fixed links are merged. Joints with several degrees of freedom keep their
        frames.

        Parameters
        ----------
        tolerance
            Angles this close to a quarter turn (rad), and lengths this close to zero relative to the longest one, are
            taken as such.
        """
        from .reframe import to_mdh

        return to_mdh(self, tolerance)

    @cached_property
    def reframed(self) -> Robot:
        """The robot as models use it: with the frames of ``to_mdh`` if it has free frames, only numbers, and then more
        zeros.
        """
        from .reframe import reframed

        return reframed(self)

    def lock(self, positions: Mapping[str, float]) -> Robot:
        """Return the robot with some joints held at a position, as in ``robot.lock({"gripper": 0.02})``."""
        from .assemble import locked

        held = locked(self.derived(home={}), positions)
        if not self.home:
            return held
        from ..models.loops.freedom import home_with

        home = home_with(self, positions) if self.loops else self.home
        return replace(held, home={name: x for name, x in home.items() if name in held._own})

    def attach(self, other: Robot, *, at: str, name: str | None = None) -> Robot:
        """Return the robot with the base of another, a tool or an arm, fixed to a frame of this one.

        A name of the other robot that is already taken gets ``name`` and an underscore as a prefix.
        """
        from .assemble import attached

        return attached(self, other, at, name)

    def payload(
        self,
        mass: Scalar | str,
        com: Sequence[Scalar | str] = (0.0, 0.0, 0.0),
        inertia: Sequence[Sequence[Scalar | str]] | None = None,
        *,
        at: str,
        relative_to: str = "link",
    ) -> Robot:
        """Return the robot with a rigid load at a frame.

        ``com`` is its centre of mass in that frame, and ``inertia`` its 3x3 inertia matrix about the centre of mass, in
        the frame's axes; leave it out for a point mass. With ``relative_to="world"`` both are in the base's frame where
        all coordinates are zero, and ``at`` only says which link carries it.
        """
        from .assemble import loaded
        from .placed import axes_of

        return loaded(self, mass, com, inertia, axes_of(self, at, relative_to))

    @cached_property
    def known(self) -> dict[str, list[tuple[Robot, Any]]]:
        """Robots made from this one that may be needed again, such as those with grouped parameters, and these."""
        return {}

    def __getstate__(self) -> dict[str, object]:
        return {key: self.__dict__[key] for key in _FIELDS} | {"home": dict(self.home)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, home=MappingProxyType(state["home"]))

    @cached_property
    def _plain(self) -> tuple[object, ...]:
        plain = self.map(literal)
        return tuple(getattr(plain, f.name) for f in fields(self))

    def __eq__(self, other: object) -> bool:
        """Tell whether all names, parameters and expressions are the same."""
        if not isinstance(other, Robot):
            return NotImplemented
        return self is other or (hash(self) == hash(other) and self._plain == other._plain)

    def __hash__(self) -> int:
        return hash((self.name, len(self.joints), len(self.loops), self.chosen))

    def __repr__(self) -> str:
        kinds = "".join(joint.kind.word[0].upper() for joint in self.joints)
        loops = f", {len(self.loops)} loop{'s' * (len(self.loops) > 1)}" if self.loops else ""
        return f"Robot({self.name!r}, {kinds}{loops}, {len(self.symbols)} symbols)"

    def _repr_html_(self) -> str:
        from .html import sheet
        from .tables import sheets

        return "".join(map(sheet, sheets(self)))


_FIELDS = tuple(f.name for f in fields(Robot))


def _later(joint: Joint) -> Joint:
    """Return a joint with all its joint and link numbers one higher."""
    mimic = joint.mimic and joint.mimic.renumbered(lambda j: j + 1)
    return replace(joint, antecedent=joint.antecedent + 1, mimic=mimic)
