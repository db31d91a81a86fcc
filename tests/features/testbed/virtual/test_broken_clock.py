# SPDX-License-Identifier: Apache-2.0
"""`testbed break clock` judged: what a gateway's daemon logs has times within the error that is stated.

This machine's own clock runs the virtual gateway's, so that the true time of each log entry is known exactly.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from orchestrate_testbed.clock_fit import fitted
from orchestrate_testbed.gateway import clocks
from orchestrate_testbed.gateway_log import Chunk, records
from orchestrate_testbed.virtual import clock, failures

from tests.features.testbed.daemons import Gateway, fetched
from tests.waiting import wait_until

LINES = 12


@pytest.fixture
def broken(tmp_path, pyz):
    """A daemon with a clock that can be broken."""
    path = tmp_path / "clock"
    clock.write(path)
    found = Gateway(tmp_path / "broken", pyz, environment={clocks.VARIABLE: str(path)})
    found.start()
    found.testbed = SimpleNamespace(server=lambda name: SimpleNamespace(clock=path))
    found.clock = path
    yield found
    found.end()


def true_us(gateway_us: int, settings: list[clocks.Off]) -> float:
    """The time by our clock at which the gateway's monotonic clock showed this."""
    for off in reversed(settings):
        at = (gateway_us - off.monotonic_us + off.since_us * off.drift_ppm / 1e6) / (1 + off.drift_ppm / 1e6)
        if at >= off.since_us:
            return at
    raise AssertionError("before the clock was set for the first time")


@pytest.mark.parametrize("drifts", [(90.0, -90.0), (-90.0, 0.0), (0.0, 90.0, -90.0)])
def test_corrected_times_are_within_the_stated_error(broken, plugged, drifts):
    # It has run like this for an hour, in which no question was asked: the offset is far from none.
    clock.write(broken.clock, drift_ppm=90.0)
    past = clock.read(broken.clock)
    broken.clock.write_bytes(past._replace(since_us=past.since_us - 3_600_000_000).pack())
    daemon, mote = broken.ask(), plugged("M1")
    settings, pairs = [clock.read(broken.clock)], [daemon.clock()]
    daemon.open("r", "M1", str(mote.link), 115200)
    for number in range(LINES):
        if number % (LINES // len(drifts)) == 0:
            failures.set_clock(broken.testbed, "G1", -7.0, drifts[number * len(drifts) // LINES])
            settings.append(clock.read(broken.clock))
        mote.say(b"%d\n" % number)
        wait_until(lambda n=number: daemon.status("r")["motes"]["M1"]["port"]["lines"] == n + 1)
        pairs.append(daemon.clock())
    (fit,) = fitted(pairs)
    chunks = [each for each in records(fetched(daemon, "r", "M1")) if isinstance(each, Chunk)]
    assert b"".join(each.content for each in chunks).count(b"\n") == LINES
    for each in chunks:
        true = true_us(each.gateway_us, settings)
        assert abs(each.gateway_us - true) > 100_000, "the clock is broken"
        assert abs(fit.controller_us(each.gateway_us) - true) <= fit.error_us + 2  # us: rounding
