# SPDX-License-Identifier: Apache-2.0
"""Pattern files: every fault at once with its line; ready-made sets that go together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from orchestrate_spark.profiles import STATES, profiles

from orchestrator.cli import app
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.patterns import load
from orchestrator.features.patterns.schema import schema
from orchestrator.scenario.load import loads

FAULTS = [
    ("events: {a: {match: 'x(?=y)'}}", 1, "looks ahead"),
    ("events: {a: {match: '(?P<n>x)\\1'}}", 1, "refers back"),
    ("events: {a: {match: 'x*+y'}}", 1, "possessive"),
    ("events:\n  a: {match: '.*'}", 2, "matches every line"),
    ("events:\n  a:\n    match: '(?P<n>[0-9]+'", 3, "missing )"),
    ("events: {a: {match: '([0-9]+)'}}", 1, "without a name"),
    ("events: {a: {match: '(?P<n>a{1,2000})'}}", 1, "too often"),
    ("events: {a: {match: '(?P<mote>[0-9]+)'}}", 1, "can't be called"),
    ("events: {a: {match: '(?P<n>a)|(?P<n>b)'}}", 1, "two groups n"),
    ("events: {a: {match: 'x', fields: {n: int}}}", 1, "no group 'n'"),
    ("events: {a: {match: 'x(?P<n>[0-9])', fields: {n: integer}}}", 1, "no type"),
    ("events: {a: {fields: {}}}", 1, "no match"),
    ("events: {A: {match: x}}", 1, "not a valid name"),
    ("events: {a: {match: x, mote: n}}", 1, "type node"),
    ("events: {a: {match: x}}\nevent: {}", 2, "unknown"),
    ("events: {a: {match: x}}\ndeliveries: {d: {sent: a, received: b, key: mote}}", 2, "no event 'b'"),
    ("events: {a: {match: x}}\ndeliveries: {d: {sent: a, received: a}}", 2, "no key"),
    (
        "events: {a: {match: x}}\ndeliveries: {d: {sent: a, received: a, key: {mote: seq}}}",
        2,
        "no group 'seq'",
    ),
    ("events: {a: {match: x}}\ndeliveries: {d: {sent: a, received: a, key: mote, within: 5}}", 2, "no unit"),
    ("events: {a: {match: x}}\nmetrics: {m: {event: a, value: n}}", 2, "no group 'n'"),
    ("events: {a: {match: 'x(?P<w>.)'}}\nmetrics: {m: {event: a, value: w}}", 2, "not a number"),
    ("events: {a: {match: x}}\nmetrics: {m: {event: a, value: __import__('os')}}", 2, "more than names"),
    ("events: {a: {match: x}}\nmetrics: {m: {event: a, value: 1 +}}", 2, "no arithmetic"),
    ("events: {a: {match: x}}\nmetrics: {m: {event: a, statistic: mean}}", 2, "that of a value"),
    ("events: {a: {match: x}}\nmetrics: {m: {event: a, statistic: median}}", 2, "unknown"),
    ("events: {a: {match: x}}\nmetrics: {delay_ms: {event: a}}", 2, "built-in metric"),
    ("events: {a: {match: x}}\nenergy: {e: {event: a, states: {flying: 1}, whole: 1}}", 2, "not a state"),
    ("events: {a: {match: x}}\nenergy: {e: {event: a, states: {cpu: 1}}}", 2, "no whole"),
    ("events: {a: {match: x}}\nprofile: cc9999", 2, "no profile"),
    ("events: {a: {match: x}}\nuse: nothing-like-it", 2, "no patterns 'nothing-like-it'"),
    ("events: {a: {match: x}}\nuse: ./absent.yaml", 2, "absent.yaml"),
    ("events: {a: {match: x}}\nlines: syslog", 2, "no known form"),
    ("events: {a: {match: x}}\nlines: {match: '(?P<time>.)(?P<text>.)', time: s}", 2, "no group mote"),
    (
        "events: {a: {match: x}}\nlines: {match: '(?P<time>.)(?P<text>.)', time: noon, mote: 1}",
        2,
        "form of times",
    ),
    ("title: nothing", 1, "no patterns"),
    ("events: {a: {match: x}}\nuse: rpl-udp\nmetrics: {not_reachable: {event: a}}", 3, "is there already"),
]


@pytest.mark.parametrize(("text", "line", "what"), FAULTS)
def test_each_fault_has_its_line(tmp_path, text, line, what):
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FaultyInput) as error:
        load.load([str(tmp_path / "p.yaml")])
    found = [(fault.line, fault.what) for fault in error.value.faults]
    assert any(at == line and what in said for at, said in found), found


@pytest.mark.parametrize("pattern", [r"\*+ x", r"[*+?]+x", r"\(?=x", r"\\1 x", r"a{2}\+x"])
def test_what_only_looks_like_a_reference_is_a_pattern(tmp_path, pattern):
    (tmp_path / "p.yaml").write_text(f"events: {{a: {{match: '{pattern}'}}}}", encoding="utf-8")
    assert load.load([str(tmp_path / "p.yaml")]).spec["events"]["a"]["match"] == pattern


def test_all_faults_of_all_files_come_at_once(tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(
            "events: {x: {match: '('}}\nmetrics: {m: {}}", encoding="utf-8"
        )
    call = [
        "log",
        "try",
        str(tmp_path / "a.yaml"),
        str(tmp_path / "b.yaml"),
        "--log",
        str(tmp_path / "a.yaml"),
    ]
    assert app.main(call) == 3
    said = capsys.readouterr().err
    assert all(f"{name}.yaml:{line}:" in said for name in "ab" for line in (1, 2))


def test_what_is_not_there_is_no_such_thing(tmp_path):
    for given in ("no-such-set", str(tmp_path / "absent.yaml")):
        with pytest.raises(NoSuchThing):
            load.load([given])
    with pytest.raises(NoSuchThing):
        load.load(["powertrace"], profile="cc9999")


def test_ready_made_sets_go_together_and_fit_the_schema():
    found = load.load(list(load.sets()))
    assert set(found.names) == set(load.sets()) and all(load.sets().values())
    check = Draft202012Validator(schema())
    for path in load.SETS.glob("*.yaml"):
        assert not list(check.iter_errors(yaml.safe_load(path.read_text(encoding="utf-8")))), path.name


def test_a_profile_gives_energy_its_currents(tmp_path):
    (tmp_path / "p.yaml").write_text(
        "use: powertrace\nprofile: mine\nprofiles:\n"
        "  mine: {volts: 2.5, currents-ma: {transmit: 10, listen: 5.5}}",
        encoding="utf-8",
    )
    (energy,) = load.load([str(tmp_path / "p.yaml")]).spec["energy"].values()
    assert energy["profile"] == {
        "title": "mine",
        "volts": 2.5,
        "currents_ma": {"transmit": 10.0, "listen": 5.5},
    }
    (energy,) = load.load([str(tmp_path / "p.yaml")], profile="cc2420").spec["energy"].values()
    assert energy["profile"]["currents_ma"]["listen"] == 18.8


@pytest.mark.parametrize("name", ["cc2420", "cc2538", "cc2650", "nrf52840"])
def test_platforms_have_currents_of_all_states_and_a_source(name):
    profile = profiles()[name]
    assert set(profile.currents_ma) == set(STATES) and profile.source and 2 <= profile.volts <= 4


SCENARIO = """
experiment: e
topology: {shape: chain, publishers: 2, spacing: 5 m}
radio: {medium: udgm, range: 50 m}
application: {name: aggregation, rate: high, aggregate: true}
duration: 1 min
seeds: 1..2
"""


def test_a_scenario_names_patterns_and_its_runs_stay_the_same(tmp_path):
    (tmp_path / "p.yaml").write_text("events: {a: {match: x}}", encoding="utf-8")
    plain = loads(SCENARIO, "s.yaml", tmp_path)
    for written in ("./p.yaml", "[rpl-udp, ./p.yaml]", "{use: powertrace, profile: cc2538}"):
        scenario = loads(f"{SCENARIO}log: {written}\n", "s.yaml", tmp_path)
        assert scenario.extra["log"].spec["events"] and scenario.cells == plain.cells
    for written in ("./absent.yaml", "{}", "{profile: cc2538}", "[nonsense]", "{use: rpl, profile: x}"):
        with pytest.raises(FaultyInput) as error:
            loads(f"{SCENARIO}log: {written}\n", "s.yaml", tmp_path)
        assert {fault.line for fault in error.value.faults} == {8}


WITHOUT_POLARS = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == "polars":
            raise ModuleNotFoundError(f"No module named {name}", name=name)

sys.meta_path.insert(0, Absent())
from orchestrator.cli.app import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "call", [["schema"], ["schema", "patterns"], ["log", "sets"], ["validate", "s.yaml"]]
)
def test_what_reads_no_lines_needs_no_polars(tmp_path, call):
    """It is the extra `patterns`; the schema of scenarios, among others, is for everybody."""
    (tmp_path / "s.yaml").write_text(f"{SCENARIO}log: rpl-udp\n", encoding="utf-8")
    command = [sys.executable, "-c", WITHOUT_POLARS, *call]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_faults_of_a_scenarios_pattern_file_have_the_files_lines(tmp_path):
    (tmp_path / "p.yaml").write_text("events:\n  a: {match: '('}", encoding="utf-8")
    with pytest.raises(FaultyInput) as error:
        loads(f"{SCENARIO}log: ./p.yaml\n", "s.yaml", tmp_path)
    assert [(Path(fault.file).name, fault.line) for fault in error.value.faults] == [("p.yaml", 2)]
