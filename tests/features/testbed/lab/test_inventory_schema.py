# SPDX-License-Identifier: Apache-2.0
"""What loads is valid by the schema of inventories; what is plainly wrong isn't."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.features.testbed.inventory import load
from orchestrator.features.testbed.schema import schema
from orchestrator.features.testbed.starter import starter
from tests.features.testbed.lab.test_inventory import SMALL

MUTATIONS = (
    ("lab: small", "labs: small"),
    ("port: 2222", "port: 99999"),
    ("port: 2222", "ports: 22"),
    ("spare: true}\nboards", "spare: maybe}\nboards"),
    ("host: 192.0.2.1}", "user: me}"),
    ("G1: {host", "1G: {host"),
    ("size: 1 x 2, ", ""),
    ("x: 1 m", "x: 1 s"),
    ("baud: 57600", "baud: 5"),
    ("defaults:\n", "default:\n"),
    ("{motes: [X1, M1]}", "{mote: [X1, M1]}"),
    ("options: {part: m128}", "options: m128"),
    ("device: /dev/mote-x, ", ""),
)


def valid(text: str) -> bool:
    return Draft202012Validator(schema()).is_valid(json.loads(json.dumps(yaml.safe_load(text))))


def test_what_loads_is_valid():
    Draft202012Validator.check_schema(schema())
    assert valid(SMALL) and valid(starter("paper", 12, "sky"))


@pytest.mark.parametrize(("written", "wrong"), MUTATIONS)
def test_what_is_plainly_wrong_is_neither_loaded_nor_valid(written, wrong, tmp_path):
    text = SMALL.replace(written, wrong, 1)
    assert text != SMALL and not valid(text)
    path = tmp_path / "lab.yaml"
    path.write_text(text)
    with pytest.raises(FaultyInput):
        load(path)


def test_the_command_prints_it(capsys):
    assert main(["schema", "inventory"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "orchestrate testbed inventory"
