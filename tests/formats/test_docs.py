"""The examples on the page about formats are robots, and say the same in both formats."""

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from tauforge import FileLimits
from tauforge.formats import load, save
from tauforge.graph.parse import FUNCTIONS
from tauforge.robot.kinds import PARAMETERS

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


@pytest.fixture
def examples(tmp_path):
    blocks = re.findall(r"```(toml|text)\n(.*?)```", PAGE, re.DOTALL)
    robots = []
    for number, (language, text) in enumerate(blocks):
        path = tmp_path / f"{number}.{'par' if language == 'text' else 'toml'}"
        path.write_text(text, encoding="utf-8")
        robots.append(load(path))
    return robots


def test_both_formats_describe_the_same_robot(examples):
    slider, gripper, finger, four_bar, from_par = examples
    assert slider == from_par
    assert slider.joints[0].FV == 0.1
    assert len(four_bar.loops) == 1
    assert finger.tendons[0].joints == ((1, 0.012), (2, 0.008))
    assert (gripper.dof, len(gripper.joints), gripper.frame_names[-1]) == (7, 2, "grasp")


def test_every_field_is_on_the_page(examples, tmp_path):
    for robot in examples:
        fits = not robot.tendons and not any(joint.mimic for joint in robot.joints)
        for ending in (".toml", ".par") if fits else (".toml",):
            save(robot, tmp_path / f"again{ending}")
            for key in re.findall(r"(?:^|[{,] )(\w+) =", (tmp_path / f"again{ending}").read_text(), re.MULTILINE):
                assert f"`{key}`" in PAGE


def test_what_only_some_kinds_of_joints_take_is_on_the_page():
    assert [key for key in PARAMETERS if f"\n| `{key}` |" not in PAGE] == []


def test_every_function_is_on_the_page():
    assert sorted(re.search(r"the functions `([^`]*)`", PAGE)[1].split()) == sorted(FUNCTIONS)


def test_every_limit_is_on_the_page():
    for key, value in asdict(FileLimits()).items():
        assert f"| `{key}` | {value:,.0f} |".replace(",", " ") in PAGE
