"""The same Program gives the same text, byte for byte, whatever the process did before and however it hashes."""

import os
import subprocess
import sys

SCRIPT = """
import sys
from tauforge import inverse_dynamics, robots
from tauforge.targets import TARGETS

for other in sys.argv[1:]:
    inverse_dynamics(robots.bundled(other), external_wrenches=True).code("c")
for program, targets in (
    (inverse_dynamics(robots.bundled("rx90", symbolic=True)), ["c", "latex"]),
    (inverse_dynamics(robots.bundled("panda")), ["c", "matlab"]),
    (inverse_dynamics(robots.bundled("puma560")), TARGETS),
):
    for target in targets:
        print(program.code(target))
"""


def _generated(seed: int, *others: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", SCRIPT, *others]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_same_text():
    first = _generated(1)
    assert len(first) > 100_000
    assert first == _generated(2, "ur5", "puma560", "rx90", "scara") == _generated(3, "panda", "kuka_lwr")
