# SPDX-License-Identifier: Apache-2.0
"""The sentences of reports, of every application, held against counts that are made here from the logs, line
by line.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import applications_store
import pytest
from applications_store import ALL, APPLICATIONS, NOTHING, SCAFFOLDED, SEEDS
from orchestrate_spark.metrics import built_in

from orchestrator.execution.fresh import renew
from orchestrator.report import page
from orchestrator.report.data import Results, read
from orchestrator.report.model import Figure, Gallery, Table, Text
from orchestrator.report.render import Page, figures

pytestmark = pytest.mark.spark
EVERYONE = (*APPLICATIONS, *SCAFFOLDED.values(), *NOTHING)
COUNTERS = {
    "Transmitted events": "events_transmitted",
    "Packets sent": "packets_sent",
    "Packets received": "packets_received",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    made = applications_store.make(tmp_path_factory.mktemp("every"))
    renew(made / ALL)
    return made


@pytest.fixture(scope="module")
def whole(store) -> Results:
    return read(store, ALL)


def of(whole: Results, name: str) -> Results:
    """What a report of that application alone is made from."""
    cells = tuple(cell for cell in whole.cells if cell.startswith(name + "/"))
    manifests = tuple(one for one in whole.manifests if one.cell in cells)
    return dataclasses.replace(
        whole,
        experiment=name,
        cells=cells,
        manifests=manifests,
        plan=tuple(one.run_id for one in manifests),
        per_run=whole.per_run[whole.per_run["cell"].isin(cells)].reset_index(drop=True),
    )


@dataclasses.dataclass
class Counted:
    """A run's log, counted without any of our code. None: the motes don't say."""

    lines: list[tuple[int, int, list[str]]]
    published: int | None
    delivered: int | None
    owed: int | None
    counters: dict[str, int]
    kinds: set[str]


def counted(folder: Path) -> Counted:
    lines = []
    for line in (folder / "COOJA.testlog").read_text().splitlines():
        if found := re.fullmatch(r"(\d+)\tID:(\d+)\t!(.*)", line):
            lines.append((int(found[1]), int(found[2]), found[3].split(",")))
    counters: dict[str, int] = defaultdict(int)
    for _, _, fields in lines:
        if fields[0] == "cnt":
            counters[fields[1]] += int(fields[2])
    kinds = {fields[0] if fields[0] != "cnt" else f"cnt,{fields[1]}" for _, _, fields in lines}
    published = delivered = owed = None
    if "sub" in kinds:
        killed = [(mote, at) for at, mote, fields in lines if fields[0] == "die"]
        subscribed = [
            (
                mote,
                fields[1],
                at,
                min((died for other, died in killed if other == mote and died >= at), default=1 << 62),
            )
            for at, mote, fields in lines
            if fields[0] == "sub"
        ]
        events = [(fields[1], fields[2], fields[3], at) for at, _, fields in lines if fields[0] == "pub"]
        published = len(events)
        pairs = {
            (mote, subject, f"{publisher}.{sequence}")
            for mote, subject, since, until in subscribed
            for of_subject, publisher, sequence, at in events
            if of_subject == subject and since <= at < until
        }
        owed = len(pairs)
        delivered = len(
            pairs
            & {
                (mote, fields[1], event)
                for _, mote, fields in lines
                if fields[0] == "dlv"
                for event in fields[3].split("+")
            }
        )
    elif "node" in kinds:
        published = counters["events_published"]
        delivered = sum(int(fields[2]) for _, _, fields in lines if fields[0] == "from")
        owed = published * max(sum(fields[:2] == ["node", "subscriber"] for _, _, fields in lines), 1)
        if "from" not in kinds and counters["events_delivered"]:  # to whom they belong, nobody says
            delivered = owed = None
    return Counted(lines, published, delivered, owed, counters, kinds)


def runs(whole: Results, name: str) -> dict[tuple[str, int], Counted]:
    return {
        (one.cell, one.seed): counted(whole.folder / "runs" / one.run_id)
        for one in whole.manifests
        if one.cell.startswith(name + "/")
    }


def sentences(of_page: Page) -> list[str]:
    found = [of_page.subtitle, *(f"{label}: {value}" for label, value in of_page.facts)]
    for section in of_page.sections:
        for block in section.blocks:
            if isinstance(block, Text):
                found += block.paragraphs
            elif isinstance(block, Table):
                found.append(block.note)
            elif isinstance(block, (Gallery, Figure)):
                found += [
                    figure.caption for figure in (block.figures if isinstance(block, Gallery) else (block,))
                ]
    return found


def tables(of_page: Page) -> dict[str, Table]:
    return {
        block.title: block
        for section in of_page.sections
        for block in section.blocks
        if isinstance(block, Table)
    }


def value(text: str) -> float:
    return float(text.replace("\u202f", "").replace("−", "-").replace("\u00a0%", ""))


@pytest.fixture(scope="module")
def page_of(whole) -> Callable[[str], Page]:
    """An application's page, made once."""
    return cache(lambda name: page.build(of(whole, name)))


