# SPDX-License-Identifier: Apache-2.0
"""What the time of runs is called, and how it is written."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from orchestrator.report import page
from orchestrator.report.provenance import _duration, time_title
from tests.manifests import manifest


def test_on_real_motes_nothing_is_simulated():
    simulated = manifest()
    on_motes = manifest(engine={"name": "testbed", "version": "lab", "rules": "real radios and clocks"})
    assert time_title([simulated]) == "Simulated time" == time_title([simulated, on_motes])
    assert time_title([on_motes]) == "Time on motes"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (29.6, "30 s"), (59, "59 s"), (60, "1 min"), (7_200, "120 min")]
)
def test_less_than_a_minute_is_told_in_seconds(seconds, text):
    run = manifest()
    run = replace(run, statistics=replace(run.statistics, sim_us=round(seconds * 1e6)))
    results = SimpleNamespace(
        manifests=[run], cells=("A",), measured=(run,), planned=1, per_run=pd.DataFrame({"seed": [1]})
    )
    assert page._facts(results)[-1] == ("Simulated time", text)


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0.25, "0.25 s"),
        (119.0, "119.00 s"),
        (120.0, "2.0 min"),
        (7199.0, "120.0 min"),
        (7200.0, "2.0 h"),
        (9000.0, "2.5 h"),
    ],
)
def test_a_time_is_in_seconds_to_two_minutes_and_in_minutes_to_two_hours(seconds, written):
    assert _duration(seconds) == written
