# SPDX-License-Identifier: Apache-2.0
"""The traced repetition ("twin") of a measured run, which is in the run's folder or is made there.

Tables, metrics and reports never include twins. Printing takes no simulated time, so a twin's counters must
equal those of the measured run; `check` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import StorageFailed
from orchestrator.execution import again
from orchestrator.inspect.find import Found
from orchestrator.inspect.tables import read
from orchestrator.runs import manifest as manifests
from orchestrator.runs.manifest import FILE, LOG_FILE, Manifest
from orchestrator.runs.model import Outcome

MEASURED = {
    "counters": ("name", "value"),
    "deliveries": ("publisher", "events", "duplicates"),
    "aggregates": ("contributors", "count"),
    "delays": ("upper_ms", "count"),
    "states": ("state", "state_us"),
}


@dataclass(frozen=True)
class Check:
    """The comparison of a twin with its run: how many values were compared, and what differs.

    `other`: which inputs differed (firmware, engine), which may explain differences.
    """

    values: int
    differences: tuple[str, ...]
    other: tuple[str, ...]


def twin(measured: Found) -> Found | None:
    """Return the newest twin of a run, if any, preferably one with the same firmware and engine."""
    twins = []
    for path in (measured.where / again.TRACE).glob(f"*/{FILE}"):
        try:
            twins.append(Found(path.parent, manifests.read(path, f"remove {path.parent}; it is made again")))
        except StorageFailed:
            continue
    wanted = {**measured.manifest.parameters, "trace": True}
    whole = [one for one in twins if one.manifest.parameters == wanted and one.manifest.outcome is Outcome.OK]
    return max(
        whole,
        key=lambda one: (
            not _other(measured.manifest, one.manifest),
            one.manifest.finished,
            one.manifest.run_id,
        ),
        default=None,
    )


def repetition(measured: Found, rerun: bool, say: Callable[[str], None] = lambda _: None) -> Found | None:
    """Return the twin of a run that has no trace; None if there is none and none is to be made.

    `rerun`: make it, also if the one that is there has other firmware or another engine than the run. Raises
    what `make` raises, and Unsupported for firmware that prints no trace.
    """
    if measured.manifest is not None:
        again.refuse_foreign(measured.manifest)
    known = twin(measured)
    if known is None or (rerun and check(measured, known).other):
        return make(measured, say) if rerun else None
    return known


def make(measured: Found, say: Callable[[str], None] = lambda _: None) -> Found:
    """Make a new twin. Raises what execution/again.py raises."""
    where = again.trace(measured.where, measured.manifest, say)
    return Found(where, manifests.read(where / FILE, f"remove {where}; it is made again"))


def check(measured: Found, traced: Found) -> Check:
    """Compare everything that motes print after a run, and the logs.

    The traced log must have all lines of the measured one, in the same order and with the same bytes.
    """
    values, differences = 0, []
    names = {row["mote"]: row["name"] for row in read(measured.where, ["motes"])["motes"].to_dicts()}
    ours, theirs = _dumped(measured.where), _dumped(traced.where)
    for key in sorted({*ours, *theirs}):
        values += 1
        if ours.get(key) != theirs.get(key):
            table, mote, *rest = key
            differences.append(
                f"{names.get(mote, mote)} {table} {' '.join(rest)}: {_shown(ours.get(key))} measured, "
                f"{_shown(theirs.get(key))} traced"
            )
    other = _other(measured.manifest, traced.manifest)
    if not (differences or other or _contains(traced.where / LOG_FILE, measured.where / LOG_FILE)):
        differences.append("the log has other lines than those of the trace")
    return Check(values, tuple(differences), other)


def _contains(traced: Path, measured: Path) -> bool:
    """Say whether a traced log has all lines of the measured one, in their order."""
    with traced.open("rb") as stream, measured.open("rb") as wanted:
        return all(any(line == one for one in stream) for line in wanted)


def _dumped(where: Path) -> dict[tuple, tuple[int, ...]]:
    """Return the values that motes print after a run, by table, mote and name."""
    found = {}
    for table, frame in read(where, MEASURED).items():
        name, *values = MEASURED[table]
        for row in frame.select("mote", name, *values).rows():
            found[table, row[0], str(row[1])] = row[2:]
    return found


def _other(one: Manifest | None, two: Manifest | None) -> tuple[str, ...]:
    if one is None or two is None:
        return ()
    other = [] if one.firmware == two.firmware else ["the firmware was built again and differs"]
    if one.engine != two.engine:
        other.append("the engine has another version")
    return tuple(other)


def _shown(values: tuple[int, ...] | None) -> str:
    return "nothing" if values is None else " ".join(str(value) for value in values)
