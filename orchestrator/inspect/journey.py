# SPDX-License-Identifier: Apache-2.0
"""One event's way through the network, from a traced run: hop by hop, merged with what, lost where and
why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.inspect import air
from orchestrator.inspect.find import Found, listed
from orchestrator.inspect.tables import read
from orchestrator.words import did_you_mean

EVERYBODY = 0xFFFF  # PUBSUB_EVERYBODY of the middleware: a frame for every neighbour
FATE_US = 10_000_000  # a frame's fate is known by then; its number comes again after 65,536 frames
TABLES = ("events", "execution", "motes", "nodes", "counters", "phases", "runs")
OWN_DROPS = {
    "queue": "its MAC had no room for the frame",
    "size": "the event does not fit a frame",
    "channel-access": "the channel was busy at every back-off",
    "no-ack": "the next hop acknowledged none of the MAC's transmissions",
    "collision": "its radio could not send, a reception being under way",
}
FORWARDS = {
    "timeout": "the merge function's time-out passed",
    "full": "it held every publisher that can pass there",
    "contained": "a publisher that it contained already sent its next",
    "frame": "the next would not have fitted a frame",
    "closed": "the merge function was taken away",
}


class Untraced(NoSuchThing):
    """The run has no trace."""


def parse_event(text: str) -> tuple[str, int]:
    """P3/17, P3.17 or 3.17: the publisher's name or index, and the sequence number. Raises WrongUsage."""
    found = re.fullmatch(r"([A-Za-z0-9_-]{1,40})[/.]([0-9]{1,18})", text)
    if not found:
        raise WrongUsage(f"{text!r} names no event\n    name it by publisher and sequence number, as P3/17")
    return found[1], int(found[2])


def journey(found: Found, event: str, subject: str | None = None) -> dict[str, Any]:
    """Everything the trace knows of an event, as plain values: `published`, `hops`, `deliveries`, `ends`
    (where it was lost or held, and why) and `timeline` (one entry a record). Times in us of simulated time.

    Raises Untraced for a run without trace, NoSuchThing for one of threads only, and for an event that was
    not published in it.
    """
    name, sequence = parse_event(event)
    tables = read(found.where, TABLES)
    if not tables["events"].height and tables["execution"].height:
        raise NoSuchThing(
            f"{found.where}: its trace has threads, and no events between motes\n"
            "    `orchestrate show RUN --diagram FILE.svg` draws when each thread ran"
        )
    if not tables["events"].height:
        raise Untraced(f"{found.where}: the run was made without trace, so it does not know single events")
    return _Journey(found, tables, name, sequence, subject).told()


