# SPDX-License-Identifier: Apache-2.0
"""The baseline of a campaign: the round that a command promoted, why, and the metrics of its runs.

STORE/campaigns/NAME/baseline.json has it and all that were before it; baselines/NUMBER.parquet has the
metrics of its runs, so that a verdict needs neither their logs nor their tables. Earlier rounds of the same
code belong to it as well: their runs of other seeds are further samples of the same code.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from orchestrator import __version__
from orchestrator.durable import alone, rewrite, sha256
from orchestrator.errors import StorageFailed, Unsupported, writing
from orchestrator.features.campaigns import record, samples
from orchestrator.features.campaigns.model import CellPlan
from orchestrator.features.campaigns.record import Round
from orchestrator.runs.from_plain import from_plain

FORMAT = 1
FILE = "baseline.json"
SAMPLES = "baselines"
_REMEDY = (
    "take the file from a backup, or move it away and promote a round again "
    "(`orchestrate campaign promote FILE`)"
)


@dataclass(frozen=True)
class BaseCell:
    """A cell of the baseline. `digest`, `made_of`: as in the round's plan; `rounds`: whose runs these are."""

    experiment: str
    cell: str
    digest: str
    made_of: str
    firmware: Mapping[str, str]
    engine: str
    rounds: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """A promotion of a round to the baseline.

    `number`: of this promotion, from 1; `samples`: its file's name and SHA-256; times are ISO 8601, UTC.
    """

    number: int
    round: str
    round_at: str
    promoted: str
    by: str
    reason: str
    version: str
    file_sha256: str
    samples: str
    samples_sha256: str
    cells: tuple[BaseCell, ...]

    def cell(self, experiment: str, cell: str) -> BaseCell | None:
        """Return the cell of that name, None if there is none."""
        return next(
            (entry for entry in self.cells if (entry.experiment, entry.cell) == (experiment, cell)), None
        )


