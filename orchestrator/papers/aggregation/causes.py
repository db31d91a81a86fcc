# SPDX-License-Identifier: Apache-2.0
"""What became of the event packets that did not arrive, by the motes' counts."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from orchestrator.report.data import Results

# the MAC's verdicts on a frame that it did not send, as the metric `dropped` names them, and in words
REFUSED = {
    "queue": "no room in the send queue",
    "channel-access": "channel busy at every attempt",
    "collision": "radio receiving when it was to send",
}
AIR = "sent and not received"


@dataclass(frozen=True)
class Losses:
    """Of one cell, one value a seed: packets handed to the MAC, those that no next hop accepted, and these by
    cause.
    """

    sent: pd.Series
    lost: pd.Series
    by: dict[str, pd.Series]

    @property
    def rate(self) -> float:
        """Lost of the sent in all runs together, 0..1."""
        return float(self.lost.sum() / self.sent.sum()) if self.sent.sum() else 0.0

    def share(self, cause: str) -> float:
        """Of the lost in all runs together, 0..1."""
        return float(self.by[cause].sum() / self.lost.sum()) if self.lost.sum() else 0.0

    @property
    def nothing(self) -> bool:
        """Not one packet in any run."""
        return len(self.lost) > 0 and not self.lost.any()


def losses(results: Results, cell: str) -> Losses | None:
    """None where the cell has no runs."""
    sent = results.values(cell, "events_transmitted")
    lost = (results.values(cell, "packet_loss_rate") * sent).round().dropna()
    if lost.empty:
        return None
    refused = {
        cause: results.values(cell, "dropped", cause).reindex(lost.index, fill_value=0.0) for cause in REFUSED
    }
    return Losses(sent.reindex(lost.index), lost, {**refused, AIR: lost - sum(refused.values())})
