# SPDX-License-Identifier: Apache-2.0
"""Motes that run the tasks of a system: what they log, against the schedule that the analysis simulates."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from orchestrator.applications import descriptor, place
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.schedulability.simulate import simulate
from orchestrator.features.distribution.schedulability.verdict import verdict
from orchestrator.features.distribution.tasks import TRANSMISSION
from orchestrator.features.testbed.engine.run import TestbedRun
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import EngineOptions
from tests import needs

needs.a_compiler()
PAPER = Path(__file__).resolve().parents[4] / "orchestrator" / "features" / "distribution" / "paper"
SCENARIO = """experiment: distributed
topology: {{shape: chain, publishers: {publishers}, spacing: {spacing} m}}
radio: {{range: 50 m, interference: 100 m}}
application: {{name: distribution, warm-up: 2 s, {application}}}
duration: {duration}
drain: 500 ms
start-delay: 500 ms
seeds: 1
"""


def cell(
    application: str, duration: str = "1 s", folder: Path = PAPER, publishers: int = 1, spacing: int = 30
):
    text = SCENARIO.format(application=application, duration=duration, publishers=publishers, spacing=spacing)
    return loads(text, "distributed.yaml", folder).cells[0]


@cache
def library():
    return host.firmware(descriptor.load("distribution"), {"MAC": "csma"}).path


def ran(where: Path, application: str, duration: str = "1 s", seed: int = 1, **more) -> str:
    deployment = place.place(cell(application, duration, **more)).deployment(seed)
    log = where / f"COOJA-{seed}.testlog"
    result = run_one(engine("embedded"), Job(deployment, seed, {"distribution": library()}, log))
    assert result.outcome is Outcome.OK, result.evidence
    return log.read_text()


def jobs(log: str) -> dict[str, list[tuple[int, int, int]]]:
    """Task -> (release, response, deadline) of its jobs."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for name, release, response, deadline in re.findall(r"!job,([^,]+),\w+,\d+,(\d+),(-?\d+),(\d+)", log):
        found.setdefault(name, []).append((int(release), int(response), int(deadline)))
    return found


def ages(log: str) -> dict[str, list[tuple[int, int, int]]]:
    """Target -> (age with the error, error, validity) of the values that it used."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for name, age, error, validity in re.findall(r"!age,([^,]+),\d+,(-?\d+),(\d+),(\d+)", log):
        found.setdefault(name, []).append((int(age), int(error), int(validity)))
    return found


def counter(log: str, mote: int, name: str) -> int:
    return int(re.search(rf"\tID:{mote}\t!cnt,{name},(\d+)", log)[1])


@pytest.mark.parametrize("gateways", ["none", "all", "node-1", "node-2"])
@pytest.mark.parametrize(
    ("scenario", "duration"),
    [("scenario-1", "2 s"), ("scenario-2", "2 s"), ("scenario-3", "2 s"), ("scenario-4", "3 s")],
)
def test_nodes_keep_the_schedule_of_the_analysis_to_the_microsecond(tmp_path, scenario, duration, gateways):
    """Motes' threads and gateways' tasks, proxies and the modelled network against simulate(), job by job."""
    log = ran(tmp_path, f"system: {scenario}.yaml, gateways: {gateways}", duration)
    judged = verdict(load(PAPER / f"{scenario}.yaml"), Reading())
    schedule = simulate(judged.tasks, int(duration.split()[0]) * 1_000_000)
    expected = {
        task.name: [(job.nominal, job.response, task.deadline) for job in schedule.jobs[task.name]]
        for task in judged.tasks
        if task.kind != TRANSMISSION
    }
    assert jobs(log) == expected
    reads = schedule.reads(judged.system, judged.tasks)
    for target, used in ages(log).items():
        validity = judged.system.objects[judged.system.targets[target].object]
        of_schedule = [one.oldest for one in reads if one.target == target and one.stamp is not None]
        assert [age - error for age, error, _ in used] == of_schedule
        assert {one[2] for one in used} == {validity}
    assert ages(log).keys() == judged.system.targets.keys()
    assert counter(log, 2, "values_malformed") == 0
    for node, name in enumerate(("node-1", "node-2"), 1):
        is_mote = gateways not in ("all", name)
        assert (f"\tID:{node}\t!cnt,channel_full,0" in log) == is_mote
        assert (f"\tID:{node}\t!cnt,misses_host,0" in log) != is_mote


THREE = """distribution: three
nodes: [a, b, c]
networks: {lan: {delay: 300 us}}
objects: {o: {validity: 300 ms}, p: {validity: 300 ms}}
sources:
  S: {object: o, node: a, period: 100 ms, deadline: 20 ms, execution: 1 ms}
  R: {object: p, node: c, period: 150 ms, deadline: 20 ms, execution: 1 ms}
