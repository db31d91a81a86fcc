# SPDX-License-Identifier: Apache-2.0
"""docs/exit-codes.md, tried: wrong usage is 2, a file's faults 3, what is not there 9; every message says
what to do.
"""

import re
from pathlib import Path

import pytest

from orchestrator import errors
from orchestrator.cli.app import EPILOG, main

USAGE = """
nope | no command
rnu | did you mean 'run'
run | arguments are required
run chain.yaml --nope | unrecognized arguments
run chain.yaml --seeds 5..1 | runs backwards
run chain.yaml --seeds abc | is not a seed
run chain.yaml --workers 0 | '0' is not a whole number from 1
run chain.yaml --wall-limit x | 'x' is not a number of seconds
run chain.yaml --rules 9 | invalid choice
simulate | arguments are required
simulate chain.yaml | ends with .csc
simulate a.csc,speed=1 | 'speed=1' is not known
simulate a.csc --seed x | 'x' is not a whole number
simulate there.csc --engine nope | no engine named 'nope'
init a/b!.yaml | is not a valid name for an experiment
init chain.yaml | --force
topology nope | invalid choice
topology chain --publishers x | is not a whole number
topology chain --publishers 0 | allowed: 1 to 9999
topology chain --depth 3 | is not a parameter of chain
topology chain --range x | is not a length
topology positions | positions needs --file
topology chain --csc a.csc | needs --application
topology chain --duration 3min | name one with --csc
topology chain --seed 3 | name one with --csc
build aggregation --variant x | is not NAME=VALUE
ingest | name an experiment
ingest chain --cell A | --cell names the logs of --log
report chain --figures bmp | no format bmp
report chain --figure-width 3 | has no unit
replay | arguments are required
runs | arguments are required: action
runs rm chain | invalid choice
runs show | name an experiment
runs remove | name an experiment
runs list ../x | can't be called
show | arguments are required
show chain a b | 3 words don't name a run
trace chain/A/1 | --event
paper aggregation --seeds x | is not a seed
completion nope | invalid choice
"""
NOT_THERE = """
run none.yaml | there are: chain.yaml
validate none.yaml | there are: chain.yaml
run chian | did you mean chain.yaml?
simulate none.csc | no such file
simulate there.csc --contiki none | no such folder
init none/chain.yaml | make it
init other --application nope | there are: aggregation
topology chain --application nope | there are: aggregation
topology chain --links none.csv | no such file
topology positions --file none.csv | no such file
build nope | there are: aggregation
ingest nope | name its folder with --store
ingest --log none | COOJA.testlog
report nope | orchestrate run
replay nope | name its folder with --store
runs list nope | name its folder with --store
runs remove nope --yes | name its folder with --store
show nope | name its folder with --store
trace nope/A/1 --event P1/1 | name its folder with --store
paper nope | there are: aggregation
"""
FAULTY = """
run chain.yaml | chain.yaml:1:
validate chain.yaml | chain.yaml:1:
simulate there.csc | there.csc
topology positions --file there.csv | there.csv
topology chain --links there.csv | there.csv
"""


def cases(text: str):
    return [line.split(" | ") for line in text.strip().splitlines()]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATE_STORE", raising=False)
    for name in ("chain.yaml", "there.csc", "there.csv"):
        Path(name).write_text("what is this\n")
    return tmp_path


def code(words: str) -> int:
    try:
        return main(words.split())
    except SystemExit as usage:  # argparse's
        return usage.code


@pytest.mark.parametrize(
    ("words", "said", "expected"),
    [(*case, number) for number, text in ((2, USAGE), (9, NOT_THERE), (3, FAULTY)) for case in cases(text)],
)
def test_code_and_message(words, said, expected, capsys, folder):
    before = sorted(path.name for path in folder.iterdir())
    assert code(words) == expected
    shown = capsys.readouterr()
    assert said in shown.err + shown.out and "Traceback" not in shown.err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_documented_codes_are_those_of_the_classes():
    page = (Path(__file__).resolve().parents[2] / "docs" / "exit-codes.md").read_text()
    documented = {int(row) for row in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    classes = {
        each.exit_code
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.OrchestrateError)
    }
    assert documented == classes | {0, 1} == {int(word) for word in re.findall(r"\b(\d+) (?=[a-z])", EPILOG)}
