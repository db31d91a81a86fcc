# SPDX-License-Identifier: Apache-2.0
"""When the instructor tells suppliers to push."""

from dataclasses import replace

from orchestrator.features.event_service.model import Delays, Gateways


def test_the_phases_of_suppliers_are_drawn_by_the_seed():
    """Exact clocks would keep suppliers in step in all readings: 250 ms apart at 125 ms, say."""
    made = Gateways((1,), {}, 9, (), 250_000, Delays(1, 0, 0, 0, 1, 0, False, 0), {}, "", 9_000_000)
    early = [(1_000_000, "-2-10-temp-"), (1_250_000, "-3-10-pres-")]
    late = [(5_000_000, "-2-12-temp-"), (5_250_000, "-3-12-pres-"), (5_500_000, "-4-12-humi-")]
    made = replace(made, commands=(*early, *late))
    assert made.of_seed(1) is made  # in step
    drawn = replace(made, drawn_us=500_000)
    several = [drawn.of_seed(seed).commands for seed in range(1, 40)]
    assert drawn.of_seed(1).commands == several[0]
    for commands in several:
        assert list(commands[:3]) == [*early, late[0]]
        second, third = commands[3][0], commands[4][0]
        assert 5_250_000 <= second < 5_750_000 and second + 250_000 <= third < 6_250_000
    phases = {commands[3][0] // 50_000 for commands in several}
    assert len(phases) >= 8  # of ten parts of the interval
