"""Draw the picture of the page on singular states: a five-bar that passes one, beside the condition of its motors."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

import tauforge as tf

PICTURE = Path(__file__).parents[1] / "docs" / "simulation" / "singular.gif"


def main() -> None:
    """Simulate, and draw one picture for each hundredth of a second."""
    robot = tf.robots.fivebar()
    start = tf.close_loops(robot, None, guess=[2.0, -1.2159, 1.1, 1.2382])
    run = tf.simulate(robot, np.linspace(0.0, 0.45, 451), q0=start)
    condition = tf.singularity(robot, run.q).condition
    transforms = tf.transforms(robot)
    T = np.asarray(transforms.compile()(run.q))
    at = {name: T[:, k, :2] for k, name in enumerate(transforms.outputs["T"].labels[0])}
    names = ("arm1_link", "forearm1_link", "tool", "forearm2_link", "arm2_link")
    points = [at[name][..., 3] for name in names]
    bars = np.stack(points, axis=1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 3.2), layout="constrained")
    left.set_aspect("equal")
    low, high = bars.min(axis=(0, 1)) - 0.05, bars.max(axis=(0, 1)) + 0.05
    left.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[], title="five-bar, no motor torques")
    right.set(xlabel="t in s", title="condition of the motors' joints", yscale="log")
    right.plot(run.t, condition, color="0.5")
    right.axvline(run.coordinate_changes[0].t, color="0.8", linestyle="--")
    (mechanism,) = left.plot([], [], "o-", lw=3)
    (now,) = right.plot([], [], "o")

    def drawn(k: int) -> tuple:
        mechanism.set_data(bars[k, :, 0], bars[k, :, 1])
        now.set_data([run.t[k]], [condition[k]])
        return mechanism, now

    FuncAnimation(figure, drawn, frames=range(0, len(run.t), 10)).save(PICTURE, PillowWriter(fps=12), dpi=70)


if __name__ == "__main__":
    main()
