"""FMUs of a robot's motion: sources, and descriptions for FMI 2.0 and 3.0."""

from __future__ import annotations

import uuid
from typing import Any
from xml.sax.saxutils import quoteattr

from ..errors import ProgramError
from ..program.array import Array
from ..program.program import PARAMETERS, Program
from ..simulation.equations import equations
from ..simulation.friction import SMOOTHING
from .numbers import c_test
from .project import Files, Order, filled, together


def fmu(order: Order) -> Files:
    order = order._replace(program=rates(order))
    name, program = order.name, order.program
    nq, nv, nu = (len(program.arguments[key].nodes) for key in ("q", "qd", "tau"))
    guid = str(uuid.uuid5(uuid.NAMESPACE_URL, program.code("c", name)))
    more = {"nq": str(nq), "nv": str(nv), "nu": str(nu), "guid": f"{{{guid}}}"}
    values = [0.0, *order.start(), *[0.0] * (nv + nu)]
    files = filled("fmu", order, more | {"start": ", ".join(map(repr, values))})
    described = {"name": name, "guid": f"{{{guid}}}", "title": order.title}
    code = {
        f"sources/{name}.c": f'#include "{name}.h"\n' + program.code("c", name),
        f"sources/{name}.h": program.code("header", name),
        "tests/numbers.c": c_test(program, name, robot=order.robot),
        "fmi2/modelDescription.xml": _described_2(program, values, described),
        "fmi3/modelDescription.xml": _described_3(program, values, described),
    }
    return together(files, code)


def rates(order: Order) -> Program:
    """Return the Program ``q, qd, tau -> rate, qdd``, where rate is the derivative of q.

    Coulomb friction is smoothed as in ``simulate``: importers take what has no event indicators as smooth.
    """
    whole = equations(order.robot, smoothing=SMOOTHING)
    if PARAMETERS in whole.arguments:
        raise ProgramError(f"an FMU needs numbers: give values to {', '.join(order.robot.symbols[:5])} … with bind(…)")
    qd = whole.arguments["qd"]
    rate = whole.results.get("rate") or Array(qd.shape, qd.nodes, "time derivative of q")
    results = {"rate": rate, "qdd": whole.results["qdd"]}
    return Program(whole.name, dict(whole.arguments), results, heading=whole.heading)


class _Variable:
    """A variable of the description: its reference, its name, and what it is."""

    def __init__(self, reference: int, name: str, kind: str, meaning: str, start: float | None, of: int = 0) -> None:
        self.reference, self.name, self.kind, self.start, self.of = reference, name, kind, start, of
        self.meaning = meaning


def _variables(program: Program, start: list[float]) -> list[_Variable]:
    made = [_Variable(0, "time", "independent", "time", None)]
    for key, kind in (("q", "state"), ("qd", "state"), ("tau", "input")):
        array = program.arguments[key]
        labels = array.shape.labels[0] if array.shape.labels else [key] * len(array.nodes)
        for i, label in enumerate(labels, 1):
            made.append(_Variable(len(made), f"{key}[{i}]", kind, f"{array.meaning}: {label}", start[len(made)]))
    states = [x for x in made if x.kind == "state"]
    made += [
        _Variable(len(made) + i, f"der({x.name})", "derivative", f"derivative of {x.name}", None, x.reference)
        for i, x in enumerate(states)
    ]
    return made


def _attributes(**values: Any) -> str:
    return "".join(f" {key}={quoteattr(str(value))}" for key, value in values.items() if value is not None)


