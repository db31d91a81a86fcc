# SPDX-License-Identifier: Apache-2.0
"""Moves of the Mobility plugin's file, written and read again as they were: Cooja's arithmetic rounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.csc import mobility
from orchestrator.csc.faults import Faults
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.errors import Unsupported

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "cooja"
places, metres = st.integers(0, 2**31 - 1), st.floats(allow_nan=False, allow_infinity=False)
seconds = st.floats(min_value=-1e9, max_value=1e9) | st.integers(0, 10**12).map(lambda us: us / 1e6)


@given(
    st.lists(st.tuples(places, seconds, metres, metres), min_size=1).filter(
        lambda rows: max(row[1] for row in rows) >= 1e-6
    )
)
def test_what_is_written_reads_as_the_same_moves(rows):
    faults = Faults("file")
    moves = mobility.read("".join(f"{place} {time!r} {x!r} {y!r}\n" for place, time, x, y in rows), faults, 1)
    assert mobility.read(mobility.write(moves).decode(), faults, 1) == moves
    faults.raise_any()


@pytest.mark.parametrize(("case", "plugins"), [("mobility", 1), ("two-mobilities", 2)])
def test_a_simulation_that_moves_is_written_with_the_names_of_its_files(case, plugins, tmp_path):
    simulation = read(GOLDEN / case / "simulation.csc")
    with pytest.raises(Unsupported, match="a file of their own"):
        write(simulation)
    for number, moves in enumerate(simulation.mobility):
        (tmp_path / f"{number}.dat").write_bytes(mobility.write(moves))
    names = tuple(f"[CONFIG_DIR]/{number}.dat" for number, _ in enumerate(simulation.mobility))
    (tmp_path / "moving.csc").write_bytes(write(simulation, names))
    again = read(tmp_path / "moving.csc")
    assert len(again.mobility) == plugins
    assert (
        again.mobility == simulation.mobility
        and again.motes == simulation.motes
        and again.script == simulation.script
    )