@pytest.fixture(scope="module")
def runs_of(whole) -> Callable[[str], dict[tuple[str, int], Counted]]:
    """An application's runs, counted once."""
    return cache(lambda name: runs(whole, name))


@pytest.mark.parametrize("name", EVERYONE)
def test_totals_are_those_of_the_logs(whole, page_of, runs_of, name):
    results, logs = of(whole, name), runs_of(name)
    for (cell, seed), log in logs.items():
        for metric, expected in (
            ("events_published", log.published),
            ("events_delivered", log.delivered),
            ("events_lost", None if log.owed is None else log.owed - log.delivered),
        ):
            got = results.values(cell, metric).get(seed)
            assert got == expected, (cell, seed, metric)
    table = tables(page_of(name)).get("All cells")
    assert (table is None) == all(
        not {"node", "sub", "cnt,events_transmitted"} & log.kinds for log in logs.values()
    )
    for row in table.rows if table else ():
        for title, field in (("Published events", "published"), ("Delivered events", "delivered")):
            if title in table.columns:
                mean = (
                    sum(getattr(log, field) for (cell, _), log in logs.items() if cell == row[0].text) / SEEDS
                )
                assert value(row[table.columns.index(title)].text) == pytest.approx(mean, abs=0.5)


@pytest.mark.parametrize("name", EVERYONE)
def test_what_a_report_calls_zero_is_counted_as_zero_in_every_log(page_of, runs_of, name):
    logs = runs_of(name)
    titles = {metric.title.lower(): name for name, metric in built_in().items()}
    said = [line for line in sentences(page_of(name)) if line.startswith("Zero in every run")]
    for line in said:
        for title in line.partition(": ")[2].rstrip(".").split(", "):
            metric = titles[title]
            for where, log in logs.items():
                if metric in ("aggregates", "full_aggregates", "aggregated_share"):
                    assert "agg" in {kind for one in logs.values() for kind in one.kinds}, (metric, where)
                    assert (
                        sum(
                            int(f[2])
                            for _, _, f in log.lines
                            if f[0] == "agg" and (metric == "aggregates" or int(f[1]) > 1)
                        )
                        == 0
                    )
                elif metric in ("event_loss_rate", "events_lost"):
                    assert log.owed == log.delivered or not log.owed, where
                elif metric in log.counters:
                    assert log.counters[metric] == 0, where


@pytest.mark.parametrize("name", EVERYONE)
def test_records_that_are_called_missing_are_in_no_log(page_of, runs_of, name):
    found = tables(page_of(name)).get("Not measured")
    logs = runs_of(name)
    wanting = {
        name for name in EVERYONE if name in ("pubsub-hello", "hello-nullnet", "link-survey", *NOTHING)
    }
    assert found is not None or name not in wanting
    for titles, cells, why in found.rows if found else ():
        of_cells = [
            log for (cell, _), log in logs.items() if cells.text == "all" or cell in cells.text.split(", ")
        ]
        assert of_cells
        if why.text.startswith("no mote printed "):
            for record in re.findall(
                r"!([a-z]+(?:,events_[a-z]+|,packets_[a-z]+|,event_packets_received)?)",
                why.text.partition(" (or else")[0],
            ):
                assert all(record not in log.kinds for log in of_cells), (titles.text, record)
        for title in set(titles.text.split(", ")) & COUNTERS.keys():
            assert all(COUNTERS[title] not in log.counters for log in of_cells)


@pytest.mark.parametrize("name", EVERYONE)
def test_the_first_three_sentences(whole, page_of, runs_of, name):
    results, logs = of(whole, name), runs_of(name)
    first, second, third = page_of(name).sections[0].blocks[0].paragraphs
    assert f"all {len(logs)} runs are in these numbers" in first and f"{SEEDS} seeds (1..{SEEDS})" in first
    losses = [(log.owed, log.delivered) for log in logs.values() if log.owed is not None]
    assert ("no event was lost" in third.lower()) == bool(
        losses and sum(owed for owed, _ in losses) and all(owed == got for owed, got in losses)
    )
    assert ("no event was published" in third.lower()) == bool(
        losses and not any(log.published for log in logs.values())
    )
    if not any(log.counters for log in logs.values()):
        assert (
            "nothing can be said" if len(results.cells) > 1 else "nothing to compare"
        ) in second.lower() and "there is no value of" in third.lower()
    if found := re.search(r"in (.*): ([\d.]+)\u00a0% (higher|lower).*\(cell (\S+) beside (\S+)\)", second):
        title, size, word, other, base = found.groups()
        metric = next(
            (field for shown, field in COUNTERS.items() if title.lower().startswith(shown.lower())), None
        )
        if metric:
            means = [
                sum(log.counters[metric] for (cell, _), log in logs.items() if cell == one) / SEEDS
                for one in (base, other)
            ]
            assert abs(100 * (means[1] / means[0] - 1)) == pytest.approx(float(size), abs=0.06) and (
                means[1] > means[0]
            ) == (word == "higher")


