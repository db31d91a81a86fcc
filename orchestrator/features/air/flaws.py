# SPDX-License-Identifier: Apache-2.0
"""Says which frames of an experiment could not be read to their end, and what would help."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_NULLNET = ("network", "if frames carry an application's own bytes, write `air: {network: nullnet}`")
# By flaw: the setting of the key `air` that it concerns, and what to do.
_ADVICE = {
    "no key for this frame": ("keys", "`air: {keys: {INDEX: KEY}}` gives the key"),
    "the key doesn't fit: another MIC": ("keys", "the network uses another key, or another index"),
    "a context for compression that nobody gave": ("prefix", "`air: {prefix: PREFIX/64}` gives the prefix"),
    "a dispatch that 6LoWPAN doesn't define": _NULLNET,
    "the IPv6 header is longer than the frame": _NULLNET,
}


def after_tables(folder: Path, run_ids: Iterable[str] | None) -> list[str]:
    """Return a sentence for each kind of flaw in the frames of these runs, or of all; most frames first.

    It begins with the file and line of the setting of the scenario that it concerns, if there is one.
    """
    from orchestrator.words import counted

    sentences = []
    for row in _kinds(folder, run_ids):
        setting, advice = _ADVICE.get(row["flaw"], ("", ""))
        sentences.append(
            f"{_place(folder, setting)}: {counted(row['frame_count'], 'frame')} of {row['cell']}, first "
            f"{row['frame_min']}: {row['flaw']}" + (f"\n    {advice}" if advice else "")
        )
    return sentences


def _kinds(folder: Path, run_ids: Iterable[str] | None) -> list[dict]:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    columns = ["run_id", "cell", "flaw", "frame"]
    parts: list[pa.Table] = []
    for file in sorted((folder / "tables" / "frames").glob("*.parquet")):
        rows = parquet.read_table(file, columns=columns)
        parts.append(rows.filter(pc.is_valid(rows["flaw"])))
    if not parts:
        return []
    rows = pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()
    if run_ids is not None:
        rows = rows.filter(pc.is_in(rows["run_id"], pa.array(list(run_ids), pa.string())))
    kinds = rows.group_by(["cell", "flaw"]).aggregate([("frame", "count"), ("frame", "min")]).to_pylist()
    return sorted(kinds, key=lambda row: (-row["frame_count"], row["cell"], row["flaw"]))


def _place(folder: Path, setting: str) -> str:
    """Return file and line of a setting of the scenario's key `air`; else the experiment's name."""
    from orchestrator.runs.run_list import SCENARIO
    from orchestrator.vocabulary import document
    from orchestrator.vocabulary.document import Mapping
    from orchestrator.vocabulary.faults import Faults

    file = folder / SCENARIO
    if not setting or not file.is_file():
        return folder.name
    root = document.mapping(file.read_text(encoding="utf-8"), Faults(str(file)), "", "")
    air = root.get("air")
    lines = [key.line for key, _ in air if key.text == setting] if isinstance(air, Mapping) else []
    return f"{file}:{lines[0]}" if lines else folder.name
