# SPDX-License-Identifier: Apache-2.0
"""Run folders as an engine would leave them, made from the log format and the manifest's contract, with
numbers that the tests know: chains of publishers with counters dumped at the end, and a trace if asked for.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

DELAY_BUCKETS_MS = (50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000)


@dataclass(frozen=True)
class Chain:
    """One cell: a chain C, S, P1..Pn (P1 next to the subscriber), `events` published by each publisher."""

    name: str
    publishers: int = 5
    aggregate: bool = False
    events: int = 120
    trace: bool = False
    settings: dict = field(default_factory=dict)

    def parameters(self) -> dict:
        return {
            "name": self.name,
            "settings": self.settings,
            "topology": {"shape": "chain", "parameters": {"publishers": self.publishers, "spacing": 5.0}},
            "radio": {
                "medium": "udgm",
                "range_m": 50.0,
                "interference_m": 100.0,
                "tx_ratio": 1.0,
                "rx_ratio": 0.95,
            },
            "application": {
                "name": "aggregation",
                "parameters": {"events": self.events, "aggregate": self.aggregate},
            },
            "duration_us": 900_000_000,
            "drain_us": 10_000_000,
            "start_delay_us": 1_000_000,
            "ruleset": "5.0",
            "engine": "embedded",
            "trace": self.trace,
        }

    def motes(self) -> list[dict]:
        chain = [{"mote": 1, "name": "S", "role": "subscriber", "x": 0.0, "y": 0.0, "parent": 0}]
        chain += [
            {"mote": i + 1, "name": f"P{i}", "role": "publisher", "x": 5.0 * i, "y": 0.0, "parent": i}
            for i in range(1, self.publishers + 1)
        ]
        control = {
            "mote": self.publishers + 2,
            "name": "C",
            "role": "control",
            "x": 0.0,
            "y": 5.0,
            "parent": 0,
        }
        return [*chain, control]


def log_lines(chain: Chain, seed: int) -> list[str]:
    rng = np.random.default_rng([seed, chain.publishers, chain.aggregate, chain.events])
    n, control = chain.publishers, chain.publishers + 2
    lines = [f"Random seed: {seed}"]
    for mote in chain.motes():
        lines.append(f"{1000 * mote['mote']}\tID:{mote['mote']}\tStarting application")
    lines += [
        f"2000000\tID:{control}\t!run,init,{n + 1}",
        f"3000000\tID:{control}\t!run,verified,{n + 1}",
        f"4000000\tID:{control}\t!run,start,{n + 1}",
    ]
    if chain.trace:
        lines += _trace(chain, rng)
    lines += [f"904000000\tID:{control}\t!run,stop,{n + 1}"]
    clock = 920_000_000
    delivered = rng.binomial(chain.events, 0.9, n)
    sent = [0] * (n + 2)
    for i in range(n, 0, -1):
        sent[i] = chain.events * (1 if chain.aggregate else n + 1 - i) - int(
            rng.integers(0, min(chain.events, 5))
        )
    for mote in chain.motes():
        i, number = mote["mote"] - 1, mote["mote"]
        if mote["role"] == "control":
            continue
        got = max(sent[i + 1] - int(rng.integers(0, 3)), 0) if i < n else 0
        records = [f"!node,{mote['role']},{i},{mote['parent']},{n + 1 - max(i, 1)}"]
        counters = {
            "events_published": chain.events if i else 0,
            "events_transmitted": sent[i],
            "packets_sent": sent[i] + 3,
            "packets_received": got + 3,
            "event_packets_received": got,
            "events_delivered": 0 if i else got,
            "mac_sent": sent[i] + 3,
            "merged": 0,
        }
        records += [f"!cnt,{name},{value}" for name, value in counters.items()]
        records += [
            f"!nrg,{state},{us}"
            for state, us in (
                ("listen", 890_000_000 - 2000 * sent[i]),
                ("transmit", 2000 * sent[i]),
                ("off", 10_000_000),
                ("cpu", 5_000_000),
                ("lpm", 895_000_000),
            )
        ]
        if not i:
            records += [f"!from,{p + 1},{delivered[p]},{int(rng.integers(0, 4))}" for p in range(n)]
            sizes = (
                rng.multinomial(got, np.ones(n) / n) if chain.aggregate else np.r_[got, np.zeros(n - 1, int)]
            )
            records += [f"!agg,{size + 1},{count}" for size, count in enumerate(sizes) if count]
            spread = rng.multinomial(delivered.sum(), np.arange(len(DELAY_BUCKETS_MS), 0, -1) / 45)
            records += [f"!dly,{upper},{count}" for upper, count in zip(DELAY_BUCKETS_MS, spread)]
        for record in records:
            clock += 2000
            lines.append(f"{clock}\tID:{number}\t{record}")
    lines += [
        f"{clock + 1000}\tID:{control}\t!run,end,{n + 1}",
        "TEST OK",
        f"Test ended at simulation time: {clock + 1000}",
    ]
    return lines


def _trace(chain: Chain, rng) -> list[str]:
    """The trace of a chain without loss: every event is published, passed on by each hop and delivered."""
    n, records = chain.publishers, []
    for sequence in range(1, chain.events + 1):
        for p in range(1, n + 1):
            time = 5_000_000 + sequence * 350_000 + int(rng.integers(0, 100_000))
            records.append((time, p + 1, f"!pub,temp,{p},{sequence},{int(rng.integers(-100, 400))}"))
            for hop in range(p, 0, -1):
                time += int(rng.integers(2_000, 20_000))
                records.append((time, hop + 1, f"!snd,temp,{hop},{sequence % 256},{p}.{sequence}"))
                records.append((time + 1500, hop, f"!rcv,temp,{hop + 1},{sequence % 256},{p}.{sequence}"))
            records.append((time + 1500, 1, f"!dlv,temp,2,{p}.{sequence}"))
            if chain.aggregate and p < n:
                records.append((time + 1600, p + 1, f"!mrg,temp,{p}.{sequence},{p + 1}.{sequence}"))
                records.append((time + 1700, p + 1, f"!fwd,temp,timeout,{p}.{sequence}+{p + 1}.{sequence}"))
    records.sort()
    return [f"{time}\tID:{mote}\t{text}" for time, mote, text in records]


def write_run(
    experiment: Path, chain: Chain, seed: int, log: bytes | None = None, outcome: str = "ok"
) -> Path:
    """A run folder of the contract; returns it. Its id is a digest of cell and seed."""
    if log is None:
        log = ("\n".join(log_lines(chain, seed)) + "\n").encode()
    run_id = hashlib.sha256(f"{experiment.name} {chain.name} {seed}".encode()).hexdigest()[:16]
    folder = experiment / "runs" / run_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "COOJA.testlog").write_bytes(log)
    (folder / "simulation.csc").write_text("<simconf/>")
    manifest = {
        "format": 1,
        "run_id": run_id,
        "trend_id": run_id[::-1],
        "experiment": experiment.name,
        "cell": chain.name,
        "settings": chain.settings,
        "seed": seed,
        "parameters": chain.parameters(),
        "motes": chain.motes(),
        "csc_sha256": "0" * 64,
        "log_sha256": hashlib.sha256(log).hexdigest(),
        "firmware": {"mtype1": "1" * 64},
        "engine": {"name": "embedded", "version": "2" * 16, "rules": "5.0"},
        "outcome": outcome,
        "evidence": [],
        "statistics": {"sim_us": 930_000_000, "wall_s": 0.5, "events": 123456, "peak_memory": 12_000_000},
        "host": {"name": "here"},
        "started": "2026-11-21T00:00:00Z",
        "finished": "2026-11-21T00:00:01Z",
        "orchestrate": "0.1",
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    return folder


def write_experiment(experiment: Path, chains: list[Chain], seeds: range) -> list[Path]:
    return [write_run(experiment, chain, seed) for chain in chains for seed in seeds]
