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
from orchestrator.runs.model import WARNING, Outcome
from orchestrator.words import counted, spans


def seeds_in_words(seeds: Iterable[int]) -> str:
    """Write seeds as ranges: "1..30" or "1..4, 7"."""
    return ", ".join(str(a) if a == b else f"{a}..{b}" for a, b in spans(seeds)) or "none"


def simulated_s(manifests: Iterable[Manifest]) -> float:
    """Return the simulated time of these runs in seconds."""
    return sum(manifest.statistics.sim_us for manifest in manifests) / 1e6


def time_title(manifests: Sequence[Manifest]) -> str:
    """Return what the time of these runs is called: on real motes nothing is simulated."""
    return (
        "Time on motes"
        if all(manifest.engine.name == "testbed" for manifest in manifests)
        else "Simulated time"
    )


def experiment_s(manifests: Iterable[Manifest]) -> float:
    """Return the measured part of the simulated time, duration and drain, in seconds."""
    return sum(manifest.resolved.duration_us + manifest.resolved.drain_us for manifest in manifests) / 1e6


def outcomes(manifests: Iterable[Manifest]) -> Counter[str]:
    """Count how the runs ended."""
    return Counter(manifest.outcome.value for manifest in manifests)


def log_digest(manifests: Iterable[Manifest]) -> str:
    """Return one hash of all logs: campaigns with the same digest have the same runs with the same logs."""
    digest = hashlib.sha256()
    for run_id, log in sorted((manifest.run_id, manifest.log_sha256) for manifest in manifests):
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

    if damaged := set(damaged_in(results.folder)).intersection(run.run_id for run in runs):
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
    if bad := [run for run in runs if run.outcome is not Outcome.OK]:
        blocks.append(_ended_badly(bad))
    if warned := [(run, line) for run in runs for line in run.evidence if line.startswith(WARNING)]:
        blocks.append(_warned(warned))
    return Section("provenance", "Provenance", tuple(blocks))


def _facts(results: Results) -> list[tuple[str, str]]:
    """Return what ran, on what, and how long it took."""
    runs = results.manifests
    statistics = [run.statistics for run in runs]
    simulated, experiment = simulated_s(runs), experiment_s(runs)
    wall = sum(entry.wall_s for entry in statistics)
    malformed, jumps = (
        results.per_run.loc[results.per_run["metric"] == name, "value"].sum()
        for name in ("malformed_lines", "clock_jumps")
    )
    ended = outcomes(runs)
    firmware = sorted({f"{kind}: {digest}" for run in runs for kind, digest in run.firmware.items()})
    on_motes = [run for run in runs if run.engine.name == "testbed"]
    return [
        (
            "Runs",
            f"{len(runs)} made, {len(results.measured)} in the numbers: "
            + ", ".join(f"{count} {name}" for name, count in sorted(ended.items())),
        ),
        ("Seeds", seeds_in_words(run.seed for run in runs)),
        ("Engine", _distinct(run.engine.name for run in runs)),
        ("Engine version", _distinct(run.engine.version for run in runs)),
        ("Rule set", _distinct(run.engine.rules for run in runs)),
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
        ("Logs", f"{len({run.log_sha256 for run in runs})} different among {len(runs)}"),
        ("Digest of all logs", log_digest(runs)),
        ("Host", _distinct(_host(run.host) for run in runs)),
        ("Measured", _measured(runs)),
        ("orchestrate", _distinct(run.orchestrate for run in runs)),
    ]


def _machine(runs: list[Manifest], wall: float, measured: float, experiment: bool) -> list[tuple[str, str]]:
    """Return what simulating cost; nothing of runs on a testbed."""
    simulated = [run for run in runs if run.engine.name != "testbed"]
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
        ("Simulation events", number(sum(run.statistics.events for run in simulated), 0)),
        (
            "Peak memory of a run",
            f"{number(max(run.statistics.peak_memory for run in simulated) / 2**20, 1)} MiB",
        ),
    ]


def _testbed(runs: list[Manifest]) -> list[tuple[str, str]]:
    """Return which motes runs on a testbed rest on, how exact their times are, and what their logs lack."""
    used = sorted(
        {(mote.mote, f"{mote.name} at {mote.gateway}") for run in runs for mote in run.testbed.motes}
    )
    runs = [run for run in runs if run.testbed.lab]  # others ended before any mote was flashed
    if not runs:
        return []
    facts = [
        ("Testbed", _distinct(f"{run.testbed.lab}, layout {run.testbed.layout}" for run in runs)),
        ("Motes of the testbed", ", ".join(f"{number_}: {name}" for number_, name in used)),
        (
            "Times of two gateways differ by at most",
            f"{number(max(run.testbed.clock_error_us for run in runs) / 1000, 1)} ms",
        ),
        (
            "Motes started within",
            f"{number(max(run.testbed.boot_spread_us for run in runs) / 1000, 0)} ms",
        ),
    ]
    for name, sentences in (
        ("Motes replaced", [text for run in runs for text in run.testbed.replaced]),
        ("Missing from the logs", [text for run in runs for text in run.testbed.missing]),
        ("Of its logs", [text for run in runs for text in run.testbed.notes]),
        ("Flashed by", [text for run in runs for text in run.testbed.tools]),
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
                Entry(run.cell),
                Entry(str(run.seed), number=True),
                Entry(run.outcome.value, tone="bad"),
                Entry("\n".join(run.evidence[:3]) or "–"),
                Entry(run.run_id[:12]),
            )
            for run in bad[:50]
        ),
        note="None of them is in the numbers above."
        + (f" Not listed: {len(bad) - 50} more." if len(bad) > 50 else ""),
    )


def _warned(warned: list[tuple[Manifest, str]]) -> Table:
    """Return a table of the first mistakes of firmware that ended no run."""
    return Table(
        f"What firmware did wrong in runs that went on ({len(warned)})",
        ("Cell", "Seed", "Mistake", "Run"),
        tuple(
            (
                Entry(run.cell),
                Entry(str(run.seed), number=True),
                Entry(line.removeprefix(WARNING), tone="bad"),
                Entry(run.run_id[:12]),
            )
            for run, line in warned[:50]
        ),
        note=f"Not listed: {len(warned) - 50} more." if len(warned) > 50 else "",
    )


def _own(results: Results) -> str:
    return "\n".join(
        f"{name}: {origin['sha256']} ({origin['given']})"
        for name, origin in sorted(own_in(results.folder).items())
    )


def _host(host: Mapping[str, str | int]) -> str:
    return " ".join(f"{key}={host[key]}" for key in sorted(host))


def _measured(runs: tuple[Manifest, ...]) -> str:
    return f"{min(run.started for run in runs)} to {max(run.finished for run in runs)}"
