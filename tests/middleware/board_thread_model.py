# SPDX-License-Identifier: Apache-2.0
"""What threads joined by a blackboard should do: the plain threads, and one more that carries out requests
when it runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thread_model import FIRST, NEVER, OK, SLICE, Lock, Mote, Thread

EVENTS, BUSY, QUEUE_FULL, QUEUE = 3, -4, -8, 4
KERNEL = 4  # a priority


@dataclass(eq=False)
class Signal(Lock):
    deadline: int = NEVER  # of the notification that waits in it


@dataclass
class Subscription:
    thread: Thread
    semaphore: Signal
    deadline: int  # after the publication; 0: none


@dataclass
class BoardMote(Mote):
    requests: list[tuple[int, int]] = field(default_factory=list)  # event, when

    def __post_init__(self):
        super().__post_init__()
        self.board = Thread("blackboard", KERNEL, [])
        self.begun = False
        self.threads = [self.board, *self.threads]
        self.queue.insert(0, self.board)
        self.flags = [Lock(0, "holder") for _ in range(EVENTS)]
        self.signals = [[Signal(0, "signal") for _ in range(2)] for _ in self.scripted]
        self.subscriptions: list[list[Subscription]] = [[] for _ in range(EVENTS)]

    def is_blocked(self, event):
        return self.owner(self.flags[event]) is not None

    def perform(self, thread, what, a, b):
        if what not in "ynPBU":
            return super().perform(thread, what, a, b)
        number = self.scripted.index(thread)
        if what == "y":
            event = (number + a) % EVENTS
            if self.is_blocked(event):
                return BUSY
            self.subscriptions[event].append(Subscription(thread, self.signals[number][a], b))
            self.leave(event)
        elif what == "n":
            return self.next_notification(thread, self.signals[number][a])
        elif what == "P":
            if len(self.requests) == QUEUE:
                return QUEUE_FULL
            self.requests.append((a, self.now))
            self.set_deadline(self.board, FIRST)
        elif what == "B":
            if self.is_blocked(a):
                return BUSY
            self.flags[a].owner = thread
        elif self.flags[a].owner is thread:
            self.leave(a)
        return OK

    def leave(self, event):
        """It waits for one event, and another's requests may wait as well: whatever is left, it looks
        again."""
        self.flags[event].owner = None
        if self.board.state == "blocked":
            self.set_deadline(self.board, FIRST)

    def next_notification(self, thread, signal):
        """What came while it was busy has its own deadline, or none; the one before is served."""
        thread.deadline = NEVER
        if signal.free:
            signal.free = 0
            thread.deadline, signal.deadline = signal.deadline, NEVER
            self.wait(thread, "ready", "dispatch")
            return None
        return self.take(thread, signal, NEVER)

    def set_deadline(self, thread, deadline):
        """The blackboard's thread, waiting for who blocks, is woken by one."""
        result = super().set_deadline(thread, deadline)
        if thread.state == "blocked" and thread.lock.kind == "holder":
            self.ready(thread)
        return result

    def stop(self, thread):
        super().stop(thread)
        if self.board.state == "blocked" and self.board.lock.owner is thread:
            self.ready(self.board)

    # ---- the blackboard's thread ----

    def go_on(self, thread):
        if thread is not self.board:
            super().go_on(thread)
            return
        blocked = self.work_off() if self.begun else None
        self.begun = True
        self.board.deadline = NEVER
        if blocked is None:
            self.wait(self.board, "blackboard", "wait")
        else:
            self.board.deadline = self.now + SLICE
            self.board.lock = self.flags[blocked]
            self.wait(self.board, "blocked", "block")

    def work_off(self):
        """All requests but those of blocked events; the last of these that is in the way."""
        published: dict[int, int] = {}
        stay = []
        blocked = None
        for event, when in self.requests:
            if event in [other for other, _ in stay]:
                stay.append((event, when))
            elif self.is_blocked(event):
                stay.append((event, when))
                blocked = event
            else:
                published[event] = when
        self.requests = stay
        for event in sorted(published):
            for each in self.subscriptions[event]:
                if each.thread.state != "stopped":
                    self.notify(each, published[event])
        return blocked

    def notify(self, subscription, published):
        deadline = published + subscription.deadline if subscription.deadline else NEVER
        if deadline != NEVER:
            self.set_deadline(subscription.thread, deadline)
        signal = subscription.semaphore
        if not signal.free:
            self.pass_on(signal)
        if signal.free:
            signal.deadline = min(signal.deadline, deadline)
