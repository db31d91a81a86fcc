# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed status: what a lab's virtual twin does."""

from __future__ import annotations

import argparse
import json

DESCRIPTION = """Say what the virtual twin of a lab does: whether its gateways answer, what its
motes run, and whether the simulation keeps up with real time."""


_ANSWERS, _SILENT = ("answers", "green"), ("silent", "red")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed status`."""
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed status`; return 7 if a gateway is silent or a mote's firmware stopped."""
    from orchestrate_testbed.virtual import server, testbed

    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show
    from orchestrator.errors import RunFailed
    from orchestrator.features.testbed.virtual_testbed import folder_of

    virtual = testbed.find(folder_of(args.lab))
    answering = {each.name: server.answers(each) for each in virtual.servers}
    status = virtual.ask(status=True)
    status.pop("ok")
    stopped = [name for name, mote in status["motes"].items() if mote["fault"]]
    if args.json:
        print(json.dumps(status | {"servers": answering}, indent=2))
        return RunFailed.exit_code if stopped or not all(answering.values()) else 0
    servers = [
        (each.name, f"{each.address}:{each.port}", _ANSWERS if answering[each.name] else _SILENT)
        for each in virtual.servers
    ]
    show(Table("Servers", ["server", "address", ""], servers))

    rows = [
        (
            name,
            _state(mote),
            mote["firmware"][:12] or None,
            *(f"{mote[count]:,}" for count in ("heard", "unheard", "overrun")),
        )
        for name, mote in status["motes"].items()
    ]
    show(Table("Motes", ["mote", "", "firmware", *numbers("bytes read", "unheard", "lost")], rows))
    now = max(status["now_us"], 1) / 1e6
    show(
        f"{now:.1f} s simulated; at most {status['most_behind_us'] / 1e3:.0f} ms behind real time, more than "
        f"100 ms in {status['late_steps']:,} of {status['steps']:,} steps. The motes take "
        f"{100 * status['kernel_cpu_s'] / now:.1f} % of a processor, their serial lines "
        f"{100 * status['cpu_s'] / now:.1f} %."
    )
    return RunFailed.exit_code if stopped or not all(answering.values()) else 0


def _state(mote: dict) -> tuple[str, str]:
    if not mote["plugged"]:
        return "unplugged", "red"
    if mote["fault"]:
        return mote["fault"], "red"
    if mote["runs"]:
        return f"runs as {mote['id']}", "green"
    return ("off", "yellow") if mote["firmware"] else ("blank", "")
