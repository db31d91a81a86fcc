# SPDX-License-Identifier: Apache-2.0
"""The commit of a small repository that broke an application is found between two rounds, with few runs."""

import json
import shutil
import subprocess
import sys

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import NoSuchThing, StorageFailed, Unsupported, WrongUsage
from orchestrator.features.campaigns.bisection import bisect as bisections
from orchestrator.features.campaigns.bisection import steps
from orchestrator.features.campaigns.bisection.ask import asked
from orchestrator.features.campaigns.bisection.bisect import bisect, side
from orchestrator.features.campaigns.bisection.steps import BAD, GOOD, SKIP
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.run import Options, run
from orchestrator.runs.model import Outcome
from tests import checkout, needs
from tests.waiting import wait_until

needs.a_compiler()
QUIET = Options(metrics=False)
CRASH = ("  uint8_t reading[2];\n", "  uint8_t reading[2];\n\n  *(volatile char *)8 = 1;\n")
ERROR = ("CONTIKI_PROJECT =", "$(error broken)\nCONTIKI_PROJECT =")


class Repository:
    """A campaign of one cell of an application that has a history, the fault in the commit `crashes`.

    Few of its commits change sources, since each that does has to be compiled.
    """

    def __init__(self, folder):
        self.folder, self.top = folder, folder / "theirs"
        self.file, self.store = folder / "campaign.yaml", folder / "store"
        self.source = self.top / "mine" / "mine.c"

    def write(self):
        checkout.begin(self.top)
        assert main(["new", "app", "mine", "--folder", str(self.top / "mine")]) == 0
        scenario = self.top / "mine" / "scenario.yaml"
        text = scenario.read_text().replace("1 min", "4 s").replace("5 s", "1 s").replace("1..3", "1..2")
        scenario.write_text(text.replace("interval: 2 s", "interval: 1 s"))
        self.file.write_text("campaign: nights\nparts: [{scenario: theirs/mine/scenario.yaml}]\n")
        checkout.commit(self.top, "first")

    def change(self, subject, *changes):
        for old, new in changes:
            path = next(
                path for path in (self.source, self.source.with_name("Makefile")) if old in path.read_text()
            )
            path.write_text(path.read_text().replace(old, new, 1))
        return checkout.commit(self.top, subject)

    def note(self, subject, where="mine/notes.md"):
        (self.top / where).write_text(subject)
        checkout.commit(self.top, subject)

    def grow(self):
        self.note("of another folder", "README.md")
        self.note("notes")
        self.change("does not build", ERROR)
        self.change("mended", ERROR[::-1])
        self.change("reads otherwise", ("20 + random", "30 + random"))
        self.change("crashes", CRASH)
        self.note("more notes")
        self.note("last")

    @property
    def commits(self):
        lines = checkout.git(self.top, "log", "--format=%H %s", "main").splitlines()
        return {subject: commit for commit, _, subject in (line.partition(" ") for line in lines)}


@pytest.fixture(scope="module")
def two_nights(tmp_path_factory):
    """A round of the first commit, and one of the last, which crashes."""
    made = Repository(tmp_path_factory.mktemp("nights"))
    made.write()
    assert run(load(made.file), made.store, QUIET).bad == {}
    made.grow()
    assert run(load(made.file), made.store, QUIET).bad == {Outcome.CRASH: 2}
    return made


@pytest.fixture
def nights(two_nights, tmp_path):
    """A copy of its own."""
    folder = tmp_path / "copy"
    shutil.copytree(two_nights.folder, folder, symlinks=True)
    for path in (folder / "store" / "campaigns" / "nights" / "rounds").glob("*.json"):
        path.write_text(path.read_text().replace(str(two_nights.top), str(folder / "theirs")))
    return Repository(folder)


@pytest.fixture
def store(nights):
    return nights.store


OUTCOME = {"metric": "outcome", "cell": "nights-mine/base"}


def question(nights, store, **given):
    if set(OUTCOME) <= set(given):
        given = {"repository": nights.top} | given
    return asked(load(nights.file), store, *given.pop("ends", ("1", "2")), **given)


