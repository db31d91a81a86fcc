# SPDX-License-Identifier: Apache-2.0
"""A repeated `simulate` begins before it is known that nothing has changed, and nobody sees a difference."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.build import kernel
from orchestrator.cli.app import main
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.mote_type import MoteType
from orchestrator.csc.write import write
from orchestrator.engines.embedded import ahead, description
from orchestrator.resources import contiki_apps
from tests import built_before, needs
from tests.engines.engine_firmware import compile_firmware, simulation

needs.a_compiler()

LOG = "COOJA.testlog"
FORM = "$(MAKE) -j$(CPUS) hello-nullnet.cooja TARGET=cooja"


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """A build cache for all of them; each test begins without memories of calls."""
    return built_before.seed(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def file(cache, tmp_path, monkeypatch) -> Path:
    """A .csc of two motes that say hello, with no call of it remembered, and a second core."""
    shutil.rmtree(cache / "orchestrate" / "ahead", ignore_errors=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.chdir(tmp_path)
    return put(tmp_path / "a.csc", 30)


@pytest.fixture
def taken(monkeypatch) -> list[bool]:
    """For each process that was asked for, whether it had begun."""
    found = []
    real = ahead.take

    def take(*of):
        found.append((begun := real(*of)) is not None)
        return begun

    monkeypatch.setattr(ahead, "take", take)
    return found


def put(file: Path, seconds: int) -> Path:
    one = simulation([(0, 0), (10, 0)], seconds)
    source = contiki_apps() / "apps" / "hello-nullnet" / "hello-nullnet.c"
    mote_type = MoteType("t", "t", str(source), FORM, STANDARD_INTERFACES)
    file.write_bytes(write(replace(one, mote_types=(mote_type,))))
    return file


def called(*words: str) -> bytes:
    """The log of a call with exit code 0."""
    assert main(["simulate", *words]) == 0
    return Path(LOG).read_bytes()


def memories() -> list[Path]:
    return list((Path(os.environ["XDG_CACHE_HOME"]) / "orchestrate" / "ahead").glob("*"))


def kernels() -> list[Path]:
    """The kernel's processes that this one has started and that have not ended."""
    tasks = Path(f"/proc/{os.getpid()}/task")
    children = [pid for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
    return [Path(f"/proc/{pid}") for pid in children if "kernel" in program(pid)]


def program(pid: str) -> str:
    """The file that a process runs; of one that has ended, which may be another test's, nothing."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except FileNotFoundError:
        return ""


def test_the_second_call_takes_what_has_begun(file, taken, capsys):
    first = called("a.csc")
    assert first.count(b"\n") > 10
    os.unlink(LOG)
    assert called("a.csc") == first
    assert taken == [False, True]
    for line in capsys.readouterr().err.splitlines():
        assert line.startswith("a.csc: ok, 30 s simulated in ")
    assert not kernels()


def test_another_file_folder_or_option_is_another_call(file, taken, tmp_path, monkeypatch):
    called("a.csc")
    called("a.csc", "--wall-limit=50")
    shutil.copy(file, "b.csc")
    called("b.csc")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    called("../a.csc")
    assert taken == [False] * 4


def test_what_a_change_made_wrong_is_thrown_away(file, taken):
    long = called("a.csc")
    put(file, 10)
    short = called("a.csc")
    assert len(short) < len(long)
    assert taken == [False, False], "and what the change made is not remembered yet:"
    assert not memories()
    assert called("a.csc") == called("a.csc") == short
    assert taken[2:] == [False, True]
    assert not kernels()


def test_the_kernel_and_the_firmware_are_those_it_began_with(file, taken):
    called("a.csc")
    known = json.loads(memories()[0].read_bytes().split(b"\n")[0])
    assert [Path(path).name for path in known["files"]] == ["orchestrate-kernel", "hello-nullnet.cooja"]
    for path in known["files"]:
        begun = ahead.Begun(str(memories()[0]), known["call"])
        text = memories()[0].read_bytes().split(b"\n", 1)[1]
        assert begun.is_of(known["command"], text)
        assert not begun.is_of(known["command"], text + b"\n")
        assert not begun.is_of([*known["command"], "--guards", "1"], text)
        begun.end()
        begun = ahead.Begun(str(memories()[0]), known["call"])
        os.utime(path)
        assert not begun.is_of(known["command"], text), "it may have been written to"
        begun.end()
        begun = ahead.Begun(str(memories()[0]), known["call"])
        shutil.copy(path, f"{path}.new")
        os.replace(f"{path}.new", path)
        assert not begun.is_of(known["command"], text)
        begun.end()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]\n", b'{"call": ""}\n', b"\xff\n"])
def test_a_damaged_memory_is_none(file, taken, damage):
    first = called("a.csc")
    [memory] = memories()
    memory.write_bytes(damage)
    assert called("a.csc") == first
    assert called("a.csc") == first
    assert taken == [False, False, True]


def test_a_memory_of_another_call_is_none(file):
    """Names of memories are short: two calls may have the same."""
    called("a.csc")
    with pytest.raises(ValueError, match="another call"):
        ahead.Begun(str(memories()[0]), "[]")


def test_a_damaged_description_is_thrown_away(file, taken):
    first = called("a.csc")
    [memory] = memories()
    memory.write_bytes(memory.read_bytes()[:-20])
    assert called("a.csc") == first
    assert taken == [False, False]


def test_several_files_are_no_call_of_their_last(file, taken):
    shutil.copy(file, "b.csc")
    assert main(["simulate", "a.csc", "b.csc"]) == 0
    assert not memories()


def test_a_random_seed_begins_in_vain_every_other_time_at_most(file, taken):
    text = file.read_text()
    number = text[text.index("<randomseed>") : text.index("</randomseed>")]
    file.write_text(text.replace(number, "<randomseed>generated"))
    for _ in range(2):
        called("a.csc")
    assert taken == [False, False]
    assert not memories()


def test_plain_begins_nothing(file, taken):
    for _ in range(2):
        called("a.csc", "--plain")
    assert not taken
    assert not memories()


def test_a_single_core_begins_nothing(file, taken, monkeypatch):
    called("a.csc")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    called("a.csc")
    assert taken == [False, False]


def test_a_log_that_can_t_be_written_is_the_usual_error(file, capsys):
    log = called("a.csc")
    os.unlink(LOG)
    os.mkdir(LOG)
    capsys.readouterr()
    assert main(["simulate", "a.csc"]) == 8
    assert f"can't create the log {LOG}" in capsys.readouterr().err
    assert not kernels()
    os.rmdir(LOG)
    assert called("a.csc") == log


def test_a_file_that_can_t_be_read_any_more_ends_what_has_begun(file, monkeypatch):
    called("a.csc")
    begun = []
    real = ahead.Begun
    monkeypatch.setattr(ahead, "Begun", lambda *of: begun.append(real(*of)) or begun[-1])
    file.write_text("<simconf>")
    assert main(["simulate", "a.csc"]) == 3
    assert [one.process.returncode for one in begun] == [-signal.SIGKILL]


def held(folder: Path) -> tuple[subprocess.Popen, int, Path]:
    """A kernel that holds its log back, and the end of the pipe that releases it."""
    library = compile_firmware(folder, "a", 'void cooja_tick(void) { if(first()) SAY("hello\\n"); }\n')
    text = description.of(simulation([(0, 0)], 1)).text(1, {"t": library}, "5.0")
    released, release = os.pipe()
    process = subprocess.Popen(
        [str(kernel.executable()), "--log", str(folder / LOG), "--held", str(released)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(released,),
    )
    os.close(released)
    process.stdin.write(text)
    process.stdin.close()
    return process, release, folder / LOG


def test_a_log_is_held_back_until_it_is_wanted(tmp_path):
    process, release, log = held(tmp_path)
    assert not log.exists()
    os.write(release, b"\n")
    report = json.loads(process.stdout.read())
    assert process.wait() == 0
    assert b"hello" in log.read_bytes()
    assert report["report"] == "end" and report["held_us"] >= 0
    os.close(release)
    process.stdout.close()


def test_a_log_that_nobody_wants_is_never_made(tmp_path):
    process, release, log = held(tmp_path)
    os.close(release)
    assert process.stdout.read() == b""
    assert process.wait() == 8
    assert not log.exists()
    process.stdout.close()
