"""Joints that a side file takes as another type, against Pinocchio with such joints in the frames of the URDF."""

import numpy as np
import pinocchio as pin
import pytest

import tauforge as tf

from .agree import agree

JOINT = """<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>
<origin xyz="0.2 -0.1 0.3" rpy="0.4 -0.5 0.6"/><axis xyz="{2}"/></joint>"""
LINK = """<link name="l{0}"><inertial><origin xyz="0.1 0.05 -0.07" rpy="0.3 0.2 0.1"/><mass value="1.3"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>"""
URDF = "\n".join(
    [
        '<robot name="chain"><link name="l0"/>',
        *(LINK.format(k) for k in (1, 2, 3)),
        *(JOINT.format(k, k - 1, axis) for k, axis in enumerate(("0 1 0", "1 0 0", "0 0.6 0.8"), 1)),
        "</robot>",
    ]
)
AXES = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}


def with_types(model, types):
    """Return Pinocchio's model with other joints in the same frames; a universal one is two revolute ones."""
    found = pin.Model()
    parts = zip(model.joints, model.jointPlacements, model.inertias, model.names, model.parents, strict=True)
    for joint, place, inertia, name, parent in list(parts)[1:]:
        own = [joint]
        if name in types:
            word = types[name].lower()
            own = [pin.JointModelSpherical()] if word == "spherical" else [AXES[x]() for x in word[-2:]]
        last = parent and found.getJointId(model.names[parent])
        for k, each in enumerate(own):
            label = name if k == len(own) - 1 else f"{name} first"
            last = found.addJoint(last, each, place if k == 0 else pin.SE3.Identity(), label)
        found.appendBodyToJoint(last, inertia, pin.SE3.Identity())
    return found


@pytest.mark.parametrize("word", ["SPHERICAL", *(f"UJOINT_{axes}" for axes in ("XY", "XZ", "YX", "YZ", "ZX", "ZY"))])
def test_types_of_joints(tmp_path, word):
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "robot.yaml").write_text(f"joint_name: [j1, j3]\njoint_type: [{word}, {word}]\n")
    robot = tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")
    assert [joint.mu for joint in robot.joints] == [0, 1, 0]
    model = with_types(pin.buildModelFromXML(URDF), {"j1": word, "j3": word})
    v, a, way = np.random.default_rng(1).normal(size=(3, model.nv))
    q = pin.integrate(model, pin.neutral(model), way)
    at = model.joints[model.getJointId("j2")].idx_q
    angle = np.arctan2(q[at + 1], q[at])  # of a continuous joint, Pinocchio has the cosine and the sine
    expected = pin.rnea(model, model.createData(), q, v, a)
    agree(tf.inverse_dynamics(robot).compile()(np.array([*q[:at], angle, *q[at + 2 :]]), v, a), expected)


def test_a_joint_taken_as_fixed(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "robot.yaml").write_text("joint_name: [j2]\njoint_type: [FIXED]\n")
    robot = tf.load(tmp_path / "robot.urdf", loops=tmp_path / "robot.yaml")
    assert robot.joint_names == ("j1", "j3")
    whole = tf.load(tmp_path / "robot.urdf")
    q, v, a = np.random.default_rng(2).normal(size=(3, 2))
    expected = tf.inverse_dynamics(whole).compile()(*(np.insert(x, 1, 0.0) for x in (q, v, a)))
    agree(tf.inverse_dynamics(robot).compile()(q, v, a), expected[[0, 2]])
