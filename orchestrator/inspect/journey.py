# SPDX-License-Identifier: Apache-2.0
"""Follows one event through a traced run, hop by hop: what it was merged with, where it was lost and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orchestrator.errors import (
    BuildFailed,
    MissingTool,
    NoSuchThing,
    RunFailed,
    StorageFailed,
    Unsupported,
    Untraced,
    WrongUsage,
)
from orchestrator.execution import again
from orchestrator.inspect import air
from orchestrator.inspect.find import Found, listed
from orchestrator.inspect.tables import having, read
from orchestrator.words import did_you_mean

EVERYBODY = 0xFFFF  # PUBSUB_EVERYBODY of the middleware: a frame for every neighbour
FATE_US = 10_000_000  # by then a frame's fate is known; its number is used again after 65,536 frames
TABLES = ("events", "execution", "motes", "nodes", "counters", "phases", "runs")
OWN_DROPS = {
    "queue": "its MAC had no room for the frame",
    "size": "the event does not fit a frame",
    "channel-access": "the channel was busy at every back-off",
    "no-ack": "the next hop acknowledged none of the MAC's transmissions",
    "collision": "its radio could not send because it was receiving",
}
FORWARDS = {
    "timeout": "the merge function's time-out passed",
    "full": "it held every publisher that can pass there",
    "contained": "the next event was of a publisher that it already had",
    "frame": "with the next event it would not have fitted a frame",
    "closed": "the merge function was removed",
}
NO_RECORD = (BuildFailed, MissingTool, NoSuchThing, RunFailed, StorageFailed, Unsupported)


def parse_event(text: str) -> tuple[str, int]:
    """Read P3/17, P3.17 or 3.17: a publisher's name or index and a sequence number. Raises WrongUsage."""
    match = re.fullmatch(r"([A-Za-z0-9_-]{1,40})[/.]([0-9]{1,18})", text)
    if not match:
        raise WrongUsage(f"{text!r} names no event\n    name it by publisher and sequence number, as P3/17")
    return match[1], int(match[2])


