# SPDX-License-Identifier: Apache-2.0
"""A plain model of a blackboard: events hold values and subscriptions; the newest value is compared with
each.

Knows nothing of frames, positions or trees. What a storage concept has room for is a function of how many
subscriptions and conditions there are (`Room`). Every step returns the lines that the C program prints for it
(unit/blackboard_main.c).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

(
    OK,
    UNKNOWN_EVENT,
    UNKNOWN_SUBSCRIPTION,
    NO_ROOM,
    BUSY,
    BAD_POSITION,
    BAD_SUBSCRIPTION,
    STOPPED,
    FULL,
    BAD_DEADLINE,
) = range(0, -10, -1)
COUNTED = (
    "unknown_event",
    "unknown_subscription",
    "no_room",
    "busy",
    "bad_position",
    "bad_subscription",
    "stopped_handler",
    "queue_full",
    "bad_deadline",
)
ALWAYS, EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, CHANGED = range(8)
SEMAPHORE, POLL, CALLBACK, WITH_VALUE = 1, 2, 3, 4
THREADS, HANDLERS, NOBODY = 4, 16, 255
FARTHEST = 1 << 30  # us; 17.9 minutes
A_PROCESS = -1


@dataclass(frozen=True)
class Wish:
    """A subscriber's wish: conditions (comparison, limit), how and whom to notify, relative deadline in
    us."""

    notification: int
    thread: int
    deadline: int
    handler: int
    conditions: tuple[tuple[int, int], ...]

    def words(self) -> str:
        parts = [self.notification, self.thread, self.deadline, self.handler, len(self.conditions)]
        return " ".join(map(str, parts + [n for condition in self.conditions for n in condition]))


@dataclass
class Subscription:
    wish: Wish
    active: bool = True
    due: bool = False
    polled: bool = False
    passed: dict[int, int] = field(
        default_factory=dict
    )  # what each condition CHANGED let pass last, by its index

    def proves(self, value: int, signed: bool) -> bool:
        for index, (comparison, limit) in enumerate(self.wish.conditions):
            a, b = _number(value, signed), _number(limit, signed)
            if comparison == CHANGED:
                before = self.passed.get(index)
                if before is not None and abs(a - _number(before, signed)) <= limit:
                    return False
                self.passed[index] = value
            elif not (True, a == b, a != b, a < b, a <= b, a > b, a >= b)[comparison]:
                return False
        return True


@dataclass
class Event:
    signed: bool
    values: list[int]
    subscriptions: dict[int, Subscription] = field(default_factory=dict)
    published: bool = False
    published_at: int = 0
    blocker: int | None = None  # a thread, A_PROCESS; None: it isn't blocked

    @property
    def wanted(self) -> bool:
        return any(each.active for each in self.subscriptions.values())

    def prove(self) -> None:
        if self.published:
            self.published = False
            for each in self.subscriptions.values():
                if each.active:
                    each.due = each.proves(self.values[0], self.signed)


Usage = list[tuple[int, int]]  # by event: subscriptions, conditions beyond their first
Room = Callable[[Usage], bool]


class Board:
    def __init__(self, events: list[tuple[bool, int]], room: Room, changes: int, queue: int, block_all: bool):
        self.events = [Event(signed, [0] * values) for signed, values in events]
        self.room, self.changes, self.queue_length, self.block_all = room, changes, queue, block_all
        self.queue: list[tuple[int, tuple]] = []  # which request it is, the command
        self.asked = 0
        self.alive = [True] * THREADS
        self.counts = dict.fromkeys(
            (*COUNTED, "commands", "publications", "notifications", "deadline_past"), 0
        )
        self.told = [False] * len(events)
        self.who = A_PROCESS  # whose steps these are

    # ---- steps: each returns lines

    def start(self) -> list[str]:
        return [f"w {event} 0" for event in range(len(self.events))]

    def direct(self, *command) -> list[str]:
        result, told = self._carry_out(*command)
        return [*told, str(result)]

    def request(self, *command) -> list[str]:
        if len(self.queue) == self.queue_length:
            self.counts["queue_full"] += 1
            return [str(FULL)]
        self.asked += 1
        self.queue.append((self.asked, command))
        return [str(OK)]

    def run(self, now: int) -> list[str]:
        lines, results, left = [], [], []
        while self.queue:
            which, command = self.queue.pop(0)
            if any(command[2] == other[2] for _, other in left):  # an event's requests keep their order
                left.append((which, command))
                continue
            result, told = self._carry_out(*command)
            lines += told
            if result < 0:
                self.counts[COUNTED[-1 - result]] += 1
            if result == BUSY:
                left.append((which, command))
            elif command[0] == "S":
                results.append((which, f"r {result}"))
        self.queue, done = left, not left
        noticed = []
        for number, event in enumerate(self.events):
            if self._is_blocked(event):
                done = done and not event.published and not any(s.due for s in event.subscriptions.values())
                continue
            event.prove()
            for of_event, each in sorted(event.subscriptions.items()):
                if each.due:
                    each.due = False
                    noticed.append(self._notify(number, of_event, each, now))
        return [
            *lines,
            *sorted(" | ".join(n) for n in noticed if n),
            *(text for _, text in sorted(results)),
            str(int(done)),
        ]

    def poll(self, event: int, number: int) -> list[str]:
        if event >= len(self.events):
            return [str(UNKNOWN_EVENT)]
        found = self.events[event].subscriptions.get(number)
        if found is None:
            return [str(UNKNOWN_SUBSCRIPTION)]
        polled, found.polled = found.polled, False
        return [str(int(polled))]

    def read(self, event: int, age: int) -> list[str]:
        if event >= len(self.events):
            return [f"{UNKNOWN_EVENT} 0"]
        values = self.events[event].values
        return [f"{OK} {values[age]}" if age < len(values) else f"{BAD_POSITION} 0"]

    def block(self, event: int) -> list[str]:
        if event >= len(self.events):
            return [str(UNKNOWN_EVENT)]
        if self._is_blocked(self.events[event]):
            return [str(BUSY)]
        for each in self.events if self.block_all else [self.events[event]]:
            each.blocker = self.who
        return [str(OK)]

    def unblock(self, event: int) -> list[str]:
        if event < len(self.events) and self.events[event].blocker == self.who:
            for each in self.events if self.block_all else [self.events[event]]:
                each.blocker = None
        return []

    def caller(self, who: int) -> list[str]:
        self.who = who
        return []

    def thread(self, which: int, alive: bool) -> list[str]:
        self.alive[which] = alive
        for event in self.events:
            if (
                event.blocker == which and not alive
            ):  # it may be started again: it knows nothing of what it had
                event.blocker = None
        return []

    # ---- what they are made of

    def _is_blocked(self, event: Event) -> bool:
        return event.blocker is not None

    def _carry_out(self, what: str, now: int, event: int, *rest) -> tuple[int, list[str]]:
        if what in "SM":
            fault = self._fault(rest[-1])
            if fault:
                return fault, []
        if event >= len(self.events):
            return UNKNOWN_EVENT, []
        at = self.events[event]
        if self._is_blocked(at):
            return BUSY, []
        self.counts["commands"] += 1
        if what != "V":
            at.prove()
        result = getattr(self, f"_{what}")(at, now, *rest)
        told = []
        for number in reversed(range(len(self.events))):
            if self.events[number].wanted != self.told[number]:
                self.told[number] = self.events[number].wanted
                told.append(f"w {number} {int(self.told[number])}")
        return result, told

    def _fault(self, wish: Wish) -> int:
        kind = wish.notification & ~WITH_VALUE
        if (
            any(comparison > CHANGED for comparison, _ in wish.conditions)
            or not SEMAPHORE <= kind <= CALLBACK
        ):
            return BAD_SUBSCRIPTION
        if wish.handler >= HANDLERS and wish.notification != POLL:
            return BAD_SUBSCRIPTION
        if wish.deadline >= FARTHEST or (wish.deadline and wish.thread >= THREADS):
            return BAD_DEADLINE
        return STOPPED if wish.thread < THREADS and not self.alive[wish.thread] else OK

    def _fits(self, event: Event, number: int, wish: Wish) -> bool:
        held = [{n: s.wish for n, s in each.subscriptions.items()} for each in self.events]
        held[self.events.index(event)][number] = wish
        changed = sum(c == CHANGED for wishes in held for each in wishes.values() for c, _ in each.conditions)
        usage = [
            (len(wishes), sum(max(0, len(each.conditions) - 1) for each in wishes.values()))
            for wishes in held
        ]
        return changed <= self.changes and self.room(usage)

    def _S(self, event: Event, now: int, wish: Wish) -> int:  # noqa: N802
        number = next(n for n in range(256) if n not in event.subscriptions)
        if not self._fits(event, number, wish):
            return NO_ROOM
        event.subscriptions[number] = Subscription(wish)
        return number

    def _M(self, event: Event, now: int, number: int, wish: Wish) -> int:  # noqa: N802
        before = event.subscriptions.get(number)
        if before is None:
            return UNKNOWN_SUBSCRIPTION
        if not self._fits(event, number, wish):
            return NO_ROOM
        event.subscriptions[number] = Subscription(wish, before.active, before.due, before.polled)
        return OK

    def _U(self, event: Event, now: int, number: int) -> int:  # noqa: N802
        return OK if event.subscriptions.pop(number, None) else UNKNOWN_SUBSCRIPTION

    def _P(self, event: Event, now: int, number: int, paused: int) -> int:  # noqa: N802
        found = event.subscriptions.get(number)
        if found is None:
            return UNKNOWN_SUBSCRIPTION
        found.active, found.due = not paused, False
        return OK

    def _V(self, event: Event, now: int, value: int) -> int:  # noqa: N802
        event.values = [value, *event.values[:-1]]
        event.published_at = now
        event.published = event.wanted
        self.counts["publications"] += 1
        return OK

    def _notify(self, event: int, number: int, each: Subscription, now: int) -> list[str]:
        wish, at = each.wish, self.events[event]
        if wish.thread < THREADS and not self.alive[wish.thread]:
            self.counts["stopped_handler"] += 1
            return []
        if wish.deadline and at.published_at + wish.deadline < now:
            self.counts["deadline_past"] += 1
        self.counts["notifications"] += 1
        kind, called = wish.notification & ~WITH_VALUE, wish.notification & ~WITH_VALUE == CALLBACK
        thread = wish.thread if wish.thread < THREADS else NOBODY
        handler = -1 if called or wish.handler >= HANDLERS else wish.handler
        each.polled = each.polled or kind == POLL
        lines = [
            f"n {event} {number} {wish.notification} {thread} {at.values[0]} {at.published_at} "
            f"{wish.deadline} {handler}"
        ]
        if called:
            value = f" {at.values[0]}" if wish.notification & WITH_VALUE else ""
            lines.append(f"c {event} {number} {wish.handler % 2}{value} {BUSY}")
        return lines


def _number(word: int, signed: bool) -> int:
    return word - (1 << 32) if signed and word >> 31 else word
