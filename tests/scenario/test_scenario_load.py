# SPDX-License-Identifier: Apache-2.0
"""Scenario files: what they mean, and every fault of a bad one at once, with its line."""

import dataclasses
import json

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import AS_IS, EngineOptions, FirmwareOptions, RadioSpec
from tests.scenario.probe_scenario import BASE, faults


def test_everything_that_a_scenario_says():
    scenario = loads(
        """
experiment: chain-aggregation
topology: {shape: chain, publishers: 4, spacing: 40 m}
radio: {medium: udgm, range: 45 m, interference: 90 m, tx: 99 %, rx: 0.95, bitrate: 250 kbit/s}
application: {name: probe-app, rate: low, aggregate: false, delay: 250 ms}
duration: 15 min
drain: 20 s
start-delay: 2 s
seeds: [7, 1..3]
engine: {name: embedded, rules: 2026.07}
trace: true
""",
        "x.yaml",
    )
    assert scenario.experiment == "chain-aggregation"
    assert scenario.seeds == (7, 1, 2, 3)
    (cell,) = scenario.cells
    assert (cell.name, cell.settings) == ("base", {})
    assert (cell.topology.shape, cell.topology.parameters) == ("chain", {"publishers": 4, "spacing": 40.0})
    assert dataclasses.astuple(cell.radio) == ("udgm", 45.0, 90.0, 0.99, 0.95)
    assert cell.application.name == "probe-app"
    assert cell.application.parameters == {
        "rate": "low", "aggregate": False, "delay": 250_000, "reach": 5.0, "share": 0.5, "bitrate": 250_000,
        "count": 3, "mac": "csma",
    }  # fmt: skip
    assert (cell.duration_us, cell.drain_us, cell.start_delay_us) == (900_000_000, 20_000_000, 2_000_000)
    assert (cell.engine, cell.ruleset, cell.trace) == ("embedded", "2026.07", True)


def test_what_it_says_of_the_machine_is_of_all_cells_and_paths_are_its_folders(tmp_path):
    firmware = "source: contiki-ng, builder: docker, image: mine, tree: ../ng, compile: as-is, memory: 1 GB"
    made = loads(
        f"{BASE}firmware: {{{firmware}, time: 2 min}}\nengine: {{name: cooja, path: ../cooja, heap: 3 GB}}\n",
        "x.yaml",
        tmp_path,
    )
    assert made.firmware == FirmwareOptions(
        "contiki-ng", "docker", "mine", f"{tmp_path}/../ng", 1_000_000_000, 120.0, AS_IS
    )
    assert made.engine == EngineOptions(path=f"{tmp_path}/../cooja", heap=3_000_000_000)
    in_image = loads(
        f"{BASE}firmware: {{source: contiki-ng, builder: docker, tree: image}}\n", "x.yaml", tmp_path
    )
    assert in_image.firmware == FirmwareOptions("contiki-ng", "docker", tree="image")
    assert loads(BASE, "x.yaml").firmware == FirmwareOptions()


def test_defaults_are_coojas_and_the_documented_ones():
    (cell,) = loads(BASE, "x.yaml").cells
    assert dataclasses.astuple(cell.radio) == ("udgm", 50.0, 100.0, 1.0, 1.0) and cell.radio == RadioSpec()
    assert (cell.drain_us, cell.start_delay_us, cell.ruleset, cell.trace) == (
        10_000_000,
        1_000_000,
        "5.0",
        False,
    )
    assert cell.topology.parameters == {"publishers": 5, "spacing": 5.0}


def test_a_cell_can_be_written_as_json():
    json.dumps([dataclasses.asdict(cell) for cell in loads(BASE, "x.yaml").cells])


