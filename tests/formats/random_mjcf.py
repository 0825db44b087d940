"""Random MJCF trees: nested bodies with joints of every kind, axes, anchors, offsets, springs and inertias."""

import math
from random import Random

KINDS = ("hinge", "hinge", "hinge", "slide", "ball")


def random_mjcf(seed: int) -> str:
    """Return a model that depends on the seed alone."""
    random = Random(seed)
    degrees = random.random() < 0.5
    units, unit = ("degree", 180 / math.pi) if degrees else ("radian", 1.0)
    sequence = "".join(random.choice((letter, letter.upper())) for letter in random.sample("xyz", 3))
    left = random.randint(1, 7)
    single: list[str] = []
    chains: list[list[str]] = []

    def some(count: int, scale: float = 1.0) -> str:
        return " ".join(f"{random.uniform(-scale, scale):.6g}" for _ in range(count))

    def turn() -> str:
        kind = random.choice(("", "", "quat", "euler", "axisangle", "xyaxes", "zaxis"))
        if kind == "axisangle":
            return f'axisangle="{some(3)} {random.uniform(-3, 3) * unit:.6g}"'
        if kind == "euler":
            special = " ".join(f"{random.choice((0, 90, -90, 180)) / 180 * math.pi * unit:.17g}" for _ in range(3))
            return f'euler="{random.choice((special, some(3, 3 * unit)))}"'
        return f'{kind}="{some({"quat": 4, "xyaxes": 6, "zaxis": 3}[kind])}"' if kind else ""

    def inertia() -> str:
        pose = f'pos="{some(3, 0.3)}" mass="{random.uniform(0.1, 3):.6g}"'
        if random.random() < 0.4:
            return (
                f'<geom type="box" size=".1 .2 .3" {pose} {turn()}/><geom size=".1" pos="{some(3, 0.5)}" mass="0.5"/>'
            )
        a, b, c = (random.uniform(0.1, 0.2) for _ in range(3))
        if random.random() < 0.5:
            return f'<inertial {pose} diaginertia="{a:.6g} {b:.6g} {c:.6g}" {turn()}/>'
        x, y, z = (random.uniform(-0.02, 0.02) for _ in range(3))
        return f'<inertial {pose} fullinertia="{a:.6g} {b:.6g} {c:.6g} {x:.6g} {y:.6g} {z:.6g}"/>'

    def joint(kind: str, below: list[str]) -> str:
        axis = random.choice(("0 0 1", "0 0 -1", "1 0 0", "0 -1 0", "0 2 0", some(3), "0.6 0.8 0"))
        words = [f'type="{kind}" pos="{random.choice(("0 0 0", some(3, 0.3)))}" damping="{random.uniform(0, 1):.6g}"']
        words += [f'armature="{random.choice((0, random.uniform(0, 1))):.6g}"']
        words += [f'frictionloss="{random.choice((0, random.uniform(0, 0.5))):.6g}"']
        if kind == "ball" and random.random() < 0.6:
            words += [f'stiffness="{random.uniform(1, 9):.6g}"']
        if kind != "ball":
            angle = unit if kind == "hinge" else 1.0
            words += [f'axis="{axis}" ref="{random.choice((0, random.uniform(-1, 1))) * angle:.6g}"']
            if random.random() < 0.4:
                rest = random.uniform(-1, 1) * angle
                words += [f'stiffness="{random.uniform(1, 9):.6g}" springref="{rest:.6g}"']
            single.append(f"j{len(single)}")
            below.append(single[-1])
            chains.append([*below])
            words += [f'name="{single[-1]}"']
        return f"<joint {' '.join(words)}/>"

    def body(depth: int, below: list[str]) -> str:
        nonlocal left
        left -= 1
        kinds = [random.choice(KINDS) for _ in range(random.choice((0, 1, 1, 1, 2, 3)))]
        if "ball" in kinds:  # MuJoCo takes at most one ball, and after it no hinge
            kinds = [*(kind for kind in kinds if kind == "slide"), "ball"]
        free = depth == 0 and random.random() < 0.3
        parts = ["<freejoint/>" if free else "".join(joint(kind, below) for kind in kinds)]
        parts += [inertia(), f'<site name="s{left}" pos="{some(3)}" {turn()}/>']
        while left > 0 and random.random() < 0.75:
            parts.append(body(depth + 1, [*below]))
        lift = f'gravcomp="{random.choice((0, 0, 1, random.uniform(-1, 2))):.6g}"'
        name = f"b{left}x{depth}x{random.random()}"
        return f'<body name="{name}" {lift} pos="{some(3)}" {turn()}>{"".join(parts)}</body>'

    def tendon() -> str:
        heavy = random.random() < 0.5  # MuJoCo's inertia matrix has no place for what couples branches
        among = random.choice(chains) if heavy else single
        joints = "".join(
            f'<joint joint="{name}" coef="{random.choice((1, random.uniform(-2, 2))):.6g}"/>'
            for name in random.sample(among, random.randint(1, min(3, len(among))))
        )
        words = [f'{key}="{random.choice((0, random.uniform(0, 0.5))):.6g}"' for key in ("damping", "frictionloss")]
        words += [f'armature="{heavy * random.uniform(0, 1):.6g}" stiffness="{random.uniform(0, 9):.6g}"']
        words += random.choice(([], [f'springlength="{random.uniform(0, 1):.6g}"']))
        return f"<fixed {' '.join(words)}>{joints}</fixed>"

    bodies = "".join(body(0, []) for _ in range(random.randint(1, 2)))
    tendons = "".join(tendon() for _ in range(random.choice((0, 1, 2)) if single else 0))
    return f"""<mujoco><compiler angle="{units}" eulerseq="{sequence}" inertiafromgeom="auto"/>
    <option gravity="{some(3, 9)}"><flag contact="disable"/></option>
    <worldbody>{bodies}<body><joint/><geom size="1"/></body></worldbody><tendon>{tendons}</tendon></mujoco>"""
