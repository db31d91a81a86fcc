# SPDX-License-Identifier: Apache-2.0
"""A .csc, a scenario's cell and a stored run, opened for a Python program, are the same simulation."""

from __future__ import annotations

import shutil

import pytest

from orchestrator import live
from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput, NoSuchThing, WrongUsage
from tests import needs
from tests.lossy_chain import scenario
from tests.own_csc import own_csc

needs.a_compiler()

TEXT = scenario(
    "opened",
    """\
duration: 5 s
seeds: 4
""",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a scenario, and the store of its run."""
    where = tmp_path_factory.mktemp("place")
    (where / "opened.yaml").write_text(TEXT)
    assert main(["run", str(where / "opened.yaml"), "--store", str(where / "store"), "--no-report"]) == 0
    return where


@pytest.fixture(scope="module")
def stored(place):
    return next((place / "store" / "opened" / "runs").iterdir())


@pytest.mark.parametrize("what", ["csc", "cell", "run", "name"])
def test_each_way_gives_the_stored_run_again(what, place, stored):
    expected = (stored / "COOJA.testlog").read_bytes()
    operand = {
        "csc": stored / "simulation.csc",
        "cell": place / "opened.yaml",
        "run": stored,
        "name": stored.name[:8],
    }[what]
    with live.open(operand, store=place / "store") as simulation:
        assert simulation.now_us == 0 and simulation.seed == 4
        heard = []
        while len(heard) < expected.count(b"\tID:"):  # the run's own script ends it at a line
            heard += simulation.advance(1 << 40)
        simulation.end()
    assert simulation.log.read_bytes() == expected


def test_the_script_of_a_csc_does_not_run(stored):
    """Nor does it have to be one that we could run."""
    text = (stored / "simulation.csc").read_text()
    begin, end = text.index("<script>"), text.index("</script>")
    odd = stored / "odd.csc"  # beside the other, because its paths are relative
    odd.write_text(text[:begin] + "<script>TIMEOUT(1); Packages.java.lang.System.exit(" + text[end:])
    try:
        with live.open(odd) as one, live.open(stored / "simulation.csc") as other:
            assert one.advance(30_000_000, False) == other.advance(30_000_000, False) != []
    finally:
        odd.unlink()


def test_what_can_t_be_opened_is_refused_with_a_remedy(place, stored, tmp_path):
    several = tmp_path / "several.yaml"
    several.write_text(TEXT + "matrix:\n  duration: [5 s, 6 s]\n")
    with pytest.raises(WrongUsage, match="2 cells"):
        live.open(several)
    with pytest.raises(NoSuchThing, match="no cell 'x'"):
        live.open(place / "opened.yaml", cell="x")
    with pytest.raises(NoSuchThing):
        live.open(tmp_path / "none.csc")
    with pytest.raises(WrongUsage, match="no cells"):
        live.open(stored / "simulation.csc", cell="x")
    with pytest.raises(NoSuchThing, match="only a log"):
        live.open(_log(tmp_path))
    with pytest.raises(WrongUsage, match="recorded beside a log"):
        live.open(stored / "simulation.csc", sockets=True)
    broken = tmp_path / "broken.csc"
    broken.write_text("<simconf><simulation></simulation></simconf>")
    with pytest.raises(FaultyInput):
        live.open(broken)


def test_firmware_beside_a_csc_without_build_commands_may_go_while_it_is_used(tmp_path):
    body = "int ticks;\nvoid cooja_tick(void) { ticks++; etimer(1); due(); }"
    file = own_csc(tmp_path, body)
    beside = tmp_path / "build" / "cooja" / "own1.cooja"
    beside.parent.mkdir(parents=True)
    with live.open(file) as simulation:
        shutil.copy(simulation.libraries[0], beside)
    file.write_text(file.read_text().replace("$(MAKE) own.cooja TARGET=cooja", ""))
    with live.open(file) as simulation:
        beside.unlink()
        simulation.add(live.LiveMote(simulation.libraries[0], 7))
        simulation.step("10 ms")
        assert simulation.read_variable(7, "ticks", "i") > 1


def _log(folder):
    (folder / "alone").mkdir()
    (folder / "alone" / "COOJA.testlog").write_text("Random seed: 1\n")
    return folder / "alone"
