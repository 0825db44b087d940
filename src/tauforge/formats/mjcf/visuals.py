"""The shapes of MuJoCo's geoms, for viewers."""

from __future__ import annotations

from typing import Any

from ...robot.body import Visual
from ...spatial.pose import Pose
from .place import pose

_HIDDEN = 3
"""The first group of geoms that MuJoCo's viewer hides by default."""
_DEFAULT = [0.5, 0.5, 0.5, 1.0]
"""The colour of a geom for which the file gives none."""


def visuals(model: Any, body: int, own: Pose) -> tuple[Visual, ...]:
    """Return the shapes of a body, given its frame on its link; planes and height fields are left out."""
    first = model.body_geomadr[body]
    geoms = range(first, first + model.body_geomnum[body])
    found = (_visual(model, geom, own) for geom in geoms if model.geom_group[geom] < _HIDDEN)
    return tuple(visual for visual in found if visual)


def _visual(model: Any, geom: int, own: Pose) -> Visual | None:
    from mujoco import mjtGeom

    shape = mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
    at = own.then(pose(model.geom_quat[geom], model.geom_pos[geom]))
    a, b, c = model.geom_size[geom].tolist()
    sizes = {"sphere": (a,), "capsule": (a, 2 * b), "ellipsoid": (a, b, c), "cylinder": (a, 2 * b)}
    sizes["box"] = (2 * a, 2 * b, 2 * c)
    file = ""
    if shape == "mesh":  # MuJoCo moves a mesh to its own centre and axes
        mesh = model.geom_dataid[geom]
        at = at.then(pose(model.mesh_quat[mesh], model.mesh_pos[mesh]).inverse())
        sizes["mesh"] = tuple(model.mesh_scale[mesh].tolist())
        if model.mesh_pathadr[mesh] >= 0:
            file = bytes(model.paths)[model.mesh_pathadr[mesh] :].split(b"\0")[0].decode("utf-8", "replace")
    if shape not in sizes or (shape == "mesh" and not file):
        return None
    return Visual(shape=shape, size=sizes[shape], file=file, pose=at.homogeneous, color=_color(model, geom))


def _color(model: Any, geom: int) -> tuple[float, ...]:
    """Return the colour of a geom's material, or its own; none if it is MuJoCo's default."""
    material = model.geom_matid[geom]
    rgba = (model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]).tolist()
    return () if rgba == _DEFAULT else tuple(min(max(x, 0.0), 1.0) for x in rgba)
