"""What a message may hold: nothing that commands a terminal, and never more than a few lines."""

import io
import pickle

import pytest

import tauforge as tf
from tauforge.cli.console import SafeConsole
from tauforge.errors import printable

RAW = "a\x1b[31mb\x07\x9bc\u202ed\u2066e\r\nf"
SHOWN = "a\\x1b[31mb\\x07\\x9bc\\u202ed\\u2066e\\r\\nf"


def test_printable():
    assert printable(RAW) == SHOWN
    assert printable("bras été 腕 'quoted' \\x1b") == "bras été 腕 'quoted' \\x1b"


@pytest.mark.parametrize("kind", [tf.RobotError, tf.ExpressionError, tf.ProgramError, tf.TargetError, tf.RobotWarning])
def test_messages_are_escaped_and_short(kind):
    assert str(kind(RAW)) == SHOWN
    assert str(pickle.loads(pickle.dumps(kind(RAW)))) == SHOWN
    long = str(kind("begin" + "x" * 100_000 + "end"))
    assert len(long) < 5000
    assert long.startswith("begin")
    assert long.endswith("end")


def test_names_in_a_file_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('format = 1\nname = "a\\u001b[31m\\u202e"\ngravity = [0, 0, 0]\n')
    with pytest.raises(tf.RobotError, match=r"a\\x1b\[31m\\u202e") as error:
        tf.load(path)
    assert str(error.value).isprintable()


def test_what_the_commands_print():
    file = io.StringIO()
    console = SafeConsole(file=file, highlight=False, force_terminal=True, color_system="standard", width=200)
    console.print("[red]seen[/red]\nand a\x1b\\[31mb\x9bc\u202ed")
    assert file.getvalue() == "\x1b[31mseen\x1b[0m\nand a\\x1b[31mb\\x9bc\\u202ed\n"
