# SPDX-License-Identifier: Apache-2.0
"""The core's own contributions, through the same seam as its features' (orchestrator/feature.py)."""

from orchestrator.feature import Command, Feature

_SHAPES = ("chain", "folded_chain", "star", "tree", "grid", "mesh", "random_geometric", "boards", "positions")

FEATURE = Feature(
    "core",
    "scenarios, simulators, runs and reports",
    commands={
        "init": Command("begin", "write a commented starter scenario", "orchestrator.cli.init"),
        "validate": Command(
            "begin", "check a scenario file and list every fault", "orchestrator.cli.validate"
        ),
        "topology": Command("begin", "draw a topology and write its .csc", "orchestrator.cli.topology"),
        "schema": Command(
            "begin", "print the JSON Schema of scenario files, for editors", "orchestrator.cli.schema"
        ),
        "run": Command("run", "plan, build, simulate, ingest and report a scenario", "orchestrator.cli.run"),
        "paper": Command(
            "run", "repeat a paper's experiments and compare the numbers", "orchestrator.cli.paper"
        ),
        "simulate": Command(
            "run", "run .csc files and folders, as Cooja does without a window", "orchestrator.cli.simulate"
        ),
        "build": Command("run", "compile an application's firmware", "orchestrator.cli.build"),
        "report": Command(
            "results of an experiment", "write the HTML report of an experiment", "orchestrator.cli.report"
        ),
        "compare": Command(
            "results of an experiment",
            "compare two experiments or cells, metric by metric",
            "orchestrator.cli.compare",
        ),
        "metrics": Command(
            "results of an experiment", "compute and show an experiment's metrics", "orchestrator.cli.metrics"
        ),
        "ingest": Command(
            "results of an experiment", "read run folders into Spark tables", "orchestrator.cli.ingest"
        ),
        "query": Command(
            "results of an experiment",
            "answer SQL over a store's tables and metrics",
            "orchestrator.cli.query",
        ),
        "runs": Command(
            "results of an experiment", "list, show, verify and remove stored runs", "orchestrator.cli.runs"
        ),
        "reproduce": Command(
            "results of an experiment",
            "make stored runs again and compare every byte",
            "orchestrator.cli.reproduce",
        ),
        "show": Command(
            "inside one run", "show what happened in a run, mote by mote", "orchestrator.cli.show"
        ),
        "trace": Command(
            "inside one run",
            "follow one event hop by hop: where was it lost, and why?",
            "orchestrator.cli.trace",
        ),
        "replay": Command(
            "inside one run", "write a page that plays a traced run", "orchestrator.cli.replay"
        ),
        "pcap": Command("inside one run", "write the frames of a run for Wireshark", "orchestrator.cli.pcap"),
        "debug": Command(
            "inside one run", "stop a mote of a run in gdb at a simulated time", "orchestrator.cli.debug"
        ),
        "csc": Command(
            "Cooja's files, this machine",
            "check, fix, draw, compare and open Cooja's simulation files",
            "orchestrator.cli.csc",
        ),
        "sizes": Command(
            "Cooja's files, this machine",
            "print code size and RAM of the middleware's modules",
            "orchestrator.cli.sizes",
        ),
        "doctor": Command(
            "Cooja's files, this machine",
            "check what this machine has and what it lacks",
            "orchestrator.cli.doctor",
        ),
        "completion": Command(
            "Cooja's files, this machine",
            "print the script for completion in a shell",
            "orchestrator.cli.completion",
        ),
    },
    engines={
        "embedded": "orchestrator.engines.embedded.engine",
        "cooja": "orchestrator.engines.cooja.engine",
    },
    shapes=tuple(f"orchestrator.topology.{shape}" for shape in _SHAPES),
    schemas={"scenario": "orchestrator.scenario.schema"},
)
