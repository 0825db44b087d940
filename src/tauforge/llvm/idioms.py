"""Instructions that most texts of modules need: loading an entry of a table, and loops that count."""

from __future__ import annotations


def entry(register: str, kind: str, table: str, index: int | str) -> list[str]:
    """Emit the code that loads an entry of a table."""
    return [
        f"{register}.at = getelementptr {kind}, ptr {table}, i64 {index}",
        f"{register} = load {kind}, ptr {register}.at",
    ]


def counted(register: str, count: str, body: list[str], step: int = 1) -> list[str]:
    """Return a loop in which a register counts from 0."""
    name = register[1:]
    return [
        f"br label %{name}.enter",
        f"{name}.enter:",
        f"{register}.some = icmp sgt i64 {count}, 0",
        f"br i1 {register}.some, label %{name}.body, label %{name}.done",
        f"{name}.body:",
        f"{register} = phi i64 [0, %{name}.enter], [{register}.next, %{name}.again]",
        *body,
        f"br label %{name}.again",
        f"{name}.again:",
        f"{register}.next = add i64 {register}, {step}",
        f"{register}.more = icmp slt i64 {register}.next, {count}",
        f"br i1 {register}.more, label %{name}.body, label %{name}.done",
        f"{name}.done:",
    ]
