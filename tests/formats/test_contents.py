"""Robots from texts, bytes, open files and MuJoCo's models: the same as from files."""

import io

import mujoco
import pytest

import tauforge as tf

from .test_par import ARM as PAR
from .test_toml import ARM as TOML

URDF = """<?xml version="1.0"?>
<!-- <mujoco> only in a comment -->
<robot name="pendulum">
  <link name="world"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"""
MJCF = """<mujoco model="pendulum"><worldbody><body name="rod">
  <joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="0.1 0.1 0.01"/>
</body></worldbody></mujoco>
"""
TEXTS = {".par": PAR, ".toml": TOML, ".urdf": URDF, ".xml": MJCF}


@pytest.mark.parametrize("ending", TEXTS)
def test_text_bytes_and_open_files(ending, tmp_path):
    text = TEXTS[ending]
    file = tmp_path / f"robot{ending}"
    file.write_text(text)
    wanted = tf.load(file)
    assert (
        tf.load(text)
        == tf.load(text.encode())
        == tf.load(io.StringIO(text))
        == tf.load(io.BytesIO(text.encode()))
        == wanted
    )
    with file.open() as opened:
        assert tf.load(opened) == wanted
    assert tf.load(text, base="floating") == tf.load(file, base="floating")


def test_models_and_specifications_of_mujoco(tmp_path):
    (tmp_path / "pendulum.xml").write_text(MJCF)
    wanted = tf.load(tmp_path / "pendulum.xml")
    assert tf.load(mujoco.MjModel.from_xml_string(MJCF)) == wanted
    spec = mujoco.MjSpec.from_string(MJCF)
    assert tf.load(spec) == wanted
    model = mujoco.MjModel.from_xml_string(MJCF)
    model.body_mass[1] = 2.0  # what the model holds counts, not what it was made from
    assert tf.load(model).bodies[0].inertia.M == 2.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (PAR.replace("sigma = {0,2}", "sigma = {0}").replace("sigma = {0,1}", "sigma = {0}"), "^the given text:"),
        ("<sdf/>", "root element is <sdf>"),
        ("one\ntwo", "neither XML"),
        (b"\xff\xfe\x00\x01", "neither XML|binary"),
        (b"", "neither XML|empty"),
        (None, "not from an object of type NoneType"),
        (3, "not from an object of type int"),
        (["arm.par"], "not from an object of type list"),
        (mujoco.MjModel.from_xml_string("<mujoco/>"), "no body has a joint"),
    ],
)
def test_anything_else_is_refused(given, message):
    with pytest.raises(tf.RobotError, match=message) as caught:
        tf.load(given)
    assert "/tmp" not in str(caught.value)


def test_warnings_do_not_name_a_temporary_file():
    text = URDF.replace('<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>', "")
    with pytest.warns(tf.RobotWarning, match="^the given text:"):
        tf.load(text, lenient=True)
