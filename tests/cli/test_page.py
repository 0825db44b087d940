"""The page about the command line and the command line itself agree, word for word and both ways."""

import re
from pathlib import Path

from typer.main import get_command

from tauforge.cli.main import app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
PROGRAM = get_command(app)
COMMANDS = {name: command.params for name, command in PROGRAM.commands.items()}
WITH_ROBOT = {name for name, params in COMMANDS.items() if any(param.name == "robot" for param in params)}
EVERY = "all with a ROBOT"
BUT = re.compile(rf"{EVERY} but (.*)")
"""What a line says that is for all of them but some."""


def spellings(params):
    return {
        word for param in params if param.param_type_name == "option" for word in (*param.opts, *param.secondary_opts)
    }


def table(heading):
    """Return the cells of a table's lines."""
    lines = PAGE[PAGE.index(heading) :].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def promised():
    """Return each command's options by the page; a line without a command continues the one above."""
    found, command = {}, ""
    for of, options, _ in table("| command | option |"):
        command = of.strip("`") or command
        found.setdefault(command, set()).update(re.findall(r"`(--?[\w-]+)", options))
    return found


def test_every_option_is_promised_and_every_promise_is_kept():
    page = promised()
    everywhere = page.pop(EVERY)
    expected = {name: page.get(name, set()) | (everywhere if name in WITH_ROBOT else set()) for name in COMMANDS}
    for of in [of for of in page if BUT.fullmatch(of)]:
        excepted = set(re.findall(r"[\w-]+", BUT.fullmatch(of)[1].replace(" and ", " ")))
        assert excepted <= WITH_ROBOT
        for name in WITH_ROBOT - excepted:
            expected[name] = expected[name] | page[of]
        del page[of]
    assert set(page) <= set(COMMANDS)
    assert {name: spellings(params) for name, params in COMMANDS.items()} == expected


def test_every_command_is_listed_with_its_arguments_and_real_options():
    usages = [re.fullmatch(r"`tauforge (\w+)(.*)`", usage).groups() for usage, _ in table("| command |")]
    assert sorted(name for name, _ in usages) == sorted(COMMANDS)
    for name, rest in usages:
        arguments = [param.metavar for param in COMMANDS[name] if param.param_type_name == "argument"]
        assert re.findall(r"^(?: ([A-Z]+))?(?: ([A-Z]+))?", rest)[0] == (*arguments, "", "")[:2]
        assert set(re.findall(r"(?<![\w-])--?[a-z]+", rest)) <= spellings(COMMANDS[name])


def test_the_rest_of_the_page_names_real_options_only():
    known = spellings(PROGRAM.params).union({"--help"}, *map(spellings, COMMANDS.values()))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", PAGE)) <= known
