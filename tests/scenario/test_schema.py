# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema beside the loader: what loads is valid, and valid quantities load."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from orchestrator import resources
from orchestrator.applications import descriptor
from orchestrator.cli.app import main
from orchestrator.cli.init import starter
from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import load, loads
from orchestrator.scenario.schema import schema
from orchestrator.vocabulary import units
from orchestrator.vocabulary.parameters import QUANTITIES
from tests.tier import examples

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BASE = """
experiment: base
topology: {shape: chain, publishers: 3, spacing: 5 m}
application: {name: aggregation}
duration: 1 min
seeds: 1..3
"""


@pytest.fixture(autouse=True, scope="module")
def our_applications(probe_app):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(descriptor, "folder", lambda: resources.contiki_apps() / "apps")
        yield


@pytest.fixture(scope="module")
def validator(our_applications) -> Draft202012Validator:
    made = schema()
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made)


def scenarios() -> list[Path]:
    """Every file of the repository that is a scenario: it names an experiment and seeds."""
    files = [
        path
        for part in ("orchestrator", "docs", "tests", "contiki-apps")
        for path in (ROOT / part).rglob("*.y*ml")
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(files)}
    return [path for path, text in texts.items() if "\nseeds:" in text and path != HERE / "ten-faults.yaml"]


def test_there_are_scenarios():
    assert len(scenarios()) >= 2


