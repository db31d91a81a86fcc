# SPDX-License-Identifier: Apache-2.0
"""The file of a system: what is read from it, and every fault at once."""

from pathlib import Path

import jsonschema
import pytest
import yaml

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.distribution import tables
from orchestrator.features.distribution.load import load, loads
from orchestrator.features.distribution.model import Timing
from orchestrator.features.distribution.schema import schema

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"
GOOD = """distribution: d
nodes: [a, b]
networks: {lan: {delay: 150 us}}
objects: {o: {validity: 150 ms}}
sources:
  S: {object: o, node: a, period: 100 ms, deadline: 10 ms, execution: 1 ms}
targets:
  T: {object: o, node: b, period: 120 ms, release: 130 ms, deadline: 50 ms, execution: 2 ms}
steps:
  sup: {node: a, execution: 1 ms}
  con: {node: b, execution: 1 ms, each-target: true}
distributions:
  D: {object: o, network: lan, path: [sup, con]}
loads:
  L: {node: b, period: 10 ms, deadline: 10 ms, execution: 1 ms}
"""


def faults(text: str, path: Path = Path("d.yaml")) -> list[tuple[int, str]]:
    with pytest.raises(FaultyInput) as caught:
        loads(text, path)
    return [(fault.line, fault.what) for fault in caught.value.faults]


def test_a_system_is_read_with_its_units():
    system = loads(GOOD, Path("d.yaml"))
    assert system.objects == {"o": 150_000} and system.networks == {"lan": 150}
    assert system.targets["T"].timing == Timing(120_000, 130_000, 50_000, 2_000)
    assert system.sources["S"].timing.release == 0
    assert system.distributions["D"].targets == ("T",)
    assert system.steps["con"].each_target and not system.steps["sup"].each_target


def test_the_papers_tables_are_read_as_they_are_printed():
    first, last = load(PAPER / "scenario-1.yaml"), load(PAPER / "scenario-4.yaml")
    assert first.targets["Target2.2"].timing == Timing(120_000, 130_000, 50_000, 2_000)
    assert first.steps["Consumer2"].printed == Timing(80_000, 10_000, 60_000, 1_000)
    assert last.sources["NavigationSubsystem"].timing == Timing(500_000, 0, 300_000, 100_000)
    assert last.steps["EC3_2"].printed == Timing(500_000, 300_000, 450_000, 400)
    assert last.targets["WeaponSubsystems2"].timing.period == 1_000_000


def test_all_faults_at_once_each_with_its_line():
    text = (
        GOOD.replace("nodes: [a, b]", "nodes: [a, b, a]")
        .replace("delay: 150 us", "delay: 150")
        .replace("{object: o, node: a, period: 100 ms,", "{object: x, node: c, periode: 100 ms,")
        .replace("path: [sup, con]", "path: [sup, kon]")
    )
    found = faults(text)
    assert [line for line, _ in found] == [2, 3, 6, 6, 6, 6, 13]
    words = "\n".join(what for _, what in found)
    for said in (
        "a is there twice",
        "no unit",
        "no node 'c'",
        "no object 'x'",
        "'periode' is unknown",
        "no period",
        "no step 'kon'",
    ):
        assert said in words


@pytest.mark.parametrize(
    "old, new, line, said",
    [
        ("validity: 150 ms", "validity: 100 ms", 6, "isn't shorter than the validity of o"),
        (
            "deadline: 50 ms, execution: 2 ms",
            "deadline: 121 ms, execution: 2 ms",
            8,
            "longer than its period",
        ),
        (
            "deadline: 50 ms, execution: 2 ms",
            "deadline: 50 ms, execution: 51 ms",
            8,
            "longer than its deadline",
        ),
        (
            "objects: {o: {validity: 150 ms}}",
            "objects: {o: {validity: 150 ms}, p: {validity: 1 s}}",
            4,
            "no source",
        ),
        (
            "targets:\n",
            "  S2: {object: o, node: a, period: 99 ms, deadline: 1 ms, execution: 1 ms}\ntargets:\n",
            7,
            "2 sources: S and S2",
        ),
        (
            "  D: {object: o, network: lan, path: [sup, con]}",
            "  D: {object: o, path: [sup, con]}",
            13,
            "no network",
        ),
        (
            "path: [sup, con]}",
            "path: [sup, con]}\n  E: {object: o, network: lan}",
            14,
            "a target of D and of E",
        ),
        ("path: [sup, con]", "path: [con]", 10, "step sup is in no path"),
        ("path: [sup, con]", "targets: [], path: [sup, con]", 13, "has no targets"),
        ("execution: 1 ms}\n", "execution: 9900 us}\n", 2, "used to"),
        ("  L: {node", "  T: {node", 15, "line 8 has that name"),
    ],
)
def test_what_a_system_may_have_wrong(old, new, line, said):
    if said == "used to":  # the load alone needs 99 % of node b
        old, new = "deadline: 10 ms, execution: 1 ms}\n", "deadline: 10 ms, execution: 9900 us}\n"
        text = GOOD[: GOOD.index("loads:")] + GOOD[GOOD.index("loads:") :].replace(old, new)
    else:
        assert old in GOOD
        text = GOOD.replace(old, new)
    assert any(said in what and at == line for at, what in faults(text)), faults(text)