def test_an_application_that_is_the_whole_repository_is_bisected(tmp_path):
    made = Repository(tmp_path)
    made.top = tmp_path / "mine"
    made.file, made.source = made.top / "campaign.yaml", made.top / "mine.c"
    assert main(["new", "app", "mine", "--folder", str(made.top)]) == 0
    checkout.begin(made.top)
    made.file.write_text(
        "campaign: nights\nparts: [{scenario: scenario.yaml, seeds: 1, set: {duration: 4 s}}]\n"
    )
    first = checkout.commit(made.top, "first")
    run(load(made.file), made.store, QUIET)
    made.change("crashes", CRASH)
    made.note("last", "notes.md")
    assert run(load(made.file), made.store, QUIET).bad == {Outcome.CRASH: 1}
    found = bisect(question(made, made.store), made.store)
    assert found.question.good == first and found.first_bad == made.commits["crashes"]


def test_the_commit_is_found_between_two_nights_with_runs_of_what_discriminates(nights, store, capsys):
    wanted = question(nights, store)
    assert (wanted.good, wanted.bad) == (nights.commits["first"], nights.commits["last"])
    assert wanted.red.place == "nights-mine/base" and wanted.seeds == (1, 2)
    before = (
        checkout.git(nights.top, "status", "--porcelain", "--branch"),
        checkout.git(nights.top, "branch", "-a"),
    )
    found = bisect(wanted, store)
    assert found.first_bad == nights.commits["crashes"] and found.subject == "crashes"
    assert found.files == ("mine/mine.c",) and (found.base, found.now) == (0.0, 1.0)
    assert found.between == 7  # the one that changed another folder can't be it
    verdicts = {one.commit: one for one in found.decided}
    assert found.made <= 2
    assert nights.commits["first"] not in verdicts and nights.commits["last"] not in verdicts
    after = (
        checkout.git(nights.top, "status", "--porcelain", "--branch"),
        checkout.git(nights.top, "branch", "-a"),
    )
    assert after == before and checkout.git(nights.top, "worktree", "list").count("\n") == 0
    capsys.readouterr()
    words = ["bisect", str(nights.file), "--good", "1", "--bad", "2", "--store", str(store)]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert f"it turned with {found.first_bad[:12]} crashes" in told and "mine/mine.c" in told
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first_bad"] == found.first_bad


def test_a_commit_that_does_not_build_is_skipped(nights, store):
    found = bisect(question(nights, store, ends=("1", nights.commits["crashes"]), **OUTCOME), store)
    assert found.first_bad == nights.commits["crashes"]
    (skipped,) = [one for one in found.decided if one.verdict == SKIP]
    assert skipped.commit == nights.commits["does not build"] and skipped.why


def test_where_only_a_commit_that_does_not_build_is_left_it_is_not_guessed(nights, store, capsys):
    checkout.git(nights.top, "checkout", "-q", "--detach", nights.commits["does not build"])
    last = nights.change("mended and broken", ERROR[::-1], ("20 + random", "30 + random"), CRASH)
    found = bisect(question(nights, store, ends=(nights.commits["notes"], last), **OUTCOME), store)
    assert not found.first_bad and set(found.candidates) == {nights.commits["does not build"], last}
    words = ["--good", nights.commits["notes"], "--bad", last, "--repository", str(nights.top)]
    words += ["--metric", "outcome", "--cell", OUTCOME["cell"], "--store", str(store)]
    assert main(["bisect", str(nights.file), *words]) == 1
    assert "one of these" in capsys.readouterr().out


def test_a_call_after_a_kill_goes_on(nights, store, monkeypatch):
    wanted = question(nights, store)
    tried = []
    real = bisections.trial.of_users

    def of_users(scenario, where, commit, *rest):
        if len(tried) == 3:
            raise KeyboardInterrupt
        tried.append(commit)
        return real(scenario, where, commit, *rest)

    monkeypatch.setattr(bisections.trial, "of_users", of_users)
    with pytest.raises(KeyboardInterrupt):
        bisect(wanted, store)
    monkeypatch.setattr(bisections.trial, "of_users", lambda *given: tried.append(given[2]) or real(*given))
    found = bisect(wanted, store)
    assert found.first_bad == nights.commits["crashes"]
    assert len(tried) == len(set(tried)) == len(found.decided) + 2


def test_a_killed_process_leaves_nothing_that_hinders_the_next_call(nights, store):
    words = ["bisect", str(nights.file), "--good", "1", "--bad", "2", "--store", str(store), "--json"]
    first = subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli.app", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    states = store / "campaigns" / "nights" / "bisect"
    wait_until(lambda: first.poll() is not None or list(states.glob("*/state.json")))
    first.kill()
    first.communicate()
    found = bisect(question(nights, store), store)
    assert found.first_bad == nights.commits["crashes"]
    assert checkout.git(nights.top, "worktree", "list").count("\n") == 0
    assert not list(states.glob("*/worktree"))