def journey(
    stored_run: Found, event: str, subject: str | None = None, say: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Return everything that is known of an event, as plain values.

    These are `published`, `hops`, `deliveries`, `ends` (where it was lost or held, and why) and `timeline`
    (an entry for each record). Times are us of simulated time. If the event was lost on the air, the record
    of the run's radios tells why; the run is simulated again if it has no record yet.

    Raises Untraced for a run without a trace, NoSuchThing if it has threads only or no such event.
    """
    name, sequence = parse_event(event)
    tables = read(stored_run.where, TABLES)
    if not tables["events"].num_rows and tables["execution"].num_rows:
        raise NoSuchThing(
            f"{stored_run.where}: its trace has threads, and no events between motes\n"
            "    `orchestrate show RUN --diagram FILE.svg` draws when each thread ran"
        )
    if not tables["events"].num_rows:
        raise Untraced(
            f"{stored_run.where}: the run was made without trace, so it does not know single events"
        )
    return _Journey(stored_run, tables, (name, sequence), subject, say).told()


class _Journey:
    """The trace of a run, and an event in it."""

    def __init__(
        self,
        stored_run: Found,
        tables: Mapping[str, pa.Table],
        event: tuple[str, int],
        subject: str | None,
        say: Callable[[str], None],
    ):
        self._found, self._say = stored_run, say
        self._air: air.Air | None = None
        self._motes = {row["mote"]: row for row in tables["motes"].to_pylist()}
        self._names = {mote: row["name"] for mote, row in self._motes.items()}
        self._indices = {
            row["index"]: self._name(row["mote"]) for row in tables["nodes"].to_pylist() if row["index"]
        }
        self._pending = {
            row["mote"]: row["value"]
            for row in tables["counters"].to_pylist()
            if row["name"] == "events_pending"
        }
        events = tables["events"]  # in the log's order, which is that of time unless its clock jumps
        in_order = events.sort_by("time_us")  # those of the same time stay in order
        self._times = in_order["time_us"].to_numpy()
        self._trace = in_order.append_column("order", pa.array(np.arange(in_order.num_rows)))
        pubs = having(self._trace, kind="pub")
        spoken = set(zip(pubs["publisher"].to_pylist(), pubs["mote"].to_pylist()))
        # Not every application says which index a mote has; a log without manifest has no names of motes.
        for index, mote in sorted(spoken):
            self._indices.setdefault(index, self._name(mote) if stored_run.manifest else str(index))
        self._event = (self._publisher(event[0]), event[1])
        self._rows = self._own(subject)
        self._hops: list[dict[str, Any]] = []
        self._ends: list[dict[str, Any]] = []

    def told(self) -> dict[str, Any]:
        """Return what journey() returns."""
        published = next(row for row in self._rows if row["kind"] == "pub")
        for row in self._rows:
            if row["kind"] == "snd":
                self._hops.append(self._hop(row))
        self._ends += self._held()
        deliveries, seen = [], set()
        for row in self._rows:
            if row["kind"] == "dlv":
                deliveries.append(
                    {
                        "mote": self._name(row["mote"]),
                        "time_us": row["time_us"],
                        "with": self._others(row["events"]),
                        "delay_us": row["time_us"] - published["time_us"],
                        "duplicate": row["mote"] in seen,
                    }
                )
                seen.add(row["mote"])
        return {
            "event": self._text(self._event),
            "subject": published["subject"],
            "value": published["value"],
            "published": {"mote": self._name(published["mote"]), "time_us": published["time_us"]},
            "delivered": bool(deliveries),
            "deliveries": deliveries,
            "hops": self._hops,
            "ends": self._ends,
            "timeline": self._timeline(published["time_us"]),
        }

    def _publisher(self, name: str) -> int:
        """Return the index by which records name a publisher."""
        for index, publisher in self._indices.items():
            if name == publisher:
                return index
        if name.isdecimal() and int(name) in self._indices:
            return int(name)
        raise NoSuchThing(f"no publisher {name!r} in this run; {did_you_mean(name, self._indices.values())}")

    def _own(self, subject: str | None) -> list[dict[str, Any]]:
        """Return the records that contain the event, in the log's order."""
        index, sequence = self._event
        pubs = having(self._trace, kind="pub", publisher=index)
        mine = having(pubs, sequence=sequence)
        subjects = mine["subject"].unique().to_pylist()
        if subject is None and len(subjects) > 1:
            raise NoSuchThing(
                f"{self._text(self._event)} was published in {len(subjects)} topics: {', '.join(subjects)}\n"
                "    name one with --subject"
            )
        subject = subject or next(iter(subjects), None)
        if subject not in subjects:
            known = pubs["sequence"].to_pylist()
            there = f"{min(known)} to {max(known)}" if known else "none"
            raise NoSuchThing(
                f"{self._text(self._event)} was not published"
                + (
                    f" in topic {subject!r}; {did_you_mean(subject, subjects)}"
                    if subjects
                    else f"; sequence numbers: {there}"
                )
            )
        published = having(mine, subject=subject)["order"].to_pylist()
        lists = having(self._trace.slice(published[0]), subject=subject)
        lists = lists.filter(pc.invert(pc.is_in(lists["kind"], pa.array(["drp", "pub"]))))
        orders = {
            *published,
            *_holding(lists, "events", self._event),
            *_holding(lists, "stored", self._event),
        }
        return self._trace.take(pa.array(sorted(orders), pa.int64())).to_pylist()

    def _end(self, fate: str, mote: int, to: int | None, time_us: int, why: str) -> dict[str, Any]:
        """Return an end of the event's way."""
        return {
            "fate": fate,
            "where": self._name(mote),
            "to": None if to is None else self._name(to),
            "time_us": time_us,
            "why": why,
            "others": [],
            "heard_by": [],
            "window_us": None,
        }

    def _hop(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Return a hop of the event."""
        mote, to = sent["mote"], sent["peer"]
        before = [row for row in self._rows if row["mote"] == mote and row["order"] < sent["order"]]
        arrived = next((row for row in reversed(before) if row["kind"] in ("pub", "rcv")), None)
        same = ("time_us", "events")
        forwards = (row for row in reversed(before) if row["kind"] == "fwd")
        forward = next((row for row in forwards if all(row[column] == sent[column] for column in same)), None)
        hop = {
            "from": self._name(mote),
            "to": self._name(to),
            "frame": sent["frame"],
            "events": len(sent["events"]),
            "with": self._others(sent["events"]),
            "sent_us": sent["time_us"],
            "held_us": sent["time_us"] - arrived["time_us"] if arrived else None,
            "why": forward["reason"] if forward else None,
            "received_us": None,
            "hop_us": None,
            "fate": "received",
        }
        self._tell_fate(hop, sent)
        return hop

    def _tell_fate(self, hop: dict[str, Any], sent: dict[str, Any]) -> None:
        """Add what became of the frame; if the event ended with it, note why."""
        mote, to = sent["mote"], sent["peer"]
        got = self._fate(sent, kind="rcv", peer=mote, **({} if to == EVERYBODY else {"mote": to}))
        if got:
            hop |= {"received_us": got[0]["time_us"], "hop_us": got[0]["time_us"] - sent["time_us"]}
            return
        refused = self._fate(sent, kind="drp", mote=mote, peer=mote)
        if refused:
            reason, time_us = refused[0]["reason"], refused[0]["time_us"]
            hop["fate"] = f"dropped: {reason}"
            self._ends.append(self._end(reason, mote, to, time_us, OWN_DROPS.get(reason, reason)))
        else:
            hop["fate"] = "lost on the air"
            self._ends.append(self._lost(sent))

    def _fate(self, sent: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
        """Return the records of a frame after its `snd` that have these values."""
        near = self._span(sent["order"], sent["time_us"] + FATE_US)
        rows = having(near, frame=[sent["frame"], 0], **wanted).to_pylist()
        # The event service's receivers say 0 for a frame: its events tell which it is.
        return [row for row in rows if row["frame"] or row["events"] == sent["events"]][:8]

    def _span(self, first: int, until_us: int) -> pa.Table:
        """Return the trace from a record up to a time."""
        end = int(self._times.searchsorted(until_us, side="right"))
        return self._trace.slice(first, max(1, end - first))

    def _lost(self, sent: dict[str, Any]) -> dict[str, Any]:
        run, mote, hop = self._found, sent["mote"], sent["peer"]
        why = "sent and not received; a log without its run doesn't tell why"
        if run.manifest is not None:
            try:
                self._air = self._air or air.Air(again.record(run.where, run.manifest, self._say))
            except NO_RECORD as error:
                reason = str(error).split("\n")[0]
                why = f"sent and not received; there is no record of the radios: {reason}"
        if self._air is None:
            return self._end("air", mote, hop, sent["time_us"], why)
        loss = self._air.lost(mote, sent["frame"], sent["time_us"], hop)
        if loss is None:
            return self._end("air", mote, hop, sent["time_us"], "its MAC never sent it")
        return self._end("air", mote, hop, loss.sent.end_us, air.why(loss, hop, self._ratios())) | {
            "others": [self._other(other, hop) for other in loss.others],
            "heard_by": [self._name(mote) for mote in loss.sent.heard_by],
            "window_us": [loss.sent.begin_us, loss.sent.end_us],
        }

    def _other(self, transmission: air.Transmission, hop: int) -> dict[str, Any]:
        """Describe a transmission at the same time; what it was for is in the trace, if it was an event's."""
        before = self._trace.slice(0, int(self._times.searchsorted(transmission.begin_us, side="right")))
        known = having(before, kind="snd", mote=transmission.sender, frame=transmission.number)
        sent = (
            known.slice(known.num_rows - 1).to_pylist()[0] if known.num_rows else {"peer": None, "events": []}
        )
        return {
            "from": self._name(transmission.sender),
            "to": None if sent["peer"] is None else self._name(sent["peer"]),
            "frame": transmission.number,
            "events": [self._text(each) for each in _pairs(sent["events"])],
            "by_next_hop": transmission.sender == hop,
            "window_us": [transmission.begin_us, transmission.end_us],
        }

    def _ratios(self) -> tuple[float, float]:
        """Return the medium's ratios of successful transmissions and receptions."""
        radio = self._found.manifest.resolved.radio
        return radio.tx_ratio, radio.rx_ratio

    def _held(self) -> list[dict[str, Any]]:
        """Return the motes at which the event stayed: without a route, or in a merge function's buffer."""
        ends = []
        for mote in dict.fromkeys(row["mote"] for row in self._rows if row["kind"] in ("pub", "rcv")):
            mine = [row for row in self._rows if row["mote"] == mote]
            arrived = [row for row in mine if row["kind"] in ("pub", "rcv")][-1]
            left = [
                row for row in mine if row["kind"] in ("snd", "dlv") and row["time_us"] >= arrived["time_us"]
            ]
            if left:
                continue
            near = self._span(arrived["order"], arrived["time_us"])
            if having(near, mote=mote, reason="no-route").num_rows:
                fate, why = "no-route", "the mote has neither a next hop nor a subscriber"
            elif self._pending.get(mote) or any(row["kind"] == "mrg" for row in mine):
                fate, why = "held", "its merge function still held it when the measured time ended"
            else:
                fate, why = "unknown", "the trace has no later record of it"
            ends.append(self._end(fate, mote, None, mine[-1]["time_us"], why))
        return ends

    def _timeline(self, begin: int) -> list[dict[str, Any]]:
        entries = [
            (row["time_us"], row["order"], self._name(row["mote"]), self._words(row)) for row in self._rows
        ]
        last = self._rows[-1]["order"]
        for end in self._ends:
            text = f"{'LOST' if end['fate'] != 'held' else 'HELD'}: {end['why']}"
            entries.append((end["time_us"], last + 1, end["where"], text))
        timeline, before = [], begin
        for time, _, mote, what in sorted(entries, key=lambda entry: entry[:2]):
            timeline.append(
                {
                    "time_us": time,
                    "since_us": time - begin,
                    "step_us": time - before,
                    "mote": mote,
                    "what": what,
                }
            )
            before = time
        return timeline

    def _words(self, row: dict[str, Any]) -> str:
        kind, held = row["kind"], self._others(row["events"])
        alone = f" with {listed(held)}" if held else ""
        if kind == "pub":
            return f"published in {row['subject']}, value {row['value']}"
        if kind == "snd":
            return f"handed to the MAC for {self._name(row['peer'])}, frame {row['frame']}{alone}"
        if kind == "rcv":
            return f"received from {self._name(row['peer'])}, frame {row['frame']}{alone}"
        if kind == "dlv":
            return f"delivered to the subscriber{alone}"
        if kind == "fwd":
            return f"forwarded: {FORWARDS.get(row['reason'], row['reason'])}{alone}"
        stored = _pairs(row["stored"])
        if self._event in stored:
            return f"took in {listed([self._text(pair) for pair in _pairs(row['events'])])}"
        return f"merged into the stored {listed([self._text(pair) for pair in stored])}"

    def _others(self, events: Iterable[Mapping[str, int]] | None) -> list[str]:
        return [self._text(pair) for pair in _pairs(events) if pair != self._event]

    def _text(self, event: tuple[int, int]) -> str:
        return f"{self._indices.get(event[0], event[0])}/{event[1]}"

    def _name(self, mote: int) -> str:
        return "everybody" if mote == EVERYBODY else self._names.get(mote, f"mote {mote}")


def _pairs(events: Iterable[Mapping[str, int]] | None) -> list[tuple[int, int]]:
    return [(event["publisher"], event["sequence"]) for event in events or ()]


def _holding(rows: pa.Table, column: str, event: tuple[int, int]) -> list[int]:
    """Return the `order` of the rows in whose list the event is."""
    lists = rows[column].combine_chunks()
    each = pc.list_flatten(lists)
    publisher, sequence = (pc.struct_field(each, name).to_numpy() for name in ("publisher", "sequence"))
    owners = pc.list_parent_indices(lists).to_numpy()
    hit = (publisher == event[0]) & (sequence == event[1])
    return np.unique(rows["order"].to_numpy()[owners[hit]]).tolist()
