# SPDX-License-Identifier: Apache-2.0
"""`record: [air]` and `ingest --pcap`, as a user calls them."""

from __future__ import annotations

import json

import pytest
from captured import data, pcap
from orchestrate_spark.load import load, load_metrics

from orchestrator.cli.app import main
from tests import needs
from tests.features.air.network import Network
from tests.lossy_chain import scenario

needs.a_compiler()

KEY = "000102030405060708090a0b0c0d0e0f"
RECORDED = scenario(
    "air",
    """\
duration: 10 s
drain: 5 s
seeds: 1
record: [air]
""",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("air")
    (folder / "air.yaml").write_text(RECORDED)
    assert main(["run", str(folder / "air.yaml"), "--store", str(folder / "store"), "--no-report"]) in (0, 1)
    return folder / "store"


def test_a_run_has_tables_of_what_was_on_the_air(store, tmp_path, capsys):
    (run,) = (store / "air" / "runs").iterdir()
    assert main(["ingest", "air", "--store", str(store)]) == 0
    stored, alone = (load(where, "arrow", ["frames", "receptions"]) for where in (store / "air", run))
    assert stored["frames"].num_rows > 50 and stored == alone
    outcomes = set(stored["receptions"]["outcome"].to_pylist())
    assert {"received", "lost-by-chance"} <= outcomes, "the chain is lossy"
    capsys.readouterr()
    (run / "air").rename(tmp_path / "before")
    assert main(["run", str(store.parent / "air.yaml"), "--store", str(store), "--no-report"]) in (0, 1)
    assert (run / "air").read_bytes() == (tmp_path / "before").read_bytes(), (
        "it is made again if it is missing"
    )


def test_datagrams_are_listed_and_followed_hop_by_hop(store, capsys):
    """Those of applications, lost ones first; the routing protocol's are not among them."""
    (run,) = (store / "air" / "runs").iterdir()
    every = load(run, "arrow", ["datagrams", "hops"])
    capsys.readouterr()
    assert main(["trace", str(run), "--datagrams", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    control = {"rpl", "nd", "icmp", "6p"}
    wanted = [row for row in every["datagrams"].to_pylist() if row["protocol"] not in control]
    assert wanted and {row["datagram"] for row in listed} == {row["datagram"] for row in wanted}
    fine = [row["fate"] in ("delivered", "multicast") for row in listed]
    assert fine == sorted(fine)
    number = listed[0]["datagram"]
    assert main(["trace", str(run), "--datagram", str(number), "--json"]) == 0
    followed = json.loads(capsys.readouterr().out)
    hops = [row for row in every["hops"].to_pylist() if row["datagram"] == number]
    assert followed["fate"] == listed[0]["fate"] and len(followed["way"]) == len(hops) > 0
    assert main(["trace", str(run), "--datagram", "1000000"]) == 9


def test_energy_is_that_of_the_scenario_s_platform(store, capsys):
    """One of its own, at 2 V; `radio_state_s` is the time in each state, the mean over the motes."""
    file = store.parent / "air.yaml"
    own = "{mine: {volts: 2, currents-ma: {transmit: 10, listen: 5}}}"
    file.write_text(RECORDED + f"air: {{platform: mine, profiles: {own}}}\n")
    assert main(["run", str(file), "--store", str(store), "--no-report"]) in (0, 1)
    assert main(["metrics", "air", "--store", str(store)]) == 0
    rows = load_metrics(store / "air", "arrow")["per_run"].to_pylist()
    values = {(row["metric"], row["key"]): row["value"] for row in rows}
    states = {key: value for (metric, key), value in values.items() if metric == "radio_state_s"}
    assert states
    ma_s = sum(s * {"transmitting": 10, "off": 0}.get(state, 5) for state, s in states.items())
    assert values["mote_energy_mj", "total"] == pytest.approx(2 * ma_s)
    assert values["radio_energy_mj", "mine"] == pytest.approx(2 * ma_s)
    assert ("radio_energy_mj", "cc2420") in values


def test_faults_of_the_settings_are_all_named(store, capsys):
    faulty = """\
air:
  platform: yours
  profiles: {mine: {volts: 2, currents-ma: {transmit: 10}}}
  hopping: [15, 15]
  slotframes: {beacons: 0, all: 7}
"""
    file = store.parent / "faulty.yaml"
    file.write_text(RECORDED + faulty)
    capsys.readouterr()
    assert main(["validate", str(file), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)["faults"]
    first = RECORDED.count("\n") + 2
    assert sorted(fault["line"] - first for fault in found) == [0, 1, 2, 3, 3]
    assert all(fault["remedy"] for fault in found)


def test_a_change_of_settings_needs_no_new_run(store):
    file = store.parent / "air.yaml"
    file.write_text(RECORDED + "air: {network: nullnet}\n")
    assert main(["run", str(file), "--store", str(store), "--no-report"]) in (0, 1)
    assert main(["ingest", "air", "--store", str(store)]) == 0
    frames = load(store / "air", "arrow", ["frames"])["frames"]
    assert set(frames["network"].to_pylist()) == {"nullnet"}


def test_a_key_that_does_not_fit_is_named_with_its_line(tmp_path, capsys):
    """After each ingestion, and nothing of the frames is counted as an application's."""
    secured = data(bytes([5, 0, 0, 0, 0]) + bytes(20))
    frame = (int.from_bytes(secured[:2], "little") | 8 | 1 << 12).to_bytes(2, "little") + secured[2:]
    capture = pcap(tmp_path / "x.pcap", [frame])
    words = ["ingest", "keyed", "--store", str(tmp_path / "store"), "--pcap", str(capture)]
    assert main([*words, "--air", f"keys: {{implicit: {KEY}}}"]) == 0
    (tmp_path / "store" / "keyed" / "scenario.yaml").write_text(f"air:\n  keys: {{implicit: {KEY}}}\n")
    capsys.readouterr()
    assert main(["ingest", "keyed", "--store", str(tmp_path / "store")]) == 0
    said = capsys.readouterr().err
    assert "scenario.yaml:2: 1 frame of x" in said and "the key doesn't fit" in said


def test_captures_become_tables(tmp_path, capsys):
    store, capture = tmp_path / "store", pcap(tmp_path / "sniffed.pcap", [data(b"\x3fx"), data(b"")[:9]])
    words = ["ingest", "sniff", "--store", str(store), "--pcap", str(capture), "--json"]
    assert main([*words, "--air", f"{{keys: {{1: {KEY}}}, prefix: 'aaaa::/64'}}"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["runs"] == 1
    assert "2 frames" in said.err
    assert any("the MAC header is longer than the frame" in line for line in json.loads(said.out)["told"])
    frames = load(store / "sniff", "arrow", ["frames"])["frames"].to_pylist()
    assert [(row["cell"], row["network"], row["dst"] is None) for row in frames] == [
        ("sniffed", "opaque", False),
        ("sniffed", None, True),
    ]
    assert json.loads((store / "sniff" / "air.json").read_text())["keys"] == {"1": KEY}
    assert main(words) == 0, "the same capture again changes nothing"
    assert load(store / "sniff", "arrow", ["frames"])["frames"].num_rows == 2


def test_a_capture_that_is_cut_short_is_named_once(tmp_path, capsys):
    capture = pcap(tmp_path / "cut.pcap", [data(b"x"), data(b"y")])
    capture.write_bytes(capture.read_bytes()[:-1])
    assert main(["ingest", "sniff", "--store", str(tmp_path / "store"), "--pcap", str(capture)]) == 0
    said = capsys.readouterr().err
    assert said.count("packet 2") == 1 and "(cut.pcap)" in said and "1 frame" in said


def test_what_can_t_be_read_is_named_and_nothing_is_added(tmp_path, capsys):
    store, good = tmp_path / "store", pcap(tmp_path / "good.pcap", [data(b"x")])
    (tmp_path / "text").write_text("no capture")
    ethernet = pcap(tmp_path / "ethernet.pcap", [b"x" * 60], link=1)
    words = ["ingest", "sniff", "--store", str(store), "--pcap", str(good)]
    assert main([*words, str(tmp_path / "text"), str(ethernet)]) == 3
    said = capsys.readouterr().err
    assert f"{tmp_path}/text: " in said and f"{ethernet}: link type 1" in said
    assert main([*words, str(tmp_path / "absent")]) == 9
    assert main([*words, "--air", "keys: {1: 12}"]) == 3
    assert "16 bytes in hexadecimal" in capsys.readouterr().err
    assert main(["ingest", "sniff", "--store", str(store), "--log", str(good), "--air", "slot: 1 ms"]) == 2
    assert not (store / "sniff").exists()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("record: [water]\n", "record: 'water'"),
        ("record: [air]\nair: {prefix: fd00::1/64}\n", "no prefix of 64 bits"),
        ("record: [air]\nair: {keys: {300: 00}}\n", "no index of a key"),
        ("record: [air]\nair: {kyes: {}}\n", "keys"),
    ],
)
def test_faults_have_their_line(lines, said, tmp_path, capsys):
    text = RECORDED.replace("record: [air]\n", lines)
    file = tmp_path / "x.yaml"
    file.write_text(text)
    assert main(["validate", str(file)]) == 3
    line = 1 + text.splitlines().index(lines.splitlines()[-1])
    found = capsys.readouterr().err
    assert f"{file}:{line}: " in found and said in found


def test_pandas_keeps_hashes_that_its_floats_can_t_hold(tmp_path):
    """Frames without a payload have no hash, and pandas would make floats of the column."""
    record = Network(1).run()
    (tmp_path / "COOJA.testlog").write_text("")
    (tmp_path / "air").write_bytes(record)
    frames = load(tmp_path, "pandas", ["frames"])["frames"]
    exact = load(tmp_path, "arrow", ["frames"])["frames"]["payload_hash"]
    assert 0 < exact.null_count < len(exact)
    assert frames["payload_hash"].dropna().tolist() == exact.drop_null().to_pylist()
