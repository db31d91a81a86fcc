# SPDX-License-Identifier: Apache-2.0
"""Policies against the application that is to have them: what it links, and its components' topics."""

from __future__ import annotations

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import Unsupported
from orchestrator.features.policies import components
from orchestrator.features.policies.application import gather, together
from orchestrator.features.policies.c_code.table import code
from orchestrator.features.policies.checks.firmware import Components
from orchestrator.features.policies.extensions import built_in
from orchestrator.features.policies.parse import parse
from orchestrator.resources import contiki_apps

LORRY = contiki_apps() / "apps" / "lorry"
FIGURES = contiki_apps() / "policies"
POLICY = """Sensor
  on C-B notify Temp(t)
    0-0: deviateDelta(t, 5) -> accept with PushDPC;
    0-0: !deviateDelta(t, 5) -> discard;
"""


def told(text: str, modules=("push-dpc", "sampling-buffer"), advertised=("Temp",), subscribed=("Temp",)):
    known = Components(
        None if modules is None else frozenset(modules), frozenset(advertised), frozenset(subscribed)
    )
    source, faults = parse(text, "x.escape")
    found = together([source], faults, components=known)[1]
    return [
        (one.name, one.severity, one.at.line, one.what)
        for one in found
        if one.name in ("linked", "topic", "allow")
    ]


def test_what_is_linked_and_named_by_components_is_not_reported():
    assert told(POLICY) == []


def test_an_extension_that_is_not_linked_is_said_before_the_build():
    assert told(POLICY, modules=("pubsub",)) == [
        ("linked", "error", 3, "the application does not link deviateDelta"),
        ("linked", "warning", 3, "the application does not link PushDPC"),
        ("linked", "error", 4, "the application does not link deviateDelta"),
    ]
    assert told(POLICY, modules=None) == []


def test_topics_that_nobody_advertises_or_subscribes_to():
    neither = "neither a component nor a policy"
    assert told(POLICY, advertised=(), subscribed=("Other",)) == [
        ("topic", "warning", 2, f"{neither} advertises Temp"),
        ("topic", "warning", 2, f"{neither} subscribes to Temp"),
    ]
    other = "Other\n  on timer(5)\n    0-1: true -> advertise Temp; subscribe Temp; discard;\n"
    assert told(POLICY + other, advertised=(), subscribed=()) == []


def test_a_silence_of_them_is_no_fault_where_the_application_is_not_known():
    text = f"// allow topic: another firmware has it\n{POLICY}"
    assert told(text, advertised=()) == []
    source, faults = parse(text, "x.escape")
    assert "allow" not in {one.name for one in together([source], faults)[1]}


def test_the_lorrys_components_are_read_from_its_sources(tmp_path):
    found = components.read(LORRY)
    assert {"push-dpc", "secure-group"} <= found.modules
    assert "TempForFireAlarm" in found.advertised and "PackageAlarm" in found.subscribed
    files = [LORRY / "sprinkler.escape", FIGURES / "figure-14-rebuilt.escape", FIGURES / "figure-16.escape"]
    names = {one.name for one in gather(files, components=found)[1]}
    assert not names & {"linked", "topic"}
    (tmp_path / "Makefile").write_text("MODULES = pubsub \\\n  cpc # more\nMODULES += push-dpc\n")
    assert components.read(tmp_path).modules == {"pubsub", "cpc", "push-dpc"}
    (tmp_path / "Makefile").write_text("MODULES = pubsub $(MORE)\n")
    assert components.read(tmp_path).modules is None
    (tmp_path / "Makefile").write_text("CONTIKI_PROJECT = x\n")
    assert components.read(tmp_path).modules == set()
    (tmp_path / "Makefile").unlink()
    assert components.read(tmp_path).modules is None, "a store's description of an application has none"


def test_policy_check_of_an_application(capsys):
    status = main(
        ["policy", "check", str(FIGURES / "figure-17-rebuilt.escape"), "--application", "aggregation"]
    )
    said = capsys.readouterr().out
    assert status == 3
    assert "does not link deviateOrZero [linked]" in said and "MODULES += sampling-buffer" in said


def test_no_policy_at_all_is_c_that_compiles():
    """C has no empty enum."""
    application, _ = together([])
    texts = code(application, built_in())
    assert "enum" not in texts["policies-generated.h"]
    assert "policy_count = 0;" in texts["policies-generated.c"]


def test_more_time_outs_than_a_mote_has_are_refused():
    """A mote keeps eight; the others never came, without a word."""
    rules = "".join(f"  on timeout({1000 + n})\n    0-0: true -> discard;\n" for n in range(9))
    source, faults = parse(f"Many\n{rules}", "x.escape")
    application, _ = together([source], faults)
    with pytest.raises(Unsupported, match="9 time-outs"):
        code(application, built_in())