def test_periods_without_a_common_multiple_in_64_bits():
    primes = [999_999_937, 999_999_929, 999_999_893]
    extra = "".join(
        f"  T{n}: {{object: o, node: b, period: {p} us, deadline: 1 ms, execution: 1 us}}\n"
        for n, p in enumerate(primes)
    )
    ((line, what),) = faults(GOOD.replace("steps:\n", extra + "steps:\n"))
    assert "no common multiple below 2^63 us" in what and line in (9, 10, 11)


def test_a_target_without_data():
    text = GOOD.replace(
        "steps:\n", "  U: {object: o, node: b, period: 1 s, deadline: 1 s, execution: 1 ms}\nsteps:\n"
    ).replace("path: [sup", "targets: [T], path: [sup")
    assert faults(text) == [(9, "target U gets no data: no distribution carries o to it")]


def test_paths_part_once():
    text = GOOD.replace(
        "steps:\n", "  U: {object: o, node: b, period: 1 s, deadline: 1 s, execution: 1 ms}\nsteps:\n"
    ).replace(
        "  D: {object: o, network: lan, path: [sup, con]}",
        "  D: {object: o, network: lan, targets: T, path: [sup, con]}\n"
        "  E: {object: o, network: lan, targets: U, path: [con]}",
    )
    assert faults(text) == [(15, "step con comes after other steps, or over another network, in D")]


def test_a_tables_faults_have_the_lines_of_the_table(tmp_path):
    (tmp_path / "t.txt").write_text(
        "Name\tPeriod, µsec\tRelease, µsec\tDeadline, µsec\tExec time, µsec\n"
        "S\t100,000\t0\t10000\t1,5\nT\t1\t2\n"
    )
    found = faults("table: t.txt\n" + GOOD, tmp_path / "d.yaml")
    assert found == [(2, "'1,5' is not a number of microseconds"), (3, "3 columns instead of 5")]
    found = faults(
        GOOD.replace("distribution: d\n", "distribution: d\ntable: none.txt\n"), tmp_path / "d.yaml"
    )
    assert found[0][0] == 2 and "no table" in found[0][1]


def test_a_table_of_too_many_bytes_is_refused_and_not_cut(tmp_path):
    rows = "Name\tPeriod, µsec\tRelease, µsec\tDeadline, µsec\tExec time, µsec\nL\t10,000\t0\t10000\t1000\n"
    text = "table: t.txt\n" + GOOD.replace(
        "L: {node: b, period: 10 ms, deadline: 10 ms, execution: 1 ms}", "L: {node: b}"
    )
    (tmp_path / "t.txt").write_text(rows + "\n" * (tables.MOST_BYTES - len(rows.encode())))
    assert loads(text, tmp_path / "d.yaml").loads["L"].timing == Timing(10_000, 0, 10_000, 1_000)
    with (tmp_path / "t.txt").open("a") as file:
        file.write("\n")
    found = [what for _, what in faults(text, tmp_path / "d.yaml")]
    assert f"the file has more than {tables.MOST_BYTES} bytes" in found and "the table is empty" not in found


def test_no_file():
    with pytest.raises(NoSuchThing):
        load(Path("nowhere.yaml"))


def test_what_loads_is_valid_by_the_schema():
    validator = jsonschema.Draft202012Validator(schema())
    for text in (GOOD, (PAPER / "scenario-2.yaml").read_text(), (PAPER / "scenario-4.yaml").read_text()):
        assert not list(validator.iter_errors(yaml.safe_load(text)))
    assert list(validator.iter_errors(yaml.safe_load(GOOD.replace("each-target", "each"))))
