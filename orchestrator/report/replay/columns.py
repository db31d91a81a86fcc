# SPDX-License-Identifier: Apache-2.0
"""Turns a traced run into columns of numbers, small enough for an HTML page.

Rows are the trace's records in order of time. Each `snd` is matched with the fate of its frame, by sender and
frame number.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orchestrator import feature
from orchestrator.errors import NoSuchThing, OrchestrateError, Unsupported, Untraced

if TYPE_CHECKING:
    import pyarrow as pa

# Other kinds of records are shown under their own names.
KINDS = ("pub", "snd", "rcv", "mrg", "fwd", "drp", "dlv")
LOST, ACCEPTED, DROPPED = 0, 1, 2  # the fate of a frame at its next hop
# After this time a sender may use a frame number again; retransmissions and queues take less.
AGES_US = 10_000_000
MOST_MOTES = 65_000


@dataclass(frozen=True)
class Trace:
    """A trace for the page: texts (`facts`) and `columns` with an entry for each record, but for `list_*`."""

    facts: dict[str, Any]
    columns: dict[str, np.ndarray]

    def packed(self) -> tuple[str, bytes]:
        """Return JSON of the facts and the columns' places, and all columns as raw deflate."""
        parts, places, at = [], {}, 0
        for name, column in self.columns.items():
            content = np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<")).tobytes()
            places[name] = [column.dtype.name, at, len(column)]
            padded = content + bytes(-len(content) % 8)
            parts.append(padded)
            at += len(padded)
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(b"".join(parts)) + packer.flush()
        # "<" in a name must not end the script element that this stands in.
        text = json.dumps({**self.facts, "columns": places}, ensure_ascii=True, sort_keys=True).replace(
            "<", "\\u003c"
        )
        return text, packed


def read(run_folder: Path) -> Trace:
    """Read the trace of a stored run; without one, the events that a feature knows of it.

    Raises Untraced if it was made without one, NoSuchThing for another reason that there is none, Unsupported
    for too many motes.
    """
    from orchestrate_spark.load import load

    try:
        tables = load(run_folder, as_="arrow", tables=("runs", "motes", "phases", "events", "execution"))
    except OrchestrateError as error:
        raise NoSuchThing(str(error)) from error
    run = tables["runs"].to_pylist()[0]
    motes, phases = tables["motes"].to_pylist(), tables["phases"].to_pylist()
    if tables["events"].num_rows:
        return _trace(run, motes, phases, tables["events"], "event")
    for events_of in feature.listed("replays"):
        events = events_of(run_folder)
        if events is not None and events.num_rows:
            return _trace(run, motes, phases, events, "datagram")
    if tables["execution"].num_rows:
        raise NoSuchThing(
            f"the trace of run {run['run_id'][:12]} has threads, and no events between motes: there is "
            "nothing to replay\n"
            "    `orchestrate show RUN --diagram FILE.svg` draws when each thread ran"
        )
    name = f"{run['experiment']} {run['run_id'][:12]}"
    raise Untraced(
        f"run {run['run_id'][:12]} was made without a trace: there is nothing to replay\n"
        f"    repeat it with one: orchestrate replay {name} --rerun\n"
        "    or set `trace: true` in its scenario, and each of its runs has one"
    )


