# SPDX-License-Identifier: Apache-2.0
"""Reads a .csc for a simulation that another program drives, so that the file's own script doesn't run."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from orchestrator.csc import classes, document, script
from orchestrator.csc.model import EndScript, Simulation
from orchestrator.csc.read import judge


def read(path: Path, contiki: Path | None = None, cooja: Path | None = None) -> Simulation:
    """Return the simulation of a file, with a script that does nothing in place of its own, if it has any.

    Arguments and errors are those of csc.read.read; faults of the file's script are none here.
    """
    written = document.read(path)
    for plugin in written.plugins:
        if plugin.name == classes.SCRIPT_RUNNER:
            written.root.remove(plugin.element)
    runner = etree.SubElement(written.root, "plugin")
    runner.text = classes.SCRIPT_RUNNER
    etree.SubElement(etree.SubElement(runner, "plugin_config"), "script").text = script.write(
        EndScript(1_000_000)
    )
    simulation, faults = judge(written, contiki, cooja)
    faults.raise_any()
    return simulation
