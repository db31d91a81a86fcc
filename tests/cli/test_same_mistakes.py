# SPDX-License-Identifier: Apache-2.0
"""The same mistake has the same exit code in every command, and one message that says what to do;
docs/exit-codes.md has the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.app import every_command, main

# mistake -> the code, the command lines
MISTAKES = {
    "A store that is not there": (
        9,
        """
        runs list --store none
        runs verify --store none
        runs show chain a --store none
        runs remove chain --yes --store none
        show chain/A/1 --store none
        show chain --store none
        show chain a --store none
        trace chain/A/1 --event P1/1 --store none
        pcap chain/A/1 --store none
        query q --store none
        log sets nosuch
        reproduce chain/A/1 --store none
        export chain -o out.zip --license MIT --author A --store none
        replay chain/A/1 --store none
        csc open chain/A/1 --store none
        debug chain/A/1 --mote P1 --store none
        report chain --store none
        metrics chain --store none
        ingest chain --store none
        compare chain/A chain/B --store none
    """,
    ),
    "An experiment that the store does not have": (
        9,
        """
        runs list chian
        runs verify chian
        runs show chian a
        runs remove chian --yes
        show chian/A/1
        show chian
        show chian a
        trace chian/A/1 --event P1/1
        pcap chian/A/1
        reproduce chian/A/1
        export chian -o out.zip --license MIT --author A
        replay chian/A/1
        csc open chian/A/1
        debug chian/A/1 --mote P1
        report chian
        metrics chian
        ingest chian
        compare chian/A chian/B
    """,
    ),
    "A file that is not there": (
        9,
        """
        search none.yaml --minimise energy_mj --over application.delay=0..1s
        run none.yaml
        campaign plan none.yaml
        campaign run none.yaml
        campaign status none.yaml
        campaign watch none.yaml
        campaign prune none.yaml
        campaign verdict none.yaml
        campaign promote none.yaml --reason r
        campaign seeds none.yaml
        campaign blame none.yaml
        nightly none.yaml
        bisect none.yaml --good 1 --bad 2
        validate none.yaml
        simulate none.csc
        live there.csc none.py
        policy check none.escape
        policy compile none.escape
        csc check none.csc
        csc fix none.csc
        csc show none.csc
        csc diff none.csc none.csc
        csc open none.csc
        debug none.csc --mote 1
        report none.yaml
        metrics none.yaml
        compare none.yaml none.yaml
        topology positions --file none.csv
        topology chain --links none.csv
        topology ./none.py
        ingest --log none.testlog
        metrics chain --metric ./none.py
        replay none.yaml 3f
        sizes --write none.md
        distribution check none.yaml
        distribution deadlines none.yaml
        distribution schedule none.yaml
        distribution draw none.yaml
        distribution change none.yaml none.yaml
        testbed trust none.yaml
        testbed check none.yaml
        testbed reserve none.yaml
        testbed survey none.yaml out
        testbed predict none.yaml out none.yaml
        testbed release none.yaml
        testbed deploy none.yaml none.hex
    """,
    ),
    "A folder where a file belongs": (
        9,
        """
        run folder.yaml
        campaign run folder.yaml
        nightly folder.yaml
        distribution check folder.yaml
        testbed check folder.yaml
        bisect folder.yaml --good 1 --bad 2
        validate folder.yaml
        simulate folder.csc
        csc check folder.csc
        csc fix folder.csc
        csc show folder.csc
        csc diff folder.csc folder.csc
        csc open folder.csc
        debug folder.csc --mote 1
        report folder.yaml
        metrics folder.yaml
        compare folder.yaml folder.yaml
        topology positions --file folder.csv
        topology chain --links folder.csv
        ingest --log there
        sizes --write there
    """,
    ),
    "A file of bytes that are no text": (
        3,
        """
        run bin.yaml
        campaign run bin.yaml
        nightly bin.yaml
        distribution check bin.yaml
        testbed check bin.yaml
        validate bin.yaml
        simulate bin.csc
        csc check bin.csc
        csc fix bin.csc
        csc show bin.csc
        csc diff bin.csc bin.csc
        debug bin.csc --mote 1
        report bin.yaml
        metrics bin.yaml
        compare bin.yaml bin.yaml
        topology positions --file bin.csv
        topology chain --links bin.csv
        topology ./bin.py
        ingest --log bin.csv
    """,
    ),
    "A target that already exists": (
        2,
        """
        init chain
        new app there
    """,
    ),
    "A name that can't be one": (
        2,
        """
        init a:b
        new app a_b
        new app aggregation
        runs list a:b
    """,
    ),
    "A target in a folder that is not there": (
        9,
        """
        init none/x
        new app x --folder none/y
        topology chain --out none/x.svg
        topology chain --application pubsub-hello --csc none/x.csc
        schema --out none/x.json
    """,
    ),
    "A target that is a folder": (
        8,
        """
        topology chain --out there
        schema --out there
    """,
    ),
    "A number that is none": (
        2,
        """
        run chain --workers 0
        campaign run chain --workers 0
        campaign run chain --shard x
        run chain --seeds x
        run chain --wall-limit x
        run chain --retries x
        run chain --heap x
        paper aggregation --workers x
        paper aggregation --seeds x
        topology chain --publishers x
        topology chain --range x
        topology chain --seed x --csc a.csc --application mesh
        csc fix there.csc --seconds x
        simulate there.csc --seed x
        live --seed x there.csc bin.py
        debug there.csc --mote 1 --at x
        build mesh --build-memory x
        build mesh --build-time x
        report chain --figure-width x
        compare chain chain --margin x
        show chain/A/1 --at x
    """,
    ),
    "An application that is not there": (
        9,
        """
        init a --application nope
        build nope
        topology chain --application nope
        sizes nope
    """,
    ),
    "A word that is none of a closed list": (
        2,
        """
        nope
        topology nope
        new nope x
        completion nope
        runs nope
        csc nope
        campaign nope
        run chain --rules 9
        simulate there.csc --engine nope
        run chain --engine nope
        build mesh --builder nope
        report chain --figures bmp
        run chain --sanitize nope
        build mesh --sanitize nope
        run chain --nope
    """,
    ),
    "A run, cell, paper or result that is not there": (
        9,
        """
        show chain/A/1
        show chain a
        runs show chain a
        trace chain/A/1 --event P1/1
        paper nope
        paper aggregation --only nope
    """,
    ),
}
NEARLY = """
    rnu | run
    run chian | chain.yaml
    run chain --sede 3 | --seeds
    validate chian.yaml | chain.yaml
    topology chian | chain
    new topologie x | topology
    csc chek there.csc | check
    runs lst | list
    build agregation | aggregation
    init x --application mehs | mesh
    show chian/A/1 | chain
    compare chian chain | chain
    report chian | chain
    metrics chian | chain
    ingest chian | chain
    paper agg | aggregation
    paper aggregation --only figurs | figures
    run chain --engine coja | cooja
    run chain --sanitize adress | address
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATE_STORE", raising=False)
    for name in ("orchestrate-store/chain/runs", "folder.yaml", "folder.csc", "folder.csv", "there"):
        Path(name).mkdir(parents=True)
    for name in ("chain.yaml", "there.csc"):
        Path(name).write_text("what is this\n")
    for name in ("bin.yaml", "bin.csc", "bin.csv", "bin.py"):
        Path(name).write_bytes(bytes(range(255, 100, -1)))


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"), [(line, code) for code, text in MISTAKES.values() for line in lines(text)]
)
def test_one_mistake_one_code(words, expected, capsys):
    assert main(words.split()) == expected
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err and "usage:" not in shown.err and (shown.err or shown.out).strip()


@pytest.mark.parametrize(("words", "meant"), [line.split(" | ") for line in lines(NEARLY)])
def test_what_was_meant_is_said(words, meant, capsys):
    assert main(words.split()) in (2, 9)
    assert f"did you mean {meant}" in capsys.readouterr().err.replace("'", "")


def test_every_command_that_names_something_is_in_the_table():
    tried = {line.split()[0] for _, text in MISTAKES.values() for line in lines(text)}
    assert set(every_command()) - tried <= {"doctor"}  # nothing is named there