def history(store: Path, name: str) -> list[Baseline]:
    """All promotions, the present one last. Raises StorageFailed for a file of another schema."""
    path = record.folder(store, name) / FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            version = data.get("format") if isinstance(data, dict) else None
            raise ValueError(f"of format {version!r}; orchestrate {__version__} reads format {FORMAT}")
        return [_baseline(promotion) for promotion in data["promotions"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageFailed(f"{path}: not a baseline that can be read: {error}\n    {_REMEDY}") from error


def present(store: Path, name: str) -> Baseline | None:
    """Return the baseline that rounds are compared with, None if none was promoted. Raises StorageFailed."""
    promotions = history(store, name)
    return promotions[-1] if promotions else None


def metrics(store: Path, name: str, baseline: Baseline) -> pd.DataFrame:
    """Return the metrics of its runs. Raises StorageFailed if they are not the ones that were promoted."""
    path = record.folder(store, name) / SAMPLES / baseline.samples
    frame = samples.kept(path)
    if frame is None or sha256(path) != baseline.samples_sha256:
        what = "is missing" if frame is None else "is not the file that was promoted"
        raise StorageFailed(f"{path} {what}\n    {_REMEDY}")
    return frame


def proposed(
    store: Path, name: str, round_: Round, reason: str, by: str | None = None, now: datetime | None = None
) -> tuple[Baseline, pd.DataFrame]:
    """Return what promoting a round would make the baseline, and the metrics of its runs.

    Raises Unsupported.
    """
    if not round_.over:
        raise Unsupported(
            f"round {round_.id} of {name} is {round_.state}, and only a round that ended can be promoted\n"
            "    let it end (`orchestrate campaign run FILE`), or name another with --round"
        )
    frames = {other.id: _frame(store, name, other) for other in record.rounds(store, name)}
    mine = frames.get(round_.id)
    if mine is None or mine.empty:
        raise Unsupported(
            f"round {round_.id} of {name} has no metrics that could be compared with\n"
            "    give the verdict on it first (`orchestrate campaign verdict FILE`)"
        )
    cells, pools = [], []
    for (experiment, _), plan in round_.plan.cells.items():
        rounds = _of_same_code(store, name, experiment, plan, round_)
        pool = samples.pooled(samples.of_cell(frames[round_id], experiment, plan.cell) for round_id in rounds)
        if len(pool):
            pools.append(pool)
            cells.append(_base_cell(experiment, plan, rounds, set(pool["run_id"])))
    number = len(history(store, name)) + 1
    baseline = Baseline(
        number,
        round_.id,
        round_.plan.at.astimezone(UTC).isoformat(timespec="seconds"),
        (now or datetime.now(UTC)).isoformat(timespec="seconds"),
        by or _user(),
        reason,
        __version__,
        round_.plan.file_sha256,
        f"{number:06d}.parquet",
        "",
        tuple(cells),
    )
    return baseline, pd.concat(pools, ignore_index=True)


def _base_cell(experiment: str, plan: CellPlan, rounds: Iterable[str], run_ids: set[str]) -> BaseCell:
    engine = f"{plan.engine.name} {plan.engine.version} {plan.engine.rules}"
    return BaseCell(
        experiment,
        plan.cell,
        plan.digest,
        plan.made_of,
        dict(plan.firmware),
        engine,
        tuple(rounds),
        tuple(sorted(run_ids)),
    )


def promote(store: Path, name: str, baseline: Baseline, frame: pd.DataFrame) -> Baseline:
    """Make it the present one. Raises StorageFailed, and Unsupported if another was promoted since."""
    where = record.folder(store, name)
    with alone(where, lambda: None):
        before = history(store, name)
        if len(before) + 1 != baseline.number:
            raise Unsupported(
                f"another round of {name} was promoted meanwhile\n    look at it, then promote again"
            )
        path = where / SAMPLES / baseline.samples
        samples.keep(path, frame)
        promoted = replace(baseline, samples_sha256=sha256(path))
        content = {
            "format": FORMAT,
            "campaign": name,
            "promotions": [asdict(promotion) for promotion in (*before, promoted)],
        }
        with writing(where / FILE, "free space, then promote again"):
            rewrite(where / FILE, (json.dumps(content, indent=1) + "\n").encode("ascii"))
    return promoted


def same_code(
    rounds: Sequence[Round], experiment: str, plan: CellPlan, wanted: Callable[[Round], bool]
) -> list[str]:
    """Return those `wanted` of these rounds that ran the cell as `plan` has it, the first one first.

    They go back from the last round to the one where the cell was another.
    """
    ids: list[str] = []
    for round_ in sorted(rounds, key=lambda round_: round_.plan.number, reverse=True):
        if not wanted(round_):
            break
        theirs = round_.plan.cells.get((experiment, plan.cell))
        if theirs is not None and theirs.made_of != plan.made_of:
            break
        if theirs is not None:
            ids.insert(0, round_.id)
    return ids


def _of_same_code(store: Path, name: str, experiment: str, plan: CellPlan, round_: Round) -> list[str]:
    before = [other for other in record.rounds(store, name) if other.plan.number <= round_.plan.number]
    return same_code(before, experiment, plan, lambda _: True)


def _frame(store: Path, name: str, round_: Round) -> pd.DataFrame:
    stored_samples = samples.kept(samples.folder(store, name, round_.id) / samples.FILE)
    return samples.pooled([]) if stored_samples is None else stored_samples


def _baseline(data: Any) -> Baseline:
    cells = tuple(
        from_plain(
            BaseCell,
            cell,
            rounds=tuple(map(str, cell["rounds"])),
            runs=tuple(map(str, cell["runs"])),
            firmware={str(kind): str(digest) for kind, digest in cell["firmware"].items()},
        )
        for cell in data["cells"]
    )
    return from_plain(Baseline, data, cells=cells)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without an entry for the user
        return "unknown"
