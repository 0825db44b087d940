"""Recordings from ROS 2 bags: the messages sensor_msgs/JointState of one topic."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import IdentificationError
from .files import damaged
from .recording import Recording

JOINT_STATE = "sensor_msgs/msg/JointState"


def read_bag(path: Path, topic: str | None = None) -> Recording:
    """Return the recording of a topic's joint states, by default of the only topic that has them."""
    try:
        highlevel, types = import_module("rosbags.highlevel"), import_module("rosbags.typesys")
    except ImportError:
        raise IdentificationError(f"{path}: reading a ROS 2 bag needs rosbags: pip install rosbags") from None
    folder = path if path.is_dir() else path.parent
    store = types.get_typestore(types.Stores.ROS2_HUMBLE)  # older bags do not hold the types of their messages
    try:
        with highlevel.AnyReader([folder], default_typestore=store) as reader:
            found = [x for x in reader.connections if x.msgtype == JOINT_STATE and topic in (None, x.topic)]
            topics = sorted({x.topic for x in found})
            if len(topics) != 1:
                raise IdentificationError(f"{path}: {_unclear(topics, topic, reader.connections)}")
            messages = [reader.deserialize(raw, x.msgtype) for x, _, raw in reader.messages(connections=found)]
    except IdentificationError:
        raise
    except (highlevel.AnyReaderError, OSError, ValueError) as error:
        raise IdentificationError(f"{path}: it cannot be read as a ROS 2 bag: {error}") from None
    except Exception as error:  # rosbags and what it reads with raise whatever damage leads to
        raise IdentificationError(f"{path}: it cannot be read as a ROS 2 bag: {damaged(error)}") from None
    return recording_of_messages(messages, path)


def _unclear(topics: Sequence[str], wanted: str | None, connections: Sequence[Any]) -> str:
    """Return what to say if there is not exactly one topic."""
    if topics:
        return f"several topics have joint states; choose one with topic=…: {', '.join(topics)}"
    there = ", ".join(f"{x.topic} ({x.msgtype})" for x in connections) or "nothing"
    return f"it has no {JOINT_STATE}{f' on {wanted}' if wanted else ''}; it has {there}"


def recording_of_messages(messages: Sequence[Any], path: Path) -> Recording:
    """Return the recording of joint states with positions and efforts; joints are named as in the first message."""
    if not messages:
        raise IdentificationError(f"{path}: the topic has no messages")
    names = tuple(messages[0].name)
    rows = []
    for k, message in enumerate(messages):
        places = {name: i for i, name in enumerate(message.name)}
        if missing := [name for name in names if name not in places]:
            raise IdentificationError(f"{path}: message {k} has no joint {missing[0]!r}; it has {', '.join(places)}")
        own = [places[name] for name in names]
        for key in ("position", "effort"):
            if len(getattr(message, key)) < len(message.name):
                raise IdentificationError(
                    f"{path}: message {k} has no {key} of each joint, without which nothing can be identified"
                )
        stamp = message.header.stamp
        fast = len(message.velocity) == len(message.name)
        speeds = [message.velocity[i] for i in own] if fast else [np.nan] * len(own)
        rows.append([stamp.sec + 1e-9 * stamp.nanosec, *(message.position[i] for i in own), *speeds])
        rows[-1] += [message.effort[i] for i in own]
    table, n = np.array(rows, dtype=float), len(names)
    qd = table[:, 1 + n : 1 + 2 * n]
    measured = None if np.isnan(qd).any() else qd
    labels = dict.fromkeys(("q", "tau") if measured is None else ("q", "tau", "qd"), names)
    t, q, tau = table[:, 0] - table[0, 0], table[:, 1 : 1 + n], table[:, 1 + 2 * n :]
    return Recording(t, q, tau, measured, name=path.stem, labels=labels)
