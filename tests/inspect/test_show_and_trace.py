# SPDX-License-Identifier: Apache-2.0
"""orchestrate show and trace over runs of the engine, as a user calls them."""

import json
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.inspect import tables
from tests import needs
from tests.lossy_chain import scenario

needs.a_compiler()

SCENARIO = scenario(
    "look",
    """\
duration: 20 s
drain: 10 s
seeds: 1..2
matrix:
  application.aggregate:
    - {label: N, value: false}
    - {label: A, value: true}
""",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look")
    (folder / "look.yaml").write_text(SCENARIO)
    assert main(["run", str(folder / "look.yaml"), "--store", str(folder / "store"), "--no-report"]) in (0, 1)
    return str(folder / "store")


def asked(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_show_adds_up_with_the_log(store, capsys):
    shown = asked(capsys, "show", "look/A/1", "--store", store)
    assert (shown["run"]["cell"], shown["run"]["seed"], shown["run"]["trace"]) == ("A", 1, False)
    assert [mote["name"] for mote in shown["motes"]] == ["S", "P1", "P2", "P3", "C"]
    p2 = shown["motes"][2]
    assert (
        p2["parent"] == "P1" and p2["published"] > 20 and sum(p2["forwarded"].values()) == p2["transmitted"]
    )
    for row in shown["delivery"]:
        assert row["published"] == row["delivered"] + row["lost"]
    delivered = sum(row["delivered"] + row["duplicates"] for row in shown["delivery"])
    assert sum(int(size) * count for size, count in shown["aggregate_sizes"].items()) == delivered
    delay, seen = shown["delay_ms"], 0
    for upper, count in delay["buckets"].items():
        seen += count
        if 2 * seen >= delay["events"]:
            assert delay["quantiles"]["p50"] == int(upper)
            break


def test_a_run_has_many_names(store, capsys):
    by_cell = asked(capsys, "show", "look/N/2", "--store", store)["run"]
    for words in (
        ["look", by_cell["run_id"][:10]],
        ["look/" + by_cell["run_id"][:10]],
        [by_cell["run_id"][:14]],
        [by_cell["folder"]],
    ):
        assert asked(capsys, "show", *words, "--store", store)["run"]["run_id"] == by_cell["run_id"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["look"], "has 4 runs"),
        (["look/B/1"], "no cell 'B'"),
        (["look/A/9"], "there are: 1, 2"),
        (["look/A/x"], "is not a seed"),
        (["nix", "3"], "no experiment 'nix'"),
        (["zz"], "no run 'zz'"),
        (["a", "b", "c"], "3 words"),
        (["look", ""], "4 runs"),
        (["/no/such"], "no run folder '/no/such'"),
        (["./look"], "no run folder './look'"),
    ],
)
def test_what_is_no_run_is_said(store, capsys, words, said):
    assert main(["show", *words, "--store", store]) == (2 if len(words) == 3 else 9)
    assert said in capsys.readouterr().err


def test_one_mote_with_its_last_lines(store, capsys):
    assert main(["show", "look/A/1", "--store", store, "--mote", "P2"]) == 0
    out = capsys.readouterr().out
    assert "P2: mote 3, publisher, next hop P1" in out and "!nrg,off," in out
    assert main(["show", "look/A/1", "--store", store, "--mote", "P9"]) == 9
    assert "there are: S, P1" in capsys.readouterr().err


def test_trace_needs_a_trace_and_makes_it(store, capsys):
    assert main(["trace", "look/N/1", "--store", store, "--event", "P3/5"]) == 9
    assert "--rerun" in capsys.readouterr().err
    told = asked(capsys, "trace", "look/N/1", "--store", store, "--event", "P3/5", "--rerun")
    check = told["twin_of_measured_run"]
    assert check["values"] > 100 and check["differences"] == [] and check["not_the_same"] == []
    measured = asked(capsys, "show", "look/N/1", "--store", store)["run"]
    assert Path(told["run"]["folder"]).parent == Path(measured["folder"]) / "trace"
    assert told["run"]["experiment"] == "look" and told["run"]["run_id"] != measured["run_id"]
    log = Path(told["run"]["folder"]) / "COOJA.testlog"
    lines = log.read_text().splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if "!run,start" in line)
    log.write_text("".join([*lines[:place], *lines[place + 1 :]]))
    other = asked(capsys, "trace", "look/N/1", "--store", store, "--event", "P3/5")["twin_of_measured_run"]
    assert other["differences"] == ["the log has other lines than those of the trace"]
    counter = next(at for at, line in enumerate(lines) if "!cnt,events_transmitted," in line)
    other_line = lines[counter].rpartition(",")[0] + ",1234567\n"
    log.write_text("".join([*lines[:counter], other_line, *lines[counter + 1 :]]))
    tables._parsed.cache_clear()
    other = asked(capsys, "trace", "look/N/1", "--store", store, "--event", "P3/5")["twin_of_measured_run"]
    assert len(other["differences"]) == 1 and other["differences"][0].endswith("measured, 1234567 traced")
    log.write_text("".join(lines))
    tables._parsed.cache_clear()
    # A traced run is one that can be looked into as any other, made again and all.
    twin = asked(capsys, "show", told["run"]["folder"], "--radio")
    assert len(twin["motes"]) == 5
    # Every event's ends agree with what the run's counters say of its publisher.
    shown = asked(capsys, "show", "look/N/1", "--store", store)
    lost = next(row["lost"] for row in shown["delivery"] if row["publisher"] == "P3")
    count = next(mote["published"] for mote in shown["motes"] if mote["name"] == "P3")
    found = [
        asked(capsys, "trace", "look/N/1", "--store", store, "--event", f"P3/{number}")
        for number in range(1, count + 1)
    ]
    assert sum(not each["delivered"] for each in found) == lost > 0
    for each in found:
        assert each["delivered"] != bool(each["ends"])
        if each["delivered"]:
            assert [hop["from"] for hop in each["hops"]] == ["P3", "P2", "P1"]
    assert main(["trace", "look/N/1", "--store", store, "--event", "P3/5"]) == 0
    assert "equal those of the measured run" in " ".join(capsys.readouterr().out.split())


