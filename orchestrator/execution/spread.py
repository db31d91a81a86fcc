# SPDX-License-Identifier: Apache-2.0
"""The same work for many items: here, or as tasks on the executors of a Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from orchestrator.errors import OrchestrateError

Item = TypeVar("Item")
Made = TypeVar("Made")
TASKS_A_CORE = 4  # items differ in what they take, so that a core that is done early gets another task


class Spread(Protocol):
    """Does the same work for many items."""

    def __call__(self, work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
        """Return what `work` makes of each item, in the items' order."""


def here(work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
    """Do the work in this process, one item after the other; see Spread."""
    return [work(item) for item in items]


def on_session(session: Callable[[], Any]) -> Spread:
    """Return a Spread over the executors of a Spark session, which get this code and need no other.

    `session` is called when there is work for the first time. The Spread raises what the work raises, and
    MissingTool if the cluster is lost or a worker runs other code than this.
    """
    made: list[Any] = []

    def spread(work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:

        if not items:
            return []
        executors = _executors(session, made)
        size = -(-len(items) // (executors.cores * TASKS_A_CORE))
        groups = [items[at : at + size] for at in range(0, len(items), size)]
        made_there = executors.run(_each(work, executors.code), groups, {})
        for one in made_there:
            if isinstance(one, OrchestrateError):
                raise one
        return made_there

    return spread


def _executors(session: Callable[[], Any], made: list[Any]) -> Any:
    from orchestrate_spark.executors import Executors

    from orchestrator.execution.remote import contents

    if not made:
        made.append(Executors(session(), contents()))
    return made[0]


def _each(work: Callable[[Item], Made], code: str) -> Callable[[Sequence[Item], Mapping], Iterator[Any]]:
    """Return what an executor does with a group of items. An error of ours is an answer: no retry helps."""

    def task(group: Sequence[Item], _shared: Mapping[str, Any]) -> Iterator[Any]:
        from orchestrator.execution.remote import same_code

        try:
            same_code(code)
            for item in group:
                yield work(item)
        except OrchestrateError as error:
            yield error

    return task
