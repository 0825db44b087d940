"""Writing files: the target by the ending, the function's name by the file's, and errors that list what there is."""

import re
from pathlib import Path

import pytest

from tauforge import TargetError, TauforgeError
from tauforge.targets import TARGETS

from .programs import programs
from .runners import C, tool

PROGRAM = "rrp"


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("arm.c", "void arm("),
        ("arm.h", "void arm("),
        ("arm.f90", "subroutine arm("),
        ("arm.F90", "subroutine arm("),
        ("arm.m", "function tau = arm("),
        ("arm.py", "def arm("),
        ("arm.tex", r"\section*{arm}"),
    ],
)
def test_by_ending(tmp_path, file, start):
    path = programs()[PROGRAM].write(tmp_path / file)
    assert path == tmp_path / file
    assert start in path.read_text(encoding="ascii")
    assert [x.name for x in tmp_path.iterdir()] == [file]


def test_target_and_name_can_be_given(tmp_path):
    path = programs()[PROGRAM].write(tmp_path / "my-arm.py", target="numpy", name="torques")
    assert "def torques(" in path.read_text()
    assert "import numpy" in path.read_text()


def test_unknown_target_or_ending(tmp_path):
    with pytest.raises(TargetError, match=r"unknown target 'cobol'; choose among c, header, cpp, .*mathematica"):
        programs()[PROGRAM].code("cobol")
    for file in ("arm.cob", "arm"):
        with pytest.raises(TargetError, match=r"\.c \(c\), \.h \(header\), \.hpp \(cpp\), \.f90 \(fortran\)"):
            programs()[PROGRAM].write(tmp_path / file)
    with pytest.raises(TargetError, match="unknown target"):
        programs()[PROGRAM].write(tmp_path / "arm.c", target="cobol")
    with pytest.raises(TargetError, match="function's name"):
        programs()[PROGRAM].write(tmp_path / "my-arm.m")
    assert not list(tmp_path.iterdir())


def test_folder_must_exist(tmp_path):
    with pytest.raises(TauforgeError, match="cannot be written"):
        programs()[PROGRAM].write(tmp_path / "nowhere" / "arm.c")


def test_header_declares_what_the_source_defines(tmp_path):
    lines = []
    for name in ("rrp", "every_function", "hostile", "random0"):
        programs()[name].write(tmp_path / f"{name}.h")
        programs()[name].write(tmp_path / f"{name}.c")
        lines += [f'#include "{name}.h"', f'#include "{name}.h"', f'#include "{name}.c"']
    (tmp_path / "all.c").write_text("\n".join(lines) + "\n")
    tool([*C, "-Wmissing-prototypes", "-c", "all.c"], tmp_path)


def test_targets_are_the_documented_ones():
    page = (Path(__file__).parents[2] / "docs" / "targets.md").read_text(encoding="utf-8")
    rows = re.findall(r'^\| `"(\w+)"` \|(?: `(\.\w+)`)?', page, re.MULTILINE)
    assert rows == [(name, target.ending) for name, target in TARGETS.items()]
