# SPDX-License-Identifier: Apache-2.0
"""The case study (section 5 of the policies paper) cell by cell: no requirement is met without its policy."""

from __future__ import annotations

from functools import cache

import pandas as pd
import polars as pl
import pytest
from lorry_runs import Run, run_cell

from orchestrator.features.policies.paper import data, measured
from orchestrator.features.policies.paper.requirements import REQUIREMENTS
from orchestrator.report.data import Results
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell
from tests import needs

needs.a_compiler()


@cache
def cells() -> dict[str, Cell]:
    return {cell.name: cell for cell in loads(data.text("case-study.yaml"), "case-study.yaml").cells}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A cell's run by its name; each cell is run once."""
    folder = tmp_path_factory.mktemp("lorry")
    return cache(lambda name: run_cell(folder / name, cells()[name]))


def cell_of(run: Run) -> measured.Cell:
    """The run as the paper's page reads it from an experiment's tables."""
    frames = (
        run.tables[name].with_columns(run_id=pl.lit("run")).to_pandas(use_pyarrow_extension_array=True)
        for name in ("text", "counters", "events", "policy_events", "nodes")
    )
    return measured.Cell(("run",), *frames)


@pytest.mark.parametrize("one", REQUIREMENTS, ids=lambda one: one.name)
def test_a_requirement_is_met_with_its_policy_and_not_without(one, ran):
    (given,), (without,) = (one.measure(cell_of(ran(name))) for name in (one.given, one.without))
    assert one.meets(given) and not one.meets(without), (given, without)


def test_taking_a_policy_out_changes_nothing_else():
    for one in REQUIREMENTS:
        given, without = (cells()[name].application.parameters for name in (one.given, one.without))
        (changed,) = {name for name in given if given[name] != without[name]}
        assert changed.endswith("-policies")
        left = set(given[changed].split()) - set(without[changed].split())
        assert len(left) == 1 and not set(without[changed].split()) - set(given[changed].split()) - {"none"}


def did(run: Run, line: str) -> int:
    return len(run.said(line))


def test_an_opened_package_is_told_from_warm_air(ran):
    opened, warm = ran("opened"), ran("warm")
    assert did(opened, "alarm sent: package") == 1 and did(warm, "alarm sent: package") == 0
    assert warm.counter("group_opened") > 0, "the packages told each other"


def test_figure_19_as_printed_waits_for_a_silence_that_never_comes(ran):
    printed = ran("opened-printed")
    of_time = printed.tables["policy_events"].filter(pl.col("point") == "time")
    assert did(printed, "alarm sent: package") == 0 and "TamperingPolicy" not in set(of_time["policy"])


def test_a_replayed_reading_is_refused_and_without_figure_20_hides_the_opening(ran):
    sealed, clear = ran("opened-replayed"), ran("opened-replayed-without-20")
    assert did(sealed, "alarm sent: package") == 1 and sealed.counter("group_replayed") > 0
    assert did(clear, "alarm sent: package") == 0


def test_an_attacker_that_listens_reads_nothing_that_is_sealed(ran):
    sealed, clear = ran("opened-injected"), ran("opened-injected-without-20")
    assert sealed.counter("overheard_in_clear") == 0 < sealed.counter("overheard_sealed")
    assert clear.counter("overheard_in_clear") > 0
    assert sealed.counter("group_not_ours") > 0


def test_a_package_with_another_key_is_refused_by_the_others(ran):
    strange = ran("opened-wrong-key")
    assert strange.counter("group_not_ours") > 0
    assert did(strange, "alarm sent: package") == 1, "its own alarm goes by another topic, in clear"


def test_a_flood_of_pull_messages_takes_no_way_that_is_in_use(ran):
    calm, flooded = ran("sun"), ran("sun-flooded")
    assert flooded.counter("pulls_refused") > 1000 > calm.counter("pulls_refused")
    assert did(flooded, "air conditioning on") > 0
    climate = next(mote for _, mote in flooded.said("air conditioning on"))
    assert flooded.counter("events_delivered", climate) > 0.8 * calm.counter("events_delivered", climate)


def test_the_driver_sets_the_sensors_over_the_network(ran):
    """Figure 18: before it arrives the target is 0, from which every reading differs."""
    rows = ran("calm").tables["policy_events"]
    set_by = rows.filter((pl.col("policy") == "SettingPolicy") & (pl.col("topic") == "TempControl"))
    assert set_by.height == 4 and set(set_by["state"]) == {1}
    said = rows.filter(pl.col("policy") == "ACSTempPolicy").sort("time_us")
    late = said.filter(pl.col("time_us") > set_by["time_us"].max())
    early = said.filter(pl.col("time_us") < set_by["time_us"].min())
    assert set(early["outcome"]) == {"accept"}
    assert set(late["outcome"]) == {"accept", "discard"}


def test_a_requirement_without_runs_is_not_measured():
    from orchestrator.features.policies.paper import case_study, requirements
    from orchestrator.papers.check import MISSING

    assert {check.verdict for check in requirements.checks({})} == {MISSING}
    assert requirements.tables({}) == [] and case_study.tables({}) == []
    assert "no runs" in requirements.sections({})[0].blocks[0].paragraphs[0]


def test_cells_that_failed_are_not_measured(tmp_path):
    results = Results(measured.EXPERIMENT, tmp_path, pd.DataFrame(), (), "", ())
    assert measured.Measured(results).cell("calm") is None
