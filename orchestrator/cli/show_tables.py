# SPDX-License-Identifier: Apache-2.0
"""`orchestrate show` as text and tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from orchestrator.cli.numbers import count, decimal
from orchestrator.cli.tables import Column, Table, numbers
from orchestrator.inspect.views import views
from orchestrator.words import counted

BAR = 40  # columns of the longest bar
SECOND = 1e6  # us


def of_run(overview: dict[str, Any]) -> Iterator:
    """Yield the tables of a run."""
    yield from _header(overview["run"])
    motes = overview["motes"]
    measured = [mote for mote in motes if mote["sent"] is not None]
    if measured:
        yield _traffic(measured)
        yield _reasons(measured)
    yield from _undone(motes)
    if any(mote["states_us"] for mote in motes):
        yield _radio([mote for mote in motes if mote["states_us"]], bool(overview.get("threads")))
    yield from _viewed(overview)
    if overview["delivery"]:
        yield _delivery(overview["delivery"])
        yield _fates(overview["links"])
    if overview["aggregate_sizes"]:
        yield _sizes(overview["aggregate_sizes"])
    if overview["delay_ms"]["events"]:
        yield _delays(overview["delay_ms"])
    printed = [mote for mote in motes if mote["text"]]
    if printed:
        yield _printed(printed)
    if not measured and not printed and not list(_viewed(overview)):
        yield Text("No mote printed anything.\n")
    yield from _damage(overview["damage"])


def of_mote(mote_view: dict[str, Any]) -> Iterator:
    """Yield the tables of one mote."""
    yield from _header(mote_view["run"])
    mote = mote_view["mote"]
    next_hop = f", next hop {mote['parent']}" if mote["parent"] else ""
    yield Text(
        f"{mote['name']}: mote {mote['mote']}, {_role(mote) if mote['role'] else 'role unknown'}{next_hop}",
        "bold",
    )
    if mote_view["counters"]:
        counters = [(name, count(value)) for name, value in mote_view["counters"].items()]
        yield Table("Counters", ("counter", *numbers("value")), counters)
        yield _reasons([mote])
    yield from _undone([mote])
    if mote["states_us"]:
        yield _radio([mote], bool(mote_view.get("threads")))
    yield from _viewed(mote_view)
    if mote_view["trace_records"]:
        yield Text(
            "Trace records: "
            + ", ".join(f"{count} {kind}" for kind, count in mote_view["trace_records"].items())
            + "\n"
        )
    yield Text(
        f"Last lines ({len(mote_view['last_lines'])})" if mote_view["last_lines"] else "It printed nothing.",
        "bold",
    )
    for line in mote_view["last_lines"]:
        yield Text("  " + line.replace("\t", "  "))


def _viewed(overview: dict[str, Any]) -> Iterator:
    for view in views():
        yield from view.shown(overview)


def of_radios(times: dict[str, Any]) -> Iterator:
    """Yield the tables of a run's radios."""
    motes = times["motes"]
    counted = any(mote["measured_mj"] is not None for mote in motes)
    yield _states(
        "Time in states of the radio from boot to the run's end, and the transceiver's energy", motes, counted
    )
    emulated = [mote for mote in motes if mote["cpu_us"]]
    if emulated:
        modes = [
            mode
            for mode in emulated[0]["cpu_us"]
            if mode == "active" or any(mote["cpu_us"][mode] for mote in emulated)
        ]
        rows = [
            (
                mote["name"],
                *(decimal(mote["cpu_us"][mode] / SECOND, 3) for mode in modes),
                decimal(mote["cpu_mj"], 1),
            )
            for mote in emulated
        ]
        columns = ("mote", *numbers(*(f"{mode}, s" for mode in modes), "energy, mJ"))
        yield Table("Time in modes of emulated motes' processors from boot to the run's end", columns, rows)
        yield Text("energy of emulated motes: with the currents of the platform cc2420 (Tmote Sky)")
    if times["cut"]:
        yield Text("The run stopped before its end; these are the times up to that point.", "red")
    if counted:
        yield Text(
            f"measured: over {_measured(motes)} alone, as the motes counted it and `orchestrate show` has it"
        )
    yield Text(
        f"{times['sim_us'] / SECOND:,.6f} s simulated, as each row's states sum up to\n"
        f"frames, events and times: {times['record']}"
    )


