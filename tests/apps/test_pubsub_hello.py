# SPDX-License-Identifier: Apache-2.0
"""The smallest use of pubsub, on the embedded engine: two topics along a chain wider than the radio range."""

from __future__ import annotations

from collections import Counter

from orchestrator.applications.place import application, simulation
from orchestrator.build import host
from orchestrator.engines.protocol import engine
from orchestrator.scenario.load import loads

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
    kernel.run(made, 1, {made.mote_types[0].identifier: firmware.path}, tmp_path / "log")
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
