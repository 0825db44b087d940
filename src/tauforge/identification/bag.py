"""Recordings from ROS 2 bags: the messages sensor_msgs/JointState of one topic."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import IdentificationError
from .recording import Recording

JOINT_STATE = "sensor_msgs/msg/JointState"


def read_bag(path: Path, topic: str | None = None, joints: Sequence[str] | None = None) -> Recording:
    """Return the recording of a topic's joint states.

    Parameters
    ----------
    topic
        The topic; by default the only one with joint states.
    joints
        The joints to take, in the robot's order; by default those of the first message.
    """
    try:
        highlevel = import_module("rosbags.highlevel")
    except ImportError:
        raise IdentificationError(f"{path}: reading a ROS 2 bag needs rosbags: pip install rosbags") from None
    folder = path if path.is_dir() else path.parent
    with highlevel.AnyReader([folder]) as reader:
        found = [x for x in reader.connections if x.msgtype == JOINT_STATE and topic in (None, x.topic)]
        topics = sorted({x.topic for x in found})
        if len(topics) != 1:
            what = f"no {JOINT_STATE}" + (f" on {topic}" if topic else "") if not topics else "several topics"
            raise IdentificationError(f"{path}: it has {what}; choose one with topic=…: {', '.join(topics)}")
        messages = [reader.deserialize(raw, x.msgtype) for x, _, raw in reader.messages(connections=found)]
    return recording_of_messages(messages, path, joints)


def recording_of_messages(messages: Sequence[Any], path: Path, joints: Sequence[str] | None) -> Recording:
    """Return the recording of joint states with positions and efforts."""
    if not messages:
        raise IdentificationError(f"{path}: the topic has no messages")
    names = list(joints or messages[0].name)
    rows = []
    for k, message in enumerate(messages):
        places = {name: i for i, name in enumerate(message.name)}
        if missing := [name for name in names if name not in places]:
            raise IdentificationError(f"{path}: message {k} has no joint {missing[0]!r}; it has {', '.join(places)}")
        own = [places[name] for name in names]
        if len(message.effort) < len(message.name):
            raise IdentificationError(f"{path}: message {k} has no efforts, without which nothing can be identified")
        stamp = message.header.stamp
        fast = len(message.velocity) == len(message.name)
        speeds = [message.velocity[i] for i in own] if fast else [np.nan] * len(own)
        rows.append([stamp.sec + 1e-9 * stamp.nanosec, *(message.position[i] for i in own), *speeds])
        rows[-1] += [message.effort[i] for i in own]
    table, n = np.array(rows, dtype=float), len(names)
    qd = table[:, 1 + n : 1 + 2 * n]
    measured = None if np.isnan(qd).any() else qd
    return Recording(table[:, 0] - table[0, 0], table[:, 1 : 1 + n], table[:, 1 + 2 * n :], measured, name=path.stem)
