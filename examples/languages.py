import tauforge as tf

robot = tf.robots.planar2r()
program = tf.inverse_dynamics(robot)
for target in ("rust", "go", "mathematica"):
    print(f"{target}:", *program.code(target, name="arm").splitlines()[-4:], sep="\n")

path = program.write("arm.c", target="c:float")  # numbers in single precision
print(*[line for line in path.read_text().splitlines() if "VP22 =" in line])
print(tf.verify(path, robot))
