# SPDX-License-Identifier: Apache-2.0
"""The extension of applications by policies: C in the firmware, and the policies that each mote loads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.applications.extension import Extension, Facts, Source, Written
from orchestrator.applications.model import Application
from orchestrator.errors import NoSuchThing
from orchestrator.features.policies import linked
from orchestrator.vocabulary.parameters import NO_MOTES, listed

if TYPE_CHECKING:
    from orchestrator.scenario.model import ApplicationSpec, Cell
    from orchestrator.topology.model import Layout


class Policies(Extension):
    """`loaded.PARAMETER` has the bits of the policies that a parameter names, `code.PARAMETER` bytecode."""

    def sources(self, app: Application) -> Mapping[str, Source]:
        return {
            **{f"loaded.{name}": Source() for name in _named(app, "policies")},
            **{f"code.{name}": Source(is_list=True) for name in _named(app, "bytecode")},
        }

    def settle(self, app: Application, values: dict[str, Any], written: Written) -> Mapping[str, Any] | None:
        named = _named(app, "policies")
        if not named:
            return {}
        place = linked.has_place(app, values)
        texts = _texts(app, {name: values[name] for name in named}, place, written)
        if texts is None or not _programs(app, values, texts, place, written):
            return None
        return {"policies": texts}

    def spec_type(self, fields: Mapping[str, Any]) -> type[ApplicationSpec] | None:
        from orchestrator.features.policies.spec import PolicySpec

        return PolicySpec if "policies" in fields else None

    def generated(self, app: Application, spec: ApplicationSpec) -> Mapping[str, bytes]:
        from orchestrator.features.policies.spec import PolicySpec

        if not isinstance(spec, PolicySpec):
            return {}
        return linked.compiled(spec.policies, app, linked.has_place(app, spec.parameters))

    def generated_from(self, app: Application, spec: ApplicationSpec) -> tuple[str, ...]:
        from orchestrator.features.policies.spec import PolicySpec

        if not isinstance(spec, PolicySpec):
            return ()
        place = linked.has_place(app, spec.parameters)
        return (str(place), *(word for pair in spec.policies.items() for word in pair))

    def generated_by_default(self, folder: Path, own: Mapping[str, Path]) -> Mapping[str, bytes]:
        return linked.by_default(folder, own)

    def facts(self, app: Application, layout: Layout, cell: Cell, values: Mapping[str, Any]) -> Facts:
        from orchestrator.features.policies.spec import PolicySpec

        spec = cell.application
        bits = linked.numbers(spec.policies) if isinstance(spec, PolicySpec) else {}
        return Facts(
            {
                f"loaded.{name}": sum(bits[file] for file in listed(values[name]) if file in bits)
                for name in _named(app, "policies")
            }
            | {
                f"code.{name}": [] if values[name] == NO_MOTES else list(bytes.fromhex(values[name]))
                for name in _named(app, "bytecode")
            }
        )


EXTENSION = Policies()


def _named(app: Application, kind: str) -> list[str]:
    """Return the names of an application's parameters of a type."""
    return [name for name, declared in app.parameters.items() if declared.type == kind]


def _texts(
    app: Application, values: Mapping[str, str], place: bool, written: Written
) -> dict[str, str] | None:
    """Return the files of policies that parameters name, in their order: file -> text; None after a fault."""

    def read() -> dict[str, str] | None:
        paths = {
            file: _path(app, name, file, written) for name, value in values.items() for file in listed(value)
        }
        return None if None in paths.values() else linked.checked(paths, app, place)

    return written.once(("policies", app.file, place, *values.values()), read)


def _programs(
    app: Application, values: dict[str, Any], texts: Mapping[str, str], place: bool, written: Written
) -> bool:
    """Put bytecode, in hexadecimal digits, in the place of its file's name; False after a fault."""
    named = _named(app, "bytecode")
    for name in named:
        if listed(file := values[name]):

            def read(name: str = name, file: str = file) -> str | None:
                path = _path(app, name, file, written)
                return None if path is None else linked.program(path, texts, app).hex()

            values[name] = written.once(("program", app.file, file, *texts.items()), read)
    if named and place and not any(values[name] != NO_MOTES for name in named):
        written.fault(
            written.line(named[0]),
            f"application.{named[0]}: the firmware has a place for a policy in bytecode, but none is named",
            "write the name of an .escape file",
        )
        return False
    return all(values[name] is not None for name in named)


def _path(app: Application, parameter: str, file: str, written: Written) -> Path | None:
    try:
        return linked.find(file, app, written.folder)
    except NoSuchThing as missing:
        what, _, remedy = str(missing).partition("\n")
        written.fault(written.line(parameter), f"application.{parameter}: {what}", remedy.strip())
        return None