def test_commits_with_the_runs_of_another_one_are_not_run(nights, store):
    found = bisect(question(nights, store), store)
    why = {one.commit: one for one in found.decided}
    same = [
        why[nights.commits[name]] for name in ("notes", "mended", "more notes") if nights.commits[name] in why
    ]
    assert same and all("byte for byte" in one.why and one.made == 0 for one in same)
    assert found.made == sum(one.made for one in found.decided) <= 2  # the ends have the nights' runs


def test_ends_that_do_not_differ_are_said_to(nights, store):
    ends = (nights.commits["first"], nights.commits["mended"])
    given = OUTCOME | {"repository": nights.top}
    with pytest.raises(Unsupported, match="the same at the good and the bad commit"):
        bisect(question(nights, store, ends=ends, **given), store)
    with pytest.raises(Unsupported, match=r"(?s)can't be tried.*name another"):
        bisect(question(nights, store, ends=(ends[0], nights.commits["does not build"]), **given), store)
    with pytest.raises(Unsupported, match="neither its application nor"):
        elsewhere = nights.top.parent / "elsewhere"
        checkout.begin(elsewhere)
        one, two = checkout.commit(elsewhere, "one"), checkout.commit(elsewhere, "two")
        bisect(question(nights, store, ends=(one, two), **given | {"repository": elsewhere}), store)


def test_what_can_not_be_asked_says_what_to_name(nights, store, tmp_path):
    with pytest.raises(NoSuchThing, match="neither a round"):
        question(nights, store, ends=("1", "9"), repository=nights.top)
    with pytest.raises(NoSuchThing, match="no git checkout"):
        question(nights, store, repository=tmp_path)
    with pytest.raises(Unsupported, match="same commit"):
        question(nights, store, ends=("2", "2"), repository=nights.top)
    with pytest.raises(WrongUsage, match="--repository"):
        question(nights, store, ends=(nights.commits["first"], nights.commits["last"]))
    with pytest.raises(WrongUsage, match="--metric"):
        question(nights, store, ends=("2", "1"))
    with pytest.raises(WrongUsage, match="not red"):
        question(nights, store, metric="loss")
    with pytest.raises(NoSuchThing, match="no cell"):
        question(nights, store, metric="loss", cell="nights-mine/nothing")


def test_uncommitted_changes_of_a_night_are_said(nights, store):
    path = store / "campaigns" / "nights" / "rounds" / "000002.json"
    told = json.loads(path.read_text())
    (theirs,) = [one for one in told["checkouts"] if one["top"] == str(nights.top)]
    theirs["changed"] = True
    path.write_text(json.dumps(told))
    assert any("uncommitted changes" in note for note in question(nights, store).notes)


def test_a_worktree_that_is_gone_never_leads_git_to_a_repository_around_it(nights):
    folder = nights.top / "within"
    commit = nights.commits["first"]
    with steps.worktree(nights.top, folder, commit) as search:
        (folder / ".git").unlink()
        with pytest.raises(StorageFailed, match="no longer a worktree"):
            search.show(commit)
    assert checkout.git(nights.top, "status", "--porcelain") == ""
    assert checkout.git(nights.top, "rev-parse", "HEAD") == nights.commits["last"]


def test_each_seed_is_compared_with_its_own_midpoint():
    good, bad = {1: 10.0, 2: 100.0, 3: 5.0}, {1: 20.0, 2: 120.0, 3: 7.0}
    assert side({1: 11.0, 2: 101.0, 3: 5.0}, good, bad, (1, 2, 3)) == (GOOD, 3, 3)
    assert side({1: 19.0, 2: 119.0, 3: 5.0}, good, bad, (1, 2, 3)) == (BAD, 2, 3)
    assert side({1: 9.0, 2: 99.0}, {1: 10.0, 2: 100.0}, {1: 0.0, 2: 90.0}, (1, 2)) == (GOOD, 2, 2)
    assert side({1: 15.0, 2: 110.0}, good, bad, (1, 2)) == (SKIP, 0, 2)
    assert side({1: 14.75, 2: 109.75}, good, bad, (1, 2)) == (GOOD, 2, 2)
    assert side({1: 15.25, 2: 110.25}, good, bad, (1, 2)) == (BAD, 2, 2)
    assert side({3: 7.0}, good, bad, (1, 2, 3)) == (BAD, 1, 1)
    assert side({}, good, bad, (1, 2)) == (SKIP, 0, 0)
