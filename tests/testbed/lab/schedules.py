# SPDX-License-Identifier: Apache-2.0
"""A run on a lab in which controller, daemon, gateway, network, motes and disk fail at random steps of the
controller, and what has to be true at its end.

The controller is a process that says each request that it is about to make, and waits: so a failure strikes
at a known step, however busy the machine is.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import tty
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from orchestrate_testbed.client import Daemon
from orchestrate_testbed.gateway_log import Chunk, Note, records
from orchestrate_testbed.ssh import Host, Network

from orchestrator.csc.model import EndScript
from orchestrator.engines.testbed import run as testbed_run
from orchestrator.engines.testbed.collecting import collected
from orchestrator.engines.testbed.engine import TestbedEngine
from orchestrator.testbed.inventory import load
from tests.testbed.daemons import has_ended
from tests.testbed.lab.beds import Bed, job_of
from tests.waiting import wait_until

FAILURES = ("controller", "daemon", "gateway", "network", "mote", "disk")
SCRIPT = EndScript(3_600_000_000, "!end", ends_at_verdict=True)
SAID_AGAIN = 10  # requests until then
LIVES = 12  # of controllers, in one schedule
UNLIMITED = resource.RLIM_INFINITY


class Story:
    """One schedule. `happened`: the failures, each with the request before which it struck."""

    def __init__(self, bed: Bed, seed: int):
        self.bed, self.chance = bed, random.Random(seed)
        self.happened: list[tuple[str, str]] = []
        self.left = self.chance.randint(1, 4)  # failures to come
        self.often = self.chance.choice([0.05, 0.1, 0.2])  # a failure strikes, once motes run
        self.looks = self.chance.randint(4, 40)  # requests of a run that has begun, until it is to end
        self.sent: dict[str, list[str]] = {name: [] for name in bed.boards.ptys}
        self.sure: dict[str, set[str]] = {name: set() for name in bed.boards.ptys}
        self.parts: dict[
            int, str
        ] = {}  # who plays in the run that began: a spare, if a mote can't be flashed
        self.out: set[str] = set()
        self.ended = False
        self.runs: set[str] = set()  # that began
        self.process: subprocess.Popen | None = None

    @property
    def root(self) -> Path:
        return self.bed.home / ".orchestrate-testbed"

    def lived(self) -> dict:
        """Start controllers until one has brought the run, as a user would; return its result."""
        result = self.bed.folder / "result.json"
        for _ in range(LIVES):
            for name in sorted(self.out):
                self._plug(name)
            self._life()
            found = json.loads(result.read_text()) if result.exists() else None
            if found is not None and found["testbed"]["motes"]:
                return found
        raise AssertionError(f"no controller brought it: {self.happened}")

    def check(self, result: dict) -> None:
        """What was logged before is in the log; what isn't in it is said; nothing is left."""
        told = f"{self.happened}: {result['outcome']}, {result['evidence']}"
        got: dict[str, list[str]] = {name: [] for name in self.parts.values()}
        for line in (self.bed.folder / "COOJA.testlog").read_text().splitlines()[1:-2]:
            _, mote, text = line.split("\t")
            if text == "!end":
                continue
            got[self.parts[int(mote.removeprefix("ID:"))]].append(text)
        for name, texts in got.items():
            places = [self.sent[name].index(text) for text in texts]  # each is one that was said, whole
            assert places == sorted(set(places)), f"in order, none twice: {told}"
            assert self.sure[name] <= set(texts), f"what was logged is collected: {told}"
            if len(texts) < len(self.sent[name]):
                assert result["testbed"]["missing"], f"what is missing is said: {told}"
                assert result["outcome"] != "ok", told
        assert len(self.runs) == 1, told
        with Network(self.bed.boards.lab.known_hosts) as network:
            collected(load(self.bed.inventory), network, self.bed.folder / "left", now=True)
        assert not list((self.root / "daemon/runs").iterdir()), told
        assert not (self.root / "state" / "reservation").exists(), told

    def _life(self) -> None:
        """One controller, to its end."""
        told = [self.bed.inventory, self.bed.folder]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.testbed.lab.schedules", *map(str, told)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with self.process as process:
            assert process.stdin is not None and process.stdout is not None
            for line in process.stdout:
                self._step(line.strip())
                if process.poll() is None:
                    try:
                        process.stdin.write("go\n")
                        process.stdin.flush()
                    except BrokenPipeError:
                        break
            with suppress(BrokenPipeError):  # it was killed
                process.stdin.close()

    def _step(self, request: str) -> None:
        began = self._started()
        if began and self.looks > 0:
            self._speak()
        elif began:
            self._end()
        self.looks -= began
        if self.left and self.chance.random() < (self.often if began else 0.03):
            self.left -= 1
            failure = self.chance.choice(FAILURES)
            self.happened.append((failure, request))
            self._note_logged()
            getattr(self, f"_{failure}")()

    def _started(self) -> bool:
        """Whether there is a run whose motes run."""
        for path in self.root.glob("daemon/runs/run-*/run.json"):
            try:
                record = json.loads(path.read_text())
            except (OSError, ValueError):
                continue
            if record["epoch_us"] is not None:
                self.parts = {number: name for number, name, *_ in record["parts"]}
                self.runs.add(path.parent.name)
                return True
        return False

    def _speak(self) -> None:
        for name in self.parts.values():
            if name not in self.out and self.bed.boards.heard(name):
                for _ in range(self.chance.randrange(1, 8)):
                    self._say(name, f"!{name},{len(self.sent[name])},{'x' * self.chance.randrange(60)}")

    def _say(self, name: str, text: str) -> None:
        self.sent[name].append(text)
        self.bed.boards.say(name, text.encode() + b"\n")

    def _end(self) -> None:
        """Mend what is broken, and end the run once all that was said before is logged or lost.

        The daemon may read two motes in any order, so that what is said right before the run's end may be
        logged after it.
        """
        self._limit(UNLIMITED)
        for name in sorted(self.out):
            self._plug(name)
        names = self.parts.values()
        if not all(self.bed.boards.heard(name) for name in names):
            return
        self._note_logged()
        behind = [name for name in names if not self.sent[name] or self.sent[name][-1] not in self.sure[name]]
        again = self.looks % SAID_AGAIN == 0  # a failure may take a word that nobody had logged
        if self.ended or not behind:
            if again or not self.ended:
                self.bed.boards.say(self.parts[2], b"!end\n")
            self.ended = True
        elif again:
            for name in behind:
                self._say(name, f"!{name},{len(self.sent[name])},last")

    def _note_logged(self) -> None:
        """Take down which lines the gateway's disk has of the run: they must be collected."""
        for run in self.runs:
            for name in self.parts.values():
                for path in self.root.glob(f"daemon/runs/{run}/{name}.*.log"):
                    content = b""
                    for record in records(path.read_bytes()):
                        if isinstance(record, Chunk):
                            content += record.content
                        elif isinstance(record, Note):  # a line ends where the port was closed
                            content = content[: content.rfind(b"\n") + 1]
                    *lines, _ = content.decode().split("\n")
                    self.sure[name].update(set(lines) & set(self.sent[name]))

    # -- failures

    def _controller(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def _daemon(self) -> None:
        if pid := self._daemons_pid():
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: has_ended(pid))

    def _gateway(self) -> None:
        self._daemon()
        self.bed.server.power_fails()

    def _network(self) -> None:
        self.bed.server.cut(self.chance.randrange(3))

    def _mote(self) -> None:
        name = self.chance.choice(["M1", "M2"])
        if name in self.out:
            self._plug(name)
        else:
            (self.bed.home / "dev" / name).unlink()
            os.close(self.bed.boards.ptys.pop(name))
            self.out.add(name)

    def _plug(self, name: str) -> None:
        ours, theirs = os.openpty()
        tty.setraw(theirs)
        (self.bed.home / "dev" / name).symlink_to(os.ttyname(theirs))
        os.close(theirs)
        self.bed.boards.ptys[name] = ours
        self.out.discard(name)

    def _disk(self) -> None:
        sizes = [path.stat().st_size for path in self.root.glob("daemon/runs/*/M*.log")]
        self._limit(max(sizes, default=0) + self.chance.randrange(300))

    def _limit(self, size: int) -> None:
        """No file of the daemon can grow beyond this: a full disk, as it sees one."""
        if pid := self._daemons_pid():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, UNLIMITED))

    def _daemons_pid(self) -> int:
        try:
            pid = int((self.root / "daemon/daemon.lock").read_text())
        except (OSError, ValueError):
            return 0
        return pid if _lives(pid) else 0


