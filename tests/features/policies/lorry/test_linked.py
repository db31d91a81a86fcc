# SPDX-License-Identifier: Apache-2.0
"""The policies that a scenario of lorry names: found, checked, numbered, compiled, and kept with the run."""

from __future__ import annotations

import json

import pytest

from orchestrator.applications import place
from orchestrator.build import sources
from orchestrator.errors import FaultyInput
from orchestrator.features.policies import linked
from orchestrator.features.policies.applications import EXTENSION
from orchestrator.runs.cell import as_cell
from orchestrator.runs.identity import plain
from orchestrator.scenario.load import load

SCENARIO = """experiment: own
topology: {{shape: lorry, sensors: 2, sprinklers: 1}}
radio: {{range: 20 m}}
application:
  name: lorry
  temperature-policies: {files}
duration: 5 s
seeds: 1
"""
QUIET = "Quiet\n   on C-B notify TempForFireAlarm(t)\n     0-0: true -> discard;\n"


@pytest.fixture
def scenario(tmp_path):
    def written(files, **texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.escape").write_text(text)
        path = tmp_path / "own.yaml"
        path.write_text(SCENARIO.format(files=files))
        return path

    return written


def loads_mask(cell):
    app = place.application(cell)
    facts = EXTENSION.facts(app, None, cell, app.complete(cell.application.parameters))
    return {name: bits for name, bits in facts.common.items() if name.startswith("loaded.")}


def test_files_stand_beside_the_scenario_or_are_the_papers(scenario):
    cell = load(scenario("quiet.escape figure-14-rebuilt.escape", quiet=QUIET)).cells[0]
    assert list(cell.application.policies)[:4] == [
        "figure-15.escape", "quiet.escape", "figure-14-rebuilt.escape", "figure-16.escape"
    ]  # fmt: skip
    assert cell.application.policies["quiet.escape"] == QUIET
    assert loads_mask(cell) == {
        "loaded.sprinkler-policies": 0b0001,
        "loaded.temperature-policies": 0b0110,
        "loaded.smoke-policies": 0b1000,
        "loaded.package-policies": 0b110000,
        "loaded.climate-policies": 0b1000000,
        "loaded.spare-policies": 0,
    }


def test_a_mote_is_told_which_policies_it_loads(scenario):
    cell = load(scenario("none")).cells[0]
    placed = place.place(cell)
    at = 2 + 1 + 2 + 1 + 4 * 4  # magic, role, mote, trace; seed, duration, drain and warm-up
    assert placed.images(1)[0][at : at + 12] == bytes([1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0])


def test_a_file_of_several_policies_has_a_bit_for_each():
    assert linked.numbers({"a": "A\n B-C notify", "b": f"{QUIET}\n{QUIET.replace('Quiet', 'Other')}"})[
        "b"
    ] == (0b11)


def test_the_firmware_of_other_policies_is_another(scenario):
    made = [
        place.application(load(scenario(files, quiet=QUIET)).cells[0]).made
        for files in ("none", "quiet.escape")
    ]
    one, other = (sources.collect(sources.application_folder("lorry"), each) for each in made)
    assert one.digest() != other.digest()
    assert b"quiet_on_cb_notify" in other.made["apps/lorry/policies-generated.c"]
    assert b'"Quiet"' in other.made["apps/lorry/policies-names.c"]


def test_policies_that_are_named_nowhere_are_those_of_application_yaml():
    made = sources.collect(sources.application_folder("lorry")).made
    assert b"sprinkler_policy_on_cb_subscribe" in made["apps/lorry/policies-generated.c"]


def test_a_run_is_made_again_without_the_files(scenario):
    path = scenario("quiet.escape", quiet=QUIET)
    cell = load(path).cells[0]
    path.with_name("quiet.escape").unlink()
    again = as_cell(json.loads(json.dumps(plain(cell))))
    assert again == cell
    assert place.application(again).made == place.application(cell).made


@pytest.mark.parametrize("files", ["missing.escape", "x/../../up.escape", "link.escape", "round.escape"])
def test_a_file_that_is_not_there_or_outside_of_the_folder(scenario, files, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path.parent / "up.escape").write_text(QUIET)
    (tmp_path / "link.escape").symlink_to(tmp_path.parent / "up.escape")
    (tmp_path / "round.escape").symlink_to("round.escape")
    with pytest.raises(FaultyInput) as faulty:
        load(scenario(files))
    (fault,) = faulty.value.faults
    assert fault.line == 6 and "there is no file" in fault.what and "beside the scenario" in fault.remedy


def test_what_is_no_file_of_policies(scenario):
    with pytest.raises(FaultyInput) as faulty:
        load(scenario("quiet.txt"))
    assert faulty.value.faults[0].line == 6 and "is not a file of policies" in faulty.value.faults[0].what


def test_ten_faults_of_policies_are_ten_messages_at_their_own_lines(scenario):
    wrong = QUIET + "".join(f"     0-0: strange{n}(t) -> discard;\n" for n in range(10))
    path = scenario("quiet.escape", quiet=wrong)
    with pytest.raises(FaultyInput) as faulty:
        load(path)
    faults = faulty.value.faults
    assert [fault.line for fault in faults] == list(range(4, 14))
    assert {fault.file for fault in faults} == {str(path.with_name("quiet.escape"))}
    assert all(fault.remedy for fault in faults)


def test_a_file_that_is_no_text(scenario, tmp_path):
    path = scenario("quiet.escape")
    (tmp_path / "quiet.escape").write_bytes(b"\xff\xfe")
    with pytest.raises(FaultyInput) as faulty:
        load(path)
    assert faulty.value.faults[0].file.endswith("quiet.escape") and "UTF-8" in faulty.value.faults[0].what


def test_two_policies_of_one_name(scenario):
    with pytest.raises(FaultyInput) as faulty:
        load(scenario("quiet.escape more.escape", quiet=QUIET, more=QUIET))
    assert "is the name of two policies" in faulty.value.faults[0].what
