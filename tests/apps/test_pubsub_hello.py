# SPDX-License-Identifier: Apache-2.0
"""The smallest use of pubsub, on the embedded engine: two topics along a chain wider than the radio range."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

from orchestrator import resources
from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.scenario.load import loads
from tests.placed import simulation

SCENARIO = """
experiment: hello
topology: {shape: chain, publishers: 3, spacing: 40 m}
radio: {medium: udgm, range: 50 m, interference: 50 m, tx: 100 %, rx: 100 %}
application: {name: pubsub-hello, interval: 5 s}
duration: 28 s
drain: 1 s
seeds: 1
"""


def test_every_publisher_reaches_the_subscriber_on_both_topics(tmp_path):
    cell = loads(SCENARIO, "hello.yaml").cells[0]
    app = application("pubsub-hello")
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, 1)
    kernel = engine("embedded")
    kernel.prepare()
    run_one(kernel, Job(made, 1, {made.mote_types[0].identifier: firmware.path}, tmp_path / "log"))
    said = Counter()
    for line in (tmp_path / "log").read_text().splitlines():
        if "publisher" in line:
            _, mote, text = line.split("\t")
            assert mote == "ID:1", line
            _, publisher, verb, *_ = text.split()
            said[int(publisher), verb] += 1
    for publisher in (1, 2, 3):
        assert said[publisher, "says"] == 1
        assert said[publisher, "is"] in (5, 6)


def _built(folder: Path, modules: str) -> Path:
    call = [
        "make",
        "-s",
        "-C",
        resources.contiki_apps() / "apps" / "pubsub-hello",
        "TARGET=cooja",
        "pubsub-hello.cooja",
    ]
    subprocess.run([*call, f"BUILD_DIR={folder}", f"MODULES={modules}"], capture_output=True, check=True)
    return folder / "cooja" / "pubsub-hello.cooja"


def test_a_module_that_no_channel_uses_changes_nothing(tmp_path):
    made = simulation(loads(SCENARIO, "hello.yaml").cells[0], 1)
    kernel = engine("embedded")
    kernel.prepare()
    logs, sizes = [], []
    for name, modules in (("absent", "pubsub identity"), ("unused", "pubsub identity aggregation diffusion")):
        library = _built(tmp_path / name, modules)
        run_one(kernel, Job(made, 1, {made.mote_types[0].identifier: library}, tmp_path / f"{name}.log"))
        logs.append((tmp_path / f"{name}.log").read_bytes())
        sizes.append(
            subprocess.run(["size", library], capture_output=True, text=True, check=True)
            .stdout.splitlines()[1]
            .split()[:3]
        )
        assert b"diffusion_" not in library.read_bytes()
    assert logs[0] == logs[1] and b"publisher 2 is up" in logs[0]
    assert sizes[0] == sizes[1]
