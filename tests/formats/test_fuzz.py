"""Whatever stands in a file: a RobotError, or a Robot that can be saved and read again, soon and in little memory."""

import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import tauforge as tf
from tauforge.errors import printable

from .fuzz import changed
from .test_limits import TABLE

DATA = Path(__file__).parent / "data"
SECONDS, MEMORY = 10, 3 << 30
GRIPPER = """<robot name="gripper">
  <link name="palm"><inertial><origin xyz="0 0 .1" rpy="0 .1 0"/><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0.1" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><origin xyz="1 0 0"/><geometry><mesh filename="palm.stl" scale="1 1 1"/></geometry></visual></link>
  <link name="left"><inertial><mass value="0.2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="right"><visual><geometry><cylinder radius="1" length="2"/></geometry></visual></link>
  <link name="tip"/>
  <joint name="l" type="revolute"><parent link="palm"/><child link="left"/><origin xyz="0 1 0" rpy="1.5708 0 0"/>
    <axis xyz="0 1 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="1" friction="2"/></joint>
  <joint name="r" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/>
    <mimic joint="l" multiplier="-2" offset="0.5"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
  <joint name="t" type="fixed"><parent link="right"/><child link="tip"/><origin rpy="0 0 3.2"/></joint>
</robot>
"""
XACRO = (
    GRIPPER.replace('name="gripper">', 'name="gripper" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
    '  <xacro:property name="m" value="${2 * 0.5}"/>\n'
    '  <xacro:macro name="box" params="x">\n    <visual><geometry><box size="${x} 1 1"/></geometry></visual>'
    "  </xacro:macro>", 1)
    .replace('<mass value="1"/>', '<mass value="${m}"/>')
    .replace('<link name="tip"/>', '<link name="tip"><xacro:box x="${m + 1}"/></link>')
)  # fmt: skip
CRANE = """<mujoco model="crane">
  <compiler angle="degree"/>
  <option gravity="0 0 -9.8"/>
  <default><joint damping="0.2"/><default class="big"><geom size="2"/></default></default>
  <asset><hfield name="h" nrow="2" ncol="3" size="1 1 1 1"/><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <body name="tower" pos="0 0 1" euler="0 90 0">
      <joint name="slew" axis="0 0 1" range="-170 170" armature="0.3" stiffness="2" springref="10"/>
      <geom type="cylinder" fromto="0 0 0 0 0 2" size="0.1" density="900"/>
      <body name="jib" pos="0 0 2" quat="1 0 0 1">
        <joint name="trolley" type="slide" axis="1 0 0" range="0 3" ref="0.1"/>
        <inertial pos="0.5 0 0" mass="12" diaginertia="0.2 1.5 1.5"/>
        <geom class="big" contype="0"/>
        <body name="hook" pos="1 0 0"><joint name="swing" type="ball"/><geom type="mesh" mesh="m"/>
          <site name="tip"/></body>
        <replicate count="2" offset="1 0 0"><body name="k"><joint type="hinge"/><geom size="0.1"/></body></replicate>
      </body>
    </body>
    <body name="float"><freejoint/><geom type="box" size="1 1 1" mass="2"/></body>
  </worldbody>
  <equality><joint joint1="slew" joint2="trolley" polycoef="0 2 0 0 0"/>
    <connect body1="hook" body2="jib" anchor="0 0 1"/></equality>
  <actuator><motor joint="slew" gear="3"/></actuator>
  <keyframe><key name="home"/></keyframe>
</mujoco>
"""
ARM = (
    TABLE
    + """variable = "q"
alpha = "pi/2"
d = "L1"
theta = "-pi/3"
ZZ = "ZZ1 + L1**2*M1"
M = "M1"
limits = { lower = -1, upper = 2.5, velocity = 3, effort = inf }
[[link.visual]]
shape = "box"
size = [1, 2, 3]
pose = [[1, 0, 0, 0], [0, 1, 0, 0.025], [0, 0, 1, 0], [0, 0, 0, 1]]
[[link]]
name = "b"
joint = "k"
type = "prismatic"
on = "a"
actuated = false
elastic = true
k = 1200
rest = 0.1
mimic = { joint = "j", ratio = -1, offset = 0.5 }
wrench = [1, 0, 0, "F", 0, 0]
[[frame]]
name = "tip"
on = "b"
r = 0.1
[[loop]]
[loop.joint]
name = "pin"
type = "revolute"
on = "b"
d = "L2"
[loop.frame]
name = "eye"
on = "base"
d = "L3"
"""
).replace("[[link]]", "[base]\nfloating = true\n[base.link]\nname = 'hand'\nM = 0.7\n[[link]]", 1)
SEEDS = {
    ".par": [path.read_text(encoding="latin-1") for path in sorted(DATA.glob("*.par"))],
    ".toml": [ARM],
    ".urdf": [GRIPPER],
    ".xacro": [XACRO],
    ".xml": [CRANE, GRIPPER],
}


def judged(path: Path) -> str:
    """Load a file and save what it gives; return what is wrong with that, or nothing."""
    start = time.process_time()
    try:
        robot = tf.load(path)
        again = path.with_name("again.toml")
        robot.save(again)
        fault = "" if tf.load(again, snap=0) == robot else "it differs when it is read again"
    except tf.RobotError as error:
        text = str(error)
        fault = "" if text == printable(text) and str(path) in text and len(text) < 5000 else f"its message is {text!r}"
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    return fault or f"it took {time.process_time() - start:.1f} s" * (time.process_time() - start > SECONDS)


def run(folder: Path, ending: str, first: int, count: int) -> list[str]:
    """Judge so many files; return what is wrong, with the number that makes the file again."""
    path = folder / f"fuzz{ending}"
    faults = []
    warnings.simplefilter("ignore")
    for seed in range(first, first + count):
        path.write_bytes(changed(SEEDS[ending][seed % len(SEEDS[ending])], seed))
        if fault := judged(path):
            faults.append(f"{ending} {seed}: {fault}")
    return faults


@pytest.mark.parametrize(("ending", "content"), [(ending, text) for ending in SEEDS for text in SEEDS[ending]])
def test_the_files_to_be_changed_are_valid(tmp_path, ending, content):
    path = tmp_path / f"seed{ending}"
    path.write_text(content, encoding="latin-1" if ending == ".par" else "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tf.load(path).joints


@pytest.mark.parametrize(
    ("ending", "count"),
    [
        (".par", 40),
        (".toml", 100),
        (".urdf", 100),
        (".xacro", 15),
        (".xml", 60),
        *[pytest.param(ending, 5000, marks=pytest.mark.slow) for ending in SEEDS],
    ],
)
def test_changed_files(tmp_path, ending, count):
    """In a process of its own, with little memory: what ends that, or keeps it busy, is a fault too."""
    command = [sys.executable, "-m", "tests.formats.test_fuzz", str(tmp_path), ending, "0", str(count)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=30 + count / 2,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


if __name__ == "__main__":
    for line in run(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])):
        print(line)