class _Journey:
    """The trace of one run, asked about one event."""

    def __init__(self, found: Found, tables, name: str, sequence: int, subject: str | None):
        self._found = found
        self._motes = {row["mote"]: row for row in tables["motes"].to_dicts()}
        self._names = {mote: row["name"] for mote, row in self._motes.items()}
        self._indices = {
            row["index"]: self._name(row["mote"]) for row in tables["nodes"].to_dicts() if row["index"]
        }
        self._pending = {
            row["mote"]: row["value"]
            for row in tables["counters"].to_dicts()
            if row["name"] == "events_pending"
        }
        self._ended_us = tables["runs"]["ended_us"][0]
        events = tables["events"]  # by time: that is the log's order, but for a log whose clock jumps
        in_order = events if events["time_us"].is_sorted() else events.sort("time_us", maintain_order=True)
        self._trace = in_order.with_row_index("order")
        spoken = (
            self._trace.filter(pl.col("kind") == "pub")
            .select("mote", "publisher")
            .unique()
            .sort("publisher", "mote")
            .rows()
        )
        for (
            mote,
            index,
        ) in spoken:  # not every application says which index a mote has; a bare log names no mote at all
            self._indices.setdefault(index, self._name(mote) if found.manifest else str(index))
        self._event = (self._publisher(name), sequence)
        self._rows = self._own(subject)
        self._hops: list[dict[str, Any]] = []
        self._ends: list[dict[str, Any]] = []

    def told(self) -> dict[str, Any]:
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

    # --- finding
    # -----------------------------------------------------------------------------------------------
    def _publisher(self, name: str) -> int:
        """The index that stands for a publisher in records."""
        for index, known in self._indices.items():
            if name == known:
                return index
        if name.isdecimal() and int(name) in self._indices:
            return int(name)
        raise NoSuchThing(f"no publisher {name!r} in this run; {did_you_mean(name, self._indices.values())}")

    def _own(self, subject: str | None) -> list[dict[str, Any]]:
        """The records that hold the event, in the log's order, each once."""
        index, sequence = self._event
        kind = pl.col("kind")
        pubs = self._trace.filter((kind == "pub") & (pl.col("publisher") == index))
        mine = pubs.filter(pl.col("sequence") == sequence)
        subjects = mine["subject"].unique(maintain_order=True).to_list()
        if subject is None and len(subjects) > 1:
            raise NoSuchThing(
                f"{self._text(self._event)} was published in {len(subjects)} topics: {', '.join(subjects)}\n"
                "    name one with --subject"
            )
        subject = subject or next(iter(subjects), None)
        if subject not in subjects:
            known = pubs["sequence"]
            there = f"{known.min()} to {known.max()}" if known.len() else "none"
            raise NoSuchThing(
                f"{self._text(self._event)} was not published"
                + (
                    f" in topic {subject!r}; {did_you_mean(subject, subjects)}"
                    if subjects
                    else f"; sequence numbers: {there}"
                )
            )
        mine = mine.filter(pl.col("subject") == subject)
        after = self._trace[mine["order"][0] :]
        lists = after.filter((kind != "drp") & (kind != "pub") & (pl.col("subject") == subject))
        orders = {
            *mine["order"],
            *_holding(lists, "events", self._event),
            *_holding(lists, "stored", self._event),
        }
        return self._trace[sorted(orders)].to_dicts()

    # --- one hop
    # -----------------------------------------------------------------------------------------------
    def _hop(self, sent: dict[str, Any]) -> dict[str, Any]:
        mote, to = sent["mote"], sent["peer"]
        before = [row for row in self._rows if row["mote"] == mote and row["order"] < sent["order"]]
        arrived = next((row for row in reversed(before) if row["kind"] in ("pub", "rcv")), None)
        forward = next(
            (
                row
                for row in reversed(before)
                if row["kind"] == "fwd"
                and row["time_us"] == sent["time_us"]
                and row["events"] == sent["events"]
            ),
            None,
        )
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
        got = self._fate(
            sent,
            (pl.col("kind") == "rcv")
            & (pl.col("peer") == mote)
            & ((pl.col("mote") == to) | pl.lit(to == EVERYBODY)),
        )
        if got:
            hop |= {"received_us": got[0]["time_us"], "hop_us": got[0]["time_us"] - sent["time_us"]}
            return hop
        refused = self._fate(
            sent, (pl.col("kind") == "drp") & (pl.col("mote") == mote) & (pl.col("peer") == mote)
        )
        if refused:
            reason = refused[0]["reason"]
            hop["fate"] = f"dropped: {reason}"
            self._ends.append(
                {
                    "fate": reason,
                    "where": hop["from"],
                    "to": hop["to"],
                    "time_us": refused[0]["time_us"],
                    "why": OWN_DROPS.get(reason, reason),
                    "others": [],
                    "heard_by": [],
                    "window_us": None,
                }
            )
        else:
            hop["fate"] = "lost on the air"
            self._ends.append(self._lost(sent))
        return hop

    def _fate(self, sent: dict[str, Any], wanted: pl.Expr) -> list[dict[str, Any]]:
        """Records of the frame after its `snd`."""
        near = self._span(sent["order"], sent["time_us"] + FATE_US)
        return near.filter((pl.col("frame") == sent["frame"]) & wanted).head(8).to_dicts()

    def _span(self, first: int, until_us: int) -> pl.DataFrame:
        """The trace from a record up to a time."""
        end = self._trace["time_us"].search_sorted(until_us, side="right")
        return self._trace[first : max(first + 1, int(end))]

    def _lost(self, sent: dict[str, Any]) -> dict[str, Any]:
        begin = int(self._trace["time_us"].search_sorted(sent["time_us"] - air.BEFORE_US))
        rows = self._span(min(begin, sent["order"]), sent["time_us"] + air.AFTER_US).to_dicts()
        medium = self._medium()
        loss = air.lost(rows, sent["mote"], sent["frame"], sent["time_us"], sent["peer"], medium)
        others = [
            {
                "from": self._name(one.frame.sender),
                "to": self._name(one.frame.to),
                "frame": one.frame.number,
                "events": [self._text(event) for event in one.frame.events],
                "certain": one.certain,
                "by_next_hop": one.by_next_hop,
                "window_us": [one.frame.earliest_us, one.frame.latest_us],
            }
            for one in (loss.others if loss else ())
        ]
        return {
            "fate": "air",
            "where": self._name(sent["mote"]),
            "to": self._name(sent["peer"]),
            "time_us": loss.window[1] if loss else sent["time_us"],
            "others": others,
            "why": _why(loss, medium),
            "heard_by": [self._name(mote) for mote in loss.heard_by] if loss else [],
            "window_us": list(loss.window) if loss else None,
        }

    def _medium(self) -> air.Medium:
        places = {mote: (row["x"], row["y"]) for mote, row in self._motes.items() if row["x"] is not None}
        if self._found.manifest is None:
            return air.Medium(places, None, 1.0, 1.0)
        radio = self._found.manifest.resolved.radio
        disc = radio.medium.startswith("udgm")
        return air.Medium(
            places, radio.interference_m if disc else None, radio.tx_ratio or 1.0, radio.rx_ratio or 1.0
        )

    def _held(self) -> list[dict[str, Any]]:
        """Motes that the event came to and did not leave: no route, or still in a merge function's buffer."""
        ends = []
        for mote in dict.fromkeys(row["mote"] for row in self._rows if row["kind"] in ("pub", "rcv")):
            mine = [row for row in self._rows if row["mote"] == mote]
            arrived = [row for row in mine if row["kind"] in ("pub", "rcv")][-1]
            left = [
                row for row in mine if row["kind"] in ("snd", "dlv") and row["time_us"] >= arrived["time_us"]
            ]
            if left:
                continue
            near = self._span(arrived["order"], arrived["time_us"]).filter(
                (pl.col("mote") == mote) & (pl.col("reason") == "no-route")
            )
            if near.height:
                fate, why = "no-route", "it has neither a next hop nor a subscriber"
            elif self._pending.get(mote) or any(row["kind"] == "mrg" for row in mine):
                fate, why = "held", "its merge function still held it when the measured time ended"
            else:
                fate, why = "unknown", "the trace has nothing of it after this"
            ends.append(
                {
                    "fate": fate,
                    "where": self._name(mote),
                    "to": None,
                    "time_us": arrived["time_us"],
                    "why": why,
                    "others": [],
                    "heard_by": [],
                    "window_us": None,
                }
            )
        return ends

    # --- words
    # -------------------------------------------------------------------------------------------------
    def _timeline(self, begin: int) -> list[dict[str, Any]]:
        entries = [
            (row["time_us"], row["order"], self._name(row["mote"]), self._words(row)) for row in self._rows
        ]
        last = self._rows[-1]["order"]
        for end in self._ends:
            text = f"{'LOST' if end['fate'] != 'held' else 'HELD'}: {end['why']}"
            entries.append((end["time_us"], last + 1, end["where"], text))
        found, before = [], begin
        for time, _, mote, what in sorted(entries, key=lambda entry: entry[:2]):
            found.append(
                {
                    "time_us": time,
                    "since_us": time - begin,
                    "step_us": time - before,
                    "mote": mote,
                    "what": what,
                }
            )
            before = time
        return found

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
        stored = [(one["publisher"], one["sequence"]) for one in row["stored"]]
        if self._event in stored:
            return (
                "took in "
                f"{listed([self._text((one['publisher'], one['sequence'])) for one in row['events']])}"
            )
        return f"merged into the stored {listed([self._text(one) for one in stored])}"

    def _others(self, events) -> list[str]:
        pairs = [(one["publisher"], one["sequence"]) for one in events or ()]
        return [self._text(pair) for pair in pairs if pair != self._event]

    def _text(self, event: tuple[int, int]) -> str:
        return f"{self._indices.get(event[0], event[0])}/{event[1]}"

    def _name(self, mote: int) -> str:
        return "everybody" if mote == EVERYBODY else self._names.get(mote, f"mote {mote}")