@pytest.mark.parametrize(
    ("change", "line", "what", "remedy"),
    [
        ("trace: yes", 6, "'yes' is neither true nor false", "true or false"),
        ("trace: {a: 1}", 6, "trace is a mapping", "one value"),
        ("trace:", 6, "trace has no value", "remove the line"),
        ("trace: false\ntrace: true", 7, "'trace' is set twice (first in line 6)", "keep one"),
        ("engine: cooja-9", 6, "not one of its choices", "embedded"),
        ("engine: {name: embedded, rules: 4.9}", 6, "'4.9'", "2026.07"),
        ("engine: {nmae: embedded}", 6, "engine has no setting 'nmae'", "did you mean name?"),
        ("radio: {bitrate: 19.2 kbit/s}", 6, "out of range", "only 250 kbit/s"),
        ("radio: 50 m", 6, "radio is one value", "{range: 50 m"),
        ("radio: {interference: -1 m}", 6, "out of range", "0 m to"),
        ("start-delay: 1 h", 6, "out of range", "2147 s"),
        ("drian: 5 s", 6, "'drian' is unknown", "did you mean drain?"),
        ("\tdrain: 5 s", 6, "a tab where YAML wants spaces", "indent with spaces"),
        ("drain: 'x", 6, "not YAML", "quotes"),
        ("drain: &a [*a]", 6, "'*a' names nothing", "write the value out"),
        ("drain: !!python/object:os.system 5 s", 6, "tag", "remove it"),
        ("? [drain]\n: 5 s", 6, "a list as a name", "one word"),
        ("---\nexperiment: two", 6, "a second document", "---"),
        ("matrix: [1, 2]", 6, "matrix is a list", "a mapping"),
        ("matrix:\n  topology.publishers: 7", 7, "no list of values", "[one, another]"),
        ("matrix:\n  topology.publishers: []", 7, "no list of values", "[one, another]"),
        ("matrix:\n  topology.publihsers: [1]", 7, "no parameter 'publihsers'", "did you mean publishers?"),
        ("matrix:\n  radio.rnage: [1 m]", 7, "'radio.rnage' is not a setting", "did you mean radio.range?"),
        ("matrix:\n  seeds: [1, 2]", 7, "seeds is not an axis", "outside the matrix"),
        ("matrix:\n  topology.publishers: [5, five]", 7, "'five' is not a whole number", "without a unit"),
        ("matrix:\n  topology.publishers: [5, 5]", 7, "'5' twice", "remove one"),
        ("matrix:\n  load: [{label: A, duration: 5}]", 7, "duration: 5 has no unit", "5 min"),
        (
            "matrix:\n  load: [{label: A, duratoin: 5 s}]",
            7,
            "'duratoin' is not a setting",
            "did you mean duration?",
        ),
        ("matrix:\n  load: [{duration: 5 s}]", 7, "has no label", "label:"),
        ("matrix:\n  load: [{label: a/b, duration: 5 s}]", 7, "'a/b' is not a valid label", "letters"),
        ("matrix:\n  load: [{label: [A], duration: 5 s}]", 7, "a list is not a valid label", "letters"),
        ("matrix:\n  load: [{label: A, duration: [1]}]", 7, "duration is a list", "one value"),
        ("matrix:\n  drain: [{label: A, value: 5 s, more: 1}]", 7, "'more' beside a value", "nothing else"),
        ("matrix:\n  drain: [{label: A}]", 7, "not a value", "value: ..."),
        (
            "matrix:\n  drain: [5 s]\n  x: [{label: A, drain: 6 s}]",
            8,
            "drain is set by axis x and by axis drain",
            "one axis",
        ),
        ("matrix:\n  drain: [5 s]\n  exclude: [{drain: 6 s}]", 8, "axis drain has no '6 s'", "5 s"),
        ("matrix:\n  drain: [5 s]\n  exclude: [{dain: 5 s}]", 8, "no axis 'dain'", "did you mean drain?"),
        ("matrix:\n  drain: [5 s]\n  exclude: [{drain: 5 s}]", 7, "leaves no cell", "exclude less"),
        (
            "matrix:\n  drain: [5 s, 6 s]\n  exclude: [{drain: 5 s}, {drain: []}]",
            8,
            "matches no cell",
            "remove it",
        ),
        (
            "matrix:\n  drain: [5 s]\n  include: [{label: drain=5s, drain: 7 s}]",
            8,
            "two cells are named drain=5s",
            "labels",
        ),
        (
            "matrix:\n  drain: [5 s]\n  include: [{label: X, drian: 7 s}]",
            8,
            "'drian' is not a setting",
            "did you mean drain?",
        ),
        ("matrix:\n  topology.publishers: [5, 60000]", 7, "out of range", "1 to 9999"),
        ("matrix:\n  topology.spacing: [5 m, 60 m]", 7, "from its next hop", "radio.range above 60 m"),
        ("matrix:\n  radio.range: [50 m, 2 m]", 7, "the range is 2 m (5 links", "radio.range above 5 m"),
        ("matrix:\n  application.delay: [0 s, 1 us]", 7, "delay_ms is 1 us, no whole number of ms", "unit"),
    ],
)
def test_one_fault_one_message(change, line, what, remedy):
    (found,) = faults(BASE + change + "\n")
    assert found[0] == line
    assert what in found[1]
    assert remedy in found[2]


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "remedy"),
    [
        ("experiment: trial\n", "", 1, "no experiment", "experiment:"),
        ("experiment: trial", "experiment: ../up", 1, "is not a valid name", "letters"),
        ("duration: 15 min\n", "", 1, "no duration", "duration: ..."),
        ("duration:", "duratoin:", 4, "'duratoin' is unknown", "did you mean duration?"),
        ("seeds: 1..3\n", "", 1, "no seeds", "1..30"),
        ("1..3", "3..1", 5, "runs backwards", "1..3"),
        ("1..3", "[1, 1]", 5, "seed 1 appears twice", "once"),
        ("1..3", "1..3000000000", 5, "out of range", "2147483647"),
        ("1..3", "1..2000000000", 5, "2000000000 seeds", "100000"),
        ("1..3", "many", 5, "'many' is not a seed", "1..30"),
        ("1..3", "[]", 5, "no seeds", "1..30"),
        ("1..3", "{a: b}", 5, "seeds is a mapping", "1..30"),
        (
            "1..3",
            "1..3\nmatrix:\n  drain: [" + ",".join(f"{n} s" for n in range(2001)) + "]",
            7,
            "2001 cells",
            "2000",
        ),
        ("{shape: chain, publishers: 5}", "chain", 2, "topology is one value", "shape: chain"),
        ("topology: {shape: chain, publishers: 5}\n", "", 1, "no topology.shape", "chain, star"),
        ("shape: chain, ", "", 2, "no topology.shape", "chain, star"),
        ("publishers: 5", "publishers: 5 m", 2, "'5 m' is not a whole number", "without a unit"),
        ("chain, publishers: 5", "grid, rows: 9999, columns: 9999", 2, "99980001 motes", "smaller"),
        ("chain, publishers: 5", "grid, rows: 1, columns: 1", 2, "the subscriber only", "smaller"),
        (
            "chain, publishers: 5",
            "grid, spacing: 51 m",
            2,
            "have no way to the subscriber",
            "nearer together",
        ),
        ("chain, publishers: 5", "chain, publishers: 300", 2, "(mote 2", ""),
        ("name: probe-app", "name: porbe-app", 3, "no application 'porbe-app'", "did you mean probe-app?"),
        ("name: probe-app", "name: ../probe-app", 3, "as seen from the scenario's folder", "from / on"),
        ("name: probe-app", "rate: high", 3, "no application.name", "name: ..."),
    ],
)
def test_a_fault_in_what_every_scenario_has(old, new, line, what, remedy):
    assert old in BASE
    found = faults(BASE.replace(old, new))
    if "mote 2" in what:  # 300 motes: ids beyond u8, in every mote's image
        assert all("EEPROM" in fault[1] and fault[0] == 2 for fault in found)
        return
    assert len(found) == 1
    assert found[0][0] == line
    assert what in found[0][1]
    assert remedy in found[0][2]


