# SPDX-License-Identifier: Apache-2.0
"""Searches: what is asked, given up, confirmed and said; an interrupted one goes on with the same trials."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput, WrongUsage
from orchestrator.execution.execute import Effort
from orchestrator.execution.progress import NOBODY
from orchestrator.features.search import judge, page
from orchestrator.features.search.measure import Measurer
from orchestrator.features.search.model import Constraint, Goal, Measure, Parameter, Search, Trial, label
from orchestrator.features.search.run import Found, run
from orchestrator.features.search.scenarios import Scenarios
from orchestrator.features.search.study import JOURNAL, Study
from orchestrator.features.search.written import Written
from orchestrator.report import style

COST = Measure("cost", title="Cost", bounds=(0.0, float("inf")))
LOSS = Measure("loss", unit="%", scale=100.0, title="Loss", bounds=(0.0, 1.0))
DELAY = Parameter("application.delay", low=0.0, high=10.0, unit="s")
RATE = Parameter("application.rate", ("low", "high"))
LITTLE = Constraint(LOSS, True, 0.02, "loss <= 2 %")


def search(**changes) -> Search:
    usual = Search(
        "found", (Goal(COST),), (LITTLE,), (DELAY, RATE), 24, 4, (1, 2, 3, 4, 5), 3, tuple(range(6, 16)), 3, 1
    )
    return replace(usual, **changes)


def measured(settings, seed: int, name: str) -> float:
    """Cost falls with the delay, loss grows with it: it is 2 % near a delay of 6 s. A low rate costs more."""
    delay, noise = float(settings["application.delay"].split()[0]), random.Random(f"{settings}{seed}{name}")
    if name == "cost":
        return 100 - 5 * delay + 20 * (settings["application.rate"] == "low") + noise.uniform(-1, 1)
    return max(0.0, 0.02 * (delay / 6) ** 4 + noise.uniform(-0.0005, 0.0005))


class Stand:
    """Measures by a formula, and can be killed at its n-th call."""

    def __init__(self, folder, dies_at: int = 0, of=measured, impossible=lambda settings: ""):
        self.folder, self.dies_at, self.of, self.possible = folder, dies_at, of, impossible
        self.calls: list[list] = []
        self.known = []

    def engine(self):
        return "embedded 1"

    def knows(self, settings):
        self.known.append(label(settings))

    def measure(self, asked, measures):
        self.calls.append([(label(settings), tuple(seeds)) for settings, seeds in asked])
        if len(self.calls) == self.dies_at:
            raise KeyboardInterrupt
        return {
            label(settings): {
                one.name: {seed: self.of(settings, seed, one.name) for seed in seeds} for one in measures
            }
            for settings, seeds in asked
        }


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Found:
    return run(search(), Stand(tmp_path_factory.mktemp("search")), NOBODY)


def test_it_finds_the_largest_delay_that_keeps_the_bound(found):
    (best,) = found.winners
    assert best.trial.settings["application.rate"] == "high"
    assert 4.5 < float(best.trial.settings["application.delay"].split()[0]) <= 6.05
    assert best.fresh.of(LOSS).high <= 0.02 and sorted(best.fresh.values["loss"]) == list(range(6, 16))
    assert len(found.trials) == 24 and len(found.confirmed) == 3
    assert best.trial.told in found.sentences[0] and "is the best of 24 trials" in found.sentences[0]


def test_hopeless_trials_get_no_more_seeds(found):
    stopped = [one for one in found.trials if one.stopped]
    assert stopped and all(len(one.values["loss"]) == 3 for one in stopped)
    assert all(len(one.values["loss"]) == 5 for one in found.trials if not one.stopped)
    assert {one.stopped.rpartition(" trial ")[0] == "" for one in stopped}
    assert any("missed by the whole interval" in one.stopped for one in stopped)
    assert not {one.number for one in stopped} & {one.trial.number for one in found.confirmed}


def test_the_same_seed_asks_the_same_and_another_does_not(found, tmp_path):
    again = run(search(), Stand(tmp_path / "a"), NOBODY)
    assert again.trials == found.trials and again.sentences == found.sentences
    other = run(search(seed=2), Stand(tmp_path / "b"), NOBODY)
    assert [one.settings for one in other.trials] != [one.settings for one in found.trials]


@pytest.mark.parametrize("call", [1, 2, 5, 8])
def test_an_interrupted_search_goes_on_with_the_same_trials(found, tmp_path, call):
    with pytest.raises(KeyboardInterrupt):
        run(search(), Stand(tmp_path, dies_at=call), NOBODY)
    journal = tmp_path / "search" / JOURNAL
    with journal.open("ab") as stream:
        stream.write(b'{"op_code": 4, "wor')  # a kill tore the last line
    (journal.parent / f"{JOURNAL}.lock").symlink_to("nowhere")
    stand = Stand(tmp_path)
    assert run(search(), stand, NOBODY).trials == found.trials
    assert len(stand.known) % 4 == 0 and bool(stand.known) == (call > 2)  # of the batches that were told


def test_a_batch_that_was_told_in_part_is_finished_first(found, tmp_path, monkeypatch):
    tell, told = Study.tell, []

    def dies(self, trial):
        told.append(trial)
        if len(told) == 7:
            raise KeyboardInterrupt
        tell(self, trial)

    monkeypatch.setattr(Study, "tell", dies)
    with pytest.raises(KeyboardInterrupt):
        run(search(), Stand(tmp_path), NOBODY)
    monkeypatch.setattr(Study, "tell", tell)
    assert run(search(), Stand(tmp_path), NOBODY).trials == found.trials


def test_a_batch_that_was_asked_in_part_is_asked_whole(found, tmp_path, monkeypatch):
    ask, asked = Study.ask, []

    def dies(self):
        asked.append(1)
        if len(asked) == 7:
            raise KeyboardInterrupt
        ask(self)

    monkeypatch.setattr(Study, "ask", dies)
    with pytest.raises(KeyboardInterrupt):
        run(search(), Stand(tmp_path), NOBODY)
    monkeypatch.setattr(Study, "ask", ask)
    assert run(search(), Stand(tmp_path), NOBODY).trials == found.trials


def test_trials_of_another_engine_are_said(tmp_path):
    said = []
    told = replace(NOBODY, say=said.append)
    run(search(trials=4), Stand(tmp_path), told)
    stand = Stand(tmp_path)
    run(search(trials=4), stand, told)
    assert not said
    stand.engine = lambda: "embedded 2"
    run(search(trials=4), stand, told)
    assert len(said) == 1 and "embedded 1, this one is embedded 2" in said[0]


def test_more_trials_go_on_from_those_that_there_are(found, tmp_path):
    run(search(trials=10), Stand(tmp_path), NOBODY)
    stand = Stand(tmp_path)
    assert run(search(trials=10), stand, NOBODY).trials == found.trials[:10]
    assert len(stand.calls) <= 1  # the confirmation alone
    assert len(run(search(trials=12), Stand(tmp_path), NOBODY).trials) == 12
    with pytest.raises(WrongUsage, match="holds a search with other seed"):
        run(search(seed=3), Stand(tmp_path), NOBODY)


def test_a_bound_that_nothing_keeps(tmp_path):
    bound = Constraint(LOSS, True, -0.1, "loss <= -10 %")
    one = run(search(constraints=(bound,), trials=8), Stand(tmp_path), NOBODY)
    assert not one.winners and one.sentences[0] == "No setting that was tried keeps loss <= -10 %."
    assert one.sentences[1].startswith("Nearest to loss <= -10 % came trial ")


def test_what_can_t_be_simulated_has_no_result(tmp_path):
    stand = Stand(tmp_path, impossible=lambda settings: "too far apart")
    one = run(search(trials=4), stand, NOBODY)
    assert one.sentences == ["None of 4 trials could be measured: too far apart."] and not stand.calls
    stand = Stand(tmp_path / "b", of=measured)
    stand.measure = lambda asked, measures: {}
    assert "no run of it ended ok" in run(search(trials=4), stand, NOBODY).sentences[0]


def test_a_setting_at_the_end_of_its_range_is_said(tmp_path):
    one = run(
        search(constraints=(), trials=20, parameters=(DELAY,)),
        Stand(tmp_path, of=lambda s, seed, n: 10 - float(s["application.delay"].split()[0])),
        NOBODY,
    )
    best = one.winners[0].trial
    assert judge.edges(one.search, replace(best, settings={"application.delay": "10 s"})) == [
        "application.delay = 10 s lies at the end of its range: what lies beyond 10 s was not tried."
    ]
    assert not judge.edges(one.search, replace(best, settings={"application.delay": "9.8 s"}))


def test_several_goals_give_a_front(tmp_path):
    two = search(goals=(Goal(COST), Goal(LOSS)), constraints=(), trials=16)
    one = run(two, Stand(tmp_path), NOBODY)
    assert len(one.winners) >= 3 and len(one.importance) == 2
    pairs = sorted((each.fresh.of(COST).mean, each.fresh.of(LOSS).mean) for each in one.winners)
    assert all(a[1] > b[1] for a, b in zip(pairs, pairs[1:], strict=False))
    assert one.sentences[0].startswith(
        f"The front has {len(one.winners)} settings: with fresh seeds no candidate is"
    )
    html = page.build(one, tmp_path).html
    assert html.count("data:image/svg+xml") == 3 and "Cost and Loss" in html
    # The front is a line through the settings that were confirmed, where the two goals are the axes.
    fronts = {
        figure.name: [
            d
            for d in re.findall(r'<path d="([^"]*)"[^>]* stroke="([^"]*)"', figure.drawing.svg.decode())
            if d[1] == style.GREEN and d[0].count("L") > 1
        ]
        for figure in page._figures(one)
    }
    assert [name for name, lines in fronts.items() if lines] == ["trade-off-1"]
    ((line, _),) = fronts["trade-off-1"]
    places = [tuple(map(float, place.split())) for place in re.split("[ML]", line)[1:]]
    assert len(places) == len(one.winners) and places == sorted(places)


def test_a_bound_on_a_goal_has_one_figure(tmp_path):
    both = search(goals=(Goal(COST), Goal(LOSS)), trials=8)
    one = run(both, Stand(tmp_path), NOBODY)
    assert page.build(one, tmp_path).html.count("data:image/svg+xml") == 3


def trial(number: int, cost, loss, **changes) -> Trial:
    values = {"cost": dict(enumerate(cost)), "loss": dict(enumerate(loss))}
    return Trial(number, {"application.delay": f"{number} s"}, values, **changes)


def test_a_constraint_is_kept_by_the_interval_s_worse_end():
    assert judge.kept(search(), trial(1, [1, 2], [0.01, 0.011, 0.012]))
    assert not judge.kept(search(), trial(1, [1, 2], [0.001, 0.019, 0.035]))  # its mean keeps it
    least = Constraint(LOSS, False, 0.01, "loss >= 1 %")
    assert least.excess(trial(1, [1], [0.02, 0.0201]).of(LOSS)) < 0
    assert least.excess(trial(1, [1], [0.002, 0.03]).of(LOSS)) > 0


def test_a_trial_is_hopeless_only_by_whole_intervals():
    good = trial(1, [10, 11, 12], [0.01, 0.01, 0.01])
    assert judge.hopeless(search(), trial(2, [90, 91, 92], [0.01, 0.01, 0.01]), [good])
    assert not judge.hopeless(search(), trial(2, [12, 13, 14], [0.01, 0.01, 0.01]), [good])
    assert not judge.hopeless(search(), trial(2, [90, 91, 92], [0.01] * 3), [replace(good, failed="x")])
    missed = trial(1, [10, 11, 12], [0.5, 0.5, 0.5])
    assert not judge.hopeless(search(), trial(2, [90, 91, 92], [0.01] * 3), [missed])
    most = search(goals=(Goal(COST, False),))
    assert judge.hopeless(most, trial(2, [1, 2, 3], [0.01] * 3), [trial(1, [90, 91, 92], [0.01] * 3)])


def test_what_can_t_be_told_apart_is_said():
    def confirmed(number, cost):
        return judge.Confirmed(trial(number, cost, [0.01] * 3), trial(number, cost, [0.01] * 3), True)

    alike = [confirmed(1, [10.0, 11, 12]), confirmed(2, [10.5, 10.9, 12.2])]
    told = judge.sentences(search(), [one.trial for one in alike], alike)
    assert told[1].startswith("With these seeds it can't be told from application.delay = 2 s")
    apart = [confirmed(1, [10.0, 11, 12]), confirmed(2, [30.0, 31.1, 32])]
    assert len(judge.sentences(search(), [one.trial for one in apart], apart)) == 1


def test_the_page_has_what_was_tried_and_the_command(found, tmp_path):
    html = page.build(found, tmp_path).html
    best = found.winners[0].trial
    assert f"orchestrate run {tmp_path / best.label}.yaml" in html
    assert html.count("data:image/svg+xml") == 3 and "PED-ANOVA" in html and found.sentences[0] in html
    told = page.described(found, tmp_path / "index.html")
    assert json.loads(json.dumps(told, allow_nan=False))["winners"][0]["trial"] == best.number
    assert html == page.build(found, tmp_path).html


@pytest.mark.parametrize(
    ("written", "parameter"),
    [
        ("a.b=0..10 s", Parameter("a.b", low=0, high=10, unit="s")),
        ("a=1 s .. 2 s step 0.5 s", Parameter("a", low=1, high=2, unit="s", step=0.5)),
        ("a=1..100 log", Parameter("a", low=1, high=100, log=True, whole=True)),
        ("a=0.5..2", Parameter("a", low=0.5, high=2)),
        ("a=csma, nullmac", Parameter("a", ("csma", "nullmac"))),
    ],
)
def test_ranges_as_they_are_written(written, parameter):
    reader = Written()
    assert reader.parameters([written]) == (parameter,) and not reader.faults


def test_values_have_the_digits_that_matter():
    assert [DELAY.text(value) for value in (0.0, 3.14159, 10.0)] == ["0 s", "3.1 s", "10 s"]
    assert Parameter("a", low=0, high=100, unit="ms").text(33.333) == "33 ms"
    assert Parameter("a", low=0, high=3, unit="s").text(1.2345) == "1.23 s"
    assert Parameter("a", low=1, high=2, step=0.25).text(1.25) == "1.25"
    assert Parameter("a", low=1, high=1000, log=True).text(123.456) == "123"
    assert Parameter("a", low=2, high=9, whole=True).text(5) == "5"


def test_labels_are_those_of_settings_and_fit_a_scenario():
    assert label({"application.delay": "3.2 s", "x.rate": "low"}) == "delay=3.2s_rate=low"
    long = [{"application.name": "a" * 40 + str(number)} for number in (1, 2)]
    assert len({label(one) for one in long}) == 2 and all(len(label(one)) <= 32 for one in long)


@pytest.mark.parametrize(
    ("smallest", "largest", "fault"),
    [
        (["energy_mj", "event_loss_rate"], [], None),
        (["energy_mj"], ["event_loss_rate"], None),
        ([], ["energy_mj"], None),
        ([], [], "no goal"),
        (["energy_mj"], ["energy_mj"], "a goal twice"),
    ],
)
def test_a_goal_is_as_small_or_as_large_as_it_is_written(smallest, largest, fault):
    reader = Written()
    goals = reader.goals(smallest, largest)
    wanted = [(name, True) for name in smallest] + [(name, False) for name in largest]
    assert [(goal.measure.metric, goal.smallest) for goal in goals] == wanted
    assert [fault in one for one in reader.faults] == ([True] if fault else [])


def test_every_fault_of_the_options_is_said_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scenario(tmp_path)
    wrong = [
        "--minimise",
        "frames",
        "--subject-to",
        "event_loss_rate < 2",
        "--subject-to",
        "energy_mj <= 2 %",
    ]
    wrong += ["--over", "application.delay=0..", "--over", "a=2..1", "--over", "b=x", "--over", "c=0..1 log"]
    assert main(["search", "s.yaml", *wrong]) == 2
    err = capsys.readouterr().err
    for what in (
        "no metric 'frames'", "'event_loss_rate < 2' is not a constraint", "not in %",
        "not a range with two ends", "ends before it begins",
        "one choice leaves nothing", "a logarithmic range begins above 0",
    ):  # fmt: skip
        assert what in err
    assert main(["search", "s.yaml", "--over", "application.delay=0..1 s"]) == 2
    assert "no goal" in capsys.readouterr().err
    good = ["--minimise", "events_transmitted"]
    assert main(["search", "s.yaml", *good, "--over", "application.delay=0..99 s"]) == 3
    assert main(["search", "s.yaml", *good, "--over", "application.dealy=0..1 s"]) == 3
    assert main(["search", "none.yaml", *good, "--over", "application.delay=0..1 s"]) == 9


def scenario(folder, matrix: str = ""):
    (folder / "s.yaml").write_text(
        "experiment: lossy\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
        f"application: {{name: aggregation}}\nduration: 5 s\nseeds: 1..2\n{matrix}"
    )
    return folder / "s.yaml"


def test_the_scenario_has_the_settings_as_its_cells(tmp_path):
    made = Scenarios(scenario(tmp_path)).of([{"application.delay": "1 s"}, {"application.delay": "2 s"}])
    assert made.experiment == "lossy-search" and made.seeds == (1, 2)
    assert [cell.name for cell in made.cells] == ["delay=1s", "delay=2s"]
    assert [cell.application.parameters["delay"] for cell in made.cells] == [1_000_000, 2_000_000]
    from orchestrator.scenario.load import loads

    assert loads(made.source, "again").cells == made.cells
    with pytest.raises(FaultyInput):
        Scenarios(tmp_path / "s.yaml").of([{"application.delay": "x"}])


def test_a_cell_of_a_matrix_is_the_base(tmp_path):
    path = scenario(tmp_path, "matrix: {application.aggregate: [true, false]}\n")
    with pytest.raises(WrongUsage, match="2 cells"):
        Scenarios(path)
    with pytest.raises(WrongUsage, match="no cell"):
        Scenarios(path, "x")
    names = [cell.name for cell in Scenarios(path, "aggregate=false").plain.cells]
    (cell,) = Scenarios(path, names[1]).of([{"application.delay": "1 s"}]).cells
    assert cell.application.parameters["aggregate"] is False


@pytest.mark.parametrize("name", ["embedded", "cooja"])
def test_the_engine_is_that_of_the_cell_that_is_searched(name, tmp_path, monkeypatch):
    path = scenario(tmp_path, "matrix: {engine: [embedded, cooja]}\n")
    (cell,) = (one.name for one in Scenarios(path, f"engine={name}").plain.cells if one.engine == name)
    monkeypatch.setattr(
        "orchestrator.features.search.measure.engine",
        lambda of, _: SimpleNamespace(name=of, version=lambda: "1"),
    )
    stand = Measurer(Scenarios(path, cell), tmp_path / "store", Effort(), NOBODY)
    assert stand.engine() == f"{name} 1"


def test_what_is_given_up_is_no_candidate():
    best, given_up = trial(1, [9, 9, 9], [0.01] * 3), trial(2, [5, 5, 5], [0.01] * 3, stopped="x")
    failed, again = trial(3, [1, 1, 1], [0.01] * 3, failed="x"), replace(best, number=7)
    assert judge.front(search(), [given_up, failed, best, again]) == [best]


def test_settings_are_tried_before_they_are_run(tmp_path):
    stand = Measurer(Scenarios(scenario(tmp_path)), tmp_path / "store", Effort(), NOBODY)
    assert stand.possible({"topology.spacing": "5 m"}) == ""
    assert "from its next hop S" in stand.possible({"topology.spacing": "500 m"})
    assert stand.possible({"topology.publishers": "0"})
    assert stand.engine().startswith("embedded ")
    assert stand.folder == tmp_path / "store" / "lossy-search"
