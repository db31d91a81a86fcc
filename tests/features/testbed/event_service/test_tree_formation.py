# SPDX-License-Identifier: Apache-2.0
"""Section 5.1: gateways connect, the controller instructs them, they join; in any order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service.controller import Controller, Formed, Instruct
from orchestrate_testbed.gateway.event_service.member import Connect, Established, Member
from orchestrate_testbed.gateway.event_service.messages import Relation
from orchestrate_testbed.gateway.event_service.readings import Readings
from orchestrate_testbed.gateway.event_service.topology import parse

from tests.features.testbed.event_service.test_gateway_tables import trees
from tests.tier import examples


class Formation:
    """Controller and members; `pending` are things that can happen next, in any order."""

    def __init__(self, tree, formation: str):
        self.controller = Controller(tree, Readings(formation=formation))
        self.members = {node: Member() for node in tree.nodes}
        self.pending, self.formed = [], 0
        for node in tree.nodes:
            self.heard(self.controller.connected(f"10.0.0.{node}"))

    def heard(self, outputs, node=None):
        for output in outputs:
            if isinstance(output, Formed):
                self.formed += 1
            else:
                self.pending.append((node, output))

    def happen(self, number: int) -> None:
        node, output = self.pending.pop(number)
        if isinstance(output, Instruct):
            self.heard(self.members[output.node].told(output.relation), output.node)
        elif isinstance(output, Established):
            self.heard(self.controller.established(output.node))
        else:
            assert output.address == f"10.0.0.{output.parent}"
            self.heard(self.members[node].connected(output.parent), node)
            self.heard(self.members[output.parent].connected(node), output.parent)


@settings(max_examples=examples(60), deadline=None)
@given(trees(), st.data())
def test_any_tree_forms_in_any_order(tree, data):
    formation = Formation(tree, "at-once")
    while formation.pending:
        formation.happen(data.draw(st.integers(0, len(formation.pending) - 1)))
    assert formation.formed == 1
    assert formation.controller.formed
    assert formation.controller.waiting() == ""
    assert all(member.established for member in formation.members.values())


@settings(max_examples=examples(30), deadline=None)
@given(trees())
def test_as_written_it_waits_for_itself_unless_there_is_one_gateway(tree):
    formation = Formation(tree, "as-written")
    while formation.pending:
        formation.happen(0)
    assert formation.formed == (tree.size == 1)


def test_what_it_waits_for_is_said():
    formation = Formation(parse("3\n1 2\n1 3\n"), "as-written")
    while formation.pending:
        formation.happen(0)
    assert formation.controller.waiting() == (
        "gateway 1 has not answered: it waits for 2, 3 to connect, "
        "which the controller tells only after its answer"
    )
    assert Controller(parse("2\n1 2\n")).waiting() == "2 of 2 gateways have not connected to the controller"


def test_ids_in_the_order_of_connection_and_nobody_too_many():
    controller = Controller(parse("2\n1 2\n"))
    assert controller.connected("b") == []
    outputs = controller.connected("a")
    assert controller.addresses == {1: "b", 2: "a"}
    assert [output.relation for output in outputs] == [Relation(1, None, None, (2,)), Relation(2, 1, "b", ())]
    with pytest.raises(ValueError, match="has 2 gateways"):
        controller.connected("c")


def test_an_answer_before_the_question_is_refused_and_one_that_comes_again_is_not_counted():
    controller = Controller(parse("1\n"))
    with pytest.raises(ValueError, match="before it was told"):
        controller.established(1)
    controller.connected("a")
    assert controller.established(1) == [Formed()]
    assert controller.established(1) == []


def test_a_gateway_that_comes_back_elsewhere_is_told_again_and_so_are_its_children():
    controller = Controller(parse("3\n1 2\n2 3\n"))
    for address in "abc":
        controller.connected(address)
    for node in (1, 2, 3):
        controller.established(node)
    controller.lost(2)
    assert not controller.formed
    told = controller.back(2, "z")
    assert [(one.node, one.relation.parent_address) for one in told] == [(2, "a"), (3, "z")]


def test_a_lost_parent_is_called_again_and_a_lost_child_is_waited_for():
    member = Member()
    assert member.expects(9), "it was told nothing yet"
    assert member.told(Relation(2, 1, "a", (3,))) == [Connect(1, "a")]
    assert member.connected(3) == []
    assert member.connected(1) == [Established(2)]
    assert member.connected(1) == []
    assert member.lost(3) == []
    assert member.lost(1) == [Connect(1, "a")]
    assert not member.expects(9)