def test_interference_range_at_the_range_leaves_out_the_edge():
    """Cooja hears a mote at exactly the range only if the interference range is larger."""
    loads(BASE.replace("publishers: 5", "publishers: 5, spacing: 50 m"), "x.yaml")
    (found,) = faults(
        BASE.replace("publishers: 5", "publishers: 5, spacing: 50 m") + "radio: {interference: 50 m}\n"
    )
    assert "from its next hop" in found[1]


def test_another_shape_in_the_matrix_leaves_out_the_first_ones_parameters():
    scenario = loads(BASE + "matrix:\n  topology.shape: [chain, grid]\n", "x.yaml")
    assert [cell.name for cell in scenario.cells] == ["shape=chain", "shape=grid"]
    assert scenario.cells[1].topology.parameters["rows"] == 3
    assert "publishers" not in scenario.cells[1].topology.parameters


def test_a_parameter_that_no_cell_knows_is_a_fault():
    text = (
        BASE.replace("shape: chain, publishers: 5", "height: 5")
        + "matrix:\n  topology.shape: [chain, grid]\n"
    )
    (found,) = faults(text)
    assert found[0] == 2
    assert "'height'" in found[1]


@pytest.mark.parametrize(
    "more",
    [
        "firmware: {source: contiki-ng, builder: docker, tree: ../ng, compile: as-is, image: x, time: 1 min}",
        "matrix: {firmware.source: [embedded, contiki-ng]}\nfirmware: {tree: ../ng}",
        "matrix: {topology.publishers: [1, 2]}\ntrace: true",
    ],
)
def test_a_value_without_its_unit_is_one_fault_whatever_else_the_file_says(more):
    """Whether other settings apply doesn't depend on the cells, of which none is left."""
    text = f"{BASE.replace('duration: 15 min', 'duration: 10')}{more}\n"
    assert [(line, what) for line, what, _ in faults(text)] == [(4, "duration: 10 has no unit")]


