"""Build a Gough-Stewart platform from scratch: six legs, each from a point of the base to a point of the platform."""

import numpy as np

import tauforge as tf

# 1. Where the joints are when the robot is assembled: three pairs on each ring, in metres.
HEIGHT = 1.0
pairs = np.radians([-12, 12, 108, 132, 228, 252])
base = [(0.8 * np.cos(a), 0.8 * np.sin(a), 0.0) for a in pairs]
near = np.radians([-48, 48, 72, 168, 192, 288])
top = [(0.5 * np.cos(a), 0.5 * np.sin(a), HEIGHT) for a in near]

# 2. Legs, from base to platform: a universal joint, a prismatic one with the motor, a spherical one.
cylinder = tf.Inertia(YY=0.25, ZZ=0.25, MX=0.9, M=3.0)  # x points along the leg, from the base
rod = tf.Inertia(YY=0.1, ZZ=0.1, MX=-0.4, M=1.5)  # from the platform, so its centre of mass is at a negative x
legs = [tf.leg("UPS", points, links=[cylinder, rod], FV=20.0) for points in zip(base, top, strict=True)]

# 3. The platform, with its frame at the height of its joints.
platform = tf.Body(name="platform", inertia=tf.Inertia(XX=1.3, YY=1.3, ZZ=2.5, M=20.0))
robot = tf.parallel_robot(platform, legs, home=(0, 0, HEIGHT), name="gough_stewart")
print(robot)
print("independent:", *robot.independent)

# 4. Forward geometry: the pose of the platform from the motors. All coordinates are zero where it was assembled.
q = tf.close_loops(robot, [0.10, 0.12, 0.05, 0.0, 0.02, 0.08])
place = tf.transforms(robot, frames=["platform"]).compile()
print("platform:", place(q)[..., :3, 3].ravel().round(4))
drawing = tf.draw(robot, q)  # drawing.save("gough_stewart.svg")

# 5. Inverse geometry: the same robot with the platform as independent joint, and a pose (position, quaternion).
moving = robot.with_independent("platform")
pose = [0.05, 0.0, 0.1, 0.0, 0.0, np.sin(0.1), np.cos(0.1)]  # in the frame that the platform had at zero
strokes = tf.close_loops(moving, pose)[[robot.coordinate_names.index(name) for name in robot.actuated]]
print("strokes:", strokes.round(4))

# 6. Dynamics: the motion of the platform in, the forces of the motors out, and back.
inverse = tf.inverse_dynamics(moving, efforts="motors")
print(inverse.count())
speed, lift = [0.1, 0.0, 0.2, 0.0, 0.0, 0.3], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
forces = inverse.compile()(q, speed, lift)
print("forces:", forces.round(2))
acceleration = tf.direct_dynamics(moving, efforts="motors").compile()(q, speed, forces)
print("the same acceleration:", np.allclose(acceleration, lift))