@pytest.mark.parametrize("name", EVERYONE)
def test_each_axis_has_its_comparison_and_seeds_are_paired_as_it_says(whole, page_of, runs_of, name):
    results, logs = of(whole, name), runs_of(name)
    built = page_of(name)
    section = next((one for one in built.sections if one.id == "comparison"), None)
    if len(results.cells) < 2 or not any(log.counters for log in logs.values()):
        assert section is None
        return
    axes = {axis for one in results.manifests for axis in one.settings}
    assert {block.title for block in section.blocks if isinstance(block, Table)} == axes
    if "Differences are taken seed by seed, as both" in section.blocks[0].paragraphs[0]:
        for seed in range(1, SEEDS + 1):
            assert (
                len(
                    {
                        tuple(
                            sorted(
                                (mote, fields[2])
                                for _, mote, fields in log.lines
                                if fields[:2] == ["cnt", "events_published"]
                            )
                        )
                        for (_, of_seed), log in logs.items()
                        if of_seed == seed
                    }
                )
                == 1
            )


def test_who_is_what_in_the_picture_of_a_mesh(page_of):
    drawn = next(one for one in figures(page_of("mesh")) if one.name.startswith("topology"))
    rows = {row[1]: (row[2], row[5]) for row in drawn.drawing.rows}
    assert rows["S"] == rows["P5"] == ("subscriber", None) and rows["P1"] == rows["P4"] == ("publisher", None)
    assert {rows[name] for name in ("P2", "P3")} == {("relay", None)}
    text = drawn.svg.decode()
    assert (
        "P3, mote 4, relay, dies" in text
        and text.count(", dies,") == 1
        and "arrow: next hop" not in text
        and "no configured next hops" in text
    )
    assert (
        "arrow: next hop"
        in next(
            one for one in figures(page_of("aggregation")) if one.name.startswith("topology")
        ).svg.decode()
    )


@pytest.mark.parametrize("name", EVERYONE)
def test_show_names_a_control_node_only_where_there_is_one(whole, name, capsys):
    from orchestrator.cli.app import main

    one = next(one for one in whole.manifests if one.cell.startswith(name + "/"))
    assert main(["show", str(whole.folder / "runs" / one.run_id)]) == 0
    said = capsys.readouterr().out
    assert "control node" not in said
    printing = {
        mote for _, mote, fields in counted(whole.folder / "runs" / one.run_id).lines if fields[0] == "run"
    }
    names = {mote.name for mote in one.motes if mote.mote in printing}
    assert all(re.search(rf"^{name}: [^:]*\bend\s+at\b", said, re.MULTILINE) for name in names)
    log = counted(whole.folder / "runs" / one.run_id)
    if log.published and log.owed is not None:
        rows = re.findall(
            r"^ ?(P\d+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+) ", said.partition("Delivery")[2], re.MULTILINE
        )
        assert (sum(int(row[2]) for row in rows), sum(int(row[3]) for row in rows)) == (
            log.owed,
            log.delivered,
        )
    if name == "mesh":
        assert "lost on the air" not in said
        assert re.search(r"P3 +relay, died at", said) and re.search(r"P5 +subscriber", said)


def test_intervals_of_the_page_and_of_the_summary_are_the_same_and_possible(whole):
    import pandas as pd

    summary = pd.read_parquet(whole.folder / "metrics" / "summary").set_index(["cell", "metric", "key"])
    compared = 0
    for (cell, metric, key), row in summary.iterrows():
        if metric in ("aggregate_size", "delay_histogram") or row.n < 2:
            continue
        found = whole.estimate(cell, metric, key)
        assert (row.ci_low, row.ci_high) == (
            pytest.approx(found.low, abs=1e-9),
            pytest.approx(found.high, abs=1e-9),
        ), (cell, metric, key)
        least, most = whole.shown(metric).bounds
        assert least - 1e-9 <= found.low <= found.high <= most + 1e-9, (cell, metric, key)
        compared += 1
    assert compared > 100


def test_numbers_of_an_earlier_campaign_are_made_anew_and_the_header_says_what_they_rest_on(
    store, whole, few_metrics
):
    """A session that can't be made shows that one is asked for."""
    campaign = store / ALL / "campaign.json"
    every = json.loads(campaign.read_text())
    one_seed = [one.run_id for one in whole.manifests if one.cell.startswith("greenhouse/") and one.seed == 1]
    try:
        campaign.write_text(json.dumps(every | {"runs": one_seed}))
        assert renew(store / ALL).runs == 1
        campaign.write_text(
            json.dumps(
                every
                | {"runs": [one.run_id for one in whole.manifests if one.cell.startswith("greenhouse/")]}
            )
        )
        stale = read(store, ALL)
        assert ("Runs in the numbers", f"1 of {SEEDS}") in page.build(stale).facts and any(
            "1 without metrics" in line for line in sentences(page.build(stale))
        )
        with pytest.raises(ZeroDivisionError):
            renew(store / ALL, spark=lambda: 1 // 0)
        campaign.write_text(json.dumps(every | {"runs": one_seed}))
        assert renew(store / ALL, spark=lambda: 1 // 0).runs == 1  # nothing to do, so no session
        assert ("Runs in the numbers", "1 of 1") in page.build(read(store, ALL)).facts
    finally:
        campaign.write_text(json.dumps(every))
