# SPDX-License-Identifier: Apache-2.0
"""orchestrate trace: one event's way through a run, hop by hop."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orchestrator import feature

if TYPE_CHECKING:
    from orchestrator.errors import Untraced
    from orchestrator.inspect.find import Found
    from orchestrator.inspect.traced import Check

DESCRIPTION = """Follow one event through a traced run: which mote forwarded it when and why,
what it was merged with, and where and why it was lost.

  orchestrate trace chain/H10A/7 --event P3/17
      event number 17 of publisher P3
  orchestrate trace chain 3f --event P3/17 --rerun
      for a run without a trace: repeat it with one first
  orchestrate trace rpl-udp/base/1 --datagrams
  orchestrate trace rpl-udp/base/1 --datagram 17
      any firmware's datagrams, in a run with a record of the air

Runs are traced if the scenario says `trace: true`. Other runs are measured
without the disturbance of printing. --rerun simulates the cell and seed once
more with a trace, keeps that run in the folder trace/ of the run's own, and
checks that it measured the same. If the event was lost on the air, the
traced run is simulated again, too, with a record of its radios (once; the
record is kept)."""
SHOWN_OTHERS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate trace`."""
    from orchestrator.cli.show import add_run

    add_run(parser)
    parser.add_argument(
        "--event",
        metavar="PUBLISHER/NUMBER",
        help="the event, such as P3/17: number 17 of publisher P3",
    )
    parser.add_argument("--subject", metavar="TOPIC", help="the event's topic, if the publisher has several")
    parser.add_argument("--rerun", action="store_true", help="repeat a run that has no trace with one")
    for other in feature.listed("traces"):
        other.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate trace`; return the exit code."""
    from orchestrator.cli.show import named
    from orchestrator.console import say
    from orchestrator.errors import Untraced, WrongUsage
    from orchestrator.inspect.journey import journey, parse_event

    for other in feature.listed("traces"):
        if other.asked(args):
            return other.run(args)
    if args.event is None:
        raise WrongUsage("say what to follow\n    name an event with --event; for other things see --help")
    parse_event(args.event)
    stored_run, check = named(args), None
    try:
        path = journey(stored_run, args.event, args.subject, say)
    except Untraced as error:
        stored_run, check = _twin(stored_run, args, error)
        path = journey(stored_run, args.event, args.subject, say)
    run_ = {"folder": str(stored_run.where)}
    if stored_run.manifest is not None:
        run_ |= {
            name: getattr(stored_run.manifest, name) for name in ("experiment", "cell", "seed", "run_id")
        }
    if args.json:
        checked = check and {
            "values": check.values,
            "differences": list(check.differences),
            "not_the_same": list(check.other),
        }
        print(json.dumps({"run": run_, "twin_of_measured_run": checked, **path}, indent=2))
    else:
        _show(run_, check, path)
    return 0


def _twin(stored_run: Found, args: argparse.Namespace, untraced: Untraced):
    """Return the traced run to look into instead, and how it compares with the measured one."""
    from orchestrator.console import say
    from orchestrator.inspect import traced

    if stored_run.manifest is None:
        raise untraced
    twin = traced.repetition(stored_run, args.rerun, say)
    if twin is None:
        name = " ".join(shlex.quote(word) for word in args.run)
        where = f" --store {shlex.quote(args.store)}" if args.store else ""
        raise type(untraced)(
            f"{untraced}\n    this makes its cell and seed again with the trace on: "
            f"orchestrate trace {name} --event {args.event}{where} --rerun"
        )
    return twin, traced.check(stored_run, twin)


def _show(run_: dict[str, Any], check: Check | None, path: dict[str, Any]) -> None:
    from rich.text import Text

    from orchestrator.cli.numbers import decimal, milliseconds
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show

    if check is not None:
        show(_checked(check))
    where = f"{run_['experiment']}/{run_['cell']} seed {run_['seed']}" if "cell" in run_ else run_["folder"]
    show(Text.assemble((path["event"], "bold"), f" of {where}, topic {path['subject']}"), _outcome(path), "")
    columns = (*numbers("s", "ms since", "step"), Column("mote", key=True), Column("what", prose=True))
    rows = [
        (
            decimal(step["time_us"] / 1e6, 6),
            milliseconds(step["since_us"]),
            f"{step['step_us'] / 1e3:+,.3f}",
            step["mote"],
            (step["what"], "red" if step["what"].startswith(("LOST", "HELD")) else ""),
        )
        for step in path["timeline"]
    ]
    show(Table("", columns, rows))
    if path["hops"]:
        show(_hops(path["hops"]))
    for end in path["ends"]:
        show(*_end(end))


def _checked(check: Check):
    from rich.text import Text

    lines = [
        f"this is a traced repetition: all {check.values} values that motes dump equal those of the "
        "measured run"
        if not check.differences
        else f"this traced repetition is NOT the same as the measured run: "
        f"{len(check.differences)} of {check.values} "
        "values differ"
    ]
    lines += [f"  {text}" for text in (*check.other, *check.differences[:5])]
    return Text("\n".join(lines), "red" if check.differences else "green")


def _outcome(path: dict[str, Any]):
    from rich.text import Text

    published = path["published"]
    text = Text(
        f"published by {published['mote']} at {published['time_us'] / 1e6:.6f} s, value {path['value']}"
    )
    for each in path["deliveries"]:
        again = " again" if each["duplicate"] else ""
        others = len(each["with"])
        merged = f" with {others} other{'s' if others > 1 else ''}" if others else ""
        text.append(
            f"; delivered{again} to {each['mote']} after {each['delay_us'] / 1e3:.3f} ms{merged}", "green"
        )
    if not path["delivered"]:
        text.append("; not delivered", "red")
    return text


def _hops(hops: Sequence[dict[str, Any]]):
    from orchestrator.cli.numbers import milliseconds
    from orchestrator.cli.tables import Column, Table, numbers

    columns = (
        Column("from", key=True),
        Column("to", key=True),
        *numbers("frame", "events", "held, ms", "MAC and air, ms"),
        Column("forwarded", prose=True),
        Column("fate", prose=True),
    )
    rows = [
        (
            hop["from"],
            hop["to"],
            str(hop["frame"]),
            str(hop["events"]),
            milliseconds(hop["held_us"]),
            milliseconds(hop["hop_us"]),
            hop["why"] or "at once",
            (hop["fate"], "" if hop["fate"] == "received" else "red"),
        )
        for hop in hops
    ]
    return Table("", columns, rows)


def _end(end: dict[str, Any]):
    from rich.text import Text

    where = f"{end['where']} to {end['to']}" if end["to"] else end["where"]
    yield Text(f"{where}: {end['why']}", "bold")
    if end["window_us"]:
        begin, stop = (time / 1e6 for time in end["window_us"])
        heard = f"heard by {', '.join(end['heard_by'])}" if end["heard_by"] else "nobody heard it"
        yield Text(f"  on the air from {begin:.6f} to {stop:.6f} s; {heard}")
    for other in end["others"][:SHOWN_OTHERS]:
        begin, stop = (time / 1e6 for time in other["window_us"])
        next_hop = " (the next hop itself)" if other["by_next_hop"] else ""
        to = f" to {other['to']}" if other["to"] else ""
        number = "another protocol's frame" if other["frame"] is None else f"frame {other['frame']}"
        events = f" with {', '.join(other['events'])}" if other["events"] else ""
        yield Text(
            f"  {other['from']}{next_hop}{to}: {number}{events}, on the air from {begin:.6f} to {stop:.6f} s"
        )
    if len(end["others"]) > SHOWN_OTHERS:
        yield Text(f"  and {len(end['others']) - SHOWN_OTHERS} more frames")