@pytest.mark.parametrize("path", scenarios(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_scenario_of_the_repository_is_valid(path, validator):
    load(path)
    validator.validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["aggregation", "hello-nullnet", "pubsub-hello"])
def test_a_starter_is_valid(name, validator):
    text = starter("first", descriptor.load(name))
    loads(text, "first")
    validator.validate(yaml.safe_load(text))


def test_the_example_of_the_documentation_is_valid(validator):
    example = (
        (ROOT / "docs" / "scenario.md").read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    )
    loads(example, "docs/scenario.md")
    validator.validate(yaml.safe_load(example))


def test_the_file_of_ten_faults_is_not_valid(validator):
    errors = list(
        validator.iter_errors(yaml.safe_load((HERE / "ten-faults.yaml").read_text(encoding="utf-8")))
    )
    found = {".".join(map(str, error.absolute_path)) for error in errors}
    assert found == {
        "experiment",
        "topology.shape",
        "radio",
        "radio.range",
        "application.name",
        "duration",
        "drain",
    }


def changed(change: str) -> dict:
    """The base with a change of its own: `path = YAML`."""
    document = copy.deepcopy(yaml.safe_load(BASE))
    path, _, written = change.partition(" = ")
    *sections, last = path.split("/")
    place = document
    for section in sections:
        place = place.setdefault(section, {})
    place.pop(last, None)
    if written:
        place[last] = yaml.safe_load(written)
    return document


GOOD = [
    "seeds = [1, 5, 10..20]",
    "seeds = 7",
    'seeds = "7"',
    "engine = embedded",
    'engine = {name: embedded, rules: "2026.07"}',
    "engine = {rules: 5.0}",
    "radio = {rx: 0.95}",
    "radio = {rx: 95 %, bitrate: 250 kbit/s}",
    'trace = "true"',
    "trace = true",
    'topology = {shape: chain, publishers: "3"}',
    "topology = {shape: tree, depth: 3, fan-out: 2, inner: relay}",
    "application = {name: pubsub-hello, interval: 2.5 s}",
    "matrix = {duration: [1 min, 2 min]}",
    "matrix = {}",
    "matrix = {engine: [embedded]}",
    'matrix = {engine.rules: ["5.0", "2026.07"]}',
    "matrix = {load: [{label: H, application.rate: high}, {label: L, application.rate: low, duration: 2 "
    "min}]}",
    "matrix = {topology.publishers: [2, 3], exclude: [{topology.publishers: 2}]}",
    "matrix = {topology.publishers: [2, {label: X, value: 3}], include: [{label: Y, topology.publishers: "
    "7}]}",
    "matrix = {topology.shape: [chain, star]}",
]
BAD = [
    "experiment",
    "topology",
    "application",
    "duration",
    "seeds",
    "seeds = []",
    "seeds = 30..",
    "seeds = -1",
    "seeds = {a: 1}",
    "engine = other",
    "engine = {speed: 1}",
    "radio = {rx: 1.5}",
    "radio = {range: 50}",
    "radio = {range: 50 s}",
    "colour = red",
    "trace = yes please",
    "topology = {shape: chain, depth: 3}",
    "topology = {shape: tree, publishers: 3}",
    "topology = {publishers: 3}",
    "topology = {shape: chain, publishers: 0}",
    "topology = {shape: chain, publishers: 3 m}",
    "topology = {shape: positions}",
    "topology = chain",
    "application = {name: aggregation, interval: 1 s}",
    "application = {name: nothing}",
    "application = {name: aggregation, rate: hihg}",
    "drain = 1.0000001 s",
    "matrix = {duration: 1 min}",
    "matrix = {duration: []}",
    "matrix = {duration: [5 m]}",
    "matrix = {durations: [1 min]}",
    "matrix = {topology.length: [1]}",
    "matrix = {load: [{application.rate: high}]}",
    "matrix = {seeds: [1, 2]}",
    "matrix = {load: [{label: H, rate: high}]}",
    "matrix = {include: [{}]}",
    "matrix = {duration: [{label: A}]}",
    'matrix = {duration: [{label: "a b", value: 1 min}]}',
    "matrix = [1]",
]


def loadable(document: dict) -> bool:
    try:
        loads(yaml.safe_dump(document, sort_keys=False), "changed")
    except FaultyInput:
        return False
    return True


@pytest.mark.parametrize("change", GOOD)
def test_what_loads_is_valid(change, validator):
    assert loadable(changed(change))
    validator.validate(changed(change))


@pytest.mark.parametrize("change", BAD)
def test_what_is_not_valid_does_not_load(change, validator):
    assert not validator.is_valid(changed(change))
    assert not loadable(changed(change))


def loads_as(text: str, dimension: str) -> bool:
    try:
        units.parse(text, dimension)
    except units.NotAQuantity:
        return False
    return True


def quantity(validator: Draft202012Validator, dimension: str) -> Draft202012Validator:
    return Draft202012Validator(validator.schema["$defs"][dimension])


@pytest.mark.parametrize("dimension", QUANTITIES)
@given(data=st.data())
def test_valid_quantities_load(dimension, validator, data):
    text = data.draw(st.from_regex(validator.schema["$defs"][dimension]["pattern"]))
    assert loads_as(text, dimension)


def digits(least: int, most: int):
    """Digits whose count is drawn first: hypothesis alone prefers few, and the limits are at seven to
    twenty-four.
    """
    return st.integers(least, most).flatmap(
        lambda count: st.text("0123456789", min_size=count, max_size=count)
    )


NUMBERS = st.one_of(
    digits(0, 26),
    st.builds(
        "{}.{}{}{}".format,
        digits(0, 26),
        digits(0, 12),
        st.sampled_from(["", "1", "2", "5", "25", "50", "75"]),
        st.integers(0, 14).map(lambda count: "0" * count),
    ),
)
SPACES = st.sampled_from(["", "", "", " ", "\t", "\n", "\u00a0"])
OTHER_UNITS = ("", "sec", "M", "e3", "%%", ".")


@pytest.mark.parametrize("dimension", QUANTITIES)
@settings(max_examples=examples(400))
@given(data=st.data())
def test_the_schema_takes_exactly_the_quantities_that_load(dimension, validator, data):
    own = st.sampled_from(list(units.UNITS[dimension]))
    every = st.sampled_from([unit for of in units.UNITS.values() for unit in of])
    unit = data.draw(st.one_of(own, own, own, every, st.sampled_from(OTHER_UNITS)))
    sign = data.draw(st.sampled_from(["", "", "+", "-", "--"]))
    text = data.draw(SPACES) + sign + data.draw(NUMBERS) + data.draw(SPACES) + unit + data.draw(SPACES)
    assert quantity(validator, dimension).is_valid(text) == loads_as(text, dimension), repr(text)


@pytest.mark.parametrize(
    "text",
    [
        "100000.000000000000000000000001 s",
        "0.00000001 min",
        "0.0000000001 h",
        "1.00000000000000000000000001 s",
    ],
)
def test_times_that_are_no_whole_microseconds(text, validator):
    assert not quantity(validator, units.TIME).is_valid(text)
    assert not loads_as(text, units.TIME)


@pytest.mark.parametrize(
    "text", ["0.00000005 min", "0.0000000025 h", "0.000001000 s", "5.000 us", "000001.5 ms"]
)
def test_times_that_are_just_whole_microseconds(text, validator):
    assert quantity(validator, units.TIME).is_valid(text)
    assert loads_as(text, units.TIME)


@pytest.mark.parametrize("dimension", QUANTITIES)
@given(value=st.integers(0, 10**12))
def test_what_is_shown_is_valid(dimension, validator, value):
    assert quantity(validator, dimension).is_valid(units.show(value, dimension))


def test_the_command_prints_and_writes_it(validator, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "before"]) == 0
    assert "yaml-language-server" not in Path("before.yaml").read_text()
    assert main(["schema", "--out", "scenario.schema.json"]) == 0
    capsys.readouterr()
    assert main(["schema"]) == 0
    assert (
        json.loads(capsys.readouterr().out)
        == json.loads(Path("scenario.schema.json").read_text())
        == validator.schema
    )
    assert main(["init", "after"]) == 0
    first, *_ = Path("after.yaml").read_text().splitlines()
    assert first == "# yaml-language-server: $schema=scenario.schema.json"
    assert load(Path("after.yaml")).experiment == "after"
