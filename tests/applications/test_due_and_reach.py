# SPDX-License-Identifier: Apache-2.0
"""By when events are due and what validities set, places in routes, reach of the radio, a run's begin."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.applications import course
from orchestrator.applications.extension import SettingFault
from orchestrator.applications.model import Application, Course
from orchestrator.applications.reach import Problem, unreached
from orchestrator.applications.routes import Routes
from orchestrator.errors import FaultyInput
from orchestrator.features.distribution import subjects
from orchestrator.features.distribution.subjects import Due, Subject
from orchestrator.scenario.model import Link, LinkedRadioSpec, LogDistanceRadioSpec, RadioSpec
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.parameters import Parameter
from tests.applications.an_application import an_application

S = Node(1, "S", "subscriber", 0.0, 0.0)


def chain(publishers: int, **last) -> Layout:
    nodes = [Node(n + 1, f"P{n}", "publisher", 10.0 * n, 0.0, n) for n in range(1, publishers + 1)]
    if last:
        nodes[-1] = replace(nodes[-1], **last)
    return Layout("chain", (S, *nodes))


# --- by when events are due

CSMA = 816_000  # us: 7 + 15 + 4 * 31 back-off periods of 6 ms
AIR = 4_256
AGGREGATION = {
    "rate": "high",
    "high-max": 2_000_000,
    "low-interval": 9_000_000,
    "jitter": 100_000,
    "timeout": 500_000,
    "aggregate": True,
    "hold": "timeout",
}


def test_what_a_way_takes():
    assert (subjects.BACKOFFS_US, subjects.AIR_US) == (876_000, AIR)


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        ({}, Subject(2_100_000, 3, 500_000, "timeout")),
        ({"rate": "low"}, Subject(9_100_000, 3, 500_000, "timeout")),
        ({"aggregate": False, "hold": "endless"}, Subject(2_100_000, 3, 0, "timeout")),
        ({"hold": "endless"}, Subject(2_100_000, 3, 500_000, "timeout", endless=True)),
    ],
)
def test_what_aggregation_does_with_its_events(changes, subject):
    assert subjects._aggregation(AGGREGATION | changes, chain(3)) == subject
    assert subject.once == 0 and subject.limit is None


def test_what_the_event_service_does_with_its_events():
    values = {
        "interval": 1_000_000,
        "uart-rate": 115_200,
        "usb-latency": 16_000,
        "forwarder": 1_000,
        "processing": 200,
        "tcp-delay": 500,
        "delayed-ack": 40_000,
        "nagle": True,
    }
    two = Layout(
        "boards", (*chain(2).nodes, Node(4, "S2", "subscriber", 0, 0), Node(5, "P9", "publisher", 0, 0, 4))
    )
    line = 1050 * 1_000_000 // 115_200 + 1
    once = 2 * line + 16_000 + 2_000 + 3 * 200 + 2 * (500 + 40_500)
    assert subjects._event_service(values, two) == Subject(1_000_000, 4, once=once)
    plain = subjects._event_service(values | {"nagle": False}, chain(1))
    assert plain == Subject(1_000_000, 2, once=2 * line + 16_000 + 2_000 + 200)


@pytest.mark.parametrize(("phase", "interval"), [("publication", 102_000), ("other", 82_000)])
def test_what_the_blackboard_does_with_its_events(phase, interval):
    values = {"phase": phase, "extra-work": 30_000, "publisher-cost": 2_000, "deadline": 10_000}
    assert subjects._blackboard(values, chain(1)) == Subject(interval, 0, once=20_000, limit=20_000)


@pytest.mark.parametrize(
    ("changes", "deadline", "most", "time_out", "verdict"),
    [
        ({"validity": 0}, None, None, None, None),
        ({"validity": 2_100_000}, None, 1_512_768 + 2_628_000, (0, 0), "not held"),
        ({"validity": 2_100_001}, 1, 1_512_768 + 2_628_000, (0, 0), "not held"),
        ({"validity": 3_612_768}, 1_512_768, 4_140_768, (500_000, 0), "held if the channel is free"),
        ({"validity": 3_612_767}, 1_512_767, 4_140_768, (499_999, 0), "not held"),
        ({"validity": 6_240_768}, 4_140_768, 4_140_768, (1_376_000, 500_000), "held"),
        ({"validity": 6_240_767}, 4_140_767, 4_140_768, (1_375_999, 499_999), "held if the channel is free"),
        ({"validity": 9_000_000, "mac": "nullmac"}, 6_900_000, 1_512_768, (2_295_744, 2_295_744), "held"),
        ({"validity": 9_000_000, "hold": "endless"}, 6_900_000, None, (2_295_744, 1_419_744), "not held"),
    ],
)
def test_by_when_events_have_to_be_there(changes, deadline, most, time_out, verdict):
    values = AGGREGATION | changes
    found = subjects.due("aggregation", values, chain(3))
    if verdict is None:
        assert found is None
        return
    subject = subjects._aggregation(values, chain(3))
    assert found == Due(values["validity"], subject, deadline, 1_512_768, most, time_out, verdict)
    assert subjects.due("mesh", values, chain(3)) is None


@pytest.mark.parametrize(
    ("deadline", "verdict"), [(40_000, "held"), (100_000, "held"), (150_001, "not held")]
)
def test_a_deadline_of_the_application_s_own(deadline, verdict):
    values = {"phase": "x", "extra-work": 0, "publisher-cost": 0, "deadline": deadline, "validity": 210_000}
    assert subjects.due("blackboard-paper", values, chain(1)).verdict == verdict


def setting(**defaults) -> Application:
    kinds = {bool: "bool", str: "text", int: "time"}
    declared = {name: Parameter(name, kinds[type(one)], one) for name, one in defaults.items()}
    declared["timeout"] = Parameter("timeout", "time", 500_000, 1_000, 3_000_000)
    return an_application(parameters=declared)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"set-by-validity": "nothing"}, {}),
        ({"set-by-validity": "if-free", "validity": 3_612_999}, {"timeout": 500_000}),
        ({"set-by-validity": "if-free", "validity": 3_615_768}, {"timeout": 501_000}),
        ({"set-by-validity": "always", "validity": 6_240_768}, {"timeout": 500_000}),
        ({"set-by-validity": "if-free", "validity": 60_000_000}, {"timeout": 3_000_000}),
        ({"set-by-validity": "if-free", "validity": 60_000_000, "aggregate": False}, {}),
    ],
)
def test_the_time_out_that_a_validity_sets(changes, found):
    app = setting(**{**AGGREGATION, "validity": 0, **changes})
    assert subjects.set_by(app, {}, chain(3)) == found


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        ({"validity": 0}, "set-by-validity: there is no validity", "set `validity:`, too"),
        (
            {"validity": 2_115_767},
            "set-by-validity: no timeout keeps events valid for 2115767 us",
            "make them valid for longer; `orchestrate distribution subject` shows what the way takes",
        ),
        (
            {"validity": 90_000_000, "hold": "endless"},
            "set-by-validity: no timeout keeps events valid for 90 s",
            "make them valid for longer; `orchestrate distribution subject` shows what the way takes",
        ),
    ],
)
def test_where_no_time_out_would_do(changes, what, remedy):
    app = setting(**{**AGGREGATION, "set-by-validity": "if-free", **changes})
    with pytest.raises(FaultyInput) as raised:
        subjects.set_by(app, {}, chain(3))
    (fault,) = raised.value.faults
    assert fault == SettingFault(str(app.file), 0, what, remedy, "set-by-validity")


def test_what_is_declared_for_validities():
    assert subjects.VALIDITY == Parameter(
        "validity", "time", 0, 0, 86_400_000_000, help=subjects.VALIDITY.help
    )
    assert subjects.SET.choices == ("nothing", "if-free", "always") and subjects.SET.default == "nothing"
    assert subjects.SETS == {"aggregation": "timeout", "blackboard-paper": "deadline"}


# --- places in routes


def test_a_mote_s_place_in_the_routes():
    nodes = (
        *chain(3).nodes,
        Node(5, "R1", "relay", 0, 0, 1),
        Node(6, "P4", "publisher", 0, 0, 5, topic=2),
        Node(7, "C", "control", 0, 0),
    )
    routes = Routes(Layout("x", nodes))
    assert (routes.root, routes.deepest, routes.ids) == (1, 3, [1, 2, 3, 4, 5, 6, 7])
    assert routes.of(nodes[1]) == {
        "role": "publisher",
        "id": 2,
        "index": 1,
        "parent": 1,
        "children": [3],
        "neighbours": [1, 3],
        "topic": 1,
        "second_parent": 0,
        "second_through": 0,
        "publishers_through": 3,
        "depth": 1,
        "deepest": 3,
        "motes": [1, 3, 4, 5, 6, 7],
    }
    root, relay, far, control = (routes.of(nodes[n]) for n in (0, 4, 5, 6))
    assert (root["children"], root["publishers_through"], root["second_through"]) == ([2, 5], 3, 1)
    assert (relay["index"], relay["publishers_through"], relay["second_through"]) == (0, 0, 1)
    assert (far["index"], far["depth"], far["topic"], far["neighbours"]) == (4, 2, 2, [5])
    assert (control["depth"], control["index"], control["neighbours"]) == (0, 0, [])
    second = (*nodes[:1], replace(nodes[1], second=5), *nodes[2:])
    assert Routes(Layout("x", second)).of(second[1])["neighbours"] == [1, 5, 3]
    assert Routes(Layout("x", second)).of(nodes[4])["children"] == [6, 2]
    assert Routes(Layout("x", (S, Node(2, "P", "publisher", 0, 0)))).of(S)["deepest"] == 0


# --- whether the radio reaches

NEAR = "put the nodes nearer together, or raise radio.range"


@pytest.mark.parametrize(
    ("layout", "radio", "problems"),
    [
        (chain(2), RadioSpec(range_m=10.0), []),
        (chain(2), RadioSpec(range_m=10.0, interference_m=10.0), [("P1 is 10.0 m from its next hop S, the range is 10 m, the interference range is not larger (2 links are too long)", "put the nodes nearer together, or set radio.range above 10 m")]),  # noqa: E501
        (chain(1), RadioSpec(range_m=9.0), [("P1 is 10.000 m from its next hop S, the range is 9 m", "put the nodes nearer together, or set radio.range above 10 m")]),  # noqa: E501
        (chain(2, x=25.5), RadioSpec(range_m=9.0), [("P2 is 15.500 m from its next hop P1, the range is 9 m (2 links are too long)", "put the nodes nearer together, or set radio.range above 16 m")]),  # noqa: E501
        (chain(1, parent=0), RadioSpec(), [("at a range of 50 m P1 has no way to the subscriber", NEAR)]),
        (Layout("x", (S, *(replace(node, parent=0) for node in chain(7).nodes[1:]))), RadioSpec(), [("at a range of 50 m P1, P2, P3, P4, P5 and 2 more have no way to the subscriber", NEAR)]),  # noqa: E501
        (chain(1, second=1, parent=1), RadioSpec(range_m=9.0), [("P1 is 10.000 m from its next hop S, the range is 9 m (2 links are too long)", "put the nodes nearer together, or set radio.range above 10 m")]),  # noqa: E501
    ],
)  # fmt: skip
def test_next_hops_that_the_range_does_not_reach(layout, radio, problems):
    assert unreached(layout, radio) == [Problem("topology", *each) for each in problems]
    assert unreached(layout, radio, hops=False) == []


def linked(*pairs):
    return LinkedRadioSpec(file="l.csv", links=tuple(Link(*pair.split(), 1.0) for pair in pairs))


BOTH = ("S P1", "P1 S", "P1 P2", "P2 P1")


@pytest.mark.parametrize(
    ("layout", "radio", "problems"),
    [
        (chain(2), linked(*BOTH), []),
        (chain(1), linked("S P1", "P1 S", "S X", "Y S"), [("l.csv names X, Y, which the topology does not have", "its nodes: S, P1")]),  # noqa: E501
        (chain(1), linked("S P1"), [("P1 and its next hop S have no link both ways in l.csv", "add P1,S and S,P1")]),  # noqa: E501
        (chain(2), linked("S P1"), [("P1 and its next hop S have no link both ways in l.csv (2 next hops lack links)", "add P1,S and S,P1")]),  # noqa: E501
        (chain(2, parent=0), linked(*BOTH[:2]), [("over the links of l.csv P2 has no way to the subscriber", "add links both ways, with a ratio above 0")]),  # noqa: E501
    ],
)  # fmt: skip
def test_next_hops_that_measured_links_do_not_reach(layout, radio, problems):
    assert unreached(layout, radio) == [Problem("radio", *each) for each in problems]
    assert unreached(layout, radio, hops=False) == [
        Problem("radio", *each) for each in problems if "names" in each[0]
    ]


def test_a_problem_names_no_setting_unless_it_is_told():
    assert Problem("a", "b", "c").setting == ""


# --- when a run begins and ends


@pytest.mark.parametrize(
    ("says", "radio", "value", "begins", "ends", "known"),
    [
        (Course(), RadioSpec(), 0, 0, 0, True),
        (Course(begins=5, outside=7), RadioSpec(), 0, 5, 100 + 5 + 7, True),
        (Course(outside=7), RadioSpec(), 0, 0, 100 + 7, True),
        (Course(begins=5, growth=2), RadioSpec(), 0, 5 + 2 * 9, 100 + 23, True),
        (Course(begins=5, begins_parameter="b"), RadioSpec(), 3, 3, 103, True),
        (Course(begins=5, within=50, within_growth=9), RadioSpec(), 0, 5, 105, True),
        (Course(begins=5, within=50, within_growth=9), RadioSpec(rx_ratio=0.9), 0, 81, 181, False),
        (Course(begins=5, within=50, within_growth=2), RadioSpec(tx_ratio=0.9), 0, 50, 150, False),
        (Course(begins=5, within=50), LogDistanceRadioSpec(), 0, 50, 150, False),
        (Course(begins=5, within=50), linked("S P1"), 0, 5, 105, True),
        (
            Course(begins=5, within=50),
            replace(linked("S P1"), links=(Link("S", "P1", 0.9),)),
            0,
            50,
            150,
            False,
        ),
        (Course(within=50, begins_parameter="b"), RadioSpec(rx_ratio=0.9), 4, 4, 104, True),
    ],
)
def test_when_a_run_begins_and_ends(says, radio, value, begins, ends, known):
    app = an_application(course=says, parameters={"b": Parameter("b", "time", value)})
    cell = SimpleNamespace(
        radio=radio,
        application=SimpleNamespace(parameters={}),
        start_delay_us=100,
        duration_us=1000,
        drain_us=10,
    )
    found = course.course(app, chain(3), cell)
    assert found == course.CellCourse(begins, ends + 1010, known)
    if not known:
        assert course.course(replace(app, success_line=None), chain(3), cell).is_known
