# SPDX-License-Identifier: Apache-2.0
"""Datagrams on the air against what firmware logs: set CONTIKI_NG to a Contiki-NG tree.

Every mote logs each datagram with its number (firmware/truth). 25 motes on a lossy medium send upward,
downward and between motes, some in fragments.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import pytest
from orchestrate_spark.load import load

from orchestrator.cli.app import main
from orchestrator.runs.store import Store
from tests import needs

needs.a_compiler()

TREE = os.environ.get("CONTIKI_NG", "")
pytestmark = [
    pytest.mark.contiki_ng,
    pytest.mark.skipif(not Path(TREE or "-").is_dir(), reason="CONTIKI_NG names no Contiki-NG tree"),
]
FIRMWARE = Path(__file__).parent / "firmware" / "truth" / "truth.c"
PORT, MOTES = 4747, 25
SCENARIO = """\
experiment: truth
motes:
  mote:
    source: {source}
    make: {{MAKE_MAC: MAKE_MAC_{mac}, MAKE_ROUTING: MAKE_ROUTING_{routing}}}
    defines:
      INTERVAL_S: {interval}
      LOG_CONF_LEVEL_6LOWPAN: LOG_LEVEL_WARN
      LOG_CONF_LEVEL_TCPIP: LOG_LEVEL_WARN
