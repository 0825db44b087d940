"""How long it takes to load a URDF, beside Pinocchio and the XML library alone.

Run it with ``python -m benchmarks.loading [FILE ...]``; Talos and a few others of ``example-robot-data`` unless given.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import tauforge as tf

from .startup import best

ROBOTS = (
    "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "tiago_description/robots/tiago_dual.urdf",
    "panda_description/urdf/panda.urdf",
)


def data() -> Path | None:
    """Return the folder of the robots that the package example-robot-data brings, if it is installed."""
    found = (Path(folder) / "cmeel.prefix/share/example-robot-data/robots" for folder in sys.path)
    return next((folder for folder in found if folder.is_dir()), None)


def main(paths: list[str]) -> None:
    import pinocchio as pin
    from lxml import etree

    warnings.simplefilter("ignore", tf.RobotWarning)
    folder = data()
    if not paths and folder is None:
        sys.exit("pip install example-robot-data, or name files to load")
    print(f"{'':30} {'Tauforge':>10} {'Pinocchio':>10} {'lxml':>10}   of the limit, 3 x Pinocchio + lxml")
    for path in paths or [str(folder / name) for name in ROBOTS]:
        text = Path(path).read_bytes()
        ours = best(lambda path=path: tf.load(path), 15)
        theirs = best(lambda path=path: pin.buildModelFromUrdf(path), 15)
        xml = best(lambda text=text: etree.fromstring(text), 15)
        share = ours / (3 * theirs + xml)
        print(f"{Path(path).name:30} {ours:7.1f} ms {theirs:7.1f} ms {xml:7.1f} ms   {share:.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
