# SPDX-License-Identifier: Apache-2.0
"""orchestrate paper jitdd: the paper's tables and figures, from the model."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from orchestrate_spark.tables import fitted

from orchestrator.cli.app import main
from orchestrator.features.distribution.paper import deadlines, figures, measured, real_time, schedule
from orchestrator.features.distribution.paper.systems import SCENARIOS, data, system
from orchestrator.features.distribution.real_time import RealTime
from orchestrator.features.distribution.scaled import scaled
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.papers.table import results
from orchestrator.scenario.load import loads


def verdicts(checks) -> dict[str, str]:
    return {check.id: check.verdict for check in checks}


def texts(table) -> dict[str, list[str]]:
    return {row[0].text: [entry.text for entry in row[1:]] for row in table.rows}


def test_every_printed_deadline_stands_beside_each_reading():
    second, third = (texts(table) for table in deadlines.tables({})[:2])
    assert second["Consumer1"] == ["70,000", "80,000", "70,000", "70,000", "80,000", "70,000", "70,000"]
    assert third["EC4_2"] == ["450,000", "750,000", "450,000", "200,000", "300,000", "none", "none"]
    assert len(second) == 6 and len(third) == 14
    assert verdicts(deadlines.checks({})) == {
        "deadlines-Table 2": HOLDS,
        "deadlines-Table 3": HOLDS,
        "within": FAILS,
        "release": FAILS,
    }


def test_a_deadline_is_good_if_it_ends_when_the_printed_one_does():
    """A reading that releases at the period's start counts from there, as the printed R + D does."""
    for table, name in zip(deadlines.tables({}), deadlines.TABLES.values(), strict=False):
        columns = table.columns[3:]
        for row, step in zip(table.rows, system(name).steps.values(), strict=True):
            for column, entry in zip(columns, row[3:], strict=True):
                printed = step.printed.deadline
                if column.startswith("period-start"):
                    printed += step.printed.release
                assert (entry.tone == "good") == (entry.text == f"{printed:,}"), (column, step.name)
    tones = {row[0].text: row[5].tone for row in deadlines.tables({})[0].rows}
    assert tones["Consumer1"] == "good" and tones["Consumer2"] == "bad"  # 80,000 and 60,000


def test_the_superperiods_are_those_of_section_4_2():
    (table,) = [one for one in deadlines.tables({}) if "N, us" in one.columns]
    assert {name: row[2:] for name, row in texts(table).items()} == {
        "data-1-to-targets": ["600,000", "6"],  # of 100, 200 and 300 ms
        "data-2-to-targets": ["3,600,000", "45"],  # of 80, 100, 120, 180 and 200 ms
        "to-weapon-1": ["500,000", "1"],
        "to-weapon-2": ["1,000,000", "2"],
    }


def test_a_run_has_all_periods_of_the_quicker_source():
    """100 periods of 100 ms are 125 of 80 ms; the note beside the rows says so."""
    values = {row[1].text: row[2].text for row in figures.tables({})[0].rows[:2]}
    assert values == {"data-1-to-targets": "100", "data-2-to-targets": "125"}
    assert "125" in figures.tables({})[0].note


def test_utilisation_as_printed_and_as_computed():
    used, bounds = (texts(table) for table in schedule.tables({}))
    assert used["1, normal conditions: node-2"] == ["16.53 %", "16.53 %"]
    assert used["2, workload constrained: node-2"] == ["72.15 %", "72.15 %"]
    assert used["1, normal conditions: lan"] == ["12 %", "1.20 %"]
    assert used["3, network constrained: lan"] == ["44.8 %", "4.48 %"]
    assert {row[0] for row in bounds.values()} == {"schedulable"} and len(bounds) == 4
    # Nothing is tested that our own loads were chosen for.
    assert set(verdicts(schedule.checks({}))) == {
        "used-scenario-1.yaml-node-2",
        "used-scenario-1.yaml-lan",
        "used-scenario-3.yaml-lan",
        "schedulable",
    }