def _lives(pid: int) -> bool:
    try:
        return bool(os.listdir(f"/proc/{pid}/fd")) and b".pyz" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def main(inventory: str, folder: str) -> None:
    """Run a controller that waits before each request until it is told to go on."""
    place, lock = Path(folder), threading.Lock()
    ask, ran = Daemon._ask, Host.run
    testbed_run.LOOK_WITH_LOGS_S = 0.05  # s

    def step(request: str) -> None:
        with lock:
            print(request, flush=True)
            if not sys.stdin.readline():
                os._exit(1)  # the test has ended

    def asking(daemon: Daemon, request: str, *arguments: object) -> dict:
        if request != "clock":  # eight in a row
            step(request)
        return ask(daemon, request, *arguments)

    def running(host: Host, *arguments: object, **options: object) -> object:
        step("shell")
        return ran(host, *arguments, **options)

    Daemon._ask, Host.run = asking, running
    job = job_of(SCRIPT, {1: "publisher", 2: "publisher"}, place / "app.hex", place / "COOJA.testlog")
    new = place / "result.json.new"

    def done(_: object, result: object) -> None:
        new.write_text(json.dumps(asdict(result)))
        new.rename(place / "result.json")

    TestbedEngine(Path(inventory)).run([job], done)


if __name__ == "__main__":
    main(*sys.argv[1:])
