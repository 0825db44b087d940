"""The frame around statements in languages with flat arrays: a function of its inputs that fills its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .comments import blocks, head
from .language import WIDTH, Language
from .statements import Argument, Listing


@dataclass(frozen=True)
class Form:
    """How a language writes a function.

    Attributes
    ----------
    given
        The declaration of an input, with {name} and {size}.
    made
        The declaration of an output.
    opening
        The lines from the signature to the statements, with {name} for the function's; {arguments} is on one of them.
    closing
        The lines after the statements.
    before
        Returns the lines between the comment and the function, such as imports.
    helpers
        The graph's operation -> lines at the start of the function that its spelling needs.
    unused
        The statement for an input that nothing reads, if compilers complain about those.
    indent
        The start of each statement's line.
    before_loop
        Lines after the statements that run once: calls of a function's parts.
    each_time
        Lines after the statements that run each time.
    """

    given: str
    made: str
    opening: Sequence[str]
    closing: Sequence[str]
    before: Callable[[Listing], list[str]] = lambda _: []
    helpers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unused: str = ""
    indent: str = "    "
    before_loop: Sequence[str] = ()
    each_time: Sequence[str] = ()

    def declared(self, listing: Listing) -> list[str]:
        """Return the declarations of the arguments."""
        return [
            template.format(name=x.name, size=x.array.shape.size)
            for template, arguments in ((self.given, listing.inputs), (self.made, listing.outputs))
            for x in arguments
        ]


def render(listing: Listing, language: Language, form: Form) -> str:
    """Return a function's text."""
    before = form.before(listing)
    lines = [*head(listing, language), "", *before, *[""] * bool(before), *function(listing, language, form)]
    return "\n".join([*lines, ""])


def function(listing: Listing, language: Language, form: Form) -> list[str]:
    """Return the lines of a function without the comment above it."""
    helpers = [line for op, lines in form.helpers.items() if op in listing.functions for line in lines]
    unused = [form.unused.format(x.name) for x in unread(listing)] if form.unused else []
    return [
        *(line for part in form.opening for line in signature(part, form.declared(listing), listing.name)),
        *(form.indent + line for line in (*helpers, *unused)),
        *blocks(listing, language, form.indent, form.before_loop, form.each_time),
        *form.closing,
    ]


def signature(template: str, arguments: Sequence[str], name: str) -> list[str]:
    """Return a line with all arguments, or one line for each of them if that is too long."""
    whole = template.format(name=name, arguments=", ".join(arguments))
    if "{arguments}" not in template or len(whole) <= WIDTH:
        return [whole]
    start, end = (part.format(name=name) for part in template.split("{arguments}"))
    inner = " " * (len(start) - len(start.lstrip()) + 4)
    return [start, *(f"{inner}{x}," for x in arguments[:-1]), f"{inner}{arguments[-1]}{end}"]


def unread(listing: Listing) -> list[Argument]:
    """Return the arguments that no statement uses."""
    empty = [argument for argument in listing.outputs if not argument.array.shape.size]
    return [argument for argument in listing.inputs if not argument.used] + empty


def repeated(
    start: Sequence[str],
    loop: str,
    copy: str,
    nan: str,
    test: str = "if ({0})",
    end: str = ";",
    half: str = "0.5",
) -> Any:
    """Return the lines around repeated statements in languages with braces.

    They copy the argument to the state at the start, and the result to the state after each turn. The flag that ends
    them is 0 or 1; ``half`` lies between, in its type.
    """
    return {
        "opening": (*start, f"{loop} {{{{"),
        "closing": (
            f"    {test.format(f'{{until}} > {half}')} {{{{",
            f"        break{end}",
            "    }}",
            f"    {copy}",
            "}}",
        ),
        "lost": (f"{test.format(f'!({{until}} > {half})')} {{{{", f"    {{0}} = {nan}{end}", "}"),
    }
