# SPDX-License-Identifier: Apache-2.0
"""A model of threads in plain Python, with queues and lists as the paper describes them, not as the C code
has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SLICE, END = 20_000, 2_000_000  # us
(OK, _, _, _, STOPPED, TIMED_OUT, TOO_FAR, PAST, DEADLOCK, OWNER_STOPPED, NOT_OWNER) = range(11)
FIRST = -(1 << 60)  # a deadline before all times
NEVER = 1 << 60


@dataclass(eq=False)
class Lock:
    free: int
    kind: str  # mutex, resource, signal
    owner: Thread | None = None


@dataclass(eq=False)
class Thread:
    name: str
    priority: int
    script: list[tuple[str, int, int]]
    at: int = 0
    state: str = "ready"  # ready, sleeping, blocked, blackboard, stopped
    deadline: int = NEVER
    use: int = 0
    wakes: int = NEVER
    lock: Lock | None = None
    pending: str = ""  # the operation that it is in
    result: int = OK
    cpu: int = 0
    switches: int = 0


@dataclass
class Mote:
    scripts: list[tuple[int, list[tuple[str, int, int]]]]
    now: int = 0
    log: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.threads = [
            Thread(f"t{n}", priority, script) for n, (priority, script) in enumerate(self.scripts)
        ]
        self.scripted = self.threads  # whom operations name by number
        self.queue = list(self.threads)  # all of them, who became ready first in front
        self.mutexes = [Lock(1, "mutex") for _ in range(3)]
        self.semaphores = [Lock(0, "signal"), Lock(1, "resource"), Lock(2, "resource")]
        self.running: Thread | None = None  # the idle thread
        self.first: Thread | None = None  # on whose behalf it runs
        self.left = "start"

    # ---- who is next ----

    def append(self, thread):
        self.queue.remove(thread)
        self.queue.append(thread)

    def ready(self, thread, result=None):
        thread.state, thread.wakes, thread.lock = "ready", NEVER, None
        if result is not None:
            thread.result = result
        self.append(thread)

    def owner(self, lock):
        return lock.owner if lock.owner and lock.owner.state != "stopped" else None

    def chain(self, thread):
        """The thread, whom it waits for, whom that waits for ..."""
        seen = []
        while thread and thread not in seen:
            seen.append(thread)
            thread = self.owner(thread.lock) if thread.state == "blocked" else None
        return seen

    def most_urgent(self, wanted):
        """(on whose behalf, whom): of the threads that `wanted` holds for, the one needed by the most
        urgent."""
        ranked = sorted(self.threads, key=lambda t: (t.deadline, -t.priority, self.queue.index(t)))
        for thread in ranked:
            for other in self.chain(thread):
                if other.state == "blackboard" and thread.deadline != NEVER:  # a deadline wakes it, whoever's
                    if wanted(other, True):
                        return thread, other
                    break
                if wanted(other, False):
                    return thread, other
        return None, None

    def pass_on(self, lock, result=OK):
        lock.owner = None
        _, following = self.most_urgent(lambda t, _: t.state == "blocked" and t.lock is lock)
        if following is None:
            lock.free = min(lock.free + 1, 255)
            return
        self.ready(following, result)
        if lock.kind != "signal":
            lock.owner = following

    def stop(self, thread):
        thread.state, thread.wakes = "stopped", NEVER
        for other in self.threads:
            if other.state == "blocked" and other.lock.owner is thread and other.lock.kind == "mutex":
                self.pass_on(other.lock, OWNER_STOPPED)
        if thread is self.running:
            self.left = "end"

    # ---- operations: None if the thread goes on at once ----

    def wait(self, thread, state, why, result=OK):
        thread.state, thread.result, self.left = state, result, why

    def perform(self, thread, what, a, b):
        """The result, or None: the thread has left the CPU, or computes."""
        if what == "u":
            thread.use, thread.result = a, OK
        elif what == "s":
            if a >= 1 << 30:
                return TOO_FAR
            thread.wakes = self.now + a
            self.wait(thread, "sleeping", "sleep")
        elif what in "gd":
            self.wait(thread, "ready", {"g": "give_up", "d": "dispatch"}[what])
        elif what == "l":
            return self.lock(thread, self.mutexes[a])
        elif what == "r":
            if self.owner(self.mutexes[a]) is not thread:
                return NOT_OWNER
            self.pass_on(self.mutexes[a])
            return OK
        elif what in "wW":
            return self.take(thread, self.semaphores[a], b if what == "W" else NEVER)
        elif what in "pi":
            for _ in range(max(b, 1)):
                if self.semaphores[a].free < (255 if what == "p" else 1):
                    self.pass_on(self.semaphores[a])
            return OK
        elif what == "o":
            times = 0
            while self.take(thread, self.semaphores[a], 0) == OK:
                times += 1
            return times
        elif what in "DF":
            return self.set_deadline(self.scripted[a], self.now + b - 5000 if what == "D" else FIRST)
        elif what == "b":
            if thread.deadline != NEVER:
                return OK
            self.wait(thread, "blackboard", "wait")
        elif what == "v":
            thread.deadline = NEVER
            return OK
        elif what == "x":
            other = self.scripted[a]
            if other.state == "stopped":
                return STOPPED
            self.stop(other)
            return None if other is thread else OK
        return None

    def lock(self, thread, mutex):
        if mutex.free:
            mutex.free, mutex.owner = 0, thread
            return OK
        if self.owner(mutex) is None:
            mutex.owner = thread
            return OWNER_STOPPED
        waits_for = mutex.owner
        while (
            waits_for
            and waits_for is not thread
            and waits_for.state == "blocked"
            and waits_for.lock.kind == "mutex"
        ):
            waits_for = self.owner(waits_for.lock)
        if waits_for is thread:
            return DEADLOCK
        thread.lock = mutex
        self.wait(thread, "blocked", "block")
        return None

    def take(self, thread, semaphore, most):
        if semaphore.free:
            semaphore.free -= 1
            if semaphore.kind != "signal":
                semaphore.owner = thread
            return OK
        if most == 0:
            return TIMED_OUT
        if most != NEVER:
            thread.wakes = self.now + most
        thread.lock = semaphore
        self.wait(thread, "blocked", "wait")
        return None

    def set_deadline(self, thread, deadline):
        if thread.state == "stopped":
            return STOPPED
        thread.deadline = min(thread.deadline, deadline)
        if thread.state == "blackboard":
            self.ready(thread)
        return PAST if FIRST < deadline < self.now else OK

    # ---- time ----

    def go_on(self, thread):
        """Until it computes or has left."""
        while self.left == "":
            if thread.pending:
                self.log.append(f"{self.now} {thread.name} {thread.pending} {thread.result}")
                thread.pending = ""
            if thread.at == len(thread.script):
                self.stop(thread)
                return
            what, a, b = thread.script[thread.at]
            thread.at += 1
            thread.pending = what
            result = self.perform(thread, what, a, b)
            if result is not None:
                thread.result = result
            elif self.left or thread.use:
                return

    def schedule(self, slice_is_over):
        for thread in sorted((t for t in self.threads if t.wakes <= self.now), key=lambda t: t.wakes):
            self.ready(thread, TIMED_OUT if thread.state == "blocked" else None)
        if self.left == "" and self.running:
            if not slice_is_over:
                return
            self.left = "slice"
        if self.left in ("slice", "give_up"):
            if self.first.state == "blocked":
                self.append(self.first)
            self.append(self.running)
        self.first, following = self.most_urgent(lambda t, woken: t.state == "ready" or woken)
        if following and following.state == "blackboard":
            self.ready(following)
        if following is not self.running or self.left == "start":
            name = following.name if following else "idle"
            self.log.append(f"{self.now} {name} runs {self.left or 'ready'}")
            if following:
                following.switches += 1
        self.running, self.left = following, ""

    def run(self):
        slice_end = SLICE
        while True:
            over = self.now >= slice_end
            if over:
                slice_end += ((self.now - slice_end) // SLICE + 1) * SLICE
            self.schedule(over)
            while self.running and self.running.use == 0:
                self.go_on(self.running)
                self.schedule(False)
            if self.running:
                following = min(self.now + self.running.use, slice_end)
            else:
                following = min((t.wakes for t in self.threads), default=NEVER)
            if following >= END:
                break
            if self.running:
                self.running.use -= following - self.now
                self.running.cpu += following - self.now
            self.now = following
        return self.log + [f"cpu {t.name} {t.cpu} {t.switches}" for t in self.scripted]
