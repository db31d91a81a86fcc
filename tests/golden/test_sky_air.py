# SPDX-License-Identifier: Apache-2.0
"""The records of what emulated Tmote Skys send and receive: real Cooja's transmissions (sky/README.md), and
frames that are not sent to their end.
"""

from __future__ import annotations

import csv
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from golden_cases import RULES
from orchestrate_spark.sources.air.dissect import dissect

from orchestrator.build import kernel
from orchestrator.csc.model import JavaScript
from orchestrator.csc.read import read
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.description import describe
from orchestrator.inspect import pcap
from orchestrator.inspect.radio import events
from tests import needs
from tests.programs_for_sky import changed_probe

FOLDER = Path(__file__).parent / "sky"
CASES = ("operated", "constant-loss", "logistic", "deviation", "graph")
RECORDS = ("log", "air", "radio.pcap", "events.csv", "states.csv")
PART = "only a part of the frame was sent"
SENDS = "  strobe(5);\n"


def recorded(scenario: Path, folder: Path, *, rules="2026.07", firmware=FOLDER / "probe.sky", every="0"):
    """Simulate with both records in the folder; return the frames, and their receptions by number."""
    folder.mkdir(exist_ok=True)
    run = read(scenario)
    scripted = interpreter.arguments() if isinstance(run.script, JavaScript) else ()
    command = [kernel.executable(), "--log", "log", "--air", "air", "--radio", ".", *scripted]
    described = describe(run, run.seed, {"mtype1": firmware}, rules)
    subprocess.run(
        [*command, "--every-slice", every], input=described, cwd=folder, capture_output=True, check=True
    )
    made = dissect(folder / "air")
    assert not made.warning
    frames, heard = made.tables["frames"].to_pylist(), {}
    for row in made.tables["receptions"].to_pylist():
        heard.setdefault(row["frame"], {})[row["mote"]] = row["outcome"]
    assert [row["t_us"] for row in frames] == sorted(row["t_us"] for row in frames)
    return frames, heard


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_the_records_do_not_depend_on_how_far_motes_run_ahead(case, rules, tmp_path):
    """The usual way and us by us; the log is real Cooja's with a record, too."""
    scenario = FOLDER / case / "simulation.csc"
    for every in "01":
        recorded(scenario, tmp_path / every, rules=rules, every=every)
    for name in RECORDS:
        assert (tmp_path / "0" / name).read_bytes() == (tmp_path / "1" / name).read_bytes(), name
    own = scenario.with_name(f"COOJA-{rules}.testlog")
    golden = own if own.exists() else scenario.with_name("COOJA.testlog")
    assert (tmp_path / "0" / "log").read_bytes() == golden.read_bytes()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", [case for case in CASES if (FOLDER / case / "frames.csv").exists()])
def test_the_frames_are_those_of_coojas_medium(case, rules, tmp_path):
    """Their begin, end, sender and bytes; and who received them. Cooja's medium also counts radios that a
    sender beyond its range disturbed, which get noise, and chips that were not ready.
    """
    frames, heard = recorded(FOLDER / case / "simulation.csc", tmp_path, rules=rules)
    data = [frame.data.hex() for frame in pcap.read(tmp_path / "radio.pcap")]
    ours = {
        (row["t_us"], row["mote"]): (row["end_us"], frame, row["frame"]) for row, frame in zip(frames, data)
    }
    with (FOLDER / case / "frames.csv").open(encoding="ascii") as stream:
        theirs = list(csv.DictReader(stream))
    assert len(theirs) == len(ours) == len(frames) > 40
    for row in theirs:
        end_us, frame, number = ours[int(row["begin_us"]), int(row["mote"])]
        assert (end_us, frame) == (int(row["end_us"]), row["frame"])
        fates = heard.get(number, {})
        for mote in map(int, row["receivers"].split()):
            assert fates.pop(mote) in ("received", "collided", "missed")
        assert "received" not in fates.values()


@pytest.mark.parametrize("case", CASES)
def test_both_records_agree(case, tmp_path):
    frames, heard = recorded(FOLDER / case / "simulation.csc", tmp_path)
    captured = list(pcap.read(tmp_path / "radio.pcap"))
    assert [(row["t_us"], row["length"]) for row in frames] == [
        (frame.time_us, len(frame.data)) for frame in captured
    ]
    received, sent = set(), {}
    for event in events(tmp_path):
        if event.event == "received":
            received.add((event.frame - 1, event.mote))
            assert case not in ("operated", "constant-loss") or -95 <= event.signal_dbm <= -10
        elif event.event == "sent":
            sent[event.frame - 1] = event.time_us
    assert received == {(n, m) for n, fates in heard.items() for m in fates if fates[m] == "received"}
    assert sent == {row["frame"]: row["end_us"] for row in frames}