def _described_2(program: Program, start: list[float], known: dict[str, str]) -> str:
    variables = _variables(program, start)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<fmiModelDescription{_attributes(fmiVersion='2.0', modelName=known['name'], guid=known['guid'])}"
        f"{_attributes(description=known['title'], generationTool='Tauforge', variableNamingConvention='structured')}"
        ' numberOfEventIndicators="0">',
        f'  <ModelExchange modelIdentifier="{known["name"]}" canGetAndSetFMUstate="true" canSerializeFMUstate="true">',
        *_sources_2(known["name"]),
        "  </ModelExchange>",
        f'  <CoSimulation modelIdentifier="{known["name"]}" canHandleVariableCommunicationStepSize="true"'
        ' canGetAndSetFMUstate="true" canSerializeFMUstate="true">',
        *_sources_2(known["name"]),
        "  </CoSimulation>",
        '  <DefaultExperiment startTime="0.0" stopTime="10.0" tolerance="1e-9"/>',
        "  <ModelVariables>",
    ]
    for x in variables:
        common = {"name": x.name, "valueReference": x.reference, "description": x.meaning}
        head: dict[str, Any]
        real: dict[str, Any]
        head, real = {  # type: ignore[assignment]
            "independent": ({"causality": "independent", "variability": "continuous"}, {}),
            "state": ({"causality": "output", "variability": "continuous", "initial": "exact"}, {"start": x.start}),
            "input": ({"causality": "input", "variability": "continuous"}, {"start": x.start}),
            "derivative": ({"causality": "local", "variability": "continuous"}, {"derivative": x.of + 1}),
        }[x.kind]
        lines.append(
            f"    <ScalarVariable{_attributes(**common, **head)}><Real{_attributes(**real)}/></ScalarVariable>"
        )
    states = [x.reference + 1 for x in variables if x.kind == "state"]
    slopes = [x.reference + 1 for x in variables if x.kind == "derivative"]
    lines += ["  </ModelVariables>", "  <ModelStructure>", "    <Outputs>"]
    lines += [f'      <Unknown index="{i}"/>' for i in states]
    lines += ["    </Outputs>", "    <Derivatives>", *(f'      <Unknown index="{i}"/>' for i in slopes)]
    lines += ["    </Derivatives>", "    <InitialUnknowns>", *(f'      <Unknown index="{i}"/>' for i in slopes)]
    return "\n".join([*lines, "    </InitialUnknowns>", "  </ModelStructure>", "</fmiModelDescription>", ""])


def _sources_2(name: str) -> list[str]:
    files = [f"{name}.c", "model.c", "fmi2.c"]
    return ["    <SourceFiles>", *(f'      <File name="{file}"/>' for file in files), "    </SourceFiles>"]


def _described_3(program: Program, start: list[float], known: dict[str, str]) -> str:
    variables = _variables(program, start)
    head = _attributes(fmiVersion="3.0", modelName=known["name"], instantiationToken=known["guid"])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<fmiModelDescription{head}{_attributes(description=known['title'], generationTool='Tauforge')}"
        ' variableNamingConvention="structured">',
        f'  <ModelExchange modelIdentifier="{known["name"]}" canGetAndSetFMUState="true" canSerializeFMUState="true"/>',
        f'  <CoSimulation modelIdentifier="{known["name"]}" canHandleVariableCommunicationStepSize="true"'
        ' canGetAndSetFMUState="true" canSerializeFMUState="true"/>',
        '  <DefaultExperiment startTime="0.0" stopTime="10.0" tolerance="1e-9"/>',
        "  <ModelVariables>",
    ]
    for x in variables:
        common = {"name": x.name, "valueReference": x.reference, "description": x.meaning}
        kinds: dict[str, dict[str, Any]] = {
            "independent": {"causality": "independent", "variability": "continuous"},
            "state": {"causality": "output", "variability": "continuous", "initial": "exact", "start": x.start},
            "input": {"causality": "input", "variability": "continuous", "start": x.start},
            "derivative": {
                "causality": "local",
                "variability": "continuous",
                "initial": "calculated",
                "derivative": x.of,
            },
        }
        lines.append(f"    <Float64{_attributes(**common, **kinds[x.kind])}/>")
    states = [x.reference for x in variables if x.kind == "state"]
    slopes = [x.reference for x in variables if x.kind == "derivative"]
    lines += ["  </ModelVariables>", "  <ModelStructure>"]
    lines += [f'    <Output valueReference="{i}"/>' for i in states]
    lines += [f'    <ContinuousStateDerivative valueReference="{i}"/>' for i in slopes]
    lines += [f'    <InitialUnknown valueReference="{i}"/>' for i in slopes]
    return "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])
