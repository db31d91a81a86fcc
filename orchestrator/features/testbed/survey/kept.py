# SPDX-License-Identifier: Apache-2.0
"""Keeps a survey's results for simulations that use them: survey.json, beside the CSV files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.features.testbed.survey.measure import MeasuredLink, Power
from orchestrator.features.testbed.survey.propagation import Fit
from orchestrator.media.log_distance import LogDistance

FILE = "survey.json"
FORMAT = 1
Pair = tuple[str, str]  # names of motes: from, to


@dataclass(frozen=True)
class KeptLink:
    """One direction at the survey's power; `rssi` (dBm) and `lqi` are None if nothing was heard."""

    sent: int
    heard: int
    rssi: float | None
    lqi: float | None

    @property
    def ratio(self) -> float:
        """The share of all frames that was heard."""
        return self.heard / self.sent if self.sent else 0.0


@dataclass(frozen=True)
class Kept:
    """A survey.

    `places`: mote -> m. `period_s`: the time between two frames of a mote. `fit`: None if too little was
    heard.
    """

    lab: str
    layout: str
    power: Power
    period_s: float
    places: Mapping[str, tuple[float, float]]
    links: Mapping[Pair, KeptLink]
    fit: Fit | None

    def length(self, pair: Pair) -> float:
        """Return the distance of two motes, m."""
        return math.dist(self.places[pair[0]], self.places[pair[1]])


def named(links: Iterable[MeasuredLink], names: Mapping[int, str]) -> dict[Pair, KeptLink]:
    """Return links under the motes' names."""
    return {
        (names[link.source], names[link.destination]): KeptLink(link.sent, link.heard, link.rssi, link.lqi)
        for link in links
    }


def text(survey: Kept) -> str:
    """Return the file's content."""
    data = {
        "format": FORMAT,
        "lab": survey.lab,
        "layout": survey.layout,
        "power": survey.power,
        "period_s": survey.period_s,
        "places": {name: list(place) for name, place in survey.places.items()},
        "links": [
            {"from": pair[0], "to": pair[1], **asdict(link)} for pair, link in sorted(survey.links.items())
        ],
        "fit": None if survey.fit is None else asdict(survey.fit),
    }
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def read(folder: Path) -> Kept:
    """Read a survey's folder. Raises NoSuchThing if it is none, StorageFailed if its file can't be read."""
    path = folder / FILE
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"it is of the format {data['format']}")
        return Kept(
            str(data["lab"]),
            str(data["layout"]),
            data["power"],
            float(data["period_s"]),
            {name: (float(x), float(y)) for name, (x, y) in data["places"].items()},
            {(link.pop("from"), link.pop("to")): KeptLink(**link) for link in data["links"]},
            _fit(data["fit"]),
        )
    except FileNotFoundError:
        raise NoSuchThing(
            f"{folder} holds no survey\n    `orchestrate testbed survey LAB {folder}` makes one"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageFailed(f"{path}: not a survey as it was written: {error}\n    survey again") from error


def _fit(data: dict[str, Any] | None) -> Fit | None:
    if data is None:
        return None
    model = data.pop("model")
    model.pop("own_signals", None)
    return Fit(LogDistance(**model), **data)


def radio(model: LogDistance) -> str:
    """Return the model as a scenario's `radio:`."""
    return (
        f"{{medium: log-distance, reference: {model.reference_dbm:g}, "
        f"exponent: {model.path_loss_exponent:g}, shadowing: {model.shadowing_db:g}, asymmetry: "
        f"{model.asymmetry_db:g}, "
        f"sensitivity: {model.sensitivity_dbm:g}, width: {model.width_db:g}, capture: {model.capture_db:g}}}"
    )
