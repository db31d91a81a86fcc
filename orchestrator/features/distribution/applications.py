# SPDX-License-Identifier: Apache-2.0
"""The extension of applications by data distribution: validity of events, and tasks of a system.

The key `tasks:` of application.yaml names the parameter of type file that has the system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orchestrator.applications.extension import Extension, Facts, Source, Written
from orchestrator.applications.model import Application
from orchestrator.features.distribution import subjects
from orchestrator.vocabulary.document import Node
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.units import short

if TYPE_CHECKING:
    from orchestrator.scenario.model import Cell
    from orchestrator.topology.model import Layout


class Distribution(Extension):
    """A run's identity has the text of a system, not the name of its file."""

    keys = ("tasks",)

    def check_key(
        self, key: str, node: Node | None, line: int, parameters: Mapping[str, Parameter], faults: Faults
    ) -> str:
        files = [name for name, declared in parameters.items() if declared.type == "file"]
        named = super().check_key(key, node, line, parameters, faults)
        if files == ([named] if named else []):
            return named
        what = f"tasks: {short(named)} and the parameters of type file ({', '.join(files) or 'none'}) differ"
        at = node.line if node is not None else line
        faults.add(at, what, "name the one parameter of type file, which is the system's")
        return ""

    def parameters(self, application: str) -> Mapping[str, Parameter]:
        own = {}
        if application in subjects.APPLICATIONS:
            own[subjects.VALIDITY.name] = subjects.VALIDITY
        if application in subjects.SETS:
            own[subjects.SET.name] = subjects.SET
        return own

    def sources(self, app: Application) -> Mapping[str, Source]:
        return {
            **dict.fromkeys(("node", "least"), Source(section="topology", needs="tasks")),
            **dict.fromkeys(
                ("nodes", "tasks", "links", "names"), Source(is_list=True, section="topology", needs="tasks")
            ),
        }

    def settle(self, app: Application, values: dict[str, Any], written: Written) -> Mapping[str, Any] | None:
        parameter = app.keys["tasks"]
        if not parameter:
            return {}
        from orchestrator.features.distribution.placed_tasks import read

        files = written.rows(parameter, read)
        if not files:
            return None
        values[parameter] = files[0]
        return {}

    def set_by(self, app: Application, parameters: Mapping[str, Any], layout: Layout) -> Mapping[str, Any]:
        return subjects.set_by(app, parameters, layout)

    def facts(self, app: Application, layout: Layout, cell: Cell, values: Mapping[str, Any]) -> Facts:
        if not app.keys["tasks"]:
            return Facts({})
        from orchestrator.features.distribution.placed_tasks import Images

        images = Images(app, layout, values, cell.duration_us)
        return Facts(images.common, images.of)


EXTENSION = Distribution()