def _header(run: dict[str, Any]) -> Iterator:
    where = f"{run['experiment']}/{run['cell']}" if run["experiment"] else run["folder"]
    style = "green" if run["outcome"] == "ok" else "red" if run["outcome"] != "unknown" else "yellow"
    yield Text.assemble(
        (where, "bold"),
        f" seed {run['seed']}  run {run['run_id'][:12]}  " if run["run_id"] else "  ",
        (run["outcome"], style),
        f"  verdict {run['verdict'] or 'none'}",
    )
    facts = []
    if run["engine"]:
        facts.append(
            f"engine {run['engine']['name']} {run['engine']['version'][:12]}, rules {run['engine']['rules']}"
        )
    facts += [f"firmware {name} {digest[:12]}" for name, digest in run["firmware"].items()]
    yield Text("; ".join(facts)) if facts else Text("no manifest: a log alone")
    times = []
    on_motes = bool(run["engine"]) and run["engine"]["name"] == "testbed"
    if run["sim_us"]:
        times.append(f"{run['sim_us'] / SECOND:,.3f} s " + ("on motes" if on_motes else "simulated"))
    if run["wall_s"]:
        times.append(f"{run['wall_s']:.3f} s of wall time")
    if run["speed"] and not on_motes:
        of = (
            f"duration and drain, {run['experiment_us'] / SECOND:,.3f} s, at " if run["experiment_us"] else ""
        )
        times.append(f"{of}{run['speed']:,.0f} times real time")
    times.append(counted(run["lines"], "line") + (", with trace" if run["trace"] else ""))
    yield Text(", ".join(times))
    if run["phases"]:
        yield Text(
            f"{' and '.join(run['phases_of'])}: "
            + ", ".join(f"{name} at {at / SECOND:.3f} s" for name, at in run["phases"].items())
        )
    for line in run["evidence"]:
        yield Text("  " + line, "red")
    yield Text("")


def _traffic(motes: Sequence[dict[str, Any]]) -> Table:
    counters = ("sent", "received", "overheard", "published", "transmitted", "merged")
    columns = ("mote", Column("role", prose=True), "next", *numbers(*counters, "dropped", "pending"))
    rows = [
        (
            mote["name"],
            _role(mote),
            mote["parent"] or None,
            *(count(mote[name]) for name in counters),
            count(sum(mote["dropped"].values())),
            count(mote["pending"]),
        )
        for mote in motes
    ]
    return Table(
        "Packets and events by mote",
        columns,
        rows,
        "sent, received: frames of the mote's routing layer; overheard: frames for other motes; "
        "all others: event messages",
    )


def _role(mote: dict[str, Any]) -> str:
    role = " and ".join(part for part in (mote["role"], mote["also"]) if part) or "–"
    return role + (f", died at {mote['died_us'] / SECOND:.3f} s" if mote["died_us"] is not None else "")


def _undone(motes: Sequence[dict[str, Any]]) -> Iterator:
    """Of which motes merges were undone, if of any."""
    if undone := [f"{mote['undone']} at {mote['name']}" for mote in motes if mote["undone"]]:
        yield Text(
            f"Merges that were undone because the merge function broke its contract: {', '.join(undone)}\n",
            "red",
        )


def _reasons(motes: Sequence[dict[str, Any]]) -> Table | Text:
    """Return the table of forwards and drops by reason: only the reasons that occur."""
    kinds = [("forwarded", "fwd"), ("dropped", "lost")]
    reasons = [
        (kind, short, reason)
        for kind, short in kinds
        for reason in dict.fromkeys(reason for mote in motes for reason in mote[kind])
    ]
    if not reasons:
        return Text("No merge function held an event, and no mote dropped one of its own frames.\n")
    columns = ("mote", *numbers(*(f"{short}: {reason}" for _, short, reason in reasons)))
    rows = [
        (mote["name"], *(count(mote[kind].get(reason, 0)) for kind, _, reason in reasons)) for mote in motes
    ]
    return Table("Why held events were forwarded, and what motes dropped", columns, rows)


