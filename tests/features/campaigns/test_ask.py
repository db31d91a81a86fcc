# SPDX-License-Identifier: Apache-2.0
"""What a bisection is asked to look for, from rounds that were made without a simulation."""

from __future__ import annotations

import json

import pytest

from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.bisection.ask import asked
from orchestrator.features.campaigns.judging.blame import OUTCOME, Red
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import Checkout
from orchestrator.runs.model import Outcome
from tests import checkout
from tests.features.campaigns.conftest import SCENARIO
from tests.features.campaigns.nights_store import NAME, Nights

LOSS = {"metric": "event_loss_rate", "cell": "chain/merged"}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A checkout of three commits, and another with one."""
    top, other = (tmp_path_factory.mktemp("git") / name for name in ("theirs", "other"))
    for folder in (top, other):
        checkout.begin(folder)
    return (
        top,
        [checkout.commit(top, subject) for subject in ("one", "two", "three")],
        other,
        checkout.commit(other, "of the other"),
    )


def of(top, commit, changed=False):
    return Checkout("mine", str(top), commit, commit[:7], changed)


@pytest.fixture
def campaign(tmp_path):
    """A campaign of the cells that those rounds have, and of one without seeds of its own."""
    text = SCENARIO.replace("experiment: trial", "experiment: chain").replace("label: A", "label: merged")
    (tmp_path / "chain.yaml").write_text(text)
    (tmp_path / "nights.yaml").write_text(
        "campaign: nights\nparts:\n  - {scenario: chain.yaml, experiment: chain}\n"
        "  - {scenario: chain.yaml, experiment: other, seeds: {fresh: 2}}\n"
    )
    return load(tmp_path / "nights.yaml")


@pytest.fixture
def nights(tmp_path):
    return Nights(tmp_path / "store", seeds=8)


def ask(nights, campaign, theirs, good="1", bad="2", **given):
    return asked(campaign, nights.store, good, bad, **{"repository": theirs[0]} | given)


def two(nights, theirs, first=0, last=2, **how):
    """A round of the first commit, and one of the last."""
    top, commits, *_ = theirs
    nights.night(checkouts=(of(top, commits[first]),))
    nights.verdict()
    nights.promote()
    nights.night(checkouts=(of(top, commits[last]),), **{"code": "b", "loss": 0.16} | how)
    return nights.verdict()


def rewrite(nights, change):
    """Change the findings of the second round's verdict."""
    path = samples.folder(nights.store, NAME, "000002") / "verdict.json"
    told = json.loads(path.read_text())
    told["findings"] = [one | change(one) for one in told["findings"]]
    path.write_text(json.dumps(told))


def test_the_checkout_and_the_commits_are_those_of_the_rounds(nights, campaign, theirs):
    two(nights, theirs)
    found = ask(nights, campaign, theirs, repository=None)
    assert (found.repository, found.good, found.bad) == (theirs[0], theirs[1][0], theirs[1][2])
    assert found.part.experiment == "chain" and found.notes == ()
    assert found.red == Red("chain", "merged", "event_loss_rate", "total")
    by_commit = ask(nights, campaign, theirs, theirs[1][0], theirs[1][1][:10], **LOSS)
    assert (by_commit.good, by_commit.bad) == (theirs[1][0], theirs[1][1])
    within = theirs[0] / "within"
    within.mkdir(exist_ok=True)
    assert ask(nights, campaign, theirs, repository=within).repository == theirs[0]
    assert ask(nights, campaign, theirs, "000001", "02").good == theirs[1][0]


@pytest.mark.parametrize("changed", [(), (1,), (2,), (1, 2)])
def test_a_round_with_uncommitted_changes_is_noted(nights, campaign, theirs, changed):
    top, commits, *_ = theirs
    for number in (1, 2):
        nights.night(checkouts=(of(top, commits[number], number in changed),))
    found = ask(nights, campaign, theirs, **LOSS)
    assert found.notes == tuple(
        f"round {number} was made with uncommitted changes in {top}, which no commit has"
        for number in changed
    )


def test_of_several_checkouts_one_has_to_be_named(nights, campaign, theirs, tmp_path):
    top, commits, other, only = theirs
    nights.night(checkouts=(of(top, commits[0]), of(other, only)))
    nights.night(checkouts=(of(top, commits[1]), of(other, only)))
    assert ask(nights, campaign, theirs, repository=None, **LOSS).repository == top
    nights.night(checkouts=(of(top, commits[0]), of(other, "1" * 40)))
    with pytest.raises(WrongUsage, match=f"{top} and {other} changed between the two rounds\n.*--repository"):
        ask(nights, campaign, theirs, bad="3", good="2", repository=None, **LOSS)
    # The other's commit is of no checkout that is searched: that of the round is found by its own folder.
    assert ask(nights, campaign, theirs, good="2", bad="3", **LOSS).bad == commits[0]
    nights.night(checkouts=(of(tmp_path / "gone", commits[2]), of(top, commits[0])))
    nights.night(checkouts=(of(tmp_path / "gone", commits[1]), of(top, commits[0])))
    for good, bad in (("4", "5"), ("1", "1"), ("1", commits[0])):
        with pytest.raises(WrongUsage, match="no checkout is known to have changed between the two"):
            ask(nights, campaign, theirs, good, bad, repository=None, **LOSS)