targets:
  T: {object: o, node: b, period: 100 ms, release: 80 ms, deadline: 100 ms, execution: 1 ms}
  U: {object: o, node: c, period: 50 ms, deadline: 50 ms, execution: 2 ms}
  V: {object: p, node: a, period: 60 ms, deadline: 50 ms, execution: 2 ms}
  W: {object: p, node: b, period: 60 ms, deadline: 50 ms, execution: 2 ms}
steps:
  X: {node: a, execution: 1 ms}
  Y: {node: b, execution: 1 ms}
  Z: {node: c, execution: 1 ms, each-target: true}
distributions:
  d: {object: o, path: [X, Y, Z], network: lan}
  e: {object: p, network: lan}
"""


@pytest.mark.parametrize("gateways", ["a", "b", "c", "a b", "a c", "b c", "all"])
def test_values_go_between_gateways_and_motes_in_any_order(tmp_path, gateways):
    """Every kind of proxy: to a step, to a target, over a path that crosses three nodes and comes back."""
    (tmp_path / "three.yaml").write_text(THREE)
    options = "system: three.yaml, clock-interval: 300 ms"
    expected = ran(tmp_path, options, folder=tmp_path, publishers=2)
    log = ran(tmp_path, f"{options}, gateways: {gateways}", folder=tmp_path, publishers=2)
    assert jobs(log) == jobs(expected) and ages(log) == ages(expected)
    assert sorted(ages(log)) == ["T", "U", "V", "W"]
    assert {error for used in ages(log).values() for _, error, _ in used} == {0}
    assert counter(log, 2, "clock_exchanges") > 5 and counter(log, 2, "clock_steps") == 0


def test_gateways_draw_executions_by_seed(tmp_path):
    options = "system: scenario-1.yaml, gateways: node-2, shortest: 50 %"
    first, again, other = (ran(tmp_path, options, seed=seed) for seed in (1, 1, 2))
    assert first == again
    taken, others = ([response for _, response, _ in jobs(one)["Target1.1"]] for one in (first, other))
    assert taken != others and len(set(taken)) > 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("gateways: node-1 node-3", "the system has no node 'node-3'"),
        ("gateways: all, network: radio", "they have no radio"),
    ],
)
def test_gateways_that_cannot_be_are_refused(options, said):
    with pytest.raises(FaultyInput, match=said):
        _ = place.place(cell(f"system: scenario-1.yaml, {options}")).partners
    assert said in faults(f"system: scenario-1.yaml, {options}")


def test_all_that_is_wrong_with_gateways_is_said_once():
    with pytest.raises(FaultyInput) as wrong:
        cell("system: example.yaml, gateways: mote-3 mote-4, network: radio")
    assert [one.what for one in wrong.value.faults] == [
        "gateways: the system has no node 'mote-3'",
        "gateways: the system has no node 'mote-4'",
        "gateways: they have no radio",
    ]
    assert {one.line for one in wrong.value.faults} == {4}  # that of the setting


def test_shorter_executions_are_drawn_by_seed(tmp_path):
    first, again, other = (
        ran(tmp_path, "system: scenario-1.yaml, shortest: 50 %", seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert jobs(first) != jobs(other)
    taken = {response for _, response, _ in jobs(first)["DataSource1"]}
    assert min(taken) >= 750 and max(taken) <= 1500 and len(taken) > 3


@pytest.fixture(scope="module")
def over_the_radio(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("radio"), "system: example.yaml, network: radio", "10 s")


def test_values_go_over_the_radio_in_time(over_the_radio):
    done, used = jobs(over_the_radio), ages(over_the_radio)
    assert len(done["Consumer1"]) == 10 and len(done["Rudder"]) == 10
    assert all(response <= deadline for of in done.values() for _, response, deadline in of)
    assert all(age <= validity for of in used.values() for age, _, validity in of)
    # A frame takes its time: back-offs of CSMA, and 32 us for each byte.
    consumed = [response for _, response, _ in done["Consumer2"]]
    assert min(consumed) > 24_000 + 1000


OVERTAKING = """distribution: overtaking
nodes: [a, b]
networks: {air: {delay: 20 ms}}
objects: {slow: {validity: 4 s}, urgent: {validity: 2500 ms}}
sources:
  Slow: {object: slow, node: a, period: 2 s, deadline: 10 ms, execution: 1 ms}
  Urgent: {object: urgent, node: a, period: 2 s, deadline: 20 ms, execution: 1 ms}
