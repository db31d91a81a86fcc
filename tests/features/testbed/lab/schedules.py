# SPDX-License-Identifier: Apache-2.0
"""A run on a lab of two gateways in which controller, daemon, gateway, network, motes and disk fail at random
steps of the controller, a gateway falls silent or a mote dies, and what has to be true at its end.

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
from orchestrator.features.testbed.engine import run as testbed_run
from orchestrator.features.testbed.engine.collecting import collected
from orchestrator.features.testbed.engine.engine import TestbedEngine
from orchestrator.features.testbed.inventory import load
from tests.features.testbed.daemons import has_ended
from tests.features.testbed.lab.beds import Bed, job_of
from tests.waiting import wait_until

FAILURES = ("controller", "daemon", "gateway", "network", "mote", "disk", "silence", "death")
RECORD = "!cnt,packets_received,"  # a record of the run's end
SCRIPT = EndScript(3_600_000_000, "!end", ends_at_verdict=True)
SAID_AGAIN = 10  # requests until then
LIVES = 16  # of controllers, in one schedule
SILENT_LIVES = 3  # after so many, a silent gateway is mended
STUCK = 60  # requests after which a gateway is mended without which the run doesn't end
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
        self.dead: set[str] = set()
        self.silent: dict[str, int] = {}  # gateways, with the lives of controllers since
        self.waits = 0  # requests at which the run could not end
        self.collected: set[str] = set()  # lines in the log of an earlier call
        self.ended = False
        self.runs: set[str] = set()  # that began
        self.process: subprocess.Popen | None = None

    @property
    def roots(self) -> dict[str, Path]:
        """Our folder on each gateway."""
        return {
            name: server.home / ".orchestrate-testbed" for name, server in self.bed.boards.servers.items()
        }

    def _files(self, pattern: str) -> list[Path]:
        return [path for root in self.roots.values() for path in root.glob(pattern)]

    def lived(self) -> dict:
        """Start controllers until one has brought all of the run, as a user would; return its result."""
        result = self.bed.folder / "result.json"
        for _ in range(LIVES):
            for name in sorted(self.out):
                self._plug(name)
            result.unlink(missing_ok=True)
            self._life()
            found = json.loads(result.read_text()) if result.exists() else None
            brought = found is not None and bool(found["testbed"]["motes"])
            if brought:
                lines = set((self.bed.folder / "COOJA.testlog").read_text().splitlines()[1:-2])
                texts = {line.split("\t", 1)[1] for line in lines}
                assert self.collected <= texts, f"nothing collected is replaced by less: {self.happened}"
                self.collected = texts
            self.silent = {name: lives + 1 for name, lives in self.silent.items()}
            for name in [name for name, lives in self.silent.items() if lives >= SILENT_LIVES]:
                self._mend(name)
            if brought and not self._files("daemon/runs/run-*"):
                return found
        raise AssertionError(f"no controller brought it: {self.happened}")

    def check(self, result: dict) -> None:
        """What was logged before is in the log; what isn't in it is said; nothing is left."""
        told = f"{self.happened}: {result['outcome']}, {result['evidence']}"
        got: dict[str, list[str]] = {name: [] for name in self.parts.values()}
        finished: set[str] = set()
        for line in (self.bed.folder / "COOJA.testlog").read_text().splitlines()[1:-2]:
            _, mote, text = line.split("\t")
            if text == "!end":
                continue
            if text.startswith(RECORD):
                finished.add(self.parts[int(mote.removeprefix("ID:"))])
            got[self.parts[int(mote.removeprefix("ID:"))]].append(text)
        for name, texts in got.items():
            places = [self.sent[name].index(text) for text in texts]  # each is one that was said, whole
            assert places == sorted(set(places)), f"in order, none twice: {told}"
            assert self.sure[name] <= set(texts), f"what was logged is collected: {told}"
            if len(texts) < len(self.sent[name]):
                assert result["testbed"]["missing"], f"what is missing is said: {told}"
                assert result["outcome"] != "ok", told
        for name in self.parts.values():
            named = any(each.startswith(f"{name} (") for each in result["testbed"]["missing"])
            assert named or name in finished, f"a mote that died is named: {told}"
            if name in self.dead and name not in finished:
                assert result["outcome"] == "testbed failed", told
        assert len(self.runs) == 1, told
        with Network(self.bed.boards.lab.known_hosts) as network:
            collected(load(self.bed.inventory), network, self.bed.folder / "left", now=True)
        assert not self._files("daemon/runs/*"), told
        assert not self._files("state/reservation"), told

    def _life(self) -> None:
        """One controller, to its end."""
        told = [self.bed.inventory, self.bed.folder]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.features.testbed.lab.schedules", *map(str, told)],
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
        for path in self._files("daemon/runs/run-*/run.json"):
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
            if name not in self.out | self.dead and self.bed.boards.heard(name):
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
        names = [name for name in self.parts.values() if name not in self.dead]
        self.waits += 1
        if self.waits > STUCK:
            for name in list(self.silent):
                self._mend(name)
        if not all(self.bed.boards.heard(name) for name in names):
            return
        self._note_logged()
        behind = [name for name in names if not self._finished(name)]
        again = self.looks % SAID_AGAIN == 0  # a failure may take a word that nobody had logged
        if self.ended or not behind:
            if again or not self.ended:
                self.bed.boards.say(names[-1], b"!end\n")
            self.ended = True
        elif again or self.waits == 1:
            for name in behind:
                self._say(name, f"{RECORD}{len(self.sent[name])}")

    def _finished(self, name: str) -> bool:
        """Whether the last that a mote said is a record of the run's end, and was logged."""
        last = self.sent[name][-1] if self.sent[name] else ""
        return last.startswith(RECORD) and last in self.sure[name]

    def _note_logged(self) -> None:
        """Take down which lines the gateway's disk has of the run: they must be collected."""
        for run in self.runs:
            for name in self.parts.values():
                for path in self._files(f"daemon/runs/{run}/{name}.*.log"):
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

    def _some(self) -> str:
        return self.chance.choice(sorted(self.bed.boards.servers))

    def _daemon(self, gateway: str = "") -> None:
        if pid := self._daemons_pid(gateway or self._some()):
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: has_ended(pid))

    def _gateway(self) -> None:
        name = self._some()
        if name not in self.silent:
            self._daemon(name)
            self.bed.boards.servers[name].power_fails()

    def _network(self) -> None:
        name = self._some()
        if name not in self.silent:
            self.bed.boards.servers[name].cut(self.chance.randrange(3))

    def _silence(self) -> None:
        """One gateway answers nobody, through several calls if nothing needs it; the others do."""
        name = self._some()
        if self._started() and not self.silent:
            self.bed.boards.servers[name].falls_silent()
            self.silent[name] = 0
            if self.chance.random() < 0.7:
                self._controller()

    def _mend(self, name: str) -> None:
        self.bed.boards.servers[name].falls_silent(False)
        del self.silent[name]

    def _death(self) -> None:
        """A mote says nothing any more, and its port stays; one does at most, as one has to end the run."""
        if self._started() and not self.dead:
            self.dead.add(self.chance.choice(sorted(self.parts.values())))

    def _mote(self) -> None:
        name = self.chance.choice(["M1", "M2"])
        if name in self.out:
            self._plug(name)
        else:
            self._device(name).unlink()
            os.close(self.bed.boards.ptys.pop(name))
            self.out.add(name)

    def _plug(self, name: str) -> None:
        ours, theirs = os.openpty()
        tty.setraw(theirs)
        self._device(name).symlink_to(os.ttyname(theirs))
        os.close(theirs)
        self.bed.boards.ptys[name] = ours
        self.out.discard(name)

    def _device(self, name: str) -> Path:
        gateway = next(mote.gateway for mote in self.bed.boards.lab.motes if mote.name == name)
        return self.bed.boards.servers[gateway].home / "dev" / name

    def _disk(self) -> None:
        sizes = [path.stat().st_size for path in self._files("daemon/runs/*/M*.log")]
        self._limit(max(sizes, default=0) + self.chance.randrange(300))

    def _limit(self, size: int) -> None:
        """No file of the daemons can grow beyond this: a full disk, as they see one."""
        for name in self.roots:
            if pid := self._daemons_pid(name):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, UNLIMITED))

    def _daemons_pid(self, gateway: str) -> int:
        try:
            pid = int((self.roots[gateway] / "daemon/daemon.lock").read_text())
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
    testbed_run.PATIENCE_S = 0.5

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