def test_the_bound_that_is_shown_is_nearest_to_its_deadline_in_relation_to_it():
    """Longer deadlines have larger responses, of which less is used."""
    _, bounds = (texts(table) for table in schedule.tables({}))
    assert {name: row[-1] for name, row in bounds.items()} == {
        "1, normal conditions": "DataSource2",
        "2, workload constrained": "Consumer1/Target1.3",
        "3, network constrained": "DataSource2",
        "4, weapons alignment": "NavigationSubsystem",
    }
    assert [table.rows[3][1].detail for table in schedule.tables({})[1:]] == ["if clocks agree"]
    assert schedule.tables({})[1].rows[0][3].detail == "3,500 of 10,000 us"


def test_scenarios_2_and_3_differ_from_the_first_in_one_thing():
    first, second, third = (system(name) for name in list(SCENARIOS)[:3])
    assert (
        second.sources == first.sources == third.sources and second.targets == first.targets == third.targets
    )
    assert not first.loads and not third.loads and {load.node for load in second.loads.values()} == {"node-2"}
    assert first.networks == second.networks == {"lan": 150} and third.networks == {"lan": 560}
    assert first.objects == second.objects == third.objects == {"data-1": 150_000, "data-2": 140_000}


def test_maxima_over_runs_that_differ():
    times = figures.completions("scenario-4.yaml", "to-weapon-1")
    assert len(times) == 100 and len(set(times)) > 10 and max(times) <= 28_095  # the bound by job
    one = figures.runs("scenario-4.yaml")[0].completions(
        figures.analysed("scenario-4.yaml").tasks, "to-weapon-1"
    )
    assert all(each <= most for (_, each), most in zip(one, times)) and one[0][1] < max(times)
    assert len(figures.ages("scenario-4.yaml", "WeaponSubsystems2")) == 50
    assert max(figures.ages("scenario-4.yaml", "WeaponSubsystems2")) <= 800_000


def test_every_value_that_was_read_is_judged(monkeypatch):
    told = {check.id: (check.verdict, check.evidence) for check in figures.checks({})}
    assert told == {
        "deadlines-held": (
            HOLDS,  # a mote's log has the jobs, and no transmissions
            "0 of 77,910 simulated jobs and 34,000 simulated transmissions are late, the first periods "
            "included",
        ),
        "valid": (HOLDS, "0 of 15,620 simulated reads are of outdated data"),
    }
    analysed = figures.analysed

    def outdated(name: str):
        """Data are valid no longer than a moment in the first scenario."""
        judged = analysed(name)
        objects = dict.fromkeys(judged.system.objects, 0) if name == "scenario-1.yaml" else {}
        return replace(judged, system=replace(judged.system, objects={**judged.system.objects, **objects}))

    monkeypatch.setattr(figures, "analysed", outdated)
    (check,) = [check for check in figures.checks({}) if check.id == "valid"]
    every = sum(
        len(run.reads(analysed("scenario-1.yaml").system, analysed("scenario-1.yaml").tasks))
        for run in figures.runs("scenario-1.yaml")
    )
    assert check.verdict == FAILS and check.evidence.startswith(f"{every:,} of 15,620 ")