def test_the_traced_repetition_of_a_run_can_be_replayed(store, capsys):
    assert main(["replay", "look/A/1", "--store", store]) == 9
    assert "--rerun" in capsys.readouterr().err
    twin = asked(capsys, "trace", "look/A/1", "--store", store, "--event", "P3/5", "--rerun")["run"]["folder"]
    measured = Path(twin).parent.parent.name
    pages = [
        Path(asked(capsys, "replay", *words, "--store", store)["replay"])
        for words in (["look/A/1"], ["look/A/1", "--rerun"], [twin], [twin, "--radio"])
    ]
    assert {page.name for page in pages} == {f"replay-{measured}.html"}
    assert f"from its traced repetition {Path(twin).name[:12]}" in pages[0].read_text()


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("P9/1", "no publisher 'P9' in this run; there are: P1, P2, P3"),
        ("P3/9999", "sequence numbers: 1 to"),
        ("P3", "names no event"),
        ("../1", "names no event"),
    ],
)
def test_what_is_no_event_is_said(store, capsys, event, said):
    assert main(["trace", "look/A/2", "--store", store, "--event", event, "--rerun"]) == (
        2 if said == "names no event" else 9
    )
    assert said in capsys.readouterr().err


def test_a_twin_is_made_without_running_what_the_scenario_named(tmp_path, capsys):
    shape = tmp_path / "pair.py"
    shape.write_text("""\
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, publisher, subscriber
SHAPE = Shape("pair", "two", (), lambda parameters, range_m: Layout("pair", (subscriber(), publisher(1, 10.0, 0.0))))
""")  # noqa: E501
    (tmp_path / "own.yaml").write_text(
        SCENARIO.replace("experiment: look", "experiment: own").replace(
            "{shape: chain, publishers: 3, spacing: 40 m}", "{shape: ./pair.py}"
        )
    )
    store = tmp_path / "store"
    assert main(["run", str(tmp_path / "own.yaml"), "--store", str(store), "--no-report"]) == 0
    capsys.readouterr()
    shape.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n" + shape.read_text())
    for moved in ("store", "elsewhere"):
        if moved != "store":
            shape.unlink()
            store.rename(tmp_path / moved)
        seed = "1" if moved == "store" else "2"
        told = asked(
            capsys, "trace", f"own/A/{seed}", "--store", str(tmp_path / moved), "--event", "P1/3", "--rerun"
        )
        assert (
            told["twin_of_measured_run"]["differences"] == []
            and told["twin_of_measured_run"]["not_the_same"] == []
        )
    assert not (tmp_path / "ran").exists()


def test_a_manifest_of_other_values_makes_no_twin(store, tmp_path, capsys):
    target = tmp_path / "store"
    shutil.copytree(store, target)
    for file in target.glob("look/runs/*/manifest.json"):
        data = json.loads(file.read_text())
        data["parameters"]["application"]["parameters"]["timeout"] = "odd"
        file.write_text(json.dumps(data))
    assert main(["trace", "look/A/2", "--store", str(target), "--event", "P3/5", "--rerun"]) == 8
    assert "holds no cell" in capsys.readouterr().err


def test_an_event_is_called_by_its_publisher_where_motes_do_not_say_their_index(tmp_path, capsys):
    """mesh prints no `!node`: who published with an index has it. A log without manifest names no mote, only
    indices.
    """
    (tmp_path / "m.yaml").write_text("""\
experiment: quiet
topology: {shape: chain, publishers: 2, spacing: 30 m}
application: {name: mesh, subscribers: S, publishers: P2, topics: 1, warm-up: 5 s, interval: 2 s}
duration: 30 s
seeds: 1
trace: true
""")
    assert main(["run", str(tmp_path / "m.yaml"), "--store", str(tmp_path / "store"), "--no-report"]) in (
        0,
        1,
    ), capsys.readouterr().err
    capsys.readouterr()
    told = asked(capsys, "trace", "quiet", "--store", str(tmp_path / "store"), "--event", "P2/3")
    assert (told["event"], told["published"]["mote"]) == ("P2/3", "P2")
    log = tmp_path / "COOJA.testlog"
    log.write_text(
        "Random seed: 1\n1000000\tID:5\t!pub,reading,4,1,20\n1000000\tID:5\t!snd,reading,1,1,4.1\n"
        "1004000\tID:1\t!rcv,reading,5,1,4.1\n1004000\tID:1\t!dlv,reading,4.1,20\n"
    )
    assert asked(capsys, "trace", str(log), "--event", "4/1")["event"] == "4/1"
    assert (
        main(["trace", str(log), "--event", "5/1"]) == 9
        and "no publisher '5' in this run; there are: 4" in capsys.readouterr().err
    )
