"""Where a hand can be, how well it moves there, and where its arm is singular."""

import tauforge as tf

arm = tf.robots.puma560()
space = tf.workspace(arm, frame="link6", samples=20_000)
section = space.section("xz", at=0.0, cells=60)
print(f"{section.area:.2f} m² of the section are within reach")

# section.plot("reach.png"), section.plot("dexterity.png", measure="manipulability"), space.plot("cloud.png")
dexterity = section.map("manipulability")
print(f"the largest manipulability is {dexterity[section.reachable].max():.3f}")

for robot in (tf.robots.puma560(symbolic=True), tf.robots.ur5()):
    where = tf.singularities(robot, frame="link6")
    print(f"\n{robot.name}: {where}")
    for condition in where.conditions:
        print(f"  {condition}")
    print(f"  {where.certify()}")
