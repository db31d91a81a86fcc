# SPDX-License-Identifier: Apache-2.0
"""Policies loaded, disabled and replaced over the network while all motes run, and what can go wrong."""

from __future__ import annotations

import polars as pl
import pytest
from lorry_runs import run, run_with_lines

from tests import needs

needs.a_compiler()
LORRY = "sensors: 4, sprinklers: 1, cab: true, attacker: true"
MOTES = 9  # 1 sprinkler, 4 sensors, climate, driver, alarm unit, attacker
ATTACKER = 9
# Policies by number: Sprinkler 0, FATemp 1, ACSTemp 2, Setting 3, Smoke 4; packages 5, 6; climate 7; spare 8.
FA_TEMP = 1


def updates(run):
    rows = run.tables.get("policy_events")
    if rows is None or "what" not in rows.columns:
        return []
    return [
        (row["mote"], row["what"], row["policy"], row["outcome"])
        for row in rows.filter(pl.col("kind") == "pup").iter_rows(named=True)
    ]


def loaded(run, policy):
    rows = run.tables["policies"].filter((pl.col("policy") == policy) & (pl.col("loaded") == 1))
    return set(rows["mote"])


def test_the_driver_disables_a_policy_on_all_motes(tmp_path):
    found = run(tmp_path, f"script: calm, update: disable, updated: {FA_TEMP}", LORRY)
    assert sorted(updates(found)) == [
        (mote, "disable", "FATempPolicy", "done") for mote in range(1, MOTES) if mote != ATTACKER
    ]
    assert loaded(found, "FATempPolicy") == set()
    assert found.counter("updates_not_ours", ATTACKER) == 1, "it hasn't the lorry's key"
    assert found.counter("policy_operations") > 0, "readings of 20 degrees reach the sprinkler from then on"


def test_a_policy_is_replaced_by_a_spare_one_on_all_motes_at_once(tmp_path):
    spare = "spare-policies: figure-03.escape"
    found = run(
        tmp_path,
        f"script: calm, {spare}, update: replace, updated: {FA_TEMP}, updated-by: 8",
        LORRY,
        trace=True,
    )
    done = updates(found)
    assert {(what, policy, outcome) for _, what, policy, outcome in done} == {
        ("replace", "FATempPolicy", "done")
    }
    assert loaded(found, "humidityVariationPolicy") == {mote for mote, *_ in done} == set(range(1, MOTES))


def test_a_spare_policy_is_loaded_on_all_motes(tmp_path):
    spare = "spare-policies: figure-03.escape"
    found = run(tmp_path, f"script: calm, {spare}, update: load, updated: 8", LORRY)
    assert loaded(found, "humidityVariationPolicy") == set(range(1, MOTES))
    assert loaded(found, "FATempPolicy") == {2, 4}, "the others stay"


def test_an_update_for_a_policy_that_is_not_there_changes_nothing(tmp_path):
    found = run(tmp_path, "script: calm, update: disable, updated: 60", LORRY)
    assert {(what, policy, outcome) for _, what, policy, outcome in updates(found)} == {
        ("disable", "60", "refused")
    }
    assert found.counter("updates_refused") == MOTES - 1 and found.counter("updates_done") == 0
    assert loaded(found, "FATempPolicy") == {2, 4}


def test_a_replacement_by_a_policy_that_is_not_there_keeps_the_old_one(tmp_path):
    found = run(tmp_path, f"script: calm, update: replace, updated: {FA_TEMP}, updated-by: 60", LORRY)
    assert {outcome for *_, outcome in updates(found)} == {"refused"}
    assert loaded(found, "FATempPolicy") == {2, 4}


def test_an_attacker_without_the_key_can_change_no_policy_of_others(tmp_path):
    found = run(tmp_path, f"script: calm, attack: disable, attack-at: 3 s, updated: {FA_TEMP}", LORRY)
    assert {mote for mote, *_ in updates(found)} == {ATTACKER}, "of its own it can"
    assert found.counter("updates_not_ours") > MOTES
    assert loaded(found, "FATempPolicy") == {2, 4}


@pytest.mark.parametrize(("reboot", "without"), [("4700 ms", False), ("5200 ms", True)])
def test_a_mote_whose_power_fails_around_an_update_has_a_defined_set(tmp_path, reboot, without):
    """An update that came before the power failed is lost with the memory: the mote loads what its image
    says. One that comes when the mote has booted again is carried out. Nothing is in between.
    """
    found = run(
        tmp_path,
        f"script: calm, update: disable, updated: {FA_TEMP}, rebooted: T1, reboot-at: {reboot}",
        LORRY,
    )
    (again,) = (mote for _, mote, text in found.lines if text == "!rev,1")
    assert again == 2
    assert loaded(found, "FATempPolicy") == ({2} if without else set())


@pytest.mark.parametrize("ms", [4900, 4950, 5000, 5005, 5010, 5020, 5050])
def test_a_mote_whose_power_fails_in_the_middle_has_the_old_policy_or_the_new_one(tmp_path, ms):
    """Never both, never neither: a replacement is one frame, carried out whole or not at all."""
    found = run(
        tmp_path,
        f"script: calm, spare-policies: figure-03.escape, update: replace, updated: {FA_TEMP}, "
        f"updated-by: 8, rebooted: T1, reboot-at: {ms} ms",
        LORRY,
    )
    old, new = (2 in loaded(found, policy) for policy in ("FATempPolicy", "humidityVariationPolicy"))
    assert old != new
    others = set(range(1, MOTES)) - {2}
    assert loaded(found, "humidityVariationPolicy") - {2} == others


