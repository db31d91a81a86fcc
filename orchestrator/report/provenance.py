# SPDX-License-Identifier: Apache-2.0
"""The section "Provenance": engine, firmware, hosts, seeds and outcomes, from the runs' manifests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from orchestrate_spark.jobs.metrics import computed_by, own_in

from orchestrator.report.data import Results
from orchestrator.report.model import Entry, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.runs.manifest import LOG_FILE, Manifest
from orchestrator.runs.model import Outcome
from orchestrator.words import counted, spans


def seeds_in_words(seeds: Iterable[int]) -> str:
    """Write seeds as ranges: "1..30" or "1..4, 7"."""
    return ", ".join(str(a) if a == b else f"{a}..{b}" for a, b in spans(seeds)) or "none"


def simulated_s(manifests: Iterable[Manifest]) -> float:
    """Return the simulated time of these runs in seconds."""
    return sum(one.statistics.sim_us for one in manifests) / 1e6


def time_title(manifests: Sequence[Manifest]) -> str:
    """Return what the time of these runs is called: on real motes nothing is simulated."""
    return "Time on motes" if all(one.engine.name == "testbed" for one in manifests) else "Simulated time"


def experiment_s(manifests: Iterable[Manifest]) -> float:
    """Return the measured part of the simulated time, duration and drain, in seconds."""
    return sum(one.resolved.duration_us + one.resolved.drain_us for one in manifests) / 1e6


def outcomes(manifests: Iterable[Manifest]) -> Counter[str]:
    """Count how the runs ended."""
    return Counter(one.outcome.value for one in manifests)


def log_digest(manifests: Iterable[Manifest]) -> str:
    """Return one hash of all logs: campaigns with the same digest have the same runs with the same logs."""
    digest = hashlib.sha256()
    for run_id, log in sorted((one.run_id, one.log_sha256) for one in manifests):
        digest.update(f"{run_id} {log}\n".encode())
    return digest.hexdigest()


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values) - {""})) or "–"


def _duration(seconds: float) -> str:
    if seconds >= 2 * 3600:
        return f"{number(seconds / 3600, 1)} h"
    if seconds >= 120:
        return f"{number(seconds / 60, 1)} min"
    return f"{number(seconds, 2)} s"


def section(results: Results) -> Section:
    """Return the section: what ran, on what, and which runs did not end well."""
    runs = results.manifests
    if not runs:
        nothing = (
            "The store has metrics of this experiment but no manifests of its runs, so nothing can be said "
            "about where the metrics come from."
        )
        return Section("provenance", "Provenance", (paragraph(nothing, "warning"),))
    facts = tuple((Entry(name), Entry(value)) for name, value in _facts(results))
    blocks: list = [Table("What ran", ("Fact", "Value"), facts)]
    from orchestrate_spark.jobs.ingest import damaged_in

    if damaged := set(damaged_in(results.folder)).intersection(one.run_id for one in runs):
        blocks.append(
            paragraph(
                f"Left out: {len(damaged)} of {counted(len(runs), 'run')}, whose stored logs are not "
                "what the runs wrote: "
                f"{', '.join(sorted(damaged)[:10])}{', ...' if len(damaged) > 10 else ''}.",
                "warning",
            )
        )
    if not any(any((results.folder / kind).glob(f"*/{LOG_FILE}")) for kind in ("runs", "logs")):
        without = (
            "The logs of these runs are not in the store, so the numbers can't be checked or computed again."
        )
        blocks.append(paragraph(without, "warning"))
    if bad := [one for one in runs if one.outcome is not Outcome.OK]:
        blocks.append(_ended_badly(bad))
    return Section("provenance", "Provenance", tuple(blocks))


def _facts(results: Results) -> list[tuple[str, str]]:
    """Return what ran, on what, and how long it took."""

    runs = results.manifests
    statistics = [one.statistics for one in runs]
    simulated, experiment = simulated_s(runs), experiment_s(runs)
    wall = sum(one.wall_s for one in statistics)
    malformed, jumps = (
        results.per_run.loc[results.per_run["metric"] == name, "value"].sum()
        for name in ("malformed_lines", "clock_jumps")
    )
    ended = outcomes(runs)
    firmware = sorted({f"{kind}: {digest}" for one in runs for kind, digest in one.firmware.items()})
    on_motes = [one for one in runs if one.engine.name == "testbed"]
    return [
        (
            "Runs",
            f"{len(runs)} made, {len(results.measured)} in the numbers: "
            + ", ".join(f"{count} {name}" for name, count in sorted(ended.items())),
        ),
        ("Seeds", seeds_in_words(one.seed for one in runs)),
        ("Engine", _distinct(one.engine.name for one in runs)),
        ("Engine version", _distinct(one.engine.version for one in runs)),
        ("Rule set", _distinct(one.engine.rules for one in runs)),
        ("Firmware (SHA-256)", "\n".join(firmware) or "–"),
        *(_testbed(on_motes) if on_motes else ()),
        (
            time_title(runs),
            _duration(simulated)
            + (f", {_duration(experiment)} of it duration and drain" if experiment else ""),
        ),
        (
            "Time with the lab" if len(on_motes) == len(runs) else "Computing time",
            f"{_duration(wall)} (sum over runs)",
        ),
        *_machine(runs, wall, experiment or simulated, bool(experiment)),
        ("Malformed log lines", number(float(malformed), 0)),
        ("Clock jumps in logs", number(float(jumps), 0)),
        *((("The user's own metrics (SHA-256)", own),) if (own := _own(results)) else ()),
        *((("Metrics computed by", by),) if (by := computed_by(results.folder)) else ()),
        ("Logs", f"{len({one.log_sha256 for one in runs})} different among {len(runs)}"),
        ("Digest of all logs", log_digest(runs)),
        ("Host", _distinct(_host(one.host) for one in runs)),
        ("Measured", _measured(runs)),
        ("orchestrate", _distinct(one.orchestrate for one in runs)),
    ]


def _machine(runs: list[Manifest], wall: float, measured: float, experiment: bool) -> list[tuple[str, str]]:
    """Return what simulating cost; nothing of runs on a testbed."""
    simulated = [one for one in runs if one.engine.name != "testbed"]
    if not simulated:
        return []
    return [
        (
            "Speed",
            f"{number(measured / wall, 0)} times real time"
            + (" (duration and drain)" if experiment else "")
            + ", one core"
            if wall > 0
            else "–",
        ),
        ("Simulation events", number(sum(one.statistics.events for one in simulated), 0)),
        (
            "Peak memory of a run",
            f"{number(max(one.statistics.peak_memory for one in simulated) / 2**20, 1)} MiB",
        ),
    ]


def _testbed(runs: list[Manifest]) -> list[tuple[str, str]]:
    """Return which motes runs on a testbed rest on, how exact their times are, and what their logs lack."""
    used = sorted(
        {(mote.mote, f"{mote.name} at {mote.gateway}") for one in runs for mote in one.testbed.motes}
    )
    runs = [one for one in runs if one.testbed.lab]  # others ended before any mote was flashed
    if not runs:
        return []
    facts = [
        ("Testbed", _distinct(f"{one.testbed.lab}, layout {one.testbed.layout}" for one in runs)),
        ("Motes of the testbed", ", ".join(f"{number_}: {name}" for number_, name in used)),
        (
            "Times of two gateways differ by at most",
            f"{number(max(one.testbed.clock_error_us for one in runs) / 1000, 1)} ms",
        ),
        (
            "Motes started within",
            f"{number(max(one.testbed.boot_spread_us for one in runs) / 1000, 0)} ms",
        ),
    ]
    for name, sentences in (
        ("Motes replaced", [text for one in runs for text in one.testbed.replaced]),
        ("Missing from the logs", [text for one in runs for text in one.testbed.missing]),
        ("Of its logs", [text for one in runs for text in one.testbed.notes]),
        ("Flashed by", [text for one in runs for text in one.testbed.tools]),
    ):
        if sentences or name in ("Motes replaced", "Missing from the logs"):
            facts.append((name, "\n".join(dict.fromkeys(sentences)) or "nothing"))
    return facts


def _ended_badly(bad: list[Manifest]) -> Table:
    """Return a table of the first runs that did not end ok."""
    return Table(
        f"Runs that did not end with a good verdict ({len(bad)})",
        ("Cell", "Seed", "Outcome", "Evidence", "Run"),
        tuple(
            (
                Entry(one.cell),
                Entry(str(one.seed), number=True),
                Entry(one.outcome.value, tone="bad"),
                Entry("\n".join(one.evidence[:3]) or "–"),
                Entry(one.run_id[:12]),
            )
            for one in bad[:50]
        ),
        note="None of them is in the numbers above."
        + (f" Not listed: {len(bad) - 50} more." if len(bad) > 50 else ""),
    )


def _own(results: Results) -> str:
    return "\n".join(
        f"{name}: {told['sha256']} ({told['given']})" for name, told in sorted(own_in(results.folder).items())
    )


def _host(host: Mapping[str, str | int]) -> str:
    return " ".join(f"{key}={host[key]}" for key in sorted(host))


def _measured(runs: tuple[Manifest, ...]) -> str:
    return f"{min(one.started for one in runs)} to {max(one.finished for one in runs)}"