@pytest.mark.parametrize("case", ["constant-loss", "graph"])
def test_what_a_mote_takes_from_its_chip_was_received(case, tmp_path):
    """A frame that the chip missed, or that was disturbed, comes to no firmware with a right FCS. The
    strength is what the chip has measured.
    """
    frames, heard = recorded(FOLDER / case / "simulation.csc", tmp_path)
    outcomes: dict[tuple, set] = {}
    for row in frames:
        for mote, outcome in heard.get(row["frame"], {}).items():
            if row["type"] == "data":
                outcomes.setdefault((mote, row["mote"], row["seq"]), set()).add(outcome)
    pattern = re.compile(
        r"\tID:(\d+)\thas (\d+) from (\d+), \d\d bytes, .*, rssi (-\d+), quality ([0-9a-f]+)"
    )
    taken = {
        (int(to), int(of), int(number)): int(dbm)
        for to, number, of, dbm, quality in pattern.findall((tmp_path / "log").read_text(errors="replace"))
        if int(quality, 16) >= 0x80
    }
    assert len(taken) > 20 and all("received" in outcomes[key] for key in taken)
    rows = dissect(tmp_path / "air").tables["receptions"].to_pylist()
    assert "missed" in {row["outcome"] for row in rows}
    strengths = {
        (row["mote"], frames[row["frame"]]["mote"], frames[row["frame"]]["seq"]): row["rssi_dbm"]
        for row in rows
        if row["outcome"] == "received"
    }
    assert {key: strengths[key] for key in taken} == taken


@pytest.mark.parametrize("switch_off", ["strobe(6)", "P4OUT &= ~0x20"])
def test_a_frame_whose_radio_is_switched_off_is_recorded_as_far_as_it_went(switch_off, tmp_path):
    """What the chip sends on after that is a transmission without a frame. tshark reads the capture."""
    off = f"{SENDS}  wait(150); {switch_off}; wait(600); radio_init();\n"
    firmware = changed_probe(SENDS, off, tmp_path)
    out = tmp_path / "out"
    frames, heard = recorded(FOLDER / "constant-loss" / "simulation.csc", out, firmware=firmware)
    first, rest = frames[:2]
    assert first["mote"] == rest["mote"] and first["flaw"] == rest["flaw"] == PART
    assert (first["end_us"] - first["t_us"]) // 32 - 6 <= first["length"] < 5 and rest["length"] == 0
    assert set(heard[first["frame"]].values()) <= {"cut-short", "lost-by-chance"}
    named = Counter(event.event for event in events(out))
    assert named["cut"] == sum(row["flaw"] == PART for row in frames) > 100
    captured = list(pcap.read(out / "radio.pcap"))
    assert [len(frame.data) for frame in captured] == [row["length"] for row in frames]
    assert [frame.missing > 0 for frame in captured] == [row["flaw"] == PART for row in frames]
    seen = out / "seen.pcap"
    seen.write_bytes(b"".join(pcap.tap(captured)))
    flaws = dissect(seen).tables["frames"]["flaw"].to_pylist()
    assert flaws.count("the capture has only a part of the frame") == named["cut"]


def test_tshark_reads_parts_of_frames(tmp_path):
    needs.a_program("tshark")
    frame = ended_in_a_frame(tmp_path)
    command = ["tshark", "-r", tmp_path / "out" / "radio.pcap", "-T", "fields"]
    fields = ("frame.cap_len", "frame.len", "_ws.malformed")
    words = [word for field in fields for word in ("-e", field)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=True)
    captured, announced, *malformed = done.stdout.splitlines()[-1].split("\t")
    assert int(captured) == frame["length"] < int(announced) and not any(malformed)


def test_a_frame_at_the_simulations_end_is_recorded_as_far_as_it_went(tmp_path):
    frame = ended_in_a_frame(tmp_path)
    assert frame["flaw"] == PART and frame["end_us"] is None and frame["length"] > 0


def ended_in_a_frame(folder: Path) -> dict:
    """Simulate up to the middle of a frame; return what is known of it."""
    scenario = FOLDER / "constant-loss" / "simulation.csc"
    whole, _ = recorded(scenario, folder / "whole")
    for row in whole:
        end_ms = -(-(row["t_us"] + 300) // 1000)  # behind the header, which takes 192 us
        if end_ms * 1000 < row["end_us"]:
            break
    cut = folder / "simulation.csc"
    text = scenario.read_text().replace("[CONFIG_DIR]/..", str(FOLDER))
    cut.write_text(re.sub(r"TIMEOUT\(\d+", f"TIMEOUT({end_ms}", text))
    frames, _ = recorded(cut, folder / "out")
    assert frames[-1]["t_us"] == row["t_us"] and len(frames) < len(whole)
    return frames[-1]


def test_a_frame_whose_mote_is_removed_is_recorded_as_far_as_it_went(tmp_path):
    """Nothing after it waits for its end, which never comes."""
    scenario = FOLDER / "constant-loss" / "simulation.csc"
    whole, _ = recorded(scenario, tmp_path / "whole")
    lines = (tmp_path / "whole" / "log").read_text().splitlines()
    begun = int(next(line for line in lines if line[:1].isdigit()).split("\t")[0])
    for row in whole:  # the script's messages come whole ms after it has begun
        delay_ms = -(-(row["t_us"] + 300 - begun) // 1000)
        if begun + delay_ms * 1000 < row["end_us"]:
            break
    removes = f'if(msg == "remove") {{ sim.removeMote(sim.getMoteWithID({row["mote"]})); }}'
    text = scenario.read_text().replace("[CONFIG_DIR]/..", str(FOLDER))
    text = text.replace("log.testOK());", f'log.testOK());\nGENERATE_MSG({delay_ms}, "remove");', 1)
    (tmp_path / "simulation.csc").write_text(text.replace("YIELD();", f"YIELD();\n{removes}", 1))
    frames, _ = recorded(tmp_path / "simulation.csc", tmp_path / "out")
    (cut,) = (one for one in frames if one["flaw"] == PART)
    assert (cut["t_us"], cut["mote"], cut["end_us"]) == (row["t_us"], row["mote"], None)
    assert 0 < cut["length"] < row["length"] and frames[-1]["t_us"] > cut["t_us"]
