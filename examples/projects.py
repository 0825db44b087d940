from pathlib import Path

import tauforge as tf

folder = tf.write_project(tf.robots.puma560(), "puma", "cmake")
for path in sorted(Path(folder).rglob("*")):
    if path.is_file():
        print(path.relative_to(folder).as_posix())
