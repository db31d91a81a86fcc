# SPDX-License-Identifier: Apache-2.0
"""A mote reports an EEPROM image that isn't one, is cut short or holds impossible values, and does nothing
then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.scenario.load import loads
from tests import needs
from tests.placed import simulation

needs.a_compiler()
SCENARIO = (
    "experiment: images\ntopology: {{shape: star, publishers: 1}}\napplication: {{name: {}}}\nduration: 5 "
    "s\nseeds: 1\n"
)
ROLE = 2  # where it stands in the image


@pytest.mark.parametrize("name", ["shared-sensor", "alarm", "duty-cycle"])
def test_what_is_wrong_with_an_image_is_said(tmp_path, name):
    cell = loads(SCENARIO.format(name), "images.yaml").cells[0]
    app = application(name)
    firmware = host.firmware(app, app.variant(cell.application.parameters)).path
    made = simulation(cell, 1)
    kernel = engine("embedded")
    kernel.prepare()
    good = made.motes[1].eeprom
    wrong = {
        "the EEPROM holds no image of this application": b"\x00" + good[1:],
        "the EEPROM image holds a value out of range": good[:ROLE] + b"\x09" + good[ROLE + 1 :],
        "more neighbours than this firmware has room for": good[:-3]
        + b"\xff"
        + bytes(n for m in range(1, 100) for n in (m, 0)),
    }
    for said, image in wrong.items():
        motes = tuple(
            replace(mote, eeprom=image) if index == 1 else mote for index, mote in enumerate(made.motes)
        )
        run_one(
            kernel,
            Job(replace(made, motes=motes), 1, {made.mote_types[0].identifier: firmware}, tmp_path / "log"),
        )
        lines = [
            line.split("\t")[2] for line in (tmp_path / "log").read_text().splitlines() if "\tID:2\t" in line
        ]
        assert lines[-1:] == [f"{name}: {said}"] and not [line for line in lines if line.startswith("!")]
