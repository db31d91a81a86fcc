# SPDX-License-Identifier: Apache-2.0
"""A machine of a cluster: the files that were sent to it, its runs, and what it answers."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import orchestrator
from orchestrator.engines.embedded import engine as embedded
from orchestrator.engines.model import Job
from orchestrator.errors import MissingTool, StorageFailed, Unsupported
from orchestrator.execution import remote, results
from orchestrator.execution.remote import Answer, Sent
from orchestrator.runs.model import Outcome, RunResult

CODE = Path(orchestrator.__file__).parent.parent.name
KERNEL, FIRMWARE = (hashlib.sha256(content).hexdigest() for content in (b"kernel", b"firmware"))
FILES = {KERNEL: SimpleNamespace(value=b"kernel"), FIRMWARE: SimpleNamespace(value=b"firmware")}
OK = RunResult(Outcome.OK, 10, 1.5, 3, 4)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"orchestrate-files-{os.getuid()}"


@pytest.mark.parametrize("kind", ["open to others", "link", "file", "somebody else's"])
def test_a_folder_that_others_may_write_to_is_not_trusted(here, kind, monkeypatch):
    if kind == "link":
        here.with_name("elsewhere").mkdir(mode=0o700)
        here.symlink_to(here.with_name("elsewhere"))
    elif kind == "file":
        here.touch()
    else:
        here.mkdir()
        here.chmod(0o700 if kind == "somebody else's" else 0o770)
    if kind == "somebody else's":
        other = os.getuid() + 1
        monkeypatch.setattr(remote.os, "getuid", lambda: other)
        here.rename(here.with_name(f"orchestrate-files-{other}"))
    with pytest.raises(StorageFailed, match="only this user may write to"):
        remote._here(KERNEL, FILES)


def test_what_runs_there_is_the_driver_s_code(monkeypatch):
    remote.same_code(CODE)  # it was unpacked into a folder of this name
    monkeypatch.setattr("orchestrate_spark.executors.digest", lambda contents: "-".join(sorted(contents)))
    remote.same_code("orchestrate_spark-orchestrator-orchestrator/_data/csc-templates")
    here = Path(orchestrator.__file__).parent
    words = (
        f"the worker {socket.gethostname()} has another version of orchestrate, {orchestrator.__version__} "
        f"in {here}\n    take it off the path of Python there, or install this one; no run was made"
    )
    with pytest.raises(MissingTool, match=f"^{re.escape(words)}$"):
        remote.same_code("other")


class Stored:
    """A storage that has these results."""

    def __init__(self, *keys: str):
        self.keys, self.kept = keys, []

    def found(self, key):
        return OK if key in self.keys else None

    def keep(self, key, log, result):
        self.kept.append((key, log.name, log.read_text(), result))


@pytest.fixture
def make(monkeypatch):
    """Answer what a worker answers if each run ends so (a result, or an error), and with what it worked."""

    def made(end, *present, code=CODE):
        stored, runs = Stored(*present), []

        def run_one(engine, job):
            runs.append((engine, job, {name: path.read_bytes() for name, path in job.firmware.items()}))
            assert job.log.parent.is_dir()
            if isinstance(end, Exception):
                raise end
            return end

        monkeypatch.setattr(embedded, "EmbeddedEngine", lambda kernel, plain: (kernel.read_bytes(), plain))
        monkeypatch.setattr("orchestrator.engines.protocol.run_one", run_one)
        monkeypatch.setattr(results, "results", lambda place: stored if place == "there" else None)
        job = Job("deployment", 3, {"a": Path(FIRMWARE)}, Path("COOJA.testlog"))
        work = remote.worker(KERNEL, True, "there", code)
        return list(work([Sent("one", job), Sent("two", job)], FILES)), stored.kept, runs

    return made


def test_a_run_is_kept_with_its_log_even_if_that_is_empty(make, here):
    answers, kept, runs = make(OK)
    assert answers == [Answer("one", 1.5, True, None, None), Answer("two", 1.5, True)]
    assert kept == [(key, "COOJA.testlog", "", OK) for key in ("one", "two")]
    for engine, job, firmware in runs:
        assert (engine, firmware) == ((b"kernel", True), {"a": b"firmware"})
        assert job.firmware == {"a": here / FIRMWARE} and job.seed == 3
        assert job.log.parent.name.startswith("orchestrate-run-") and not job.log.parent.exists()


def test_a_result_that_is_there_is_not_made_again(make):
    answers, kept, runs = make(OK, "one")
    assert answers == [Answer("one", 0.0, kept=True), Answer("two", 1.5, kept=True)]
    assert [key for key, *_ in kept] == ["two"] and len(runs) == 1


REFUSED = Unsupported("not this")
LOST = RunResult(Outcome.LOST, 1, 2.5, 3, 4, ("why",))


@pytest.mark.parametrize(
    ("end", "answer"),
    [
        (LOST, {"seconds": 2.5, "result": LOST}),
        (REFUSED, {"error": REFUSED}),
        (OSError(28, "No space left", "/disk"), "/disk: No space left"),
        (OSError("broken"), ": broken"),
    ],
)
def test_a_run_that_has_no_result(make, end, answer):
    if isinstance(answer, str):
        why = f"{socket.gethostname()}: {answer}"
        answer = {"result": RunResult(Outcome.LOST, 0, 0.0, 0, 0, (why,))}
    answers, kept, runs = make(end)
    assert answers == [Answer("one", **answer), Answer("two", **answer)] and not kept and len(runs) == 2


def test_other_code_answers_once_for_the_group(make):
    (answer,), kept, runs = make(OK, code="other")
    assert answer.key == "one" and isinstance(answer.error, MissingTool) and not (kept or runs)
