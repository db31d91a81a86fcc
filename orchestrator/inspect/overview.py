# SPDX-License-Identifier: Apache-2.0
"""The content of `orchestrate show` as plain values, which --json prints."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from orchestrate_spark.metrics.energy_model import energy_mj

from orchestrator.errors import NoSuchThing
from orchestrator.inspect.find import Found
from orchestrator.inspect.owed import delivery
from orchestrator.inspect.tables import having, read
from orchestrator.inspect.views import views
from orchestrator.runs.manifest import LOG_FILE
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = Mapping[str, pa.Table]

TABLES = (
    "runs",
    "motes",
    "nodes",
    "phases",
    "counters",
    "deliveries",
    "aggregates",
    "delays",
    "states",
    "events",
    "execution",
    "text",
    "damage",
)
# counter -> the word for the drops that it counts
DROPS = {
    "queue_dropped": "queue",
    "mac_channel_access_failure": "channel-access",
    "mac_collision": "collision",
    "pool_exhausted": "pool",
    "no_route": "no-route",
    "packets_malformed": "malformed",
}
FORWARDS = {f"forward_{reason}": reason for reason in ("timeout", "full", "contained", "frame")}
RADIO = ("transmit", "listen", "off")
DIFFUSED = "interests_received"
LAST_LINES = 12  # of a mote's log
QUANTILES = (0.05, 0.5, 0.95, 0.99)


def _tables() -> tuple[str, ...]:
    return (*TABLES, *(name for view in views() for name in view.tables))


def _viewed(tables: Tables, motes: list[dict[str, Any]]) -> dict[str, list[dict]]:
    """Return the rows of features' views, by their key."""
    return {key: rows for view in views() for key, rows in view.rows(tables, _names(motes)).items()}


def overview(stored_run: Found) -> dict[str, Any]:
    """Return header, motes (a dict for each), delivery by publisher, aggregate sizes, delays and damage.

    Times are us unless a name has another unit; what the log does not have is None or empty.
    """
    tables = read(stored_run.where, _tables())
    motes = _motes(stored_run, tables)
    return {
        "run": _header(stored_run, tables),
        "motes": motes,
        "delivery": _delivery(tables, motes) or delivery(tables["events"], _names(motes)),
        "aggregate_sizes": {
            str(row["contributors"]): row["count"] for row in _summed(tables["aggregates"], "contributors")
        },
        "delay_ms": _delays(tables),
        "links": _links(motes, diffused=DIFFUSED in tables["counters"]["name"].to_pylist()),
        **_viewed(tables, motes),
        "damage": [
            {name: row[name] for name in ("reason", "kept", "count", "first_line", "samples")}
            for row in tables["damage"].to_pylist()
        ],
    }


def one_mote(stored_run: Found, name: str) -> dict[str, Any]:
    """Return a mote in detail: its row of `overview`, its counters and its last lines. Raises NoSuchThing."""
    tables = read(stored_run.where, _tables())
    motes = _motes(stored_run, tables)
    mote = next((mote for mote in motes if name in (mote["name"], str(mote["mote"]))), None)
    if mote is None:
        raise NoSuchThing(
            f"no mote {name!r} in this run; {did_you_mean(name, [str(mote['name']) for mote in motes])}"
        )
    number = mote["mote"]
    counters = {
        row["name"]: row["value"]
        for row in having(tables["counters"], mote=number).sort_by("name").to_pylist()
    }
    kinds = [
        row
        for trace in ("events", "execution")
        for row in sorted(Counter(having(tables[trace], mote=number)["kind"].to_pylist()).items())
    ]
    viewed = {
        key: [row for row in rows if row["mote"] == mote["name"]]
        for key, rows in _viewed(tables, motes).items()
    }
    return {
        "run": _header(stored_run, tables),
        "mote": mote,
        "counters": counters,
        **viewed,
        "trace_records": dict(kinds),
        "last_lines": last_lines(stored_run, mote["mote"]),
    }


def last_lines(stored_run: Found, mote: int, count: int = LAST_LINES) -> list[str]:
    """Return the last lines that a mote printed, as text that a terminal can show."""
    log = stored_run.where / LOG_FILE if stored_run.where.is_dir() else stored_run.where
    mark = b"\tID:%d\t" % mote
    with log.open("rb") as stream:
        last = deque((line for line in stream if mark in line[:64]), count)
    return [
        "".join(
            c if c.isprintable() or c == "\t" else "\ufffd"
            for c in line.decode("utf-8", "replace").rstrip("\r\n")
        )
        for line in last
    ]


