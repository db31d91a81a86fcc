# SPDX-License-Identifier: Apache-2.0
"""Every fault of many faulty scenarios, word by word, in faults.expected; what is declared, and the schema.

What changed in faults.expected is to be read as a user would before it is recorded anew: what a scenario's
faults are called is all that its author gets.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.scenario import schema, settings
from orchestrator.scenario.load import loads
from orchestrator.scenario.matrix import MatrixReader
from orchestrator.scenario.model import (
    Cell,
    EngineOptions,
    FirmwareOptions,
    Link,
    LinkedRadioSpec,
    LogDistanceRadioSpec,
    OwnTopologySpec,
    PolicySpec,
    RadioSpec,
    Scenario,
    TopologySpec,
)
from orchestrator.vocabulary import document
from orchestrator.vocabulary.faults import Faults
from tests.scenario.conftest import APPLICATIONS
from tests.scenario.probe_scenario import BASE
from tests.scenario.test_scenario_load import test_a_fault_in_what_every_scenario_has as of_all
from tests.scenario.test_scenario_load import test_one_fault_one_message as of_one

EXPECTED = Path(__file__).with_name("faults.expected")


def _cases(test) -> list[tuple]:
    return [tuple(case) for case in test.pytestmark[0].args[1]]


ADDED = [
    "topology: {shape: nothing}",
    "matrix:\n  topology.shape: [nothing]",
    "matrix:\n  A b: [1]",
    "matrix:\n  load: 5",
    "matrix:\n  load: []",
    "matrix:\n  experiment: [a]",
    "matrix:\n  drain: [[1]]",
    "matrix:\n  drain: [5 s, {label: X, value: [1]}]",
    "matrix:\n  drain: [5 s]\n  exclude: x",
    "matrix:\n  drain: [5 s]\n  exclude: [x, {}]",
    "matrix:\n  drain: [5 s, 6 s]\n  exclude: [{drain: [5 s, 7 s, 8 s]}]",
    "matrix:\n  drain: [5 s]\n  include: x",
    "matrix:\n  drain: [5 s]\n  include: [x, {}]",
    "matrix:\n  drain: [5 s]\n  include: [" + ",".join("{label: X}" for _ in range(2001)) + "]",
    "matrix:\n  engine: [embedded, cooja-9]",
    "matrix:\n  firmware.tree: [a]",
    "matrix:\n  include: [{label: A, topology.shape: star}]\ntopology: 5",
    "matrix:\n  drain: [5 s]\nseeds: 1..60000",
    "firmware: {image: x, memory: 1 GB, time: 5 min}",
    "firmware: {tree: x, compile: as-is}",
    "firmware: {source: contiki-ng, sources: y}",
    "firmware: {builder: nobody, memory: 1}",
    "firmware: docker",
    "engine: [a]",
    "engine: {heap: 1 MB, plain: 5}",
    "application: {name: probe-app, rates: high}",
    "radio: {medium: directed-graph}",
    "radio: {medium: directed-graph, links: none.csv, range: 5 m}",
    "radio: {medium: log-distance, range: 5 m, exponent: 0}",
    "radio: {medium: udgm, capture: 3}",
    "radio: {links: none.csv}",
    "metrics: {a: b}",
    "metrics: ['', [b]]",
    "metrics: [./x.py, x.py]",
    "topology: {shape: positions, file: ../x.csv}",
    "topology: {shape: positions, file: x.csv}",
    "topology: {shape: ./ring.py}",
    "application: {name: ./mine}",
    "application: [a]",
    "duration: 0 s",
]


def told(text: str) -> str:
    try:
        loads(text, "x.yaml")
    except FaultyInput as faulty:
        return "\n".join(map(str, faulty.faults)).replace(f"{APPLICATIONS}/", "")
    return "no fault"


def without_the_twice_set(change: str) -> str:
    """The base with a section in the place of its own."""
    lines = BASE.splitlines(keepends=True)
    keys = [line.partition(":")[0] + ":" for line in change.splitlines() if not line.startswith(" ")]
    return "".join(line for line in lines if line.partition(":")[0] + ":" not in keys) + change + "\n"


def every() -> dict[str, str]:
    texts = {change: BASE + change + "\n" for change, *_ in _cases(of_one)}
    texts |= {f"{old} -> {new}": BASE.replace(old, new) for old, new, *_ in _cases(of_all)}
    texts |= {f"with {change}": without_the_twice_set(change) for change in ADDED}
    return {name[:100]: told(text) for name, text in texts.items()}


def written(found: dict[str, str]) -> str:
    return "".join(f"=== {name}\n{text}\n" for name, text in found.items())


def test_faults_are_told_as_they_were():
    found, recorded = every(), EXPECTED.read_text(encoding="utf-8")
    blocks = recorded.split("=== ")[1:]
    for block, (name, text) in zip(blocks, found.items(), strict=True):
        assert f"{name}\n{text}\n" == block


def declared() -> str:
    return "\n".join(
        f"{path}: {one.type} {one.default} {one.minimum} {one.maximum} {' '.join(one.choices)}".rstrip()
        for path, one in (settings.FIXED | settings.MACHINE).items()
    )


DECLARED = """\
radio.medium: choice udgm None None udgm udgm-constant-loss directed-graph log-distance
radio.links: file  None None
radio.range: length 50.0 0.01 100000.0
radio.interference: length 100.0 0.0 100000.0
radio.tx: ratio 1.0 0.0 1.0
radio.rx: ratio 1.0 0.0 1.0
radio.reference: number -40.0 -200.0 50.0
radio.exponent: number 3.0 0.1 20.0
radio.shadowing: number 0.0 0.0 40.0
radio.asymmetry: number 0.0 0.0 40.0
radio.sensitivity: number -90.0 -200.0 50.0
radio.width: number 1.0 0.0 40.0
radio.capture: number 3.0 0.0 100.0
radio.bitrate: rate 250000 250000 250000
duration: time None 1000000 3888000000000
drain: time 10000000 0 86400000000
start-delay: time 1000000 0 2147000000
engine.name: choice embedded None None embedded cooja testbed
engine.rules: choice 5.0 None None 5.0 2026.07
trace: bool False None None
engine.path: text  None None
engine.image: text  None None
engine.plain: bool False None None
engine.heap: size 2000000000 64000000 1000000000000
firmware.source: choice embedded None None embedded contiki-ng
firmware.builder: choice host None None host docker
firmware.image: text  None None
firmware.tree: text  None None
firmware.compile: choice fast None None fast as-is
firmware.memory: size None 64000000 1000000000000
firmware.time: time None 1000000 86400000000"""


def test_settings_are_declared_as_they_were():
    assert declared() == DECLARED


SCHEMA = "885760d20c98"


def short(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:12]


def known_schema(patch) -> dict:
    """Of two shapes and the tests' application, whatever else is installed."""
    patch.setattr(schema, "SHAPES", {name: schema.SHAPES[name] for name in ("chain", "mesh", "positions")})
    return schema.schema()


