# SPDX-License-Identifier: Apache-2.0
"""A manifest is read once: what is wrong is named, all of it, and what older ones lack has its default."""

import json

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.runs.manifest import parse, read
from orchestrator.runs.model import OnTestbed, Outcome
from orchestrator.runs.spec import Built
from orchestrator.topology.model import Node
from tests.manifests import content, parameters


def test_every_fault_is_named_at_once(tmp_path):
    bad = content(
        seed="1",
        outcome="odd",
        evidence=[1],
        host="here",
        firmware={"a": None},
        engine={"name": "embedded", "version": "1"},
        statistics={"sim_us": True, "wall_s": 1, "events": 0, "peak_memory": 0},
        motes=[{"mote": "1"}],
        parameters=parameters(duration_us=1.5, topology=[], radio={"range": 3}),
        built={"source": "embedded", "tool": "x"},
    )
    del bad["log_sha256"]
    (tmp_path / "manifest.json").write_text(json.dumps(bad))
    with pytest.raises(StorageFailed) as raised:
        read(tmp_path / "manifest.json", "remove it")
    said, remedy = str(raised.value).split("\n")
    assert remedy == "    remove it" and said.startswith(
        f"{tmp_path}/manifest.json: not a readable manifest: "
    )
    for fault in (
        "seed is '1'",
        "log_sha256 is missing",
        "host is 'here'",
        "outcome: 'odd' is not a valid Outcome",
        "evidence: not a list of texts",
        "firmware: not texts by name",
        "engine: rules is missing",
        "statistics: sim_us is True",
        "motes: mote is '1'; name is missing; role is missing; x is missing; y is missing",
        "parameters: topology: not a mapping: []; radio: range is unknown; duration_us is 1.5",
        "built: tool is unknown",
    ):
        assert fault in said


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 9}', "[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path, text):
    (tmp_path / "m").write_text(text)
    with pytest.raises(StorageFailed, match="not a readable manifest"):
        read(tmp_path / "m", "remove it")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "other", "remove it")


def test_an_older_manifest_has_defaults_for_what_came_later():
    mote = {"mote": 2, "name": "P1", "role": "publisher", "x": 5, "y": 0.5}
    found = parse(json.dumps(content(motes=[mote])))
    assert found.motes == (Node(2, "P1", "publisher", 5, 0.5),) and found.built == Built()
    assert found.outcome is Outcome.OK and found.resolved.radio.reach == 50.0
    assert "built" not in content() and json.loads(found.to_json())["built"] == {}


def test_it_is_written_as_it_was_read():
    built = {"source": "contiki-ng", "tree": "t", "builder": "docker", "image": "i", "flags": "-g"}
    nodes = [vars(Node(1, "S", "subscriber", 0, 0, also="publisher", dies=True))]
    given = content(built=built, motes=nodes, evidence=["why"], settings={"a": [1]})
    text = parse(json.dumps(given)).to_json()
    assert json.loads(text) == given and parse(text).to_json() == text


def test_a_simulation_has_nothing_of_a_testbed():
    assert not any(vars(OnTestbed()).values())
    assert parse(json.dumps(content())).testbed == OnTestbed()
