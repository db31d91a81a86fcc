# SPDX-License-Identifier: Apache-2.0
"""A time-out of section 4.1.1 on motes: it comes when no publish/subscribe event occurred, once a silence."""

from __future__ import annotations

from lorry_runs import SCENARIO, run_cell

from orchestrator.scenario.load import load
from tests import needs

needs.a_compiler()
SPRINKLER = 1
FIGURES = "figure-14-rebuilt.escape figure-17-rebuilt.escape figure-18.escape"
WARM_UP_S, PERIOD_S = 2, 3
WATCH = f"""Watch
  on timeout({PERIOD_S}000)
    0-0: true ->
      sendAlert();
      discard;
"""


def run(folder, temperature_policies, rest="", topology="sensors: 4, sprinklers: 1", seconds=12):
    (folder / "watch.escape").write_text(WATCH)
    application = "script: calm, delta: 100, sprinkler-policies: watch.escape, "
    application += f"temperature-policies: {temperature_policies}{rest}"
    path = folder / "lorry.yaml"
    path.write_text(
        SCENARIO.format(topology=topology, application=application, seconds=seconds, trace="true")
    )
    return run_cell(folder / "run", load(path).cells[0])


def test_a_timeout_comes_once_in_a_silence_however_long_it_lasts(tmp_path):
    """Nothing is hot, so that no reading leaves its mote; the last event is the component's subscription."""
    found = run(tmp_path, FIGURES)
    ((time, mote),) = found.said("alert")
    assert mote == SPRINKLER
    assert time >= (WARM_UP_S + PERIOD_S) * 1_000_000
    (fired,) = (
        found.tables["policy_events"]
        .filter(found.tables["policy_events"]["point"] == "time")
        .iter_rows(named=True)
    )
    assert (fired["policy"], fired["outcome"]) == ("Watch", "discard")
    assert found.counter("policy_timeouts_fired") == 1


def test_events_of_others_that_a_mote_passes_on_are_no_silence(tmp_path):
    found = run(tmp_path, "none")
    assert found.said("alert") == []
    assert found.counter("policy_timeouts_fired") == 0


def test_each_silence_has_its_own_timeout(tmp_path):
    """The driver sets the air conditioning after 2 s and sends an update after 6 s, past the sprinkler, which
    answers it some seconds later.
    """
    topology = "sensors: 4, sprinklers: 1, cab: true"
    found = run(tmp_path, FIGURES, ", update: disable, updated: 60, update-at: 6 s", topology, 15)
    first, second = (time / 1e6 for time, _ in found.said("alert"))
    assert first < WARM_UP_S + 6 + PERIOD_S < second
