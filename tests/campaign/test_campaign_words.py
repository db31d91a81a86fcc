# SPDX-License-Identifier: Apache-2.0
"""Words and numbers of the commands for campaigns and of bisect."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.campaign.bisection.bisect import Decided, Found
from orchestrator.cli import bisect, campaign_plan, campaign_prune, campaign_seeds


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (1_500_000, "1.5 MB"),
     (10**9, "1.0 GB"), (2_340_000_000, "2.3 GB")],
)  # fmt: skip
def test_sizes_have_the_largest_unit(count, text):
    assert campaign_prune._bytes(count) == text


@pytest.mark.parametrize(("seeds", "text"), [(None, "–"), (7, "7"), (1234, "1,234")])
def test_numbers_of_seeds(seeds, text, capsys):
    row = SimpleNamespace(
        experiment="e", cell="c", metric="loss", key="total", apart=0.1, half=0.2, seeds=seeds, stop=seeds
    )
    row.value = SimpleNamespace(n=3, mean=0.5, sd=0.1)
    campaign_seeds._show([row], SimpleNamespace(change=0.05, power=0.8))
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("e/c"))
    assert line.split() == ["e/c", "loss", "3", "0.5", "0.1", "0.1", text, "0.2", text]


def test_runs_in_their_order_and_how_many_more():
    runs = [
        SimpleNamespace(key=SimpleNamespace(experiment="e", cell="c", seed=seed), expected_s=1.234)
        for seed in (5, 0, -2)
    ]
    made = SimpleNamespace(runs=runs, known=True)
    table = campaign_plan._in_order(made, "in order", 2)
    assert [[text for text, _ in row] for row in table.rows] == [
        ["e", "c", "5", "1.23"],
        ["e", "c", "0", "1.23"],
    ]
    assert table.note == "and 1 more; --all lists them"
    made.known = False
    table = campaign_plan._in_order(made, "in order", 3)
    assert [text for text, _ in table.rows[2]] == ["e", "c", "fresh 2", "–"] and table.note == ""


@pytest.mark.parametrize(("agree", "sure"), [(3, True), (2, False)])
def test_what_a_bisection_found_in_words(agree, sure):
    red = SimpleNamespace(metric="loss", key="S", place="chain/merged")
    decided = (Decided("c" * 40, "bad", agree, 4, 8, "2 of 4 seeds"), Decided("d" * 40, "skip"))
    found = Found(
        SimpleNamespace(red=red, good="a" * 40, bad="b" * 40), "c" * 40, (), "Faster", ("x.c",), 5, decided,
        (1, 2), 0.123456, 2.0, 9, ("odd",),
    )  # fmt: skip
    lines = bisect._text(found).split("\n")
    assert lines == [
        f"loss/S of chain/merged: 0.1235 at {'a' * 12}, 2 at {'b' * 12} (mean of 2 seeds that differ)",
        f"it turned with {'c' * 12} Faster",
        "    x.c",
        "5 commits between them, 2 commits tried beside the two ends, 9 runs simulated:",
        f"    {'c' * 12} bad, 2 of 4 seeds",
        f"    {'d' * 12} skip",
        *([] if sure else [f"not sure: fewer than three quarters of the seeds agree at {'c' * 12}"]),
        "note: odd",
    ]
    red.key = "total"
    unknown = bisect._text(replace(found, first_bad="", candidates=("e" * 40,))).split("\n")
    assert unknown[0].startswith("loss of chain/merged: ")
    assert unknown[1:3] == ["it turned with one of these, of which some say nothing:", f"    {'e' * 12}"]