def test_the_schema_is_as_it_was(monkeypatch):
    assert short(known_schema(monkeypatch)) == SCHEMA


def test_defaults():
    assert (Link("a", "b", 1.0), LinkedRadioSpec()) == (
        Link("a", "b", 1.0, -10.0, 105, 0, -1),
        LinkedRadioSpec("directed-graph", 50.0, 100.0, 1.0, 1.0, "", ()),
    )
    assert LogDistanceRadioSpec() == LogDistanceRadioSpec(
        "log-distance", 50.0, 100.0, 1.0, 1.0, -40.0, 3.0, 0.0, 0.0, -90.0, 1.0, 3.0
    )
    assert RadioSpec().reach == 50.0 and LinkedRadioSpec().reach == ()
    assert (TopologySpec("a"), OwnTopologySpec("a")) == (
        TopologySpec("a", {}),
        OwnTopologySpec("a", {}, "", (), {}),
    )
    assert PolicySpec("a") == PolicySpec("a", {}, "", {}) and PolicySpec("a").where == "a"
    assert PolicySpec("a", folder="/f").where == "/f"
    assert EngineOptions() == EngineOptions(None, None, None, None, False, None, None)
    assert FirmwareOptions() == FirmwareOptions("embedded", "host", None, None, None, None, "fast")
    assert Scenario("e", (), (), "t") == Scenario("e", (), (), "t", (), EngineOptions(), FirmwareOptions())


@pytest.mark.parametrize(
    ("cell", "made"),
    [
        ((None, None), ("contiki-ng", "docker", "i", "t", "as-is")),
        (("embedded", None), ("embedded", "docker", "i", None, "fast")),
        ((None, "host"), ("contiki-ng", "host", None, "t", "as-is")),
        (("embedded", "host"), ("embedded", "host", None, None, "fast")),
    ],
)
def test_options_of_a_cell_s_firmware(cell, made):
    options = FirmwareOptions("contiki-ng", "docker", "i", "t", 5, 6.0, "as-is")
    scenario = Scenario("e", (), (), "", firmware=options)
    source, builder = cell
    one = Cell("a", {}, None, None, None, 1, 1, 1, None, "embedded", False, source, builder)
    found = scenario.firmware_of(one)
    assert (found.source, found.builder, found.image, found.tree, found.compile) == made
    assert (found.memory, found.seconds) == (5, 6.0)