def _header(stored_run: Found, tables: Tables) -> dict[str, Any]:
    row, manifest = tables["runs"].to_pylist()[0], stored_run.manifest
    names = {mote["mote"]: mote["name"] for mote in tables["motes"].to_pylist()}
    phases = {phase["phase"]: phase["time_us"] for phase in tables["phases"].to_pylist()}
    header: dict[str, Any] = {
        "folder": str(stored_run.where),
        "experiment_us": None,
        "experiment": row["experiment"],
        "cell": row["cell"],
        "seed": row["seed"],
        "run_id": row["run_id"],
        "outcome": row["outcome"],
        "verdict": row["verdict"],
        "evidence": [],
        "engine": None,
        "firmware": {},
        "application": None,
        "sim_us": row["sim_us"] or row["ended_us"],
        "wall_s": row["wall_s"],
        "phases_of": sorted(
            {names.get(phase["mote"], f"mote {phase['mote']}") for phase in tables["phases"].to_pylist()}
        ),
        "lines": row["lines"],
        "trace": tables["events"].num_rows + tables["execution"].num_rows > 0,
        "phases": phases,
        "finished": row["finished"],
    }
    if manifest is not None:
        header |= {
            "evidence": list(manifest.evidence),
            "engine": vars(manifest.engine),
            "firmware": dict(manifest.firmware),
            "application": manifest.resolved.application.name,
            "settings": manifest.settings,
            "statistics": vars(manifest.statistics),
        }
        if manifest.resolved.duration_us:
            header["experiment_us"] = manifest.resolved.duration_us + manifest.resolved.drain_us
    counted = header["experiment_us"] or header["sim_us"]
    header["speed"] = counted / 1e6 / header["wall_s"] if counted and header["wall_s"] else None
    return header


def _motes(stored_run: Found, tables: Tables) -> list[dict[str, Any]]:
    counters: dict[int, dict[str, int]] = defaultdict(dict)
    for row in tables["counters"].to_pylist():
        counters[row["mote"]][row["name"]] = row["value"]
    states: dict[int, dict[str, int]] = defaultdict(dict)
    for row in tables["states"].to_pylist():
        states[row["mote"]][row["state"]] = row["state_us"]
    nodes = {row["mote"]: row for row in tables["nodes"].to_pylist()}
    lines = _lines(tables)
    rows = {row["mote"]: row for row in tables["motes"].to_pylist()}
    also = {mote.mote: mote.also for mote in (stored_run.manifest.motes if stored_run.manifest else ())}
    died = {row["mote"]: row["time_us"] for row in having(tables["events"], kind="die").to_pylist()}
    in_views = {
        mote
        for view in views()
        for name in view.tables
        if "mote" in tables[name].column_names
        for mote in tables[name]["mote"].unique().to_pylist()
        if mote is not None
    }
    # Motes that the manifest doesn't list; all of them, if there is no manifest.
    for mote in sorted({*counters, *lines, *in_views} - set(rows)):
        rows[mote] = {"mote": mote, "name": f"mote {mote}", "role": None, "parent": None}
    names = {mote: row["name"] for mote, row in rows.items()}
    return [
        _mote(row, names, nodes.get(mote), counters.get(mote, {}), states.get(mote, {}), lines.get(mote))
        | {"also": also.get(mote) or None, "died_us": died.get(mote)}
        for mote, row in sorted(rows.items())
    ]


def _mote(
    row: dict[str, Any],
    names: dict[int, str],
    node: dict[str, Any] | None,
    counters: dict[str, int],
    states: dict[str, int],
    lines: dict[str, Any] | None,
) -> dict[str, Any]:
    parent = row["parent"] or (node or {}).get("parent")
    return {
        "mote": row["mote"],
        "name": row["name"],
        "role": row["role"],
        "parent": names.get(parent),
        "index": (node or {}).get("index") or None,
        "sent": counters.get("packets_sent"),
        "received": counters.get("packets_received"),
        "overheard": counters.get("packets_off_topology"),
        "published": counters.get("events_published"),
        "transmitted": counters.get("events_transmitted"),
        "events_received": counters.get("event_packets_received"),
        "on_air": counters.get("mac_sent"),
        "merged": counters.get("merged"),
        "pending": counters.get("events_pending"),
        "undone": counters.get("merges_undone"),
        "dropped": {word: counters[name] for name, word in DROPS.items() if counters.get(name)},
        "forwarded": {word: counters[name] for name, word in FORWARDS.items() if counters.get(name)},
        "states_us": states,
        "measured_us": measured_us(states),
        "energy_mj": energy_mj(states),
        "text": lines,
    }