def test_the_command_needs_no_runs(tmp_path, capsys):
    assert main(["paper", "jitdd", "--only", "deadlines", "--store", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["experiments"] == [] and len(said["checks"]) == 4
    page = (tmp_path / "paper-jitdd" / "deadlines" / "index.html").read_text()
    assert "Figure 3 for to-weapon-2" in page
    assert [result.name for result in results("jitdd")] == [
        "deadlines",
        "schedule",
        "figures",
        "run-time",
        "real-time",
    ]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What two runs of a cell logged, as its tables have it."""
    folder = tmp_path_factory.mktemp("ran")
    jobs = [
        (seed, f"Consumer1/Target{task}", number, response + seed, 70_000)
        for seed in (1, 2)
        for task, response in (("1.1", 10), ("1.2", 20), ("1.3", 5))
        for number in range(3)
    ]
    jobs[0] = (1, "Consumer1/Target1.1", 0, 70_001, 70_000)
    read = [(1, 0, 100), (1, 1, 101), (2, 0, 200), (2, 1, 201), (2, 2, 150_001)]
    ages = [(seed, "Target1.1", number, age, 150_000) for seed, number, age in read]
    for table, rows, names in (
        ("jobs", jobs, ("task", "number", "response_us", "deadline_us")),
        ("ages", ages, ("target", "number", "age_us", "validity_us")),
    ):
        columns = [
            {"experiment": "e", "cell": "1", "run_id": f"r{seed}", "seed": seed, **dict(zip(names, rest))}
            for seed, *rest in rows
        ]
        (folder / "tables" / table).mkdir(parents=True)
        made = pa.Table.from_pylist(columns)
        pq.write_table(fitted(table, made), folder / "tables" / table / "part.parquet")
    return measured._read(folder)


def test_the_maxima_over_runs_of_what_ran(ran):
    one = ran["1"]
    assert one.completions(measured.last_tasks("scenario-1.yaml", "data-1-to-targets")) == [70_001, 22, 22]
    assert one.oldest("Target1.1") == [200, 201, 150_001]
    assert one.late() == ["Consumer1/Target1.1"] and one.late(first=1) == []
    assert one.outdated() == ["Target1.1"] and one.counts == (18, 5)


def test_what_ran_stands_beside_the_paper_s_lines(ran):
    rows = [[entry.text for entry in row] for row in measured.table(ran, "title", "note").rows]
    assert ["8", "data-1-to-targets", "3", "70,001", "70,000", "1"] in rows
    assert ["10", "Target1.1", "3", "150,001", "150,000", "1"] in rows
    assert all(row[0] in ("8", "9", "10", "11") for row in rows)  # cell 4 didn't run


def test_nothing_is_claimed_of_what_did_not_run():
    assert measured.tables({}) == [] and measured.sections({}) == []
    assert {check.verdict for check in measured.checks({})} == {MISSING}


def test_the_scaled_version_has_scaled_lines_and_the_network_as_it_is():
    slower = scaled(system("scenario-1.yaml"), 20)
    assert slower.objects["data-1"] == 3_000_000 and slower.networks == {"lan": 150}
    before, after = (one.targets["Target2.2"].timing for one in (system("scenario-1.yaml"), slower))
    assert vars(after) == {name: 20 * value for name, value in vars(before).items()}
    assert slower.steps["EC1"].execution == 8000


def test_the_experiments_are_four_scenarios_of_ten_runs():
    (result,) = [one for one in results("jitdd") if one.name == "run-time"]
    run_time, radio = (loads(text, name, data.path(".")) for name, text in result.scenarios)
    assert len(run_time.cells) == 4 and len(run_time.seeds) == len(radio.seeds) == 10
    for cell, name in zip(run_time.cells, SCENARIOS):
        longest = max(source.timing.period for source in system(name).sources.values())
        assert cell.duration_us == 100 * longest, name
    assert {cell.application.parameters["scale"] for cell in radio.cells} == {measured.SCALE}


def test_what_was_missed_in_real_time_stands_with_its_cause(monkeypatch):
    def job(release, cause=""):
        return {"job": ["T", "target", 0, release, 9, 8], "cause": cause}

    said = [[job(0, "host"), job(2_000_000, "network"), job(2_000_000, "host"), job(3_000_000)]]
    said[0] += [
        {"age": ["T", 0, 6, 1, 5]},
        {"age": ["T", 1, 5, 1, 5]},
        {"steps": 2, "error": 1, "exchanges": 3},
    ]
    monkeypatch.setattr(real_time, "ran", lambda name: RealTime([], "refused", False, said))
    (table,) = real_time.tables({})
    first = [(entry.text, entry.detail) for entry in table.rows[0]]
    assert first[1:] == [
        ("no", "refused"),
        ("4", ""),
        ("1", ""),
        ("2", "host 1, network 1"),
        ("2", ""),
        ("1", ""),
        ("2", ""),
    ]
    assert [check.evidence for check in real_time.checks({})] == [
        "8 of 16 jobs were late after the first second",
        "4 of 8 values were outdated",
    ]
    assert [one.asked for one in results("jitdd") if one.name == "real-time"] == [False]
