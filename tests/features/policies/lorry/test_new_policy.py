# SPDX-License-Identifier: Apache-2.0
"""A policy that isn't in the firmware comes to motes while they run: spread, verified, swapped in."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from lorry_runs import Run, run_cell

from orchestrator.applications import place
from orchestrator.errors import FaultyInput
from orchestrator.resources import contiki_apps
from orchestrator.runs.cell import as_cell
from orchestrator.runs.identity import plain
from orchestrator.scenario.load import load
from tests import needs

needs.a_compiler()
LORRY = contiki_apps() / "apps" / "lorry"
SENT_S, BROKEN_S = 12, 22  # the warm-up and the times in update.yaml
DRIVER, ATTACKER = 12, 14
AWAY = {3, 5}  # T1, T2
TWO = "\n".join(f"{name}\n on C-B notify Smoke\n  0-0: true -> accept;" for name in "AB")
MOTES = set(range(1, ATTACKER + 1))


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("update")
    return {cell.name: run_cell(folder / cell.name, cell) for cell in load(LORRY / "update.yaml").cells}


def programs(run: Run, outcome: str) -> dict[int, int]:
    """When each mote took or refused a program; it verifies each once."""
    rows = run.tables["policy_events"].filter(
        (pl.col("kind") == "pup") & (pl.col("what") == "code") & (pl.col("outcome") == outcome)
    )
    assert rows["mote"].is_unique().all() and set(rows["policy"]) <= {"bytecode"}
    return dict(rows.select("mote", "time_us").iter_rows())


def readings(run: Run, begin_us: int, end_us: int) -> int:
    """How many readings left their motes in that time."""
    rows = run.tables["events"].filter(
        (pl.col("kind") == "pub")
        & pl.col("subject").str.starts_with("TempFo")
        & pl.col("time_us").is_between(begin_us, end_us)
    )
    return rows.height


def test_all_motes_take_it_and_do_as_it_says(ran):
    """Four sensors, a reading each 400 ms; the policy lets one of ten go when it is cold."""
    taken = programs(ran["taken"], "done")
    assert set(taken) == MOTES and min(taken.values()) == taken[DRIVER] > SENT_S * 1_000_000
    last = max(taken.values())
    before = readings(ran["taken"], 4_000_000, 8_000_000)
    after = readings(ran["taken"], last + 4_000_000, last + 8_000_000)
    assert before == 40 and after == 4
    assert ran["taken"].counter("code_refused") == 0


def test_every_mote_refuses_a_broken_one_and_the_last_good_one_stays(ran):
    """The attacker spreads a newer program that lacks its last octet."""
    found = ran["broken"]
    refused = programs(found, "refused")
    assert set(refused) == MOTES - {ATTACKER} and min(refused.values()) > BROKEN_S * 1_000_000
    assert set(programs(found, "done")) == MOTES
    last = max(refused.values())
    assert readings(found, last, last + 8_000_000) in (7, 8, 9), "as the good one says"
    assert found.counter("code_damaged") == 0, "its code was right: the verifier refused it"


def test_motes_that_were_off_meanwhile_get_it_when_they_are_back(ran):
    found = ran["away"]
    back = {mote: time for time, mote, text in found.lines if text == "!rev,1"}
    taken = programs(found, "done")
    assert set(back) == AWAY and set(taken) == MOTES
    assert all(taken[mote] > back[mote] > taken[DRIVER] for mote in AWAY)


def test_a_mote_that_loses_its_power_gets_the_program_again(tmp_path):
    """Programs are kept in RAM: without others it would have none."""
    text = (LORRY / "update.yaml").read_text()
    text = text.replace("script: calm", "script: calm\n  rebooted: T1\n  reboot-at: 25 s")
    found = run_cell(tmp_path / "run", load(scenario(tmp_path, text)).cells[0])
    rows = found.tables["policy_events"].filter((pl.col("kind") == "pup") & (pl.col("mote") == 3))
    first, again = rows["time_us"].sort()
    ((back, mote),) = found.said("!rev,1")
    assert mote == 3 and first < back < again


def scenario(folder, text):
    shutil.copy(LORRY / "cool.escape", folder)
    path = folder / "update.yaml"
    path.write_text(text)
    return path


def test_a_run_is_made_again_without_the_file_of_its_program(tmp_path):
    cell = load(scenario(tmp_path, (LORRY / "update.yaml").read_text())).cells[0]
    (tmp_path / "cool.escape").unlink()
    again = as_cell(json.loads(json.dumps(plain(cell))))
    assert again == cell
    program = bytes.fromhex(cell.application.parameters["new-policy"])
    assert 20 < len(program) < 100
    assert place.place(cell).images(1)[0].endswith(bytes([len(program)]) + program)
    assert place.application(again).made == place.application(cell).made


def test_firmware_without_updates_has_no_place_for_a_program(tmp_path):
    text = (LORRY / "update.yaml").read_text()
    with_it, without = (
        place.application(load(scenario(tmp_path, one)).cells[0]).made
        for one in (text, text.replace("update: code", "update: load"))
    )
    name = "policies-generated.c"
    assert b"bytecode" in with_it[name] and b"bytecode" not in without[name]


@pytest.mark.parametrize(
    ("file", "text", "line", "what"),
    [
        ("missing.escape", None, 17, "there is no file 'missing.escape'"),
        ("cool.txt", None, 17, "is not a file of policies"),
        ("none", None, 17, "none is named"),
        ("two.escape", TWO, 1, "holds 2 policies"),
        ("own.escape", "A\n on C-B notify Own\n  0-0: true -> accept;\n", 0, "the firmware has no topic Own"),
        ("wrong.escape", "A\n on C-B notify Smoke\n  0-0: strange(1) -> accept;\n", 3, "strange"),
    ],
)  # fmt: skip
def test_what_can_not_be_a_program_is_a_fault_of_the_scenario(tmp_path, file, text, line, what):
    if text is not None:
        (tmp_path / file).write_text(text)
    changed = (LORRY / "update.yaml").read_text().replace("cool.escape", file)
    with pytest.raises(FaultyInput) as faulty:
        load(scenario(tmp_path, changed))
    found = {(fault.line, fault.what) for fault in faulty.value.faults}
    assert any(at == line and what in said for at, said in found), found