def test_a_package_that_booted_again_is_believed(tmp_path):
    """Its numbers go on above those of the boot before; otherwise others took its readings for replayed."""
    found = run(
        tmp_path,
        "script: warm-then-opened, near: G1, event-at: 1 s, rebooted: G1, reboot-at: 12 s",
        f"{LORRY}, packages: 2",
        seconds=40,
    )
    assert found.counter("group_replayed") == 0
    assert len(found.said("alarm sent: package")) == 1


LOAD = "script: calm, spare-policies: figure-03.escape, update: load, updated: 8"
SPARE, DRIVER = "humidityVariationPolicy", 7


def screen(run):
    """What the driver reads of its update."""
    return [text for _, _, text in run.lines if text.startswith("update:")]


def test_the_driver_knows_who_has_acted(tmp_path):
    found = run(tmp_path, f"{LOAD}, awaited: 8", LORRY)
    assert screen(found) == ["update: done by 7, refused by 0, 0 silent"]
    assert found.counter("updates_answered", DRIVER) == 7
    assert found.counter("updates_repeated") == found.counter("updates_unanswered") == 0


def test_a_refusal_is_answered_too(tmp_path):
    found = run(tmp_path, "script: calm, update: load, updated: 60, awaited: 8", LORRY)
    assert screen(found) == ["update: done by 0, refused by 7, 0 silent"]


def test_a_mote_that_never_answers_is_asked_again_and_named(tmp_path):
    """The attacker hasn't the key, so it can neither act nor answer."""
    found = run(tmp_path, f"{LOAD}, awaited: {ATTACKER}", LORRY, seconds=120)
    assert screen(found) == [
        "update: done by 7, refused by 0, 1 silent",
        f"update: mote {ATTACKER} is silent",
    ]
    assert found.counter("updates_repeated", DRIVER) == 4, "rounds"
    assert found.counter("updates_unanswered", DRIVER) == 1
    assert found.counter("updates_done") == 8, "nobody carries it out twice"


def test_a_mote_that_is_off_during_an_update_is_asked_until_it_has_it(tmp_path):
    found = run(
        tmp_path, f"{LOAD}, awaited: 8, rebooted: T1, reboot-at: 4 s, off-for: 12 s", LORRY, seconds=40
    )
    ((back, mote),) = found.said("!rev,1")
    acted = found.tables["policy_events"].filter((pl.col("kind") == "pup") & (pl.col("mote") == mote))
    assert mote == 2 and [time > back for time in acted["time_us"]] == [True]
    assert SPARE in set(found.tables["policies"].filter(pl.col("mote") == 2)["policy"])
    assert screen(found) == ["update: done by 7, refused by 0, 0 silent"]


@pytest.mark.parametrize("awaited", [0, 8])
def test_a_mote_that_loses_its_power_afterwards_gets_the_update_again(tmp_path, awaited):
    """It is kept in RAM: until the driver tells of it, the mote has what its image says."""
    found = run(tmp_path, f"{LOAD}, awaited: {awaited}, rebooted: T1, reboot-at: 20 s", LORRY, seconds=60)
    ((back, mote),) = found.said("!rev,1")
    acted = found.tables["policy_events"].filter((pl.col("kind") == "pup") & (pl.col("mote") == mote))
    assert [time > back for time in acted["time_us"].sort()] == [False, True]
    assert loaded(found, SPARE) == set(range(1, MOTES))


def test_an_update_of_a_driver_that_lost_its_power_ends_with_it(tmp_path):
    """Motes keep what they have, and the driver's next update is a new one."""
    found = run(
        tmp_path, f"{LOAD}, rebooted: D, reboot-at: 20 s, off-for: 5 s, awaited: 8", LORRY, seconds=45
    )
    assert loaded(found, SPARE) == set(range(1, MOTES))
    acted = found.tables["policy_events"].filter((pl.col("kind") == "pup") & (pl.col("mote") == 2))
    assert acted.height == 2, "before and after"


def test_a_line_at_a_motes_serial_port_is_an_update(tmp_path):
    """By command to a mote, and by it to all."""
    typed = {2: "policy disable 1", 3: "policy load 8 at all", 4: "policy load 8 at nobody"}
    found = run_with_lines(
        tmp_path, typed, LORRY, "script: calm, spare-policies: figure-03.escape", seconds=20
    )
    assert loaded(found, "FATempPolicy") == {4}
    assert loaded(found, SPARE) == set(range(1, MOTES))


def test_all_motes_of_the_largest_lorry_answer(tmp_path):
    """More than there are places in a flood's or a way's table, and all in reach of each other."""
    found = run(tmp_path, f"{LOAD}, awaited: 123", "sensors: 118, sprinklers: 2, cab: true", seconds=40)
    assert screen(found) == ["update: done by 122, refused by 0, 0 silent"]
    assert found.counter("updates_repeated") < 10
