# SPDX-License-Identifier: Apache-2.0
"""Measures a lab's links by the log of a link-survey.

For each direction, transmit power and round, it tells which share of the sent frames was heard, and how well.
A dead mote would look like a bad link, so a run with one gives no survey.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.identity import Identity, identity

_POWER = r"power (default|-?[0-9]{1,3})"
_SAY = re.compile(rf"say ([0-9]{{1,9}}) round ([0-9]{{1,6}}) {_POWER}", re.ASCII)
_HEARD = re.compile(
    rf"heard ([0-9]{{1,9}}) from ([0-9a-f]{{4,16}}) {_POWER} rssi (-?[0-9]{{1,5}}) lqi ([0-9]{{1,5}})",
    re.ASCII,
)
_NOISE = re.compile(
    r"noise ([0-9]{1,3}) low (-?[0-9]{1,4}) median (-?[0-9]{1,4}) high (-?[0-9]{1,4})", re.ASCII
)
LAST_US = 1_000_000  # of the log: a frame sent in this time may not have been heard yet
_APART_US = (
    2_000_000  # the most between a frame's lines at its sender and at its receivers, with the clocks' errors
)

Power = int | None  # in the unit of the radio's driver; None if the driver doesn't report it


@dataclass
class Count:
    """The frames of one direction at one power in one round, and how those that arrived were received."""

    sent: int = 0
    heard: int = 0
    rssi: float = 0.0  # sums over the heard frames: dBm
    rssi_squares: float = 0.0
    lqi: float = 0.0


@dataclass(frozen=True)
class MeasuredLink:
    """One direction at one power, with its counts for each round."""

    source: int
    destination: int
    power: Power
    rounds: tuple[tuple[int, Count], ...]

    @property
    def sent(self) -> int:
        return sum(count.sent for _, count in self.rounds)

    @property
    def heard(self) -> int:
        return sum(count.heard for _, count in self.rounds)

    @property
    def ratio(self) -> float:
        """The share of all frames that was heard."""
        return self.heard / self.sent if self.sent else 0.0

    @property
    def rssi(self) -> float | None:
        """The mean strength of the frames that were heard, dBm; None for none."""
        return sum(count.rssi for _, count in self.rounds) / self.heard if self.heard else None

    @property
    def rssi_deviation(self) -> float | None:
        """The standard deviation over the frames that were heard, dB; None for fewer than two."""
        if self.heard < 2 or self.rssi is None:
            return None
        squares = sum(count.rssi_squares for _, count in self.rounds)
        return math.sqrt(max(0.0, (squares - self.heard * self.rssi**2) / (self.heard - 1)))

    @property
    def lqi(self) -> float | None:
        """The mean link quality of the frames that were heard; None for none."""
        return sum(count.lqi for _, count in self.rounds) / self.heard if self.heard else None

    @property
    def swing(self) -> float:
        """The difference between the ratios of the best round and the worst."""
        shares = [count.heard / count.sent for _, count in self.rounds if count.sent]
        return max(shares) - min(shares) if shares else 0.0


@dataclass(frozen=True)
class Noise:
    """The noise at a mote on a channel while none of our motes sent, dBm, over all rounds.

    These are the lowest sample, the median of the rounds' medians (for several surveys, the mean of their
    medians), and the highest sample.
    """

    mote: int
    channel: int
    low: int
    median: float
    high: int
    rounds: int


@dataclass(frozen=True)
class Survey:
    """The measurements of a link-survey.

    `strangers`: frames from motes outside the lab. `reboots`: motes that booted more than once.
    """

    ids: tuple[int, ...]
    identities: dict[int, Identity]
    links: tuple[MeasuredLink, ...]
    noise: tuple[Noise, ...]
    strangers: int = 0
    reboots: tuple[int, ...] = ()

    @property
    def powers(self) -> tuple[Power, ...]:
        """The powers, from the highest to the lowest."""
        all_powers = {link.power for link in self.links}
        return tuple(sorted(all_powers, key=lambda power: math.inf if power is None else power, reverse=True))

    def at(self, power: Power) -> list[MeasuredLink]:
        """Return all directions at one power."""
        return [link for link in self.links if link.power == power]


@dataclass
class _Read:
    """The lines of a log, by kind."""

    who: dict[int, list[Identity]] = field(default_factory=lambda: defaultdict(list))
    said: dict[int, list[tuple[int, int, int, Power]]] = field(default_factory=lambda: defaultdict(list))
    heard: list[tuple[int, int, int, str, int, int]] = field(default_factory=list)
    noise: dict[tuple[int, int], list[tuple[int, int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    last_us: int = 0


def measure(lines: Iterable[str], ids: Iterable[int]) -> Survey:
    """Return all directions between these motes, including those on which nothing was heard.

    Raises RunFailed if a mote never said who it is, because nobody could be said to have heard it.
    """
    ids = sorted(ids)
    read = _read(lines)
    if nameless := [number for number in ids if number not in read.who]:
        raise RunFailed(
            f"mote {', '.join(map(str, nameless))} did not say who it is, so that nothing which was heard of "
            "it can be told\n    its serial line has to be open before it boots; survey again"
        )
    links, strangers = _links(read, ids)
    return Survey(
        tuple(ids),
        {number: identity[-1] for number, identity in read.who.items()},
        links,
        tuple(_noise(mote, channel, samples) for (mote, channel), samples in sorted(read.noise.items())),
        strangers,
        tuple(number for number in ids if len(read.who[number]) > 1),
    )


def joined(surveys: Sequence[Survey]) -> Survey:
    """Return several surveys of the same motes as one.

    Links at a power that two of them measured are counted together, with the rounds of one after those of the
    other.
    """
    rounds: dict[tuple[int, int, Power], list[tuple[int, Count]]] = defaultdict(list)
    noise: dict[tuple[int, int], list[Noise]] = defaultdict(list)
    for survey in surveys:
        before = {key: len(given) for key, given in rounds.items()}
        for link in survey.links:
            key = link.source, link.destination, link.power
            rounds[key] += [(before.get(key, 0) + number, count) for number, count in link.rounds]
        for sample in survey.noise:
            noise[sample.mote, sample.channel].append(sample)
    return Survey(
        surveys[0].ids,
        {number: identity for survey in surveys for number, identity in survey.identities.items()},
        tuple(MeasuredLink(*key, tuple(given)) for key, given in rounds.items()),
        tuple(
            Noise(
                *key,
                min(sample.low for sample in given),
                sum(sample.median * sample.rounds for sample in given)
                / sum(sample.rounds for sample in given),
                max(sample.high for sample in given),
                sum(sample.rounds for sample in given),
            )
            for key, given in sorted(noise.items())
        ),
        sum(survey.strangers for survey in surveys),
        tuple(sorted({number for survey in surveys for number in survey.reboots})),
    )


def _read(lines: Iterable[str]) -> _Read:
    read = _Read()
    for line in lines:
        time, _, rest = line.partition("\t")
        mote, _, text = rest.partition("\t")
        if not (time.isdecimal() and mote[:3] == "ID:" and mote[3:].isdecimal()):
            continue
        read.last_us, number, text = int(time), int(mote[3:]), text.strip()
        if match := _HEARD.fullmatch(text):
            read.heard.append((read.last_us, number, int(match[1]), match[2], int(match[4]), int(match[5])))
        elif match := _SAY.fullmatch(text):
            power = None if match[3] == "default" else int(match[3])
            read.said[number].append((read.last_us, int(match[1]), int(match[2]), power))
        elif match := _NOISE.fullmatch(text):
            read.noise[number, int(match[1])].append((int(match[2]), int(match[3]), int(match[4])))
        elif (who := identity(text)) is not None:
            read.who[number].append(who)
    return read


def _links(read: _Read, ids: list[int]) -> tuple[tuple[MeasuredLink, ...], int]:
    """Return the links, and the number of frames that came from strangers."""
    end_us = read.last_us - LAST_US
    of_address = {identity.address: number for number, who in read.who.items() for identity in who}
    times: dict[tuple[int, int], list[int]] = defaultdict(list)  # (mote, frame's number) -> times
    kind: dict[tuple[int, int, int], tuple[Power, int]] = {}
    counts: dict[tuple[int, int, Power, int], Count] = defaultdict(Count)
    for number in ids:
        for time, count, round_number, power in read.said[number]:
            if time <= end_us:
                times[number, count].append(time)
                kind[number, count, time] = power, round_number
                for other in ids:
                    if other != number:
                        counts[number, other, power, round_number].sent += 1
    strangers, motes, seen = 0, set(ids), set()
    for time, mote, count, address, rssi, lqi in read.heard:
        source = of_address.get(address)
        if source is None or source not in motes:
            strangers += 1
            continue
        sent = _nearest(times.get((source, count), []), time)
        if sent is None or mote not in motes or (mote, source, count, sent) in seen:
            continue  # it was sent in the last moment, or heard twice
        seen.add((mote, source, count, sent))
        link = counts[source, mote, *kind[source, count, sent]]
        link.heard += 1
        link.rssi += rssi
        link.rssi_squares += rssi * rssi
        link.lqi += lqi
    by_link: dict[tuple[int, int, Power], list[tuple[int, Count]]] = defaultdict(list)
    for (source, destination, power, round_number), count in counts.items():
        by_link[source, destination, power].append((round_number, count))
    return tuple(
        MeasuredLink(*key, tuple(sorted(rounds, key=lambda each: each[0]))) for key, rounds in by_link.items()
    ), strangers


def _nearest(times: list[int], time: int) -> int | None:
    """Return the nearest of these times, if it is near enough: numbers occur again after a mote's reboot."""
    at = bisect_left(times, time)
    nearest = min(times[max(0, at - 1) : at + 1], key=lambda each: abs(each - time), default=None)
    return nearest if nearest is not None and abs(nearest - time) <= _APART_US else None


def _noise(mote: int, channel: int, samples: list[tuple[int, int, int]]) -> Noise:
    medians = sorted(median for _, median, _ in samples)
    middle = (medians[(len(medians) - 1) // 2] + medians[len(medians) // 2]) / 2
    lows, highs = [low for low, _, _ in samples], [high for _, _, high in samples]
    return Noise(mote, channel, min(lows), middle, max(highs), len(samples))