def _trace(run: dict, motes: list[dict], phases: list[dict], events: pa.Table, item: str) -> Trace:
    """Return the trace; `item`: what frames carry, "event" or "datagram"."""
    time, mote = _numbers(events, "time_us"), _numbers(events, "mote")
    order = np.argsort(time, kind="stable")
    time, mote, peer = time[order], mote[order], _numbers(events, "peer")[order]
    motes = _all_motes(motes, mote)
    ids = np.array([mote["mote"] for mote in motes], dtype=np.int64)
    by_id = np.argsort(ids)
    kind, kinds = _codes(events, "kind", order, KINDS)
    reason, reasons = _codes(events, "reason", order)
    subject, subjects = _codes(events, "subject", order)
    lists = _Lists()
    held = lists.column(events, "events")
    own = np.flatnonzero(_numbers(events, "publisher") > 0)
    publisher, sequence = _numbers(events, "publisher"), _numbers(events, "sequence")
    for row in own.tolist():
        held[row] = lists.index(np.array([publisher[row], sequence[row]], dtype=np.int64).tobytes())
    stored = lists.column(events, "stored")
    frame = _numbers(events, "frame")[order]
    unit = 1 if len(time) < 2 or np.diff(time).max() < 2**32 else 1000
    steps = np.diff(time // unit, prepend=time[0] // unit)
    offsets, members = lists.done()
    times = {"start_us": int(time[0]), "unit_us": unit, "radio_us": 0}
    words = {"kinds": kinds, "reasons": reasons, "subjects": subjects, "item": item}
    return Trace(
        {name: run[of] for name, of in (("run", "run_id"), ("cell", "cell"), ("seed", "seed"))}
        | times
        | words
        | _map(motes, phases),
        {
            "time": steps.astype(np.uint32),
            "mote": by_id[np.searchsorted(ids[by_id], mote)].astype(np.uint16),
            "peer": _places(ids, by_id, peer).astype(np.uint16),
            "kind": kind.astype(np.uint8),
            "reason": reason.astype(np.uint8),
            "subject": subject.astype(np.uint8),
            "frame": np.clip(frame, 0, 2**32 - 1).astype(np.uint32),
            "held": held[order].astype(np.uint32),
            "stored": stored[order].astype(np.uint32),
            "fate": _fates(time, mote, peer, kind, frame).astype(np.uint32),
            "list_start": offsets.astype(np.uint32),
            "list_publisher": (members[0::2] & 0xFFFF).astype(np.uint16),
            "list_sequence": (members[1::2] & 0xFFFFFFFF).astype(np.uint32),
        },
    )


def _map(motes: list[dict], phases: list[dict]) -> dict:
    """Return the motes, and when the measured time starts and stops."""
    return {
        "motes": [
            [mote["mote"], mote["name"], mote["role"], mote["x"], mote["y"], mote["parent"] or 0]
            for mote in motes
        ],
        "phases": [
            [phase["time_us"], phase["phase"]] for phase in phases if phase["phase"] in ("start", "stop")
        ],
    }


def _numbers(table: pa.Table, name: str) -> np.ndarray:
    """Return a column as int64, with 0 for null."""
    import pyarrow.compute as pc

    return pc.fill_null(table[name], 0).to_numpy().astype(np.int64)


def _codes(
    table: pa.Table, name: str, order: np.ndarray, first: tuple[str, ...] = ()
) -> tuple[np.ndarray, list[str]]:
    """Encode a column of texts: return the place of each text in a list, and the list.

    Places count from 1, and 0 is none; with `known` texts, which come first in the list, they count from 0.
    """
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(table[name]).combine_chunks()
    texts = encoded.dictionary.to_pylist()
    codes = pc.fill_null(encoded.indices, -1).to_numpy()[order]
    if len(texts) > 250:
        raise Unsupported(f"a replay of a run with {len(texts)} different values of {name}: at most 250")
    if first:
        every = [*first, *(text for text in texts if text not in first)]
        return np.array([every.index(text) for text in texts])[codes], every
    return codes + 1, texts


def _all_motes(motes: list[dict], seen: np.ndarray) -> list[dict]:
    """Return all motes of manifest and log; those without positions are placed on a circle."""
    placed = [mote for mote in motes if mote["x"] is not None and mote["y"] is not None]
    named = {mote["mote"]: mote for mote in motes}
    others = sorted({*named, *np.unique(seen).tolist()} - {mote["mote"] for mote in placed})
    if len(placed) + len(others) > MOST_MOTES:
        raise Unsupported(f"a replay of more than {MOST_MOTES} motes")
    all_motes = list(placed)
    for place, number in enumerate(others):
        angle, description = 2 * np.pi * place / len(others), named.get(number, {})
        all_motes.append(
            {
                "mote": number,
                "name": description.get("name") or str(number),
                "role": description.get("role") or "",
                "x": round(50 * float(np.cos(angle)), 3),
                "y": round(50 * float(np.sin(angle)), 3),
                "parent": description.get("parent"),
            }
        )
    return all_motes


def _places(ids: np.ndarray, by_id: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the place of each wanted id in `ids`, counted from 1; 0 if it isn't there (broadcast)."""
    at = np.minimum(np.searchsorted(ids[by_id], wanted), len(ids) - 1)
    return np.where(ids[by_id][at] == wanted, by_id[at] + 1, 0)


def _fates(
    time: np.ndarray, mote: np.ndarray, peer: np.ndarray, kind: np.ndarray, frame: np.ndarray
) -> np.ndarray:
    """Return for each snd LOST, ACCEPTED or DROPPED; for each rcv and drp how many rows before it its snd is.

    0 means that no snd is known.
    """
    fates = np.zeros(len(time), dtype=np.int64)
    sent: dict[tuple[int, int], int] = {}
    snd, rcv, drp = (KINDS.index(name) for name in ("snd", "rcv", "drp"))
    rows = np.flatnonzero(np.isin(kind, (snd, rcv, drp)))
    columns = (column[rows].tolist() for column in (time, mote, peer, kind, frame))
    times = time.tolist()
    for row, at, own, other, what, number in zip(rows.tolist(), *columns):
        if what == snd:
            sent[own, number] = row
            continue
        origin = sent.get((other, number))
        if origin is None or at - times[origin] > AGES_US:
            continue
        fates[row] = row - origin
        if what == rcv:
            fates[origin] = ACCEPTED
        elif fates[origin] != ACCEPTED and own in (other, peer[origin]):
            fates[origin] = DROPPED
    return fates


class _Lists:
    """Numbers the different lists of individual events; 0 is the empty list."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {b"": 0}

    def index(self, content: bytes) -> int:
        """Return the number of a list."""
        return self._known.setdefault(content, len(self._known))

    def column(self, table: pa.Table, name: str) -> np.ndarray:
        """Return the numbers of the lists in a column."""
        column = table[name].combine_chunks()
        chunks = column.chunks if hasattr(column, "chunks") else [column]
        indices: list[int] = []
        for chunk in chunks:
            offsets = chunk.offsets.to_numpy().tolist()
            pairs = np.column_stack(
                [
                    chunk.values.field(field).to_numpy(zero_copy_only=False).astype(np.int64)
                    for field in ("publisher", "sequence")
                ]
            ).tobytes()
            indices += [self.index(pairs[16 * start : 16 * end]) for start, end in pairwise(offsets)]
        return np.array(indices, dtype=np.int64)

    def done(self) -> tuple[np.ndarray, np.ndarray]:
        """Return where each list begins and the last ends, and publishers and sequence numbers by turns."""
        ends = np.cumsum([0, *(len(content) // 16 for content in self._known)])
        return ends, np.frombuffer(b"".join(self._known), dtype=np.int64)