def measured_us(states: dict[str, int]) -> int | None:
    """Return how long a mote has counted its states with energest: its radio sends, listens or is off."""
    return sum(states[state] for state in RADIO) if states.keys() >= set(RADIO) else None


def _names(motes: list[dict[str, Any]]) -> dict[int, str]:
    return {mote["mote"]: mote["name"] for mote in motes}


def _lines(tables: Tables) -> dict[int, dict[str, Any]]:
    """Return for each mote the lines that are no records: how many, the first, the last."""
    wanted = [("mote", "count"), *((name, end) for end in ("first", "last") for name in ("time_us", "text"))]
    grouped = tables["text"].group_by("mote", use_threads=False).aggregate(wanted)
    return {
        row["mote"]: {
            "lines": row["mote_count"],
            "first_us": row["time_us_first"],
            "first": row["text_first"],
            "last_us": row["time_us_last"],
            "last": row["text_last"],
        }
        for row in grouped.to_pylist()
    }


def _delivery(tables: Tables, motes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how many events were published, delivered, repeated and lost, by subscriber and publisher."""
    names = _names(motes)
    sources = {mote["index"]: mote for mote in motes if mote["index"]}
    rows = []
    for row in tables["deliveries"].sort_by([("mote", "ascending"), ("publisher", "ascending")]).to_pylist():
        source = sources.get(row["publisher"], {})
        published = source.get("published")
        rows.append(
            {
                "subscriber": names.get(row["mote"]),
                "publisher": source.get("name", f"publisher {row['publisher']}"),
                "published": published,
                "delivered": row["events"],
                "duplicates": row["duplicates"],
                "lost": None if published is None else published - row["events"],
            }
        )
    return rows


def _links(motes: list[dict[str, Any]], diffused: bool) -> dict[str, int | None]:
    """Count event messages by their fate.

    Lost on the air are those that a MAC sent and the next hop did not accept. That is exact if every message
    has one next hop, as with configured routes; it is unknown if events are diffused.
    """
    sums = {
        name: [mote[name] for mote in motes if mote[name] is not None]
        for name in ("transmitted", "on_air", "events_received", "pending")
    }
    totals = {name: sum(values) if values else None for name, values in sums.items()}
    dropped = {reason: sum(mote["dropped"].get(reason, 0) for mote in motes) for reason in DROPS.values()}
    lost = None
    if not diffused and totals["on_air"] is not None and totals["events_received"] is not None:
        lost = totals["on_air"] - totals["events_received"]
    return {**totals, **dropped, "lost_on_air": lost}


def _summed(rows: pa.Table, key: str) -> list[dict[str, Any]]:
    summed = rows.group_by(key).aggregate([("count", "sum")]).sort_by(key)
    return [{key: row[key], "count": row["count_sum"]} for row in summed.to_pylist()]


def _delays(tables: Tables) -> dict[str, Any]:
    """Return the exact mean, and quantiles as upper bounds of the histogram's buckets."""
    buckets = [(row["upper_ms"], row["count"]) for row in _summed(tables["delays"], "upper_ms")]
    events = sum(count for _, count in buckets)
    if not events:
        return {"events": 0, "mean": None, "quantiles": {}, "buckets": {}}
    totals = [row["value"] for row in tables["counters"].to_pylist() if row["name"] == "delay_total_ms"]
    quantiles = {}
    for share in QUANTILES:
        seen = 0
        for upper, count in buckets:
            seen += count
            if seen >= share * events:
                quantiles[f"p{round(share * 100):02d}"] = upper
                break
    return {
        "events": events,
        "mean": sum(totals) / events if totals else None,
        "quantiles": quantiles,
        "buckets": {str(upper): count for upper, count in buckets},
    }
