# SPDX-License-Identifier: Apache-2.0
"""A .csc is read once; then what reading gave is remembered, until anything that it was made of changes."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

from orchestrator.build import cache
from orchestrator.csc import read as csc
from orchestrator.csc.write import write
from orchestrator.engines.embedded import description, remembered
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import FaultyInput, NoSuchThing
from tests import needs
from tests.engines.engine_firmware import simulation

needs.a_compiler()

SCRIPT = "TIMEOUT(%d);\nwhile (true) {\n  log.log(time + ' ' + msg + '\\n');\n  YIELD();\n}\n"
POSITIONS = "0 %d.0 1.0 2.0\n"
LIBRARY = {"t": Path("t.cooja")}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder of .csc files. It stands for files that were there long before the program began."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(remembered, "_BEGAN_NS", time.time_ns() + 10**12)
    return tmp_path


@pytest.fixture
def readings(monkeypatch) -> list[Path]:
    """The files that were read in full."""
    files: list[Path] = []

    def reading(file, *given):
        files.append(file)
        return in_full(file, *given)

    in_full = csc.read
    monkeypatch.setattr(csc, "read", reading)
    return files


def written(folder: Path, script: str = SCRIPT % 5000, plugins: str = "") -> Path:
    """Write a .csc with that script, and with more plugins behind its own."""
    simulated = simulation([(0, 0), (10, 0)])
    start, rest = write(simulated).decode().split("<script>")
    end = rest.split("</script>", 1)[1]
    text = f"{start}<script><![CDATA[{script}]]></script>{end}".replace("</simconf>", f"{plugins}</simconf>")
    (folder / "a.csc").write_text(text, encoding="utf-8")
    return folder / "a.csc"


def texts(file: Path, *folders: Path) -> bytes:
    """What the kernel gets: as it is remembered, or read again; and as it is read in full."""
    found = remembered.read(file, *folders).text(7, LIBRARY, "5.0")
    assert found == description.described(csc.read(file, *folders)).text(7, LIBRARY, "5.0")
    return found


def memories() -> list[Path]:
    return list((cache.cache_folder() / "simulations").glob("*"))


def test_the_second_time_nothing_is_read(folder, readings):
    file = written(folder)
    first, again = remembered.read(file), remembered.read(file)
    assert readings == [file]
    for name in ("seed", "mote_types", "setting", "motes", "javascript"):
        assert getattr(again, name) == getattr(first, name), name
    assert again.simulation() == first.simulation()
    assert again.text(-3, LIBRARY, "2026.07") == first.text(-3, LIBRARY, "2026.07")
    assert b"\nseed -3\n" in again.text(-3, LIBRARY, "2026.07")


def test_the_seed_generated_is_none(folder):
    file = written(folder)
    file.write_text(file.read_text().replace("<randomseed>1<", "<randomseed>generated<"))
    assert [remembered.read(file).seed for _ in range(2)] == [None, None]


def test_a_packed_file(folder, readings):
    plain = written(folder)
    packed = folder / "a.csc.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert texts(packed) == texts(packed) == texts(plain)
    assert readings.count(packed) == 3, "once for the memory, and each time for the comparison"


def test_the_same_bytes_under_another_ending_are_another_file(folder):
    (packed := folder / "a.csc.gz").write_bytes(gzip.compress(written(folder).read_bytes()))
    remembered.read(packed)
    with pytest.raises(FaultyInput):
        remembered.read(packed.rename(folder / "b.csc"))


def test_a_change_of_the_file(folder):
    before = texts(written(folder))
    assert texts(written(folder, SCRIPT % 6000)) != before
    assert texts(written(folder)) == before


def script_file(folder: Path, named: str) -> Path:
    file = written(folder)
    start, rest = file.read_text().split("<script>")
    file.write_text(f"{start}<scriptfile>{named}</scriptfile>{rest.split('</script>', 1)[1]}")
    return file


def test_a_change_of_a_script_file(folder, readings):
    file, script = script_file(folder, "[CONFIG_DIR]/own.js"), folder / "own.js"
    script.write_text(SCRIPT % 5000)
    before = texts(file)
    assert texts(file) == before
    assert len(readings) == 3
    script.write_text(SCRIPT % 6000)
    assert texts(file) != before
    script.unlink()
    with pytest.raises(FaultyInput):
        remembered.read(file)


def test_a_script_file_in_another_tree(folder):
    file = script_file(folder, "[CONTIKI_DIR]/own.js")
    for number, tree in enumerate((folder / "one", folder / "other")):
        tree.mkdir()
        (tree / "own.js").write_text(SCRIPT % (5000 + number))
    one = texts(file, folder / "one")
    assert texts(file, folder / "other") != one
    assert texts(file, folder / "one") == one
    with pytest.raises(FaultyInput):
        remembered.read(file)


def test_a_change_of_positions(folder):
    (folder / "p.dat").write_text(POSITIONS % 1)
    plugin = (
        "<plugin>org.contikios.cooja.plugins.Mobility<plugin_config>"
        "<positions>[CONFIG_DIR]/p.dat</positions></plugin_config></plugin>"
    )
    before = texts(file := written(folder, plugins=plugin))
    assert b"move 0 1000000" in before
    (folder / "p.dat").write_text(POSITIONS % 2)
    assert texts(file) != before


@pytest.mark.parametrize("part", ["described.py", "interpreter.py", "read.py", "pass.js"])
def test_a_change_of_the_program(folder, readings, monkeypatch, part):
    file = written(folder)
    remembered.read(file)
    status = os.stat

    def newer(path, *more, **options):
        found = status(path, *more, **options)
        if str(path).endswith(f"/{part}"):
            return os.stat_result(found, {"st_mtime_ns": found.st_mtime_ns, "st_ctime_ns": 1})
        return found

    monkeypatch.setattr(remembered.os, "stat", newer)
    remembered.read(file)
    assert len(readings) == 2


def test_a_damaged_memory_is_read_anew(folder, readings):
    file = written(folder)
    before = texts(file)
    (memory,) = memories()
    whole = memory.read_bytes()
    for damaged in (whole.replace(b"start-delay", b"start-delax"), whole[:-1], b""):
        memory.write_bytes(damaged)
        assert remembered.read(file).text(7, LIBRARY, "5.0") == before
    assert memory.read_bytes() == whole
    assert readings.count(file) == 5


def test_faults_come_each_time(folder):
    file = written(folder)
    file.write_text(file.read_text().replace("<randomseed>", "<randomsaed>"))
    for _ in range(2):
        with pytest.raises(FaultyInput):
            remembered.read(file)
    with pytest.raises(NoSuchThing):
        remembered.read(folder / "missing.csc")
    assert not memories()


def test_a_cache_that_can_t_be_written(folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
    file = written(folder)
    assert texts(file) == texts(file)


FAILS = (
    "var s;\nTIMEOUT(1000);\nwhile (true) { log.log(msg + '\\n'); if (time > 500000) { s.trim(); } YIELD(); }"
)
TALKS = 'void cooja_tick(void) { if(first() || due()) { SAY("still here\\n"); etimer(100); } }'


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("script", [SCRIPT % 1000, FAILS, None], ids=["any", "fails", "ours"])
def test_a_remembered_file_runs_as_it_did_the_first_time(embedded, firmware, folder, readings, script, plain):
    file, log, library = written(folder, script or ""), folder / "COOJA.testlog", firmware(TALKS)
    if script is None:
        file.write_bytes(write(simulation([(0, 0)], success="never printed")))
    engine = EmbeddedEngine(embedded.kernel, plain)
    ended = []
    for _ in range(2):
        result = run_one(engine, Job(engine.read(file), 1, {"t": library}, log))
        ended.append((result.outcome, result.sim_us, result.events, result.evidence, log.read_bytes()))
    assert ended[0] == ended[1]
    assert len(readings) == (1 if script == SCRIPT % 1000 else 2), "the others need it whole to say why"
    assert any("still here" in line or "TypeError" in line for line in ended[0][3]), ended[0][3]
    assert b"still here" in ended[0][4]
