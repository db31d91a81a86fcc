# SPDX-License-Identifier: Apache-2.0
"""The processor of a gateway in virtual time: its tasks are preempted by more urgent ones at once.

A task is what a node runs as a process in real time (orchestrate_testbed.gateway.distribution.work). Here the
clock of the simulation does what it waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from orchestrate_testbed.gateway.distribution.work import Compute, Receive, Sleep

from orchestrator.partners.agenda import Agenda


@dataclass(eq=False)
class Thread:
    """A task under way; times in us.

    `next()`: the next value that came for it, None if none is there. `waits`: whether it waits for one.
    `answer`: what it gets when it goes on. `left`: of its computing; 0 before and after. `spent`: what it has
    computed so far.
    """

    priority: int
    steps: Generator[Any, Any, None]
    next: Callable[[], Any]
    waits: bool = False
    answer: Any = None
    left: int = 0
    spent: int = 0
    computing: bool = False


class Processor:
    """`reached(time)`: in how many us the clock of the gateway shows that reference time; 0 if it has."""

    def __init__(self, agenda: Agenda, reached: Callable[[int], int]):
        self._agenda, self._reached = agenda, reached
        self._ready: list[Thread] = []
        self._running: Thread | None = None
        self._since = 0
        self._turn = 0  # an end of computing counts only for the turn that it was planned for
        self._asked = False

    def start(self, priority: int, steps: Generator[Any, Any, None], following: Callable[[], Any]) -> Thread:
        """Start a task; no two have the same priority. `following()`: the next value that came for it."""
        thread = Thread(priority, steps, following)
        self._make_ready(thread)
        return thread

    def came(self, thread: Thread) -> None:
        """Note that a value came for a task."""
        if thread.waits:
            self._make_ready(thread, thread.next())

    def _make_ready(self, thread: Thread, answer: Any = None) -> None:
        thread.waits, thread.answer = False, answer
        self._ready.append(thread)
        self._ask()

    def _ask(self) -> None:
        """Choose who runs when all that happens at this time has happened."""
        if not self._asked:
            self._asked = True
            self._agenda.at(self._agenda.now(), self._dispatch)

    def _dispatch(self) -> None:
        self._asked = False
        if not self._ready:
            return
        most = max(self._ready, key=lambda thread: thread.priority)
        running, now = self._running, self._agenda.now()
        if running is not None:
            if running.priority > most.priority:
                return
            running.left -= now - self._since
            running.spent += now - self._since
            self._ready.append(running)
        self._ready.remove(most)
        self._running, self._since = most, now
        self._turn += 1
        if most.computing:
            self._plan(most)
        else:
            self._go_on(most)

    def _plan(self, thread: Thread) -> None:
        turn = self._turn
        self._agenda.at(self._agenda.now() + thread.left, lambda: self._computed(thread, turn))

    def _computed(self, thread: Thread, turn: int) -> None:
        if turn != self._turn or thread is not self._running:
            return  # it was preempted since
        thread.spent += thread.left
        thread.left, thread.computing = 0, False
        self._go_on(thread)

    def _go_on(self, thread: Thread) -> None:
        """Let the task that has the processor run to where it waits, which takes no time."""
        try:
            wanted = thread.steps.send(thread.answer)
        except StopIteration:
            wanted = None
        thread.answer = None
        if isinstance(wanted, Compute):
            thread.left, thread.computing = wanted.us, True
            self._since = self._agenda.now()
            self._plan(thread)
            return
        self._running = None
        if isinstance(wanted, Sleep):
            self._sleep(thread, wanted)
        elif isinstance(wanted, Receive):
            thread.waits = True
            if (got := thread.next()) is not None:
                self._make_ready(thread, got)
        self._ask()

    def _sleep(self, thread: Thread, wanted: Sleep) -> None:
        left = self._reached(wanted.until)
        if left <= 0:
            self._make_ready(thread)
        else:
            self._agenda.at(self._agenda.now() + left, lambda: self._sleep(thread, wanted))