topology: {{shape: grid, rows: 5, columns: 5, spacing: 30 m}}
radio: {{medium: udgm, range: 50 m, interference: 80 m, tx: 100 %, rx: 80 %}}
duration: {minutes} min
start-delay: 1 s
seeds: 1
"""
LINE = re.compile(r"^(\d+)\tID:(\d+)\t(sent|received) (\d+) (?:to|from) (\d+), (\d+) bytes$", re.MULTILINE)
# What the destination's own stack drops behind its link layer is on no air, and it says so.
DROPPED = re.compile(r"^(\d+)\tID:(\d+)\t\[WARN: .*(?:reassembly: failed|dropping packet)", re.MULTILINE)
PROCESSING_US = {"CSMA": 3_000, "TSCH": 5_000}  # from the last frame's end: the acknowledgement comes first


def fnv(payload: bytes) -> int:
    """The payload_hash of the tables: FNV-1a with 64 bits, signed."""
    found = 0xCBF29CE484222325
    for byte in payload:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return struct.unpack("<q", struct.pack("<Q", found))[0]


def payload(origin: int, number: int, length: int) -> bytes:
    """What firmware/truth sends."""
    return struct.pack("<II", origin, number) + bytes((at + number) % 256 for at in range(8, length))


@pytest.mark.parametrize(
    ("mac", "routing", "interval", "minutes"),
    [("CSMA", "RPL_LITE", 10, 10), ("CSMA", "RPL_CLASSIC", 10, 10), ("TSCH", "RPL_LITE", 60, 20)],
)
def test_matching_finds_all_deliveries_of_the_log_and_no_others(mac, routing, interval, minutes, tmp_path):
    file = tmp_path / "truth.yaml"
    file.write_text(
        SCENARIO.format(source=FIRMWARE, mac=mac, routing=routing, interval=interval, minutes=minutes)
    )
    store = tmp_path / "store"
    assert main(["run", str(file), "--contiki-ng", TREE, "--store", str(store), "--no-report"]) == 0
    (run,) = Store(store).runs("truth")
    folder = store / "truth" / "runs" / run.run_id
    log = (folder / "COOJA.testlog").read_text()
    lines = [
        (int(t), int(mote), what, int(number), int(other), int(size))
        for t, mote, what, number, other, size in LINE.findall(log)
    ]
    sent = {(mote, number): (t, to, size) for t, mote, what, number, to, size in lines if what == "sent"}
    received: dict[tuple[int, int], int] = {}
    for t, mote, what, number, origin, _ in lines:
        if what == "received":
            assert sent[origin, number][1] == mote
            received.setdefault((origin, number), t)
    of_hash = {fnv(payload(*key, size)): key for key, (_, _, size) in sent.items()}
    assert len(of_hash) == len(sent)

    seen = load(folder, tables=("datagrams",))["datagrams"]
    seen = seen[seen["dst_port"] == PORT]
    assert seen["origin"].notna().all(), "each is one datagram, whatever its way"
    # of a datagram without a payload's hash the origin never sent all fragments
    assert set(seen["fate"][seen["payload_hash"].isna()]) <= {"lost", "under-way"}
    seen = seen[seen["payload_hash"].notna()]
    assert not seen["payload_hash"].duplicated().any()
    measured = {of_hash[row.payload_hash]: row for row in seen.itertuples()}
    delivered = {key: row for key, row in measured.items() if row.fate == "delivered"}
    assert set(received) <= set(delivered)
    drops = [(int(t), int(mote)) for t, mote in DROPPED.findall(log)]
    for key in set(delivered) - set(received):
        row = delivered[key]
        assert any(mote == row.destination and is_processed(t, row, mac) for t, mote in drops), key
    for key, row in measured.items():
        t, to, size = sent[key]
        assert (row.origin, row.payload_length) == (key[0], size)
        assert row.destination == to or key not in received
        assert row.t_us >= t
        if key in received:
            assert is_processed(received[key], row, mac)
    kinds = {
        (to == 1, origin == 1, size > 100)
        for (origin, n), (_, to, size) in sent.items()
        if (origin, n) in received
    }
    assert len(kinds) == 6, "upward, downward and between motes, whole and in fragments"
    assert len(received) < len(sent), "the medium is lossy"


BENCHMARK = """\
experiment: benchmark
motes: {{node: {{source: examples/benchmarks/rpl-req-resp/node.c, count: 8, make: {{CONFIG: CONFIG_{mac}}}}}}}
topology: {{shape: grid, spacing: 40 m}}
radio: {{medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 80 %}}
duration: 20 min
start-delay: 1 s
seeds: 1
"""
ASKED = re.compile(r"^(\d+)\tID:1\t.*(Sending request|Received response) (\d+) ", re.MULTILINE)
IS_RESPONSE = 1 << 31


@pytest.mark.parametrize("mac", ["CSMA", "TSCH"])
def test_the_benchmark_of_contiki_ng_counts_the_same(mac, tmp_path):
    """Its parse.py counts a request whose response is logged, but for the last ten.

    Its latency begins with the whole second before the log's line, so its mean is half a second too long;
    that of the log has the time in the queue before the first frame.
    """
    file = tmp_path / "benchmark.yaml"
    file.write_text(BENCHMARK.format(mac=mac))
    store = tmp_path / "store"
    assert main(["run", str(file), "--contiki-ng", TREE, "--store", str(store), "--no-report"]) == 0
    (run,) = Store(store).runs("benchmark")
    folder = store / "benchmark" / "runs" / run.run_id
    lines = ASKED.findall((folder / "COOJA.testlog").read_text())
    sent, got = (
        {int(number): int(t) for t, what, number in lines if what == wanted}
        for wanted in ("Sending request", "Received response")
    )
    seen = load(folder, "arrow", ("datagrams",))["datagrams"].to_pylist()
    of_hash = {row["payload_hash"]: row for row in seen if row["protocol"] == "udp"}
    requests = {n: of_hash.get(fnv(struct.pack("<I", n))) for n in sent}
    responses = {n: of_hash.get(fnv(struct.pack("<I", n | IS_RESPONSE))) for n in sent}
    assert len(got) > 500
    assert {n for n, row in responses.items() if row and row["fate"] == "delivered"} == set(got)
    for n, t in got.items():
        assert responses[n]["answers"] == requests[n]["datagram"]
        assert 0 <= t - responses[n]["end_us"] <= PROCESSING_US[mac]
        assert sent[n] <= requests[n]["t_us"]


@pytest.mark.cooja
@pytest.mark.skipif("COOJA" not in os.environ, reason="set COOJA to a built Cooja")
def test_a_run_of_cooja_gets_the_record_of_the_embedded_engine(tmp_path):
    """Cooja doesn't record the air, so the run is repeated, with the same log."""
    text = SCENARIO.format(source=FIRMWARE, mac="CSMA", routing="RPL_LITE", interval=5, minutes=1)
    file, store = tmp_path / "truth.yaml", tmp_path / "store"
    made = []
    for name, engine in (("ours", ()), ("theirs", ("--engine", "cooja", "--cooja", os.environ["COOJA"]))):
        file.write_text(text.replace("experiment: truth", f"experiment: {name}"))
        words = ["run", str(file), "--contiki-ng", TREE, "--store", str(store), "--no-report", *engine]
        assert main(words) == 0
        (run,) = Store(store).runs(name)
        folder = store / name / "runs" / run.run_id
        made.append(((folder / "COOJA.testlog").read_bytes(), (folder / "air").read_bytes()))
    assert made[0] == made[1]


def is_processed(t_us: int, row, mac: str) -> bool:
    """Whether the stack was through with a datagram at this time that ended on the air as its row says."""
    return 0 <= t_us - row.end_us <= PROCESSING_US[mac]