def drafts(text: str):
    faults = Faults("x")
    reader = MatrixReader(faults, lambda path: path in ("a.x", "b.x", "b.y", "c"), ["a.x"])
    made = reader.drafts(document.parse(text, faults))
    assert len(faults) == 0
    return made


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("c: [1]", ["1"]),
        ("c: [x]", ["c=x"]),
        ("a.x: [1]\nb.x: [2]", ["a.x=1,b.x=2"]),
        ("a.x: [1]\nb.y: [2]", ["x=1,y=2"]),
        ("a.x: [{label: A, value: 1}]\nb.y: [2, 10]", ["A2", "A10"]),
        ("a.x: [1]\nload: [{label: H, b.y: 5}, {label: '', b.y: 6}]\nc: [7]", None),
        ("a.x: [-1.5, +2]", ["-1.5", "+2"]),
        ("load: [{label: '', b.y: 5}]", ["base"]),
        ("c: [1 0]", ["c=10"]),
        ("include: [{label: A, c: 5 s}, {c: 5 s, a.x: 1}]", ["A", "c=5s,a.x=1"]),
        ("c: [1]\ninclude: [{label: A, c: 5}]", ["1", "A"]),
        ("c: [1, 2, 3]\nexclude: [{c: 2}]", ["1", "3"]),
        ("c: [{label: A, value: 1}, {label: B, value: 2}]\nexclude: [{c: A}]", ["B"]),
        ("c: [{label: A, value: 1}, {label: B, value: 2}]\nexclude: [{c: 2}]", ["A"]),
        (
            "load: [{label: H, b.y: 5}, {label: L, b.y: 6}]\nc: [1, 2]\nexclude: [{b.y: 5, c: 1}]",
            ["H2", "L1", "L2"],
        ),
    ],
)
def test_names_of_cells(text, names):
    made = [draft.name for draft in drafts(text)]
    assert made == (names or ["x=1,load=H,c=7", "x=1,load=,c=7"])


def test_drafts_have_the_matrix_s_line_and_their_settings():
    assert [
        (one.name, one.settings, one.line, one.chosen)
        for one in MatrixReader(Faults("x"), bool, []).drafts(None)
    ] == [("base", {}, 0, {})]
    one, other = drafts("c: [{label: A, value: 5}]\ninclude:\n  - {label: B, a.x: 1}")
    assert (one.line, {path: node.text for path, node in one.settings.items()}) == (1, {"c": "5"})
    assert (other.line, {path: node.text for path, node in other.settings.items()}) == (3, {"a.x": "1"})
    assert one.chosen["c"].label == "A" and other.chosen == {}


def test_validate_as_it_is_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = BASE.replace("probe-app", "probe-app, delay: 1 s")
    (tmp_path / "x.yaml").write_text(text)
    assert main(["validate", "x.yaml"]) == 0
    one = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert one[:3] == [
        "trial: 1 cell x 3 seeds = 3 runs, 47.0 simulated minutes",
        "cell base (7 motes):",
        "topology.shape chain",
    ]
    assert "application.delay 1 s" in one and "engine.rules 5.0" in one and len(one) == 27
    (tmp_path / "x.yaml").write_text(
        text + "matrix:\n  topology.publishers: [5, 6]\n  engine: [embedded, cooja]\n"
    )
    assert main(["validate", "x.yaml"]) == 0
    several = capsys.readouterr().out.splitlines()
    assert (
        several[0] == "trial: 4 cells x 3 seeds = 12 runs, 188.2 simulated minutes"
        and several[1] == "in every cell:"
    )
    cells = several[several.index("cells:") :]
    assert [" ".join(line.split()) for line in cells[3:]] == [
        "publishers=5,engine=embedded 7 topology.publishers=5, engine.name=embedded, engine.rules=5.0",
        "publishers=5,engine=cooja 7 topology.publishers=5, engine.name=cooja, engine.rules=as its Cooja's",
        "publishers=6,engine=embedded 8 topology.publishers=6, engine.name=embedded, engine.rules=5.0",
        "publishers=6,engine=cooja 8 topology.publishers=6, engine.name=cooja, engine.rules=as its Cooja's",
    ]
    (tmp_path / "x.yaml").write_text(text.replace("seeds: 1..3\n", "sed: 5\n"))
    assert main(["validate", "x.yaml"]) == 3
    assert capsys.readouterr().err.endswith("1 fault in x.yaml\n")


@pytest.mark.parametrize(
    ("radio", "shown"),
    [
        (
            "range: 60 m, tx: 90 %",
            {"medium": "udgm", "range": "60 m", "interference": "100 m", "tx": "90 %", "rx": "100 %"},
        ),
        (
            "medium: log-distance, capture: 4",
            {
                "medium": "log-distance",
                "reference": "-40.0",
                "exponent": "3.0",
                "shadowing": "0.0",
                "asymmetry": "0.0",
                "sensitivity": "-90.0",
                "width": "1.0",
                "capture": "4.0",
            },
        ),
        ("medium: directed-graph, links: l.csv", {"medium": "directed-graph", "links": "l.csv"}),
    ],
)
def test_validate_tells_a_medium_s_own_settings(tmp_path, capsys, monkeypatch, radio, shown):
    monkeypatch.chdir(tmp_path)
    motes = [*"SC", "P1"]
    links = [f"{one},{other},1" for one in motes for other in motes if one != other]
    (tmp_path / "l.csv").write_text("from,to,ratio\n" + "\n".join(links))
    (tmp_path / "x.yaml").write_text(BASE.replace("publishers: 5", "publishers: 1") + f"radio: {{{radio}}}\n")
    assert main(["validate", "x.yaml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    resolved = told["cells"][0]["resolved"]
    assert {path.removeprefix("radio."): text for path, text in resolved.items() if "radio." in path} == shown
    assert told["cells"][0]["simulated_at_most"] is False and told["seeds"] == 3