targets:
  T1: {object: slow, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T2: {object: slow, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T3: {object: slow, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T4: {object: slow, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  U: {object: urgent, node: b, period: 2 s, release: 800 ms, deadline: 200 ms, execution: 1 ms}
steps:
  S: {node: a, execution: 1 ms}
  C: {node: b, execution: 1 ms, each-target: true}
  SU: {node: a, execution: 1 ms}
  CU: {node: b, execution: 1 ms}
distributions:
  slowly: {object: slow, path: [S, C], network: air}
  urgently: {object: urgent, path: [SU, CU], network: air}
"""


def test_a_more_urgent_frame_overtakes_those_that_wait_for_the_radio(tmp_path):
    """Four frames are handed over at once; the urgent one comes 10 ms later."""
    (tmp_path / "overtaking.yaml").write_text(OVERTAKING)
    done = jobs(ran(tmp_path, "system: overtaking.yaml, network: radio", "20 s", folder=tmp_path))
    urgent = [release + response for release, response, _ in done["CU"]]
    last = [max(at) for at in zip(*([r + t for r, t, _ in done[f"C/T{number}"]] for number in range(1, 5)))]
    assert len(urgent) == len(last) == 10
    assert sum(first < after for first, after in zip(urgent, last)) > 5


WAITING = """distribution: waiting
nodes: [a, b]
networks: {air: {delay: 20 ms}}
objects: {low: {validity: 4 s}, high: {validity: 2500 ms}, middle: {validity: 3 s}}
sources:
  Low: {object: low, node: a, period: 2 s, deadline: 10 ms, execution: 100 us}
  High: {object: high, node: a, period: 2 s, deadline: 10300 us, execution: 100 us}
  Middle: {object: middle, node: a, period: 2 s, deadline: 10600 us, execution: 100 us}
targets:
  T1: {object: low, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T2: {object: low, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T3: {object: low, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  T4: {object: low, node: b, period: 2 s, release: 1 s, deadline: 500 ms, execution: 1 ms}
  H: {object: high, node: b, period: 2 s, release: 800 ms, deadline: 200 ms, execution: 1 ms}
  M: {object: middle, node: b, period: 2 s, release: 900 ms, deadline: 200 ms, execution: 1 ms}
steps:
  SL: {node: a, execution: 100 us}
  CL: {node: b, execution: 100 us, each-target: true}
  SH: {node: a, execution: 100 us}
  CH: {node: b, execution: 100 us}
  SM: {node: a, execution: 100 us}
  CM: {node: b, execution: 100 us}
distributions:
  lowly: {object: low, path: [SL, CL], network: air}
  highly: {object: high, path: [SH, CH], network: air}
  middling: {object: middle, path: [SM, CM], network: air}
"""


def test_frames_wait_for_the_radio_in_the_order_of_their_priorities(tmp_path):
    """Four frames, then the most urgent one and one between, all before the first is on the air."""
    (tmp_path / "waiting.yaml").write_text(WAITING)
    log = ran(tmp_path, "system: waiting.yaml, network: radio", "10 s", folder=tmp_path)
    came = re.findall(r"!job,(C[^,]+),last,(\d+),", log)
    order = ["CL/T1", "CH", "CM", "CL/T2", "CL/T3", "CL/T4"]
    assert came == [(name, str(number)) for number in range(5) for name in order]


MANY = """distribution: many
nodes: [a, b, c]
networks: {{air: {{delay: 20 ms}}}}
objects: {{p: {{validity: 4 s}}, q: {{validity: 4 s}}}}
sources:
  P: {{object: p, node: a, period: 2 s, deadline: 10 ms, execution: 100 us}}
  Q: {{object: q, node: a, period: 2 s, deadline: 10 ms, execution: 100 us}}
targets:
{targets}
steps:
  SP: {{node: a, execution: 100 us}}
  CP: {{node: b, execution: 100 us, each-target: true}}
  SQ: {{node: a, execution: 100 us}}
  CQ: {{node: c, execution: 100 us, each-target: true}}
distributions:
  dp: {{object: p, path: [SP, CP], network: air}}
  dq: {{object: q, path: [SQ, CQ], network: air}}
"""


def test_frames_that_there_is_no_room_for_are_counted_and_lost(tmp_path):
    """Of twenty that come at once one is under way, and sixteen wait: the others' targets have no data."""
    target = "{{object: {0}, node: {1}, period: 2 s, release: 1 s, deadline: 900 ms, execution: 1 ms}}"
    targets = [f"  {one}{n}: {target.format(one, node)}" for one, node in ("pb", "qc") for n in range(1, 11)]
    (tmp_path / "many.yaml").write_text(MANY.format(targets="\n".join(targets)))
    log = ran(tmp_path, "system: many.yaml, network: radio", "2 s", folder=tmp_path, publishers=2, spacing=20)
    came = re.findall(r"!job,(C[^,]+),last,0,", log)
    assert came == [f"CP/p{n}" for n in range(1, 11)] + [f"CQ/q{n}" for n in range(1, 8)]
    assert [counter(log, mote, "channel_full") for mote in (1, 2, 3)] == [3, 0, 0]
    assert [counter(log, mote, "values_sent") for mote in (1, 2, 3)] == [20, 0, 0]
    assert [counter(log, mote, "values_received") for mote in (1, 2, 3)] == [0, 10, 7]
    assert [counter(log, mote, "reads_without_data") for mote in (1, 2, 3)] == [0, 0, 3]


TOO_MANY = """distribution: too-many
nodes: [a, b]
networks: {air: {delay: 1 ms}}
objects: {o: {validity: 400 ms}}
sources:
  Source: {object: o, node: a, period: 40 ms, deadline: 1 ms, execution: 100 us}
targets:
  T1: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
  T2: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
  T3: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
  T4: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
  T5: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
  T6: {object: o, node: b, period: 200 ms, release: 150 ms, deadline: 200 ms, execution: 100 us}
steps:
  S: {node: a, execution: 100 us}
  C: {node: b, execution: 100 us, each-target: true}
distributions:
  d: {object: o, path: [S, C], network: air}
"""


def test_frames_of_the_same_priority_keep_their_order(tmp_path):
    """A radio that is slower than the analysis takes it to be: several values for a target wait."""
    (tmp_path / "too-many.yaml").write_text(TOO_MANY)
    log = ran(tmp_path, "system: too-many.yaml, network: radio", folder=tmp_path)
    came = {f"C/T{number}": [] for number in range(1, 7)}
    for name, job in re.findall(r"!job,(C/T\d),last,(\d+),", log):
        came[name].append(int(job))
    assert all(numbers == sorted(set(numbers)) for numbers in came.values())
    assert came["C/T1"] == [*range(25)] and 1 < len(came["C/T6"]) < 25
    assert (
        counter(log, 1, "values_sent")
        == 150
        == counter(log, 1, "channel_full") + sum(map(len, came.values()))
    )


def test_the_error_of_the_clocks_is_added_to_ages(over_the_radio):
    """The answer took longer than the shortest transmission by chance, which the node can't know."""
    errors = {error for of in ages(over_the_radio).values() for _, error, _ in of}
    assert counter(over_the_radio, 2, "clock_exchanges") > 5
    ends = {
        name: {release + response for release, response, _ in of} for name, of in jobs(over_the_radio).items()
    }
    for target, source in (("Display", "Gps"), ("Rudder", "Compass")):
        # Both times are reference time: what is between them is the age without the error.
        apart = {used - updated for used in ends[target] for updated in ends[source]}
        assert {age - error for age, error, _ in ages(over_the_radio)[target]} <= apart
    assert min(errors) > 0 and max(errors) == counter(over_the_radio, 2, "clock_error_us") < 20_000


def test_a_clock_that_steps_is_counted_and_set_right(tmp_path):
    log = ran(tmp_path, "system: example.yaml, clock-step: 3 s, clock-interval: 500 ms", "10 s")
    assert counter(log, 2, "clock_steps") == 1
    wrong = [
        at for of in jobs(log).values() for at, response, deadline in of if not 0 <= response <= deadline
    ]
    assert wrong and max(wrong) < 9_000_000  # what the wrong clock released, before the next answer
    assert counter(ran(tmp_path, "system: example.yaml", "10 s"), 2, "clock_steps") == 0


def test_motes_beyond_the_nodes_do_nothing(tmp_path):
    log = ran(tmp_path, "system: example.yaml", publishers=2)
    assert "ID:3\t!" not in log


def faults(application: str, folder: Path = PAPER, **more) -> str:
    with pytest.raises(FaultyInput) as wrong:
        place.place(cell(application, folder=folder, **more)).images(1)
    return str(wrong.value)


def test_a_system_that_does_not_fit_the_motes_is_refused(tmp_path):
    text = (PAPER / "scenario-1.yaml").read_text()
    (tmp_path / "table-2.txt").write_text((PAPER / "table-2.txt").read_text())
    (tmp_path / "three.yaml").write_text(text.replace("[node-1, node-2]", "[node-1, node-2, node-3]"))
    assert "the system has 3 nodes, the topology 2 motes" in faults("system: three.yaml", tmp_path)
    long = text.replace("Consumer1:", "Consumer-with-a-name-that-is-too-long-for-a-mote:").replace(
        "Consumer1]", "Consumer-with-a-name-that-is-too-long-for-a-mote]"
    )
    (tmp_path / "long.yaml").write_text(long)
    assert re.search(
        r"the names of node-2's tasks take \d+ bytes, 255 fit", faults("system: long.yaml", tmp_path)
    )


def test_every_fault_of_a_system_is_at_its_setting(tmp_path):
    text = (PAPER / "scenario-1.yaml").read_text().replace("[node-1, node-2]", "[node-1, node-2, node-3]")
    (tmp_path / "table-2.txt").write_text((PAPER / "table-2.txt").read_text())
    name = "Consumer-with-a-name-that-is-too-long-for-a-mote"
    long = text.replace("Consumer1:", f"{name}:").replace("Consumer1]", f"{name}]")
    (tmp_path / "three.yaml").write_text(long)
    with pytest.raises(FaultyInput) as wrong:
        cell("\n  system: three.yaml", folder=tmp_path)  # in the line after the application's
    found = wrong.value.faults
    assert [(one.file, one.line) for one in found] == [("distributed.yaml", 5)] * 2
    assert "3 nodes" in found[0].what and found[1].what.endswith("255 fit")


def test_a_system_without_a_deadline_is_refused():
    said = faults("system: scenario-4.yaml, release: earliest-stamp")
    assert "to-weapon-2 can't keep data valid" in said


def test_faults_of_a_system_file_have_its_lines(tmp_path):
    (tmp_path / "wrong.yaml").write_text("distribution: x\nnodes: [a]\nsources:\n  S: {object: o, node: b}\n")
    with pytest.raises(FaultyInput) as wrong:
        cell("system: wrong.yaml", folder=tmp_path)
    assert "wrong.yaml:4" in str(wrong.value) and "there is no node" in str(wrong.value)
    with pytest.raises(FaultyInput, match="there is no file"):
        cell("system: other.yaml", folder=tmp_path)


def test_the_run_is_what_its_system_is(tmp_path):
    """A scenario keeps the text: the same system in another file is the same run."""
    (tmp_path / "table-2.txt").write_text((PAPER / "table-2.txt").read_text())
    (tmp_path / "renamed.yaml").write_text((PAPER / "scenario-1.yaml").read_text())
    one, other = cell("system: scenario-1.yaml"), cell("system: renamed.yaml", folder=tmp_path)
    assert one.application.parameters == other.application.parameters


def test_a_modelled_network_is_of_the_embedded_engine(tmp_path):
    """A real Cooja and a testbed say so before anything runs."""
    deployment = place.place(cell("system: example.yaml")).deployment(1)
    job = Job(deployment, 1, {"distribution": tmp_path / "none"}, tmp_path / "log")
    cooja = engine("cooja", EngineOptions(path=str(tmp_path)))
    with pytest.raises(Unsupported, match="modelled network"):
        cooja.run([job], lambda *_: None)
    with pytest.raises(Unsupported, match="modelled network"):
        TestbedRun(None, "", job, tmp_path, None, None)
    assert place.place(cell("system: example.yaml, network: radio")).deployment(1).partners is None
