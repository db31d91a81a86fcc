# SPDX-License-Identifier: Apache-2.0
"""The extension of applications by a feature: an Extension, which its Feature names.

The methods are called in the order in which a scenario becomes runs. Each default adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from orchestrator import feature
from orchestrator.errors import Fault

if TYPE_CHECKING:
    from orchestrator.applications.model import Application
    from orchestrator.scenario.model import ApplicationSpec, Cell
    from orchestrator.topology.model import Layout
    from orchestrator.vocabulary.document import Node
    from orchestrator.vocabulary.faults import Faults
    from orchestrator.vocabulary.parameters import Parameter


@dataclass(frozen=True)
class SettingFault(Fault):
    """A fault of one setting of a scenario's application, whose line the scenario's reader knows."""

    setting: str = ""


def of_setting(app: Application, setting: str, what: str, remedy: str) -> SettingFault:
    """Return a fault of a setting."""
    return SettingFault(str(app.file), 0, f"{setting}: {what}", remedy, setting)


class Source(NamedTuple):
    """An EEPROM source: whether it is a list, and the scenario's section that determines its value.

    `needs`: the key of application.yaml without which no application has it; "" for none.
    """

    is_list: bool = False
    section: str = "application"
    needs: str = ""


class Facts(NamedTuple):
    """Values of EEPROM sources: those that all motes share, and a mote's own by its id."""

    common: Mapping[str, Any]
    of_mote: Callable[[int], Mapping[str, Any]] = lambda mote: {}


class Written(Protocol):
    """The application section of a scenario, as Extension.settle reads it."""

    folder: Path | None  # the scenario file's; None if the scenario is no file

    def line(self, parameter: str) -> int:
        """Return the line that sets a parameter, or that of the section if it has its default."""

    def fault(self, line: int, what: str, remedy: str) -> None:
        """Report a fault of the scenario."""

    def once(self, key: tuple, read: Callable[[], Any]) -> Any:
        """Return read(), called once for a key in all cells; None after FaultyInput, which is reported."""

    def rows(self, parameter: str, read: Callable[[Path, str], tuple]) -> tuple | None:
        """Return read(path, name) of the file that a parameter names; None after a fault, which is reported.

        The file is in the scenario's folder or below it, or else beside the application's descriptor.
        """


class Extension:
    """Adds nothing; features override what they need."""

    keys: tuple[str, ...] = ()  # of application.yaml; each has a single value

    def check_key(
        self, key: str, node: Node | None, line: int, parameters: Mapping[str, Parameter], faults: Faults
    ) -> str:
        """Return the value of one of `keys`, "" if it is missing; `line` is the descriptor's first line."""
        return node.text if node is not None else ""

    def parameters(self, application: str) -> Mapping[str, Parameter]:
        """Return the parameters that an application has without declaring them.

        At its default, such a parameter is not part of a run's identity.
        """
        return {}

    def sources(self, app: Application) -> Mapping[str, Source]:
        """Return the EEPROM sources that fields of this application may name."""
        return {}

    def settle(self, app: Application, values: dict[str, Any], written: Written) -> Mapping[str, Any] | None:
        """Replace names of files in `values` by their contents; return further fields of the spec.

        A run is what its files contain, whatever they are called. None after a fault, which is reported.
        """
        return {}

    def spec_type(self, fields: Mapping[str, Any]) -> type[ApplicationSpec] | None:
        """Return the class of a spec with these fields, if it is this feature's."""
        return None

    def generated(self, app: Application, spec: ApplicationSpec) -> Mapping[str, bytes]:
        """Return files of the application's folder that are generated for a cell, by name."""
        return {}

    def generated_from(self, app: Application, spec: ApplicationSpec) -> tuple[str, ...]:
        """Return what tells the generated files of a cell from others of the same application."""
        return ()

    def generated_by_default(self, folder: Path, own: Mapping[str, Path]) -> Mapping[str, bytes]:
        """Return generated files of a folder that is built without a scenario; `own`: its files."""
        return {}

    def headers(self, folder: Path, wanted: Callable[[str, str], bool]) -> Mapping[str, str]:
        """Return headers for an application's sources, by name.

        wanted(header, description): whether a source includes the header and the folder has the description.
        """
        return {}

    def set_by(self, app: Application, parameters: Mapping[str, Any], layout: Layout) -> Mapping[str, Any]:
        """Return the parameters that other parameters and the layout determine. Raises FaultyInput."""
        return {}

    def facts(self, app: Application, layout: Layout, cell: Cell, values: Mapping[str, Any]) -> Facts:
        """Return the values of sources() in a cell. Raises FaultyInput."""
        return Facts({})


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the extensions of all features."""
    return tuple(
        feature.resolve(declared_feature.applications)
        for declared_feature in feature.features()
        if declared_feature.applications
    )


def undeclared(application: str) -> dict[str, Parameter]:
    """Return the parameters that features give an application."""
    return {
        name: each for extension in extensions() for name, each in extension.parameters(application).items()
    }


def sources(app: Application) -> dict[str, Source]:
    """Return the EEPROM sources that features give an application."""
    return {name: each for extension in extensions() for name, each in extension.sources(app).items()}


def with_generated(app: Application, spec: ApplicationSpec) -> Application:
    """Return an application with the files that features generate for a cell."""
    generated = {
        name: text for extension in extensions() for name, text in extension.generated(app, spec).items()
    }
    return replace(app, made=generated) if generated else app


def generated_from(app: Application, spec: ApplicationSpec) -> tuple[str, ...]:
    """Return what tells the generated files of a cell from others of the same application."""
    return tuple(word for extension in extensions() for word in extension.generated_from(app, spec))


def spec_of(fields: Mapping[str, Any]) -> type[ApplicationSpec]:
    """Return the class of an application's spec that has these fields."""
    from orchestrator.scenario.model import ApplicationSpec

    return next(
        (kind for extension in extensions() if (kind := extension.spec_type(fields))), ApplicationSpec
    )