def test_ends_of_another_checkout_are_refused(nights, campaign, theirs, tmp_path):
    top, commits, other, _ = theirs
    nights.night(checkouts=(of(other, "0" * 40),))
    nights.night()
    for good, bad in ((commits[0], "1"), ("2", commits[0])):
        with pytest.raises(NoSuchThing, match=r"round [12] does not say of which commit of .*theirs it is"):
            ask(nights, campaign, theirs, good, bad, **LOSS)
    with pytest.raises(NoSuchThing, match="9 is neither a round of the campaign nor a commit of"):
        ask(nights, campaign, theirs, "9", "1", **LOSS)
    with pytest.raises(Unsupported, match=f"good and bad are the same commit of .*: {commits[0][:12]}\n"):
        ask(nights, campaign, theirs, commits[0], commits[0], **LOSS)
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(NoSuchThing, match=f"{folder} is in no git checkout"):
            ask(nights, campaign, theirs, commits[0], commits[1], repository=folder, **LOSS)


def test_what_is_surest_to_be_red_is_looked_for(nights, campaign, theirs):
    two(nights, theirs, delay=90.0)
    rewrite(nights, lambda one: {"p": {"event_loss_rate": 1e-3, "delay_ms": 1e-4}[one["metric"]]})
    assert ask(nights, campaign, theirs).red == Red("chain", "merged", "delay_ms", "p50")
    assert ask(nights, campaign, theirs, metric="event_loss_rate").red.metric == "event_loss_rate"
    assert ask(nights, campaign, theirs, metric="delay_ms/p50", cell="chain/merged").red.key == "p50"
    assert ask(nights, campaign, theirs, metric="delay_ms/p50").red.key == "p50"
    assert ask(nights, campaign, theirs, cell="chain/merged").red.metric == "delay_ms"
    for named in ({"metric": "delay_ms"}, {"metric": "delay_ms/p99"}, {"cell": "chain/plain"}):
        with pytest.raises(WrongUsage, match="is not red in round 2\n.*--metric and --cell"):
            ask(nights, campaign, theirs, **named)
    with pytest.raises(WrongUsage, match="is not red in the bad commit"):
        ask(nights, campaign, theirs, bad=theirs[1][2], metric="event_loss_rate")
    with pytest.raises(WrongUsage, match="no failed run and no verdict says what is red in round 1"):
        ask(nights, campaign, theirs, "2", "1")
    with pytest.raises(NoSuchThing, match="nights has no cell chain/mergd; did you mean chain/merged"):
        ask(nights, campaign, theirs, metric="delay_ms", cell="chain/mergd")
    with pytest.raises(NoSuchThing, match="nights has no cell chian/merged"):
        ask(nights, campaign, theirs, metric="delay_ms", cell="chian/merged")


@pytest.mark.parametrize(
    ("first", "second", "seeds"),
    [
        ((1, 2, 3), (2, 3, 4), (2, 3)),
        ((1, 2, 3), (3, 4), (1, 2, 3, 4)),  # one seed alone says too little
        ((5, 6), (1, 2), (1, 2, 5, 6)),
    ],
)
def test_the_seeds_of_a_metric_are_those_of_both_rounds(nights, campaign, theirs, first, second, seeds):
    top, commits, *_ = theirs
    nights.night(checkouts=(of(top, commits[0]),), seeds=first)
    nights.night(checkouts=(of(top, commits[1]),), seeds=second)
    assert ask(nights, campaign, theirs, **LOSS).seeds == seeds
    assert ask(nights, campaign, theirs, bad=commits[1], **LOSS).seeds == first
    assert ask(nights, campaign, theirs, good=commits[0], **LOSS).seeds == second
    assert ask(nights, campaign, theirs, commits[0], commits[1], **LOSS).seeds == (1, 2), "the scenario's"
    other = {"metric": "event_loss_rate", "cell": "other/merged"}
    with pytest.raises(WrongUsage, match="other/merged has no seeds of its own\n.*name rounds"):
        ask(nights, campaign, theirs, **other)


def test_of_failed_runs_the_seeds_are_those_that_failed(nights, campaign, theirs):
    def outcome(run):
        ended = {9: Outcome.CRASH, 10: Outcome.LOST, 12: Outcome.FAILED, 11: Outcome.NO_VERDICT}
        return ended.get(run.seed, Outcome.OK) if run.cell == "merged" else Outcome.OK

    two(nights, theirs, loss=0.10, outcome=outcome)
    found = ask(nights, campaign, theirs)
    assert (found.red, found.seeds) == (Red("chain", "merged", OUTCOME), (9, 11, 12))
    plain = ask(nights, campaign, theirs, metric=OUTCOME, cell="chain/plain")
    assert plain.seeds == tuple(range(1, 17)), "none of its runs failed"
    assert ask(
        nights, campaign, theirs, bad=theirs[1][2], metric=OUTCOME, cell="chain/merged"
    ).seeds == tuple(range(1, 9))
