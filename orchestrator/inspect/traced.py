# SPDX-License-Identifier: Apache-2.0
"""The traced repetition ("twin") of a measured run, which is in the run's folder or is made there.

Tables, metrics and reports never include twins. Printing takes no simulated time, so a twin's counters must
equal those of the measured run; `check` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.applications.platform import PLATFORM, SKY
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
    whole = [
        candidate
        for candidate in twins
        if candidate.manifest.parameters == wanted and candidate.manifest.outcome is Outcome.OK
    ]
    return max(
        whole,
        key=lambda candidate: (
            not _other(measured.manifest, candidate.manifest),
            candidate.manifest.finished,
            candidate.manifest.run_id,
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
    traced = twin(measured)
    if traced is None or (rerun and check(measured, traced).other):
        return make(measured, say) if rerun else None
    return traced


def make(measured: Found, say: Callable[[str], None] = lambda _: None) -> Found:
    """Make a new twin. Raises what execution/again.py raises."""
    where = again.trace(measured.where, measured.manifest, say)
    return Found(where, manifests.read(where / FILE, f"remove {where}; it is made again"))


def check(measured: Found, traced: Found) -> Check:
    """Compare everything that motes print after a run, and the logs.

    The traced log must have all lines of the measured one, in the same order and with the same bytes.
    """
    values, differences = 0, []
    names = {row["mote"]: row["name"] for row in read(measured.where, ["motes"])["motes"].to_pylist()}
    ours, theirs = _dumped(measured.where), _dumped(traced.where)
    for key in sorted({*ours, *theirs}):
        values += 1
        if ours.get(key) != theirs.get(key):
            table, mote, *rest = key
            differences.append(
                f"{names.get(mote, mote)} {table} {' '.join(rest)}: {_in_words(ours.get(key))} measured, "
                f"{_in_words(theirs.get(key))} traced"
            )
    other = _other(measured.manifest, traced.manifest)
    if not (differences or other or _contains(traced.where / LOG_FILE, measured.where / LOG_FILE)):
        differences.append("the log has other lines than those of the trace")
    return Check(values, tuple(differences), other)


def _contains(traced: Path, measured: Path) -> bool:
    """Say whether a traced log has all lines of the measured one, in their order."""
    with traced.open("rb") as stream, measured.open("rb") as wanted:
        return all(any(line == other for other in stream) for line in wanted)


def _dumped(where: Path) -> dict[tuple, tuple[int, ...]]:
    """Return the values that motes print after a run, by table, mote and name."""
    dumped = {}
    for table, frame in read(where, MEASURED).items():
        name, *values = MEASURED[table]
        columns = (frame[column].to_pylist() for column in ("mote", name, *values))
        for row in zip(*columns):
            dumped[table, row[0], str(row[1])] = row[2:]
    return dumped


def _other(measured: Manifest | None, traced: Manifest | None) -> tuple[str, ...]:
    if measured is None or traced is None:
        return ()
    other = [] if measured.firmware == traced.firmware else ["the firmware was built again and differs"]
    if measured.engine != traced.engine:
        other.append("the engine has another version")
    if measured.parameters.get("application", {}).get("parameters", {}).get(PLATFORM) == SKY:
        other.append("a Tmote Sky's processor needs time to print the trace")
    return tuple(other)


def _in_words(values: tuple[int, ...] | None) -> str:
    return "nothing" if values is None else " ".join(str(value) for value in values)