def _holding(frame: pl.DataFrame, column: str, event: tuple[int, int]) -> list[int]:
    """The `order` of the rows whose list has the event."""
    rows = frame.filter(pl.col(column).is_not_null())
    each = rows[column].explode().struct
    owner = np.repeat(rows["order"].to_numpy(), rows[column].list.len().to_numpy())
    hit = (each.field("publisher").to_numpy() == event[0]) & (each.field("sequence").to_numpy() == event[1])
    return np.unique(owner[hit]).tolist()


def _why(loss: air.Loss | None, medium: air.Medium) -> str:
    """Why a frame that was sent did not arrive, as far as the trace tells."""
    if loss is None:
        return "sent and not received"
    if any(one.certain and one.by_next_hop for one in loss.others):
        return "sent and not received: the next hop was itself sending"
    if any(one.certain for one in loss.others):
        return "sent and not received: a collision at the next hop with another frame on the air"
    if loss.others:
        return (
            "sent and not received: "
            + ("others heard it; " if loss.heard_by else "nobody heard it; ")
            + "other frames that the next hop did not hear either can have been on the air"
        )
    if loss.heard_by and medium.rx_ratio < 1:
        return (
            "others heard it and nothing else was on the air: by chance, the medium's reception ratio is "
            f"{medium.rx_ratio:g}"
        )
    if not loss.heard_by and medium.tx_ratio < 1:
        return (
            "nobody heard it and nothing else was on the air: by chance, the medium's sending ratio is "
            f"{medium.tx_ratio:g}"
        )
    return "sent and not received; the trace shows no frame that met it"
