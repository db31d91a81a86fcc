# SPDX-License-Identifier: Apache-2.0
"""Every application of ours, those that `orchestrate new` writes, and logs without anything: run once, short,
into one experiment, so that Spark starts its jobs once for all of them."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from orchestrator.cli.app import main
from orchestrator.execution import pipeline
from orchestrator.scenario.load import loads

ALL = "all"
CHAIN = "{shape: chain, publishers: 2, spacing: 30 m}"
# name -> (topology, application's settings, what its matrix varies)
APPLICATIONS = {
    "aggregation": (CHAIN, "rate: high", "application.aggregate: [false, true]"),
    "mesh": (
        "{shape: grid, rows: 2, columns: 3, spacing: 30 m}",
        "topics: 2, subscribers: S P5, publishers: P1 P4, killed: P3, kill-at: 10 s, renewal: 4 s, "
        "interval: 500 ms, warm-up: 5 s",
        "application.renewal: [4 s, 8 s]",
    ),
    "pubsub-hello": (CHAIN, "interval: 2 s", "application.interval: [1 s, 2 s]"),
    "hello-nullnet": (CHAIN, "", "application.mac: [csma, nullmac]"),
    "link-survey": (CHAIN, "period: 1 s", "application.powers: [1, 2]"),
    "shared-sensor": (CHAIN, "", "application.blackboard: [false, true]"),
    "alarm": (CHAIN, "", "application.deadline: [0 s, 30 ms]"),
    "duty-cycle": (CHAIN, "", "application.radio: [always, timer, queue]"),
    "lorry": (
        "{shape: lorry, sensors: 4}",
        "event-at: 4 s",
        "application.temperature-policies: [figure-14-rebuilt.escape, none]",
    ),
    "event-service": (
        "{shape: boards, boards: 2}",
        "suppliers: P1, consumers: P2 P5, interval: 100 ms, power: 20",
        "application.delivery: [once, each]",
    ),
    "distribution": (
        "{shape: chain, publishers: 1, spacing: 30 m}",
        "",
        "application.network: [modelled, radio]",
    ),
    "blackboard-paper": (
        "{shape: chain, publishers: 1, spacing: 30 m}",
        "",
        "application.gives-up: [false, true]",
    ),
}
SCAFFOLDED = {"app": "greenhouse", "merge-function": "span"}
SEEDS = 2
NOTHING = {"empty": b"", "silent": b"Random seed: 1\n1000\tID:1\tStarting\nTEST OK\n"}  # logs


def scenario(name: str) -> str:
    topology, settings, matrix = APPLICATIONS[name]
    return (
        f"experiment: {name}\ntopology: {topology}\nradio: {{rx: 90 %}}\napplication: {{name: "
        f"{name}{', ' * bool(settings)}{settings}}}\n"
        f"duration: 20 s\ndrain: 2 s\nseeds: 1..{SEEDS}\ntrace: true\nmatrix:\n  {matrix}\n"
    )


def make(folder: Path) -> Path:
    """The store of the experiment ALL, not ingested; its cells are called APPLICATION/CELL."""
    own = {}
    for kind, name in SCAFFOLDED.items():
        assert main(["new", kind, name, "--folder", str(folder / name)]) == 0
        text = (folder / name / "scenario.yaml").read_text()
        own[name] = (
            text.replace("name: .", f"name: {folder / name}")
            .replace("seeds: 1..3", "seeds: 1..2")
            .replace("duration: 1 min", "duration: 20 s")
        )
    store, runs, ids = folder / "store", folder / "store" / ALL / "runs", []
    for name, text in {**{name: scenario(name) for name in APPLICATIONS}, **own}.items():
        made = pipeline.run(loads(text, name), folder / "made", report=False)
        assert not made.summary.failures, name
        for run_id in made.summary.run_ids:
            shutil.copytree(made.folder / "runs" / run_id, runs / run_id)
            _change(
                runs / run_id,
                lambda manifest, name=name: (
                    manifest | {"experiment": ALL, "cell": f"{name}/{manifest['cell']}"}
                ),
            )
            ids.append(run_id)
    for name, log in NOTHING.items():
        for seed in range(1, SEEDS + 1):
            run_id = hashlib.sha256(f"{name} {seed}".encode()).hexdigest()[:20]
            shutil.copytree(runs / ids[0], runs / run_id)
            (runs / run_id / "COOJA.testlog").write_bytes(log)
            _change(
                runs / run_id,
                lambda manifest, name=name, run_id=run_id, seed=seed, log=log: (
                    manifest
                    | {
                        "cell": f"{name}/base",
                        "run_id": run_id,
                        "seed": seed,
                        "settings": {},
                        "log_sha256": hashlib.sha256(log).hexdigest(),
                    }
                ),
            )
            ids.append(run_id)
    (store / ALL / "campaign.json").write_text(json.dumps({"format": 1, "experiment": ALL, "runs": ids}))
    return store


def _change(run: Path, to) -> None:
    file = run / "manifest.json"
    file.write_text(json.dumps(to(json.loads(file.read_text()))))
