"""Registers for straight-line code: each instruction gets them in turn, and the value needed last of all gives way.

Reading memory costs little if it is part of an instruction, so values that are in memory anyway, such as inputs and
constants, give way long before others. Storing a value to free its register costs more: on the processors measured, no
fused multiply-add can start in the same cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .instructions import COMMUTATIVE, FUSED, IN_REGISTERS, STORE, UNTYPED, Instruction, Value

REGISTERS = {16: 16, 32: 16, 64: 32}
"""The number of registers for vectors of so many bytes."""
_NAMES = {16: "%xmm", 32: "%ymm", 64: "%zmm"}
_NEVER = 1 << 60
_NEAR = 16  # a value from memory is worth a register if it is needed again within so many instructions
_KEPT = 20  # a value that is in memory anyway gives way as if it were needed so many instructions later
_WIDE = {
    **{name: (f"vp{name}q {{sources}},{{target}}",) for name in ("and", "or", "xor", "andn")},
    **{
        name: (f"v{name}{{kind}} {{sources}},%k1", "vpternlog{word} $$255,{target},{target},{target}{{%k1}}{{z}}")
        for name in ("cmpneq_oq", "cmpnle_uq")
    },
    "blendv": ("vpmov{word}2m {last},%k1", "vblendm{kind} {first},{target}{{%k1}}"),
}
"""Instructions on vectors of 64 bytes where they differ: comparisons fill registers of their own, which others need."""


class Assembled:
    """The lines of assembly for some instructions.

    Parameters
    ----------
    code
        The instructions in turn.
    memory
        Addresses of the values that are in memory from the start.
    size
        Bytes of a vector: 16, 32 or 64.
    scratch
        The first slot for values that give up their registers; slots are at ``%rdi``.
    kind
        The suffix of instructions: "pd" for double precision, "ps" for single precision.

    Attributes
    ----------
    lines
        The assembly, in the order of operands of AT&T: the target is the last one.
    scratches
        The number of slots used for values that gave up their registers.
    """

    def __init__(
        self, code: Sequence[Instruction], memory: Mapping[Value, str], size: int, scratch: int, kind: str
    ) -> None:
        self.lines: list[str] = []
        self.scratches = 0
        self._memory, self._size, self._scratch, self._kind = dict(memory), size, scratch, kind
        self._registers: dict[Value, int] = {}
        self._free: list[int] = [*range(REGISTERS[size])]
        self._name = _NAMES[size]
        self._saved: dict[Value, int] = {}  # the scratch slots in use
        self._reusable: list[int] = []
        self._uses: dict[Value, list[int]] = {}  # from the last to the next
        for place in range(len(code) - 1, -1, -1):
            for value in code[place].operands:
                self._uses.setdefault(value, []).append(place)
        for place, instruction in enumerate(code):
            self._add(place, instruction)

    def _add(self, place: int, instruction: Instruction) -> None:
        name, given, result = instruction
        for value in given:
            uses = self._uses[value]
            while uses and uses[-1] <= place:
                uses.pop()
        if name == STORE:
            self._store(given[0], self._slot(result))
        else:
            inside = self._inside(place, name, given)
            for value in given:
                if value not in self._registers and value is not inside:
                    self._load(value, given)
            target = (self._fused if name in FUSED else self._plain)(name, given, inside)
            self._registers[result] = target
        for value in (*given, result):
            if value in self._registers and self._next(value) == _NEVER:
                self._free.append(self._registers.pop(value))
            if value in self._saved and self._next(value) == _NEVER:
                self._reusable.append(self._saved.pop(value))
                del self._memory[value]

    def _next(self, value: Value) -> int:
        """Return the place of the next instruction that needs a value."""
        uses = self._uses.get(value)
        return uses[-1] if uses else _NEVER

    def _inside(self, place: int, name: str, given: tuple[Value, ...]) -> Value | None:
        """Return the operand that an instruction reads from memory; None if all are better in registers."""
        if name in FUSED or name in COMMUTATIVE:
            possible = [value for value in given if value not in self._registers and given.count(value) == 1]
        else:
            last = () if name in IN_REGISTERS else given[-1:]
            possible = [value for value in last if value not in self._registers and given.count(value) == 1]
        if possible:
            value = max(possible, key=self._next)
            if self._next(value) - place > _NEAR:
                return value
        return None

    def _plain(self, name: str, given: tuple[Value, ...], inside: Value | None) -> int:
        """Add an instruction whose target is not an operand, and return the target."""
        if inside is not None and inside is given[0]:
            given = given[::-1]
        sources = ",".join(self._where(value, inside) for value in reversed(given))
        kind = "" if name in UNTYPED else self._kind
        dying = self._dying(given)
        target = self._registers.pop(dying[0]) if dying else self._taken(given)
        if self._size == 64 and name in _WIDE:
            last, _, first = sources.partition(",")
            words = {"kind": kind, "word": "q" if kind == "pd" else "d", "last": last, "first": first}
            there = f"{self._name}{target}"
            self.lines += [line.format(sources=sources, target=there, **words) for line in _WIDE[name]]
        else:
            self.lines.append(f"v{name}{kind} {sources},{self._name}{target}")
        return target

    def _fused(self, name: str, given: tuple[Value, ...], inside: Value | None) -> int:
        """Add a fused multiply-add, whose target is one of its operands or a copy of one, and return the target."""
        a, b, c = (self._where(value, inside) for value in given)
        once = [value for value in given if given.count(value) == 1] or given[:1]  # or xx + x
        dying = self._dying(once)
        if dying:
            lost = dying[0]
            target = self._registers.pop(lost)
        else:
            lost = inside if inside is not None else once[-1]
            target = self._taken(given)
            self.lines.append(f"vmova{self._kind} {self._where(lost, inside)},{self._name}{target}")
            inside = None if lost is inside else inside
        if lost is given[2]:  # the product's second factor can be in memory
            form, sources = "231", (a, b) if given[0] is inside else (b, a)
        else:
            factor, other = (b, given[1]) if lost is given[0] else (a, given[0])
            form, sources = ("132", (factor, c)) if other is inside else ("213", (c, factor))
        self.lines.append(f"v{name}{form}{self._kind} {sources[0]},{sources[1]},{self._name}{target}")
        return target

    def _dying(self, given: Sequence[Value]) -> list[Value]:
        """Return the operands in registers that nothing needs any more."""
        return [value for value in given if value in self._registers and self._next(value) == _NEVER]

    def _where(self, value: Value, inside: Value | None) -> str:
        return self._memory[value] if value is inside else f"{self._name}{self._registers[value]}"

    def _slot(self, slot: object) -> str:
        assert isinstance(slot, int)
        return f"{slot * self._size}(%rdi)"

    def _store(self, value: Value, address: str) -> None:
        if value not in self._registers:
            self._load(value, (value,))
        self.lines.append(f"vmova{self._kind} {self._name}{self._registers[value]},{address}")
        self._memory.setdefault(value, address)

    def _load(self, value: Value, others: Sequence[Value]) -> None:
        register = self._taken(others)
        self.lines.append(f"vmova{self._kind} {self._memory[value]},{self._name}{register}")
        self._registers[value] = register

    def _taken(self, others: Sequence[Value]) -> int:
        """Return a register; if none is free, that of the value needed last, but of none of the others."""
        if self._free:
            return self._free.pop()
        value = max((value for value in self._registers if value not in others), key=self._urgency)
        register: int = self._registers.pop(value)
        if value not in self._memory:
            if not self._reusable:
                self._reusable.append(self._scratch + self.scratches)
                self.scratches += 1
            self._saved[value] = slot = self._reusable.pop()
            self._memory[value] = self._slot(slot)
            self.lines.append(f"vmova{self._kind} {self._name}{register},{self._memory[value]}")
        return register

    def _urgency(self, value: Value) -> int:
        return self._next(value) + (_KEPT if value in self._memory else 0)
