# SPDX-License-Identifier: Apache-2.0
"""Why event packets did not arrive, by the motes' counters."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from orchestrator.report.data import Results

# Why a MAC did not send a frame: the key of the metric `dropped`, and words.
REFUSED = {
    "queue": "no room in the send queue",
    "channel-access": "channel busy at every attempt",
    "collision": "radio receiving when it was to send",
}
AIR = "sent and not received"


@dataclass(frozen=True)
class Losses:
    """The losses of a cell, with one value for each seed.

    `sent`: packets handed to the MAC. `lost`: those that no next hop accepted. `by`: these by cause.
    """

    sent: pd.Series
    lost: pd.Series
    by: dict[str, pd.Series]

    @property
    def rate(self) -> float:
        """The share of lost packets in all runs together, 0..1."""
        return float(self.lost.sum() / self.sent.sum()) if self.sent.sum() else 0.0

    def share(self, cause: str) -> float:
        """Return a cause's share of the losses in all runs together, 0..1."""
        return float(self.by[cause].sum() / self.lost.sum()) if self.lost.sum() else 0.0

    @property
    def nothing(self) -> bool:
        """Whether no packet was lost in any run."""
        return len(self.lost) > 0 and not self.lost.any()


def losses(results: Results, cell: str) -> Losses | None:
    """Return the losses of a cell; None if it has no runs."""
    sent = results.values(cell, "events_transmitted")
    lost = (results.values(cell, "packet_loss_rate") * sent).round().dropna()
    if lost.empty:
        return None
    refused = {
        cause: results.values(cell, "dropped", cause).reindex(lost.index, fill_value=0.0) for cause in REFUSED
    }
    return Losses(sent.reindex(lost.index), lost, {**refused, AIR: lost - sum(refused.values())})
