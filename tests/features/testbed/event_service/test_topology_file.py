# SPDX-License-Identifier: Apache-2.0
import pytest
from orchestrate_testbed.gateway.event_service.topology import FaultyTopology, parse, text

FOUR = "4 # gateways\n1 2\n\n1 3\n2 4\n"


def faults(said: str):
    with pytest.raises(FaultyTopology) as caught:
        parse(said)
    return caught.value.faults


def test_a_tree():
    tree = parse(FOUR)
    assert (tree.size, tree.root, tree.from_root()) == (4, 1, [1, 2, 3, 4])
    assert tree.neighbours(2) == (1, 4)
    assert tree.neighbours(1) == (2, 3)


def test_a_root_that_is_not_the_first_gateway():
    assert parse("3\n3 1\n3 2\n").root == 3


def test_text_and_back():
    assert text(parse(text(parse(FOUR)))) == "4\n1 2\n1 3\n2 4\n"


def test_one_gateway_alone():
    assert parse("1\n").neighbours(1) == ()


def test_a_cycle_is_refused_with_its_line():
    ((line, said),) = faults("4\n2 3\n3 4\n4 2\n")
    assert line == 2
    assert said.startswith("a cycle, each gateway with its parent: 2 -> 4 -> 3 -> 2")


def test_a_cycle_without_a_root():
    assert [line for line, _ in faults("2\n1 2\n2 1\n")] == [2]


def test_all_faults_at_once():
    found = faults("5\n1 2\n1 2\n2 9\n3 3\n1\n4 5\n5 4\n")
    assert [line for line, _ in found] == [3, 4, 5, 6, 7]
    assert "has a parent already, 1 in line 2" in found[0][1]
    assert "'9' is no gateway: they are numbered from 1 to 5" in found[1][1]
    assert "its own parent" in found[2][1]
    assert "two numbers" in found[3][1]
    assert "a cycle" in found[4][1]


def test_two_roots():
    ((line, said),) = faults("3\n1 2\n")
    assert line == 0
    assert "gateways 1, 3 have no parent" in said


@pytest.mark.parametrize(
    "said", ["", "# nothing\n", "x\n", "0\n", "1 2\n", "-1\n", "99999999999\n", "\u0663\n"]
)
def test_no_number_of_gateways(said):
    assert len(faults(said)) == 1
