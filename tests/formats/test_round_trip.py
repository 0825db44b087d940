"""What is written and read again is the same robot, in every format."""

import string
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tauforge import Base, Body, Inertia, Joint, Loop, Robot, RobotError, RobotWarning, symbol
from tauforge.formats import load, save
from tauforge.robot.body import Visual
from tauforge.robot.joint import Limits, Mimic
from tauforge.robot.mechanisms import fivebar

from .strategies import robots

ENDINGS = (".par", ".toml")
SETTINGS = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def again(robot: Robot, folder: Path, ending: str) -> Robot:
    path = folder / f"robot{ending}"
    save(robot, path)
    return load(path, snap=0)


@pytest.mark.parametrize("ending", ENDINGS)
@SETTINGS
@given(data=st.data())
def test_any_robot_comes_back_equal(data, ending, tmp_path_factory):
    robot = data.draw(robots(plain=ending == ".par"))
    assert again(robot, tmp_path_factory.getbasetemp(), ending) == robot


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("sample", sorted((Path(__file__).parent / "data").glob("*.par")), ids=lambda path: path.stem)
def test_samples_come_back_equal(sample, ending, tmp_path):
    robot = load(sample)
    assert again(robot, tmp_path, ending) == robot


def arm(**fields) -> Robot:
    """Return a planar arm whose second joint has the given fields."""
    joints = (Joint(name="joint1", antecedent=0), Joint(name="joint2", antecedent=1, **fields))
    return Robot(name="arm", joints=joints, bodies=(Body(name="link1"), Body(name="link2")))


def test_equality_sees_every_field_that_is_written(tmp_path):
    """The property above would hold for an equality that looks at nothing: here each field alone makes a difference."""
    x = symbol("x")
    variants = [arm(**{key: x}) for key in ("gamma", "b", "alpha", "d", "theta", "r", "IA", "FV", "FS", "k", "QDP")]
    variants += [arm(sigma=1), arm(sigma=2), arm(mu=0), arm(eta=1), arm(QP=0.0), arm(QP=symbol("speed")), arm(GAM=1.0)]
    variants += [arm(variable="phi"), replace(arm(), name="other"), replace(arm(), gravity=(x, 0.0, 0.0))]
    bodies = [Body(name="link2", inertia=Inertia(**{key: x})) for key in Inertia._fields]
    bodies += [Body(name="hand"), Body(name="link2", wrench=(0.0, 0.0, 0.0, 0.0, 0.0, x))]
    variants += [replace(arm(), bodies=(Body(name="link1"), body)) for body in bodies]
    moving = Base(floating=True, body=Body(name="link0"))
    bases = [
        moving,
        replace(moving, mobile=True),
        replace(moving, floating=False, mobile=True),
        Base(body=Body(name="b")),
    ]
    bases += [Base(W0=(x, 0.0, 0.0)), Base(VP0=(0.0, x, 0.0)), Base(pose=(x, *Base().pose[1:]))]
    variants += [replace(arm(), base=base) for base in bases]
    cut, frame = Joint(name="joint3", antecedent=2, mu=0), Joint(name="frame4", antecedent=0, sigma=2, mu=0)
    variants += [replace(arm(), loops=(Loop(joint=cut, frame=f),)) for f in (frame, replace(frame, d=x))]
    for ending in ENDINGS:
        found = [again(robot, tmp_path, ending) for robot in [arm(), *variants]]
        assert not any(a == b for i, a in enumerate(found) for b in found[:i])
    found = [again(robot, tmp_path, ".toml") for robot in [arm(), *only_in_toml()]]
    assert not any(a == b for i, a in enumerate(found) for b in found[:i])


def only_in_toml() -> list[Robot]:
    """Return robots that differ in one field which a .par file cannot hold."""
    variants = [arm(e=0.1), arm(e=symbol("x")), arm(rest=0.2), arm(sigma=3), arm(sigma=4), arm(sigma=5)]
    variants += [arm(mimic=Mimic(joint=1, **{key: 0.5})) for key in ("ratio", "offset")]
    variants += [arm(limits=Limits(**{key: 0.5})) for key in ("lower", "upper", "velocity", "effort")]
    tool = Joint(name="tool", antecedent=2, sigma=2, mu=0)
    frames = [tool, replace(tool, e=0.3), replace(tool, antecedent=1), replace(tool, name="hand")]
    variants += [replace(arm(), frames=(frame,)) for frame in frames]
    box = Visual(shape="box", size=(1.0, 2.0, 3.0))
    mesh = Visual(shape="mesh", file="package://arm/hand.stl")
    shapes = [(box,), (mesh,), (box, mesh), (replace(box, pose=(*box.pose[:3], 0.5, *box.pose[4:])),)]
    bodies = [Body(name="link2", visuals=visuals) for visuals in shapes]
    return variants + [replace(arm(), bodies=(Body(name="link1"), body)) for body in bodies]


