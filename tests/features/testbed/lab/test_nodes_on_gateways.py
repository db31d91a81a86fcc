# SPDX-License-Identifier: Apache-2.0
"""Nodes of a system that distributes data on gateways, through SSH."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.distribution.clock import DRIFT_PPM

from orchestrator.cli.app import main
from orchestrator.errors import RunFailed, WrongUsage
from orchestrator.features.distribution import real_time
from orchestrator.features.distribution.load import loads
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.run_time import node_tables
from orchestrator.features.distribution.started import Started
from orchestrator.features.testbed import inventory, nodes

SYSTEM = """distribution: small
nodes: [a, b]
networks: {lan: {delay: 1 ms}}
objects: {o: {validity: 300 ms}}
sources: {S: {object: o, node: a, period: 100 ms, deadline: 20 ms, execution: 1 ms}}
targets: {T: {object: o, node: b, period: 100 ms, release: 80 ms, deadline: 100 ms, execution: 1 ms}}
steps: {X: {node: a, execution: 1 ms}, C: {node: b, execution: 1 ms}}
distributions: {d: {object: o, path: [X, C], network: lan}}
"""
LAB = """lab: three
known-hosts: {hosts}
defaults:
  gateway: {{user: {user}, key: {key}, python: {python}}}
  mote: {{platform: sky, tool: command, flash: 'true'}}
gateways:
  G1: {{host: 127.0.0.1, port: {ports[0]}}}
  G2: {{host: 127.0.0.1, port: {ports[1]}, spare: true}}
  G3: {{host: 127.0.0.1, port: {ports[2]}}}
motes:
  M1: {{gateway: G1, eui64: 0000000000000001, device: dev/M1}}
"""


def in_front_of(servers, folder: Path, ports: list[int], user: str) -> Path:
    path = folder / "lab.yaml"
    path.write_text(
        LAB.format(hosts=servers.known_hosts, key=servers.key, user=user, python=sys.executable, ports=ports)
    )
    return path


@pytest.fixture
def lab(servers, tmp_path, monkeypatch):
    """The inventory of three gateways, and their servers."""
    monkeypatch.setenv("SSH_CONNECTION", "127.0.0.1 5 127.0.0.1 22")
    made = [servers.make(name) for name in ("G1", "G2", "G3")]
    return in_front_of(servers, tmp_path, [one.port for one in made], made[0].user), made


def test_a_system_runs_on_the_gateways_and_its_log_is_like_any_other(lab, tmp_path, capsys):
    path, made = lab
    (tmp_path / "small.yaml").write_text(SYSTEM)
    log = tmp_path / "small.log"
    # A busy machine makes jobs late (exit code 1), no more.
    assert main([
        "distribution", "run", str(tmp_path / "small.yaml"), "--seconds", "1", "--no-priorities", "--json",
        "--testbed", str(path), "--gateways", "G3", "G1", "--log", str(log),
    ]) in (0, 1)  # fmt: skip
    said = json.loads(capsys.readouterr().out)
    assert said["clock_drift_ppm"] == DRIFT_PPM and not said["real_time_priorities"]
    assert {one["task"]: one["jobs"] for one in said["tasks"] if one["task"] != "C"} == {
        "S": 10,
        "X": 10,
        "T": 10,
    }
    text = log.read_text()
    assert text.count("\tID:1\t!job,S,") == text.count("\tID:2\t!job,T,") == 10
    assert [any("distribute" in one for one in server.commands) for server in made] == [True, False, True]


def started(path: Path, names: list[str], run):
    found = inventory.load(path)
    with nodes.at(found, [found.gateway(name) for name in names], ["a", "b"][: len(names)]) as there:
        return run([Started(name, streams, streams.close) for name, streams in there])


def test_a_node_that_is_lost_ends_the_run(lab):
    path, made = lab
    tables = node_tables(loads(SYSTEM, Path("small.yaml")), Reading())

    def run(there):
        tell = there[1].tell

        def told(message):
            tell(message)
            made[2].power_fails()

        there[1].tell = told
        return real_time.run_nodes([there[1], there[0]], tables, 3_600_000_000, 0.5, 1, realtime=False)

    with pytest.raises(RunFailed, match="b on G3: it ended before the system did"):
        started(path, ["G1", "G3"], run)


def test_a_gateway_that_does_not_know_its_address_says_so(lab, monkeypatch):
    monkeypatch.setenv("SSH_CONNECTION", "::1 5 ::1 22")
    with pytest.raises(RunFailed, match="a on G1: SSH_CONNECTION has no IPv4 address of this gateway"):
        started(lab[0], ["G1"], lambda there: real_time.run_nodes(there, [None], 1, 1.0, 1))


def test_all_gateways_that_cannot_be_are_named(lab):
    path, made = lab
    path.write_text(path.read_text().replace(f"python: {sys.executable}", "python: /no/python"))
    with pytest.raises(LabError) as wrong:
        started(path, ["G1", "G3"], print)
    assert "G1 has no Python" in str(wrong.value) and "G3 has no Python" in str(wrong.value)


def test_nodes_take_the_lab_s_gateways_in_their_order_without_spares(lab):
    found = inventory.load(lab[0])
    assert [one.name for one in nodes.chosen(found, [], ["a", "b"])] == ["G1", "G3"]
    assert [one.name for one in nodes.chosen(found, [], ["a"])] == ["G1"]
    assert [one.name for one in nodes.chosen(found, ["G2"], ["a"])] == ["G2"]
    for names, count, why in (
        ([], 3, "2 gateways for 3 nodes"),
        (["G1", "G3"], 1, "2 gateways for 1 node"),
        (["G4"], 1, "has no gateway 'G4'"),
        (["G1", "G1"], 2, "G1 is named twice"),
    ):
        with pytest.raises(WrongUsage, match=why):
            nodes.chosen(found, names, ["n"] * count)
