# SPDX-License-Identifier: Apache-2.0
"""How many seeds a campaign needs."""

from orchestrator.features.campaigns import samples, seeds
from orchestrator.features.campaigns.written import USUAL
from tests.features.campaigns.nights_store import Nights


def test_a_metric_that_is_the_same_in_each_run_needs_the_fewest_seeds(tmp_path):
    frame = samples.measured(tmp_path, Nights(tmp_path).night())
    frame.loc[frame["metric"] == "event_loss_rate", "value"] = 0.0
    found = [("chain", samples.of_rows("chain", "merged", samples.of_cell(frame, "chain", "merged")))]
    rows = {row.metric: row for row in seeds.needs(found, USUAL, 0.1, 0.9, 0.05)}
    assert rows["event_loss_rate"].seeds is not None and seeds.most(rows.values())
