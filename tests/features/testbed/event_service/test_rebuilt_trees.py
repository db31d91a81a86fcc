# SPDX-License-Identifier: Apache-2.0
"""Beyond the thesis: gateways fail, the tree is rebuilt without them and with them again, while calls and
events are under way.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service.controller import Controller, Formed, Instruct
from orchestrate_testbed.gateway.event_service.messages import Relation
from orchestrate_testbed.gateway.event_service.router import Router
from orchestrate_testbed.gateway.event_service.topology import Tree, parse

from tests.features.testbed.event_service.gateways import Gateways
from tests.features.testbed.event_service.test_gateway_tables import EVENTS, trees
from tests.tier import examples

REMEMBERS = 1000


class Rebuilt(Gateways):
    """Gateways whose controller gives lost ones up; `relations` are on their way to gateways."""

    def __init__(self, tree: Tree):
        super().__init__(tree)
        self.routers = {node: Router(remembers=REMEMBERS) for node in tree.nodes}
        self.controller = Controller(tree)
        self.dead: dict[int, Router] = {}
        self.parent: dict[int, int | None] = {}  # as each gateway was told last
        self.told: list[Instruct] = []
        self.pairs: set[tuple[int, int]] = set()
        for way in list(self.under_way):
            del self.under_way[way]
        for node in tree.nodes:
            self.hear(self.controller.connected(str(node)))

    def hear(self, outputs) -> None:
        self.told += [each for each in outputs if not isinstance(each, Formed)]

    def tell(self, number: int) -> None:
        """A gateway learns its next place: it leaves its former parent and joins the new one."""
        node = self.told[number].node
        told = self.told.pop(next(at for at, each in enumerate(self.told) if each.node == node))
        if told.node in self.dead:
            return
        old, new = self.parent.get(told.node), told.relation.parent
        if old != new and old is not None:
            self.part(told.node, old)
        self.parent[told.node] = new
        self.join(told.node)

    def join(self, node: int) -> None:
        parent = self.parent.get(node)
        alive = parent is not None and parent not in self.dead and node not in self.dead
        if alive and (node, parent) not in self.pairs:
            self.pairs.add((node, parent))
            self.connect(node, parent)

    def part(self, node: int, parent: int) -> None:
        if (node, parent) in self.pairs:
            self.pairs.discard((node, parent))
            self.cut(node, parent)

    def fail(self, node: int) -> None:
        for pair in [pair for pair in self.pairs if node in pair]:
            self.part(*pair)
        kept = self.routers[node].kept()
        self.dead[node] = Router(registrations=kept, remembers=REMEMBERS)
        self.parent.pop(node, None)
        self.told = [each for each in self.told if each.node != node]
        self.hear(self.controller.lost(node))

    def come_back(self, node: int) -> None:
        self.routers[node] = self.dead.pop(node)
        self.hear(self.controller.back(node, str(node)))
        for other in self.tree.nodes:
            self.join(other)

    def end(self, draw) -> None:
        """Everything that is under way arrives; who is dead has been given up."""
        for node in self.dead:
            self.hear(self.controller.given_up(node))
        while self.told:
            self.tell(draw(st.integers(0, len(self.told) - 1)))
        self.settle()


def living(gateways: Rebuilt) -> list[int]:
    return [node for node in gateways.tree.nodes if node not in gateways.dead]


@settings(max_examples=examples(150), deadline=None)
@given(trees(), st.data())
def test_nothing_is_lost_but_what_was_under_way_and_nothing_comes_twice(tree, data):
    gateways, draw, numbers, calls = Rebuilt(tree), data.draw, {}, {}
    for _ in range(draw(st.integers(0, 50))):
        node, event = draw(st.sampled_from(tree.nodes)), draw(st.sampled_from(EVENTS))
        kind = draw(
            st.sampled_from(["message", "message", "told", "told", "subscribe", "push", "fail", "back"])
        )
        if kind == "message" and gateways.busy:
            gateways.step(draw(st.sampled_from(gateways.busy)))
        elif kind == "told" and gateways.told:
            gateways.tell(draw(st.integers(0, len(gateways.told) - 1)))
        elif kind == "fail" and node not in gateways.dead:
            gateways.fail(node)
            if draw(st.booleans()):
                gateways.hear(gateways.controller.given_up(node))
        elif kind == "back" and node in gateways.dead:
            gateways.come_back(node)
        elif kind == "subscribe" and node not in gateways.dead:
            gateways.subscribe(node, 10 * node, event)
            calls.setdefault(node, set()).add((10 * node, event))
        elif kind == "push" and node not in gateways.dead:
            numbers[node] = numbers.get(node, 0) + 1
            gateways.push(node, 100 * node, numbers[node], event)
        assert len(gateways.pairs) < tree.size, "a cycle"
    gateways.end(draw)
    assert len(gateways.delivered) == len(set(gateways.delivered)), "an event came twice"
    for node in living(gateways):
        assert set(gateways.routers[node].subscribe) == calls.get(node, set()), "a call is lost"
    # Every gateway that is left is reached from every other one.
    del gateways.delivered[:]
    for node in living(gateways):
        gateways.push(node, 100 * node, 60_000, "temp")
    gateways.settle()
    assert sorted(gateways.delivered) == sorted(
        (there, "temp", 100 * node, 60_000, 10 * there)
        for node in living(gateways)
        for there in living(gateways)
        if (10 * there, "temp") in calls.get(there, set())
    )


@given(trees(), st.data())
def test_in_any_rebuilt_tree_parents_come_first(tree, data):
    lost = data.draw(st.sets(st.sampled_from(tree.nodes)))
    order = {node: place for place, node in enumerate(tree.from_root())}
    parents = tree.without(lost)
    assert set(parents) == set(tree.nodes) - lost
    assert sum(parent is None for parent in parents.values()) == (1 if parents else 0)
    assert all(parent is None or order[parent] < order[node] for node, parent in parents.items())


def test_children_of_a_lost_gateway_go_to_its_parent_and_those_of_the_root_to_the_first():
    tree = parse("5\n1 2\n1 3\n2 4\n2 5\n")
    assert tree.without({2}) == {1: None, 3: 1, 4: 1, 5: 1}
    assert tree.without({1}) == {2: None, 3: 2, 4: 2, 5: 2}
    assert tree.without({1, 2}) == {3: None, 4: 3, 5: 3}
    assert tree.without(set()) == {1: None, 2: 1, 3: 1, 4: 2, 5: 2}


def formed(text: str) -> Controller:
    controller = Controller(parse(text))
    for number in range(controller.tree.size):
        controller.connected("abcdef"[number])
    for node in controller.tree.nodes:
        controller.established(node)
    return controller


def test_only_who_has_another_place_is_told():
    controller = formed("4\n1 2\n1 3\n2 4\n")
    assert controller.given_up(2) == [], "it isn't lost"
    controller.lost(2)
    told = {one.node: one.relation for one in controller.given_up(2)}
    assert told == {1: Relation(1, None, None, (3, 4)), 4: Relation(4, 1, "a", ())}
    assert not controller.formed
    controller.established(1)
    assert controller.established(4) == [Formed()] and controller.waiting() == ""
    assert controller.given_up(2) == [], "it is given up already"
    told = {one.node: one.relation for one in controller.back(2, "z")}
    assert told == {
        1: Relation(1, None, None, (2, 3)),
        2: Relation(2, 1, "a", (4,)),
        4: Relation(4, 2, "z", ()),
    }


def test_before_all_have_connected_there_is_nothing_to_rebuild():
    controller = Controller(parse("3\n1 2\n2 3\n"))
    controller.connected("a")
    controller.lost(1)
    assert controller.given_up(1) == [] and controller.back(1, "z") == []
    controller.connected("b")
    assert [one.relation.parent_address for one in controller.connected("c")] == [None, "z", "b"]
