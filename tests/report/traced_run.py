# SPDX-License-Identifier: Apache-2.0
"""Stored runs with a trace, written from the contract alone: a square grid of motes whose events travel to
mote 1.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

from tests import manifests


def store(
    folder: Path,
    side: int,
    rounds: int,
    every_s: float = 30.0,
    aggregate: bool = True,
    trace: bool = True,
    experiment: str = "traced",
    name=lambda mote: "S" if mote == 1 else f"P{mote - 1}",
) -> tuple[Path, str]:
    """Every mote publishes once a round; with `aggregate` each next hop merges all that it has, else every
    event goes its way alone; 2 % of the frames are lost. Returns (store, run id)."""
    draw = random.Random(side)
    count = side * side
    parent = {
        mote: 0 if mote == 1 else mote - 1 if (mote - 1) % side else mote - side
        for mote in range(1, count + 1)
    }
    depth = {mote: (mote - 1) % side + (mote - 1) // side for mote in parent}
    lines: list[tuple[int, int, str]] = [(1_000_000, 1, "!run,start,0")]
    frames = dict.fromkeys(parent, 0)
    for turn in range(1, rounds + 1) if trace else ():
        base = round(turn * every_s * 1e6)
        holds: dict[int, list[str]] = {mote: [] for mote in parent}
        for mote in sorted(parent, key=lambda mote: (-depth[mote], mote)):
            if mote == 1:
                continue
            at = base + (2 * side - depth[mote]) * 60_000 + draw.randrange(30_000)
            own = f"{mote - 1}.{turn}"
            lines.append((at - 20_000, mote, f"!pub,reading,{mote - 1},{turn},{draw.randrange(-500, 500)}"))
            if aggregate and holds[mote]:
                lines.append((at, mote, f"!mrg,reading,{own},{'+'.join(holds[mote][:20])}"))
                lines.append((at, mote, f"!fwd,reading,{'full' if turn % 3 else 'timeout'},{own}"))
            # A frame has room for twenty events.
            groups = (
                [([*holds[mote], own])[-20:]] if aggregate else [[event] for event in [*holds[mote], own]]
            )
            for place, events in enumerate(groups):
                frames[mote] = frames[mote] % 65535 + 1
                sent = at + place * 300
                lines.append((sent, mote, f"!snd,reading,{parent[mote]},{frames[mote]},{'+'.join(events)}"))
                if draw.random() < 0.02:
                    lines.append((sent + 2000, mote, f"!drp,channel-access,{mote},{frames[mote]}"))
                    continue
                lines.append(
                    (sent + 4000, parent[mote], f"!rcv,reading,{mote},{frames[mote]},{'+'.join(events)}")
                )
                holds[parent[mote]] += events
                if parent[mote] == 1:
                    lines.append((sent + 4000, 1, f"!dlv,reading,{mote},{'+'.join(events)}"))
    lines.append((round((rounds + 1) * every_s * 1e6), 1, "!run,stop,0"))
    lines.sort(key=lambda line: line[0])
    log = "".join(f"{at}\tID:{mote}\t{text}\n" for at, mote, text in lines) + "TEST OK\n"
    run_id = hashlib.sha256(f"{side} {rounds} {aggregate} {trace}".encode()).hexdigest()[:20]
    run = folder / experiment / "runs" / run_id
    run.mkdir(parents=True)
    (run / "COOJA.testlog").write_text(log)
    motes = [
        {
            "mote": mote,
            "name": name(mote),
            "role": "subscriber" if mote == 1 else "publisher",
            "x": 40.0 * ((mote - 1) % side),
            "y": 40.0 * ((mote - 1) // side),
            "parent": parent[mote],
        }
        for mote in parent
    ]
    (run / "manifest.json").write_text(
        json.dumps(
            manifests.content(
                run_id,
                experiment=experiment,
                cell="grid",
                parameters=manifests.parameters(
                    "grid",
                    topology={"shape": "grid", "parameters": {}},
                    application={"name": "aggregation", "parameters": {"aggregate": aggregate}},
                    trace=trace,
                ),
                motes=motes,
                log_sha256=hashlib.sha256(log.encode()).hexdigest(),
                statistics={"sim_us": lines[-1][0], "wall_s": 1.0, "events": 1, "peak_memory": 1},
            )
        )
    )
    return folder, run_id
