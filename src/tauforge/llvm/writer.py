"""A function's text under construction, for code with many branches: registers are numbered, blocks are nested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count


class Writer:
    """The text of a function. Variables are on the stack, from where LLVM's passes move them to registers."""

    def __init__(self, head: str) -> None:
        self._head, self._stack, self._lines = head, list[str](), list[str]()
        self._numbers = count()

    def text(self) -> list[str]:
        """Return the finished function."""
        return [f"define {self._head} nounwind {{", "entry:", *self._stack, *self._lines, "ret void", "}"]

    def do(self, instruction: str) -> None:
        """Add an instruction without a result."""
        self._lines.append(instruction)

    def let(self, instruction: str) -> str:
        """Add an instruction, and return the register of its result."""
        register = f"%r{next(self._numbers)}"
        self._lines.append(f"{register} = {instruction}")
        return register

    def variable(self, kind: str, value: str) -> str:
        """Return the address of a new variable."""
        register = f"%r{next(self._numbers)}"
        self._stack.append(f"{register} = alloca {kind}")
        self.do(f"store {kind} {value}, ptr {register}")
        return register

    def at(self, kind: str, table: str, index: str | int) -> str:
        """Return the address of an entry of a table."""
        return self.let(f"getelementptr {kind}, ptr {table}, i64 {index}")

    def get(self, kind: str, table: str, index: str | int = 0) -> str:
        """Return an entry of a table."""
        return self.let(f"load {kind}, ptr {self.at(kind, table, index)}")

    def put(self, kind: str, value: str, table: str, index: str | int = 0) -> None:
        """Change an entry of a table."""
        self.do(f"store {kind} {value}, ptr {self.at(kind, table, index)}")

    def add(self, a: str | int, b: str | int) -> str:
        return self.let(f"add i64 {a}, {b}")

    def mul(self, a: str | int, b: str | int) -> str:
        return self.let(f"mul i64 {a}, {b}")

    @contextmanager
    def each(self, end: str | int, start: str | int = 0) -> Iterator[str]:
        """Repeat a block, with a register that counts up to an end."""
        counter = self.variable("i64", str(start))
        with self.forever() as leave:
            i = self.get("i64", counter)
            leave(self.let(f"icmp sge i64 {i}, {end}"))
            yield i
            self.put("i64", self.add(i, 1), counter)

    @contextmanager
    def forever(self) -> Iterator[Callable[[str], None]]:
        """Repeat a block until a condition, given to the function that comes with it, is true."""
        name = f"b{next(self._numbers)}"
        self._lines += [f"br label %{name}", f"{name}:"]

        def leave(condition: str) -> None:
            on = f"b{next(self._numbers)}"
            self._lines += [f"br i1 {condition}, label %{name}.end, label %{on}", f"{on}:"]

        yield leave
        self._lines += [f"br label %{name}", f"{name}.end:"]

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Do a block only if a condition is true."""
        name = f"b{next(self._numbers)}"
        self._lines += [f"br i1 {condition}, label %{name}, label %{name}.end", f"{name}:"]
        yield
        self._lines += [f"br label %{name}.end", f"{name}.end:"]
