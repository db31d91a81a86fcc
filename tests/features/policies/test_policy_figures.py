# SPDX-License-Identifier: Apache-2.0
"""The paper's figures are policies of the language; the checks find what is wrong with them; they run."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from both_ways import CLOCK, MIDDLEWARE, STRICT
from random_policies import policies

from orchestrator.features.policies.application import gather, read, sound
from orchestrator.features.policies.c_code.table import code
from orchestrator.features.policies.extensions import built_in
from orchestrator.features.policies.formatter import formatted
from orchestrator.features.policies.interpreter import Event, Node
from orchestrator.features.policies.manager import Manager
from orchestrator.features.policies.model import Point
from orchestrator.features.policies.parse import parse
from orchestrator.features.policies.strict import refused
from orchestrator.resources import contiki_apps
from tests.waiting import HANG_S

FOLDER = contiki_apps() / "policies"
# Figure -> lines on which Figure 5 refuses something, and what the checks find (line, name).
REFUSED = {
    "03": [9, 13, 15, 19, 20],
    "15": [4, 5, 6, 7],
    "16": [4],
    "18": [2, 2, 5],
    "19": [4, 5, 16, 19, 21, 23],
    "20": [],
}
FOUND = {
    "03": {(15, "order"), (19, "timeout-outcome"), (20, "timeout-outcome"), (19, "end")},
    "11-rebuilt": set(),
    "14-rebuilt": set(),
    "15": {(16, "end")},
    "16": {(9, "undeclared")},
    "17-rebuilt": {(2, "share")},
    "18": {(2, "share")},
    "19": {(9, "undefined"), (9, "undeclared"), (11, "undefined"), (21, "period"), (22, "end")},
    "20": {
        *((line, "undeclared") for line in (4, 5, 10, 11)),
        (9, "undefined"),
        (9, "unused"),
        (14, "gap"),
    },
}


def figure(number: str):
    return FOLDER / f"figure-{number}.escape"


@pytest.mark.parametrize("number", REFUSED)
def test_figure_5_refuses_constructs_of_the_other_figures(number):
    source, faults = read(figure(number))
    assert not faults
    assert [one.at.line for one in refused(figure(number).read_text(), source)] == REFUSED[number]


@pytest.mark.parametrize("number", FOUND)
def test_the_checks_find_what_is_wrong_with_a_figure(number):
    pytest.importorskip("z3", reason="the extra `smt` isn't installed; without it gaps are bounded")
    _, found = gather([figure(number)])
    assert {(one.at.line, one.name) for one in found} == FOUND[number]
    assert not [one for one in found if one.severity == "error"]


def test_the_gap_of_figure_20_is_one_encrypted_field():
    _, found = gather([figure("20")])
    (gap,) = [one.what for one in found if one.name == "gap"]
    assert gap.endswith("as with EC.test(e_node_id, K_g) = 1, EC.test(e_t_value, K_g) = 0")


@pytest.mark.parametrize("number", FOUND)
def test_a_formatted_figure_says_the_same_and_stays_as_it_is(number):
    source, _ = read(figure(number))
    text = formatted(figure(number).read_text(), source)
    again, faults = parse(text, str(figure(number)))
    assert not faults
    assert again.policies == source.policies
    assert formatted(text, again) == text
    assert text.count("\\\\") == figure(number).read_text().count("\\\\")


def test_formatted_policies_by_chance_say_the_same():
    for seed in range(4):
        source, _ = parse(policies(seed, 2), "x.escape")
        text = formatted(policies(seed, 2), source)
        again, faults = parse(text, "x.escape")
        assert not faults
        assert again.policies == source.policies
        assert formatted(text, again) == text


def test_all_figures_compile_together_without_a_warning(tmp_path):
    compiler = shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    application, _ = sound([figure(number) for number in FOUND])
    for name, text in code(application, built_in()).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "contiki.h").write_text(CLOCK)
    for name, text in {
        "policy-application.h": "int16_t policy_get_data(void); void policy_send_alert(void);",
        "sampling-buffer.h": "bool sampling_buffer_deviate_delta(int16_t, int16_t);"
        "bool sampling_buffer_deviate_or_zero(int16_t, int16_t, int16_t);",
        "secure-group.h": "#define SECURE_GROUP_KEY 1\n"
        "struct policy_sealed secure_group_encrypt(int16_t, uint8_t);"
        "bool secure_group_test(struct policy_sealed, uint8_t);"
        "int16_t secure_group_decrypt(struct policy_sealed, uint8_t);",
    }.items():
        (tmp_path / name).write_text(text + "\n")
    source = tmp_path / "policies-generated.c"
    command = [compiler, *STRICT, f"-I{tmp_path}", f"-I{MIDDLEWARE}", "-fsyntax-only", source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr


def manager(number: str, call=None) -> Manager:
    application, _ = sound([figure(number)])
    return Manager(application, node=Node(number=7, call=call or (lambda function, arguments: 0)))


def happen(of: Manager, where: str, *values) -> bool:
    direction, operation, topic = where.split()
    return of.event(Event(Point(direction, operation, topic), list(values)))


def operations(of: Manager) -> list[str]:
    return [one.where for one in of.told if one.what == "operation"]


def test_figure_3_notifies_an_excess_and_alerts_after_silence():
    calls = []
    of = manager("03", lambda function, arguments: calls.append(function.name) or 0)
    taken = [happen(of, "C-B notify Humidity", value) for value in (20, 30, 41, 30)]
    assert taken == [False, False, True, True]
    assert operations(of) == ["C-B notify Excess"] * 2
    of.advance(4999)
    assert not calls
    of.advance(20000)
    assert calls == ["sendAlert"]
    assert of.policies[0].policy.states[of.policies[0].state] == "2"


def test_figure_15_asks_for_smoke_before_it_gives_the_alarm():
    of = manager("15")
    assert happen(of, "C-B subscribe FireAlarm")
    assert operations(of) == [
        "C-B advertise FireAlarm",
        "C-B advertise GetSmokeReading",
        "C-B subscribe TempForFireAlarm",
        "C-B subscribe Smoke",
    ]
    assert not happen(of, "B-C notify TempForFireAlarm", 60)
    assert not happen(of, "B-C notify Smoke", 0)
    assert not happen(of, "B-C notify TempForFireAlarm", 61)
    assert not happen(of, "B-C notify Smoke", 1)
    assert operations(of)[4:] == ["C-B notify GetSmokeReading"] * 2 + ["C-B notify FireAlarm"]
    assert of.told[-2].extensions == ("ReliableCPC", "PushDPC")


def test_figure_19_gives_an_alarm_unless_another_package_is_warmer_too():
    for other, alarms in ((None, 1), (7, 1), (8, 0)):
        of = manager("19", lambda function, arguments: 1)
        happen(of, "C-B advertise PackageTemperature", 20, 7)
        assert happen(of, "C-B notify PackageTemperature", 40, 7)
        if other:
            assert not happen(of, "B-C notify PackageTemperature", 40, other)
        of.advance(5000)
        assert operations(of).count("C-B notify PackageAlarm") == alarms


def test_figure_20_lets_a_half_encrypted_notification_pass():
    """The case that neither of its rules has: it goes on as without the policy."""

    def call(function, arguments):
        if function.name == "EC.encrypt":
            return bytes([arguments[0] & 255, 0xEC] + [0] * 6)
        return arguments[0][1] == 0xEC if function.name == "EC.test" else arguments[0][0]

    of = manager("20", call)
    sealed, other = bytes([5, 0xEC] + [0] * 6), bytes(8)
    event = Event(Point("B-extB", "notify", "PackageTemperature"), [5, 7])
    assert of.event(event)
    assert event.arguments == [sealed, bytes([7, 0xEC] + [0] * 6)]
    assert happen(of, "extB-B notify PackageTemperature", sealed, sealed)
    assert not happen(of, "extB-B notify PackageTemperature", other, other)
    assert happen(of, "extB-B notify PackageTemperature", sealed, other)