def test_long_arms_and_all_letters_as_symbols(tmp_path):
    names = string.ascii_letters
    joints = tuple(Joint(name=f"joint{j}", antecedent=j - 1, d=symbol(c)) for j, c in enumerate(names, 1))
    robot = Robot(name="alphabet", joints=joints, bodies=tuple(Body(name=f"link{j}") for j in range(1, len(names) + 1)))
    assert set(robot.symbols) == set(names)
    for ending in ENDINGS:
        assert again(robot, tmp_path, ending) == robot


def test_friction_of_a_cut_joint_has_no_place_in_par(tmp_path):
    loop = Loop(
        joint=Joint(name="joint3", antecedent=2, mu=0, FV=symbol("FV3")),
        frame=Joint(name="frame4", antecedent=0, sigma=2, mu=0),
    )
    robot = replace(arm(), loops=(loop,))
    assert again(robot, tmp_path, ".toml") == robot
    with pytest.raises(RobotError, match=r"FV of the cut joint 'joint3'.*\.toml"):
        save(robot, tmp_path / "robot.par")
    assert not (tmp_path / "robot.par").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"e": 0.1}, "the frame of joint 'joint2' is placed freely, with e = 0.1"),
        ({"mimic": Mimic(joint=1)}, "joint 'joint2' follows 'joint1'"),
        ({"sigma": 3}, "joint 'joint2' is spherical"),
        ({"sigma": 4}, "joint 'joint2' is floating"),
        ({"sigma": 5}, "joint 'joint2' is planar"),
        ({"rest": symbol("x")}, "the spring of joint 'joint2' has a rest position"),
    ],
    ids=lambda x: "" if isinstance(x, str) else "".join(x),
)
def test_what_changes_efforts_and_has_no_place_in_par_is_refused(fields, message, tmp_path):
    with pytest.raises(RobotError, match=rf"^arm: {message}, which has no place in a \.par file; .*\.toml$"):
        save(arm(**fields), tmp_path / "robot.par")
    if "mimic" not in fields:
        cut = replace(arm(**fields).joints[1], name="cut", variable="")
        loop = Loop(joint=cut, frame=Joint(name="frame", antecedent=0, sigma=2, mu=0))
        with pytest.raises(RobotError, match=message.replace("joint2", "cut")):
            save(replace(arm(), loops=(loop,)), tmp_path / "robot.par")
    assert not list(tmp_path.iterdir())


def test_chosen_independent_joints_have_no_place_in_par(tmp_path):
    robot = replace(fivebar(), frames=(), home={})
    chosen = robot.with_independent("forearm1", "arm1")
    assert again(chosen, tmp_path, ".toml") == chosen
    with pytest.raises(RobotError, match=r"a choice of independent joints \(forearm1, arm1\), which has no place"):
        save(chosen, tmp_path / "robot.par")
    assert again(robot.with_independent(*robot.independent), tmp_path, ".par").velocity_names == robot.velocity_names


def test_what_changes_no_efforts_and_has_no_place_in_par_is_left_out_with_a_warning(tmp_path):
    limited = arm(limits=Limits(upper=1.0))
    framed = replace(arm(), frames=(Joint(name="tool", antecedent=2, sigma=2, mu=0),))
    seen = replace(arm(), bodies=(Body(name="link1"), Body(name="link2", visuals=(Visual(shape="sphere"),))))
    both = replace(framed, joints=limited.joints)
    words = ("limits", "constant frames", "visuals", "limits, constant frames")
    for robot, left in zip((limited, framed, seen, both), words, strict=True):
        with pytest.warns(RobotWarning, match=f"arm: a .par file has no place for {left}, which are left out"):
            assert again(robot, tmp_path, ".par") == arm()
        assert again(robot, tmp_path, ".toml") == robot