def _radio(motes: Sequence[dict[str, Any]], modelled: bool) -> Table:
    """`modelled`: the motes have threads, whose CPU takes the time that the firmware says."""
    title = f"Time in states and the transceiver's energy over {_measured(motes)}"
    return _states(title + (" (cpu and lpm: modelled)" if modelled else ""), motes)


def _measured(motes: Sequence[dict[str, Any]]) -> str:
    """Return the measured time, and its length if it is known and all motes have the same (to the ms)."""
    times = [mote["measured_us"] for mote in motes]
    if not times or None in times or max(times) - min(times) > 2_000:
        return "the measured time"
    return f"the measured {max(times) / SECOND:,.3f} s"


def _states(title: str, motes: Sequence[dict[str, Any]], also_measured: bool = False) -> Table:
    states = list(dict.fromkeys(state for mote in motes for state in mote["states_us"]))
    names = (*(f"{state}, s" for state in states), "energy, mJ", *["measured, mJ"] * also_measured)
    rows = [
        (
            mote["name"],
            *(
                decimal(mote["states_us"][state] / SECOND, 3) if state in mote["states_us"] else None
                for state in states
            ),
            *(decimal(mote[key], 1) for key in ("energy_mj", "measured_mj")[: 1 + also_measured]),
        )
        for mote in motes
    ]
    return Table(title, ("mote", *numbers(*names)), rows)


def _delivery(rows: Sequence[dict[str, Any]]) -> Table:
    columns = (
        Column("publisher", key=True),
        Column("to", key=True),
        *numbers("published", "delivered", "duplicates", "lost", "lost, %"),
    )
    entries = [
        (
            row["publisher"],
            row["subscriber"] or None,
            *(count(row[name]) for name in ("published", "delivered", "duplicates", "lost")),
            decimal(100 * row["lost"] / row["published"], 2)
            if row["published"] and row["lost"] is not None
            else None,
        )
        for row in rows
    ]
    return Table("Delivery", columns, entries)


def _fates(links: dict[str, Any]) -> Text:
    parts = [
        f"{name} {count(links[name])}"
        for name in ("transmitted", "queue", "channel-access", "collision", "pool", "no-route", "malformed")
        if links[name]
    ]
    parts += [f"lost on the air {count(links['lost_on_air'])}"] if links["lost_on_air"] is not None else []
    parts += [f"still held at the end {counted(links['pending'], 'event')}"] if links["pending"] else []
    return Text("Event messages, all motes: " + ", ".join(parts) + "\n")


def _delays(delay: dict[str, Any]) -> Text:
    mean = "" if delay["mean"] is None else f"mean {delay['mean']:.1f} ms, "
    quantiles = ", ".join(f"{name} {value} ms" for name, value in delay["quantiles"].items())
    return Text(
        f"Delivery delay of {counted(delay['events'], 'event')}: {mean}{quantiles} (upper ends of buckets)\n"
    )


def _sizes(sizes: dict[str, int]) -> Table:
    most = max(sizes.values())
    rows = [
        (size, count(messages), "█" * max(1, round(BAR * messages / most)) if messages else "")
        for size, messages in sizes.items()
    ]
    return Table("Events per received message", (*numbers("events", "messages"), ""), rows)


def _printed(motes: Sequence[dict[str, Any]]) -> Table:
    columns = ("mote", *numbers("lines"), Column("first", prose=True), Column("last", prose=True))
    rows = [
        (
            mote["name"],
            count(mote["text"]["lines"]),
            *(
                f"{decimal(mote['text'][end + '_us'] / SECOND, 3)} s {mote['text'][end][:60]}"
                for end in ("first", "last")
            ),
        )
        for mote in motes
    ]
    return Table("Lines that are not records", columns, rows)


def _damage(damage: Sequence[dict[str, Any]]) -> Iterator:
    if not damage:
        yield Text("no damaged lines")
        return
    rows = [
        (
            row["reason"] + (" (kept)" if row["kept"] else ""),
            count(row["count"]),
            count(row["first_line"]),
            next(iter(row["samples"]), "")[:60],
        )
        for row in damage
    ]
    yield Table(
        "Damage of the log", ("reason", *numbers("lines", "first line"), Column("sample", prose=True)), rows
    )