def test_a_misspelt_source_does_not_make_its_tree_a_second_fault():
    ((line, what, _),) = faults(f"{BASE}firmware: {{source: contikng, tree: ../ng}}\n")
    assert line == 6 and "contikng" in what


def test_two_bad_labels_are_two_faults():
    with pytest.raises(FaultyInput) as raised:
        loads(
            BASE + "matrix:\n  load: [{label: a/b, duration: 5 s}, {label: <c>, duration: 6 s}]\n", "x.yaml"
        )
    assert [fault.what for fault in raised.value.faults] == [
        "'a/b' is not a valid label",
        "'<c>' is not a valid label",
    ]


def test_a_clock_at_its_default_is_no_part_of_what_a_cell_is():
    asked = BASE.replace("{name: probe-app}", "{name: probe-app, clock: 1000, clock-phase: in-step}")
    assert loads(asked, "x.yaml").cells == loads(BASE, "x.yaml").cells
    other = loads(BASE.replace("{name: probe-app}", "{name: probe-app, clock: 128}"), "x.yaml").cells[0]
    assert other.application.parameters == loads(BASE, "x.yaml").cells[0].application.parameters | {
        "clock": "128"
    }


def test_the_clock_may_be_an_axis():
    cells = loads(BASE + "matrix: {application.clock: [1000, 128]}\n", "x.yaml").cells
    assert [(cell.name, cell.application.parameters.get("clock")) for cell in cells] == [
        ("1000", None),
        ("128", "128"),
    ]
    assert [cell.settings for cell in cells] == [{"application.clock": "1000"}, {"application.clock": "128"}]


@pytest.mark.parametrize(
    "where", ["firmware: {source: contiki-ng}\n", "matrix: {firmware.source: [embedded, contiki-ng]}\n"]
)
def test_what_no_contiki_ng_tree_has_is_refused_at_its_line(where):
    asked = BASE.replace("{name: probe-app}", "\n  name: probe-app\n  clock: 128\n  clock-phase: drawn")
    found = faults(asked + where)
    assert [(line, what.partition(":")[0]) for line, what, _ in found] == [
        (5, "application.clock (CLOCK=128) exists in the embedded Contiki only"),
        (6, "application.clock-phase (PHASE=drawn) exists in the embedded Contiki only"),
    ]
    loads(
        asked + where.replace("contiki-ng", "embedded").replace("[embedded, embedded]", "[embedded]"),
        "x.yaml",
    )


@pytest.mark.parametrize(("text", "is_tab"), [("a:\n\t- 1\n", True), ("a: [1, }\t\n", False)])
def test_a_tab_is_blamed_only_where_it_is_the_fault(text, is_tab):
    assert [what.startswith("a tab") for _, what, _ in faults(text)] == [is_tab]


@pytest.mark.parametrize(
    "rules",
    ['engine: {name: cooja, rules: "5.0"}\n', 'engine: {name: cooja}\nmatrix: {engine.rules: ["5.0"]}\n'],
)
def test_the_rules_of_a_real_cooja_are_those_that_are_written_wherever_that_is(rules):
    assert [cell.ruleset for cell in loads(BASE + rules, "x.yaml").cells] == ["5.0"]
    assert [cell.ruleset for cell in loads(BASE + "engine: {name: cooja}\n", "x.yaml").cells] == [None]


WRONG_SECTIONS = [
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


@pytest.mark.parametrize("section", WRONG_SECTIONS)
def test_a_wrong_section_is_a_fault_with_its_line_and_a_remedy(section):
    key = section.partition(":")[0]
    base = "".join(line for line in BASE.splitlines(keepends=True) if not line.startswith(f"{key}:"))
    found = faults(base + section + "\n")
    first = base.count("\n") + 1
    assert found and all(what and remedy for _, what, remedy in found)
    assert any(line >= first for line, _, _ in found), found


@pytest.mark.parametrize("name", ["campaigns", "firmware"])
def test_an_experiment_is_not_named_like_a_folder_of_the_store(name):
    text = BASE.replace(loads(BASE, "x.yaml").experiment, name, 1)
    assert [what for _, what, _ in faults(text)] == [f"experiment: '{name}' is not a valid name"]
