"""Program: named input arrays, named output arrays, and the graph between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ProgramError
from ..graph.evaluate import symbols, topological
from ..graph.node import Node, Scalar, as_node, symbol
from ..graph.operations import CONST, SYMBOL
from ..graph.parse import as_scalar, expression, parse
from ..graph.rewrite import substitute
from .array import Array, Shape, outputs
from .count import Operations, count
from .handed_over import HandedOver
from .recipe import Recipe, derived
from .repeat import Repeat

if TYPE_CHECKING:
    import numpy as np

    from ..runtime.function import Function
    from .certify import Certificate
    from .domain import Domain

PARAMETERS = "parameters"
"""The input that holds a symbolic robot's parameters."""


@dataclass(frozen=True, eq=False)
class Program(HandedOver):
    """A function of arrays, as a graph of operations. You can count, differentiate, certify, print and compile it.

    Attributes
    ----------
    name
        The default name of generated functions.
    arguments
        The input arrays.
    results
        The output arrays.
    names
        The papers' names of intermediate values.
    heading
        Returns the lines that introduce generated code: the robot's tables.
    repeat
        How it is repeated, if it is one step of an iteration.
    symbol_order
        Names in the order in which the input ``parameters`` holds those of them that the Program needs: a model has
        ``robot.symbols`` here. Symbols that it does not name follow in the natural order of their names, ``x2`` before
        ``x10``: a graph does not keep the order in which a sum was written.
    domain
        The states for which it is meant, if these are not all: those in which a robot's loops are closed.
    recipe
        How it was made; None if by hand, as with ``dataclasses.replace``.
    """

    name: str
    arguments: Mapping[str, Array]
    results: Mapping[str, Array]
    names: Mapping[Node, str] = field(default_factory=dict)
    heading: Callable[[], tuple[str, ...]] = tuple
    repeat: Repeat | None = None
    symbol_order: tuple[str, ...] = ()
    domain: Domain | None = None
    recipe: Recipe | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        known = {node for array in self.arguments.values() for node in array.nodes}
        free = [node for node in self.order if node.op is SYMBOL and node not in known]
        if free:
            object.__setattr__(self, "arguments", self._with_parameters(free))
        if self.repeat:
            self.repeat.check(self.arguments, self.results)

    def _with_parameters(self, free: list[Node]) -> dict[str, Array]:
        """Return the arguments with the free symbols as one more input."""
        if PARAMETERS in self.arguments:
            raise ProgramError(
                f"{self.name}: {', '.join(str(n.value) for n in free)} is neither an input nor a parameter"
            )
        names = sorted((str(node.value) for node in free), key=natural)
        return {**self.arguments, PARAMETERS: _parameters(in_order(names, self.symbol_order))}

    @classmethod
    def of(cls, name: str = "program", /, **expressions: Scalar | str | Sequence[Scalar | str]) -> Program:
        """Return a Program whose outputs are the given expressions and whose inputs are their symbols.

        Parameters
        ----------
        name
            The name of generated functions.
        **expressions
            A number, an expression, or an expression as text, such as ``y="sqrt(x*x)"``; or a sequence of these, for a
            vector.

        Notes
        -----
        The inputs are in the natural order of their names: ``Program.of(y="x10 + x2")`` takes x2, then x10.

        Examples
        --------
        >>> tf.Program.of(y="sin(a + b)").certify(tf.Program.of(y="sin(a)*cos(b) + cos(a)*sin(b)"))
        """
        if not expressions:
            raise ProgramError(f"{name} has no outputs; give each one by its name, as in Program.of(y='a*b + c')")
        results: dict[str, Array] = {}
        for output, given in expressions.items():
            several = isinstance(given, Sequence) and not isinstance(given, str)
            each: Sequence[Any] = given if isinstance(given, Sequence) and several else [given]
            values = [expression(x) if isinstance(x, str) else as_node(as_scalar(x)) for x in each]
            results[output] = outputs(values, [len(values)] if several else [], [], "")
        names = sorted(symbols(node for array in results.values() for node in array.nodes), key=natural)
        return cls(name, {x: Array(Shape([]), (symbol(x),)) for x in names}, results)

    @cached_property
    def order(self) -> tuple[Node, ...]:
        """Every node that the outputs need, arguments first."""
        return tuple(topological(dict.fromkeys(node for array in self.results.values() for node in array.nodes)))

    @property
    def inputs(self) -> dict[str, Shape]:
        """Shape of each input, in the order of a call."""
        return {name: array.shape for name, array in self.arguments.items()}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Shape of each output; its ``labels`` name rows and columns."""
        return {name: array.shape for name, array in self.results.items()}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the symbols that the input ``parameters`` holds, in the order of ``robot.symbols``."""
        array = self.arguments.get(PARAMETERS)
        return array.shape.labels[0] if array else ()

    @cached_property
    def setup(self) -> frozenset[Node]:
        """The operations that involve only the robot's parameters and need to be done only once."""
        parameters = self.parameters
        known = {node for node in self.order if node.op is CONST or (node.op is SYMBOL and node.value in parameters)}
        for node in self.order:
            if node.args and known.issuperset(node.args):
                known.add(node)
        return frozenset(node for node in known if node.args)

    def count(self) -> Operations:
        """Count operations: ``*`` and squares, ``+`` and ``-``; unary minus is free; set-up is counted separately."""
        return count(self.order, self.setup)

    def bind(self, values: Mapping[str, Scalar | str] | None = None, /, **more: Scalar | str) -> Program:
        """Return the Program with values for some parameters: numbers, expressions, or expressions as text."""
        given, parameters = {**(values or {}), **more}, self.parameters
        unknown = [name for name in given if name not in parameters]
        if unknown:
            known = ", ".join(parameters) or "it has none"
            raise ProgramError(f"{self.name}: no parameter {', '.join(unknown)} (its parameters: {known})")
        nodes = {name: as_node(parse(x) if isinstance(x, str) else x) for name, x in given.items()}
        named = substitute([*self.names], nodes)
        bound = replace(
            self,
            arguments={name: array for name, array in self.arguments.items() if name != PARAMETERS},
            results={name: replace(a, nodes=tuple(substitute(a.nodes, nodes))) for name, a in self.results.items()},
            names={new: name for new, name in zip(named, self.names.values(), strict=True) if new.args},
            symbol_order=_order_with(self.symbol_order or parameters, nodes),
            domain=self.domain and self.domain.bound(nodes),
        )
        return bound.marked(recipe=derived(Program.bind, self, options=given))

    def split(self) -> tuple[Program, Program]:
        """Return two Programs: set-up, from parameters to constants, and the rest, which takes those constants."""
        from .split import split

        return split(self)

    def with_nodes(self, new: Mapping[Node, Node], arguments: Mapping[str, Array] | None = None) -> Program:
        """Return the Program with its nodes replaced, and its inputs too if others are given."""
        results = {name: replace(a, nodes=tuple(new[n] for n in a.nodes)) for name, a in self.results.items()}
        names = {new[node]: name for node, name in self.names.items() if node in new and new[node].args}
        return replace(self, arguments=self.arguments if arguments is None else arguments, results=results, names=names)

    def marked(self, *, heading: Callable[[], tuple[str, ...]] | None = None, recipe: Recipe | None = None) -> Program:
        """Return the same Program with another heading or recipe, without walking through its graph again."""
        same = object.__new__(Program)
        same.__dict__.update(self.__dict__, heading=heading or self.heading, recipe=recipe or self.recipe)
        return same

    def within(self, domain: Domain | None) -> Program:
        """Return the same Program for certain states only."""
        same = object.__new__(Program)
        same.__dict__.update(self.__dict__, domain=domain)
        return same

    def with_symbol_order(self, order: Sequence[str]) -> Program:
        """Return the same Program with its parameters in another order; names that are not in it come last."""
        arguments = {**self.arguments}
        if PARAMETERS in arguments:
            arguments[PARAMETERS] = _parameters(in_order(self.parameters, order))
        same = object.__new__(Program)
        same.__dict__.update(self.__dict__, arguments=arguments, symbol_order=tuple(order))
        return same

    def certify(self, other: Program, *, points: int = 2, seed: int | None = None) -> Certificate:
        """Return a proof that another Program computes the same real numbers wherever both have a value.

        Both are evaluated exactly at random points of a random prime field. Functions that are not rational (roots,
        signs, inverse functions) are treated as unknown, so a proof holds on all their branches.

        Programs of a robot with closed loops need to be equal only in states that close them: if they are not equal in
        all states, they are compared in these, and the certificate says so.

        Parameters
        ----------
        other
            A Program with the same outputs.
        points
            The number of points, at least two.
        seed
            Makes the points, and therefore the outcome, the same each time. Leave it out if you do not trust the author
            of the Programs.

        Raises
        ------
        CertificationError
            If they differ; the message and the attribute ``state`` hold a state in which they do.
        Undecided
            If neither could be shown; the message says why. This is a CertificationError too.
        """
        from .certify import certify

        return certify(self, other, points=points, seed=seed)

    def derivative(
        self, output: str, input: str | Sequence[str], *, mode: str = "auto", values: bool = False
    ) -> Program:
        """Return the exact derivative of an output as a Program.

        Its inputs are those of this Program. Its output, ``dtau_dq`` for ``derivative("tau", "q")``, has the axes of
        the output, then those of the input. You can differentiate it again. A Program that is repeated keeps its other
        outputs; its derivative is that of the last step, which is the derivative of the solution.

        Parameters
        ----------
        output
            Name of the output to differentiate.
        input
            Name of an input (such as "parameters") or of a single parameter; or several names, for one output each.
        mode
            "forward" or "reverse"; "auto" takes the one with fewer operations.
        values
            Keep this Program's outputs next to the derivative and share their work with it.

        Raises
        ------
        ProgramError
            If there is no such output, input or parameter; the message lists those that exist.
        """
        from .derivative import derivative

        return derivative(self, output, input, mode=mode, values=values)

    def jvp(self, output: str, input: str | Sequence[str]) -> Program:
        """Return how an output changes as inputs move, a Jacobian-vector product, as a Program.

        ``jvp("tau", ["q", "qd"])`` has two more inputs, ``q_direction`` and ``qd_direction``, and one output,
        ``tau_change``: the Jacobians times these, for about twice the operations of the output alone.
        """
        from .products import jvp

        return jvp(self, output, input)

    def vjp(self, output: str, input: str | Sequence[str]) -> Program:
        """Return the gradient of a weighted sum of an output's entries, a vector-Jacobian product, as a Program.

        ``vjp("tau", "q")`` has one more input, ``tau_weights``, and the output ``q_gradient``.
        """
        from .products import vjp

        return vjp(self, output, input)

    def hessian(self, output: str, input: str | Sequence[str]) -> Program:
        """Return the second derivatives of a single number: ``ddkinetic_dq_dqd`` and so on, one per pair of inputs."""
        from .products import hessian

        return hessian(self, output, input)

    def sparsity(self, output: str, input: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which entries of a derivative can differ from zero, as an array of its shape."""
        from .products import sparsity

        return sparsity(self, output, input)

    def code(self, target: str, name: str | None = None) -> str:
        """Return the Program as source code in a target's language, such as "c"; the page on code lists the targets."""
        from ..targets import generate

        return generate(self, target, name)

    def write(self, path: str | Path, *, target: str | None = None, name: str | None = None) -> Path:
        """Write the Program as source code; by default the file's ending determines the target."""
        from ..targets import write

        return write(self, path, target=target, name=name)

    def optimise(self, effort: str | float = "default", *, objective: str = "operations", seed: int = 0) -> Program:
        """Return an equal Program that costs less, certified equal to this one; or this one if none is found.

        Parameters
        ----------
        effort
            "quick" takes some milliseconds, "default" some seconds, "high" some minutes; or the number of seconds. The
            search ends earlier when it finds nothing more.
        objective
            What becomes less: "operations", as ``count().total`` counts them; "size", the number of instructions;
            "latency", the time for one state; "throughput", the time for each of many states.
        seed
            The same seed gives the same Program, unless the effort is a number of seconds.
        """
        from .optimise import optimised

        return optimised(self, effort, objective, seed)

    def check(self) -> None:
        """Check that the graph is sound: every symbol an input, every array full, every operation known.

        Raises
        ------
        ProgramError
            If it is not; the message says what is wrong, and where. Only a faulty pass or a Program made by hand can
            fail.
        """
        from .check import check

        check(self)

    def compile(self, *, dtype: str | type = "float64", cache: bool = True) -> Function:
        """Return the Program as a compiled function of NumPy arrays.

        Parameters
        ----------
        dtype
            The type of all arrays and computations: float64 or float32.
        cache
            Whether to keep the machine code in the user's cache directory for the next time.
        """
        from ..runtime.function import Function

        return Function(self, dtype=dtype, cache=cache)

    def __reduce__(self) -> tuple[object, ...]:
        from .pickling import flatten, restore

        return restore, (flatten(self),)

    @property
    def prototype(self) -> str:
        """Name, inputs and outputs on one line."""
        given, made = (
            ", ".join(f"{name}{list(shape)}" for name, shape in shapes.items())
            for shapes in (self.inputs, self.outputs)
        )
        return f"{self.name}: {given} -> {made}"

    def __repr__(self) -> str:
        made = self.count()
        return f"Program({self.prototype}; {made.mul} mul, {made.add} add)"

    def _repr_html_(self) -> str | None:
        from ..targets import in_html

        return None if self._repr_latex_() else in_html(self)


def natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts names as people do: XX2 before XX10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def _parameters(names: Sequence[str]) -> Array:
    """Return the input that holds the named parameters."""
    return Array(Shape([len(names)], [names]), tuple(map(symbol, names)), "the robot's parameters")


def in_order(names: Collection[str], order: Iterable[str]) -> list[str]:
    """Return names in a given order; those that it does not mention come last, as they are."""
    return [name for name in dict.fromkeys((*order, *names)) if name in names]


def _order_with(order: Sequence[str], values: Mapping[str, Node]) -> tuple[str, ...]:
    """Return an order of symbols in which some have values: the symbols of these come in their places."""
    return tuple(dict.fromkeys(x for name in order for x in (symbols([values[name]]) if name in values else [name])))
