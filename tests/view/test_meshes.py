"""Meshes: where they are drawn, which files may be read, and what is shown instead of others."""

import warnings

import numpy as np
import pytest

import tauforge as tf
from tauforge.view.meshes import solid_of
from tauforge.view.states import neutral
from tests.random_robots import random_robot

TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
COLLADA = """<?xml version="1.0"?>{head}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes>
<visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def arm(file, material=""):
    """Return a URDF of one joint whose link has a mesh, scaled, and moved along x."""
    return f"""<robot name="arm"><material name="red"><color rgba="1 0 0 1"/></material><link name="foot"/>
    <link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.5 0 0"/><geometry><mesh filename="{file}" scale="2 2 2"/></geometry>{material}</visual>
    </link>
    <joint name="j" type="continuous"><parent link="foot"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    </joint></robot>"""


def loaded(folder, file, material=""):
    path = folder / "arm.urdf"
    path.write_text(arm(file, material))
    return tf.load(path)


def shown(robot, q=None):
    """Return the corners of all solids in the base frame, and their colours."""
    scene = tf.animate(robot, q).scene
    points = [s.points @ T[:3, :3].T + T[:3, 3] for s, T in zip(scene.links, scene.T[0], strict=True)]
    return np.concatenate(points), np.concatenate([solid.colors for solid in scene.links])


def corners(points):
    return {tuple(np.round(p, 6) + 0.0) for p in points}


@pytest.mark.parametrize("place", ["hand.obj", "package://arms/meshes/hand.obj", "../meshes/hand.obj"])
def test_a_mesh_is_drawn_where_the_file_has_it(tmp_path, place):
    (tmp_path / "package.xml").write_text("<package><name>arms</name></package>")
    for name in ("urdf", "meshes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "hand.obj").write_text(TRIANGLES)
    robot = loaded(tmp_path / "urdf", place, '<material name="red"/>')
    points, colors = shown(robot, [0.0])
    assert corners(points) == {(0.5, 0, 1), (2.5, 0, 1), (0.5, 2, 1), (0.5, 0, 3)}
    assert np.unique(colors, axis=0).tolist() == [[1.0, 0.0, 0.0]]
    points, _ = shown(robot, [np.pi / 2])  # about y: x turns to -z
    assert corners(points) == {(0, 0, 0.5), (0, 0, -1.5), (0, 2, 0.5), (2, 0, 0.5)}


def test_collada_and_mirrors(tmp_path):
    (tmp_path / "a.dae").write_text(COLLADA.format(head=""))
    points, _ = shown(loaded(tmp_path, "a.dae"), [0.0])
    assert corners(points) == {(0.5, 0, 1), (2.5, 0, 1), (0.5, 2, 1)}
    (tmp_path / "hand.obj").write_text(TRIANGLES)
    text = arm("hand.obj").replace('scale="2 2 2"', 'scale="2 -2 2"')
    (tmp_path / "arm.urdf").write_text(text)
    solid = tf.animate(tf.load(tmp_path / "arm.urdf")).scene.links[1]
    middle = solid.points.mean(axis=0)
    assert (((solid.points - middle) * solid.normals).sum(axis=1) > 0).all()  # outward in a mirror too


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("gone.stl", "no such file"),
        ("../secret.obj", "outside the folders"),
        ("file:///etc/passwd.obj", "outside the folders"),
        ("package://nowhere/a.stl", "no package 'nowhere'"),
        ("package://inside/../secret.obj", "outside the folders"),
        ("https://example.org/a.stl", "read from files only"),
        ("notes.txt", "only .stl"),
        ("broken.obj", "no triangles"),
        ("broken.stl", "cannot be read|no triangles"),
        ("entities.dae", "document types are not allowed"),
        ("utf16.dae", "document types are not allowed"),
        ("utf32.dae", "not XML that can be read"),
        ("link.obj", "outside the folders"),
    ],
)
def test_other_files_are_not_read_and_a_stand_in_is_shown(tmp_path, file, why):
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "secret.obj").write_text(TRIANGLES)
    (folder / "notes.txt").write_text("hello")
    (folder / "broken.obj").write_text("v 0 0\nf 1")
    (folder / "broken.stl").write_bytes(b"\0" * 90)
    (folder / "entities.dae").write_text(COLLADA.format(head='<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'))
    typed = COLLADA.format(head='<!DOCTYPE a [<!ENTITY b "c">]>').replace("?>", ' encoding="UTF-16"?>', 1)
    (folder / "utf16.dae").write_text(typed, encoding="utf-16")
    (folder / "utf32.dae").write_text(typed.replace("UTF-16", "UTF-32"), encoding="utf-32")
    (folder / "link.obj").symlink_to(tmp_path / "secret.obj")
    robot = loaded(folder, file)
    with pytest.warns(tf.RobotWarning, match=why):
        points, _ = shown(robot)
    assert len(points) > 100


def test_collada_in_other_encodings(tmp_path):
    for name, encoding in (("UTF-16", "utf-16"), ("ISO-8859-1", "latin-1")):
        text = COLLADA.format(head="").replace("?>", f' encoding="{name}"?>', 1)
        (tmp_path / "a.dae").write_text(text, encoding=encoding)
        points, _ = shown(loaded(tmp_path, "a.dae"), [0.0])
        assert corners(points) == {(0.5, 0, 1), (2.5, 0, 1), (0.5, 2, 1)}


@pytest.mark.parametrize("scale", ["1e308 1 1", "1e200 1e200 1e200", "-1e13 1 1"])
def test_a_mesh_that_is_too_large_is_not_shown(tmp_path, scale):
    (tmp_path / "hand.obj").write_text(TRIANGLES)
    (tmp_path / "arm.urdf").write_text(arm("hand.obj").replace('scale="2 2 2"', f'scale="{scale}"'))
    with pytest.warns(tf.RobotWarning, match="check its scale"):
        assert np.isfinite(tf.animate(tf.load(tmp_path / "arm.urdf")).scene.links[1].points).all()


def test_shapes_of_the_file_are_drawn_without_meshes():
    sizes = {"box": (1, 2, 3), "cylinder": (0.5, 2), "sphere": (0.7,), "capsule": (0.5, 2), "ellipsoid": (1, 2, 3)}
    reach = {"box": (0.5, 1, 1.5), "cylinder": (0.5, 0.5, 1), "sphere": (0.7,) * 3, "capsule": (0.5, 0.5, 1.5)}
    reach["ellipsoid"] = (1, 2, 3)
    for shape, size in sizes.items():
        solid = solid_of(tf.robot.body.Visual(shape=shape, size=tuple(map(float, size))))
        np.testing.assert_allclose(solid.points.max(axis=0), reach[shape], rtol=1e-2)
        outward = (solid.points * solid.normals).sum(axis=1)
        assert (outward > 0).all()


def test_random_robots_have_stand_ins_that_follow_the_model():
    for seed in range(6):
        robot = random_robot(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scene = tf.animate(robot).scene
        names = [body.name for body in robot.expanded().bodies]
        expected = tf.transforms(robot, frames=names).compile()(neutral(robot)[None])
        np.testing.assert_allclose(scene.T[:, 1:], expected, atol=1e-12)
        assert all(np.isfinite(solid.points).all() for solid in scene.links)
