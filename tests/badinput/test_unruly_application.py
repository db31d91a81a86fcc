# SPDX-License-Identifier: Apache-2.0
"""An application writes past its buffer, loops for ever or prints a megabyte: its run says which mote did
this, where in its source and when, and the campaign's other runs go on."""

from __future__ import annotations

import re
import shutil

from orchestrator.cli import app
from orchestrator.runs.store import Store
from tests import needs

needs.a_compiler()

LINE = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"


def evidence(store) -> dict[str, tuple]:
    """deed -> (outcome, evidence) of the stored runs."""
    return {
        run.settings["application.deed"]: (run.outcome.value, "\n".join(run.evidence))
        for run in Store(store).runs("unruly")
    }


def test_what_a_mote_does_wrong_is_said_with_its_place_and_the_rest_goes_on(unruly, tmp_path, capsys):
    options = ["--store", str(tmp_path / "store"), "--no-report"]
    code = app.main(["run", str(unruly("none", "overrun", "wild", "stack", "assertion")), *options])
    assert code == 7
    ended = evidence(tmp_path / "store")
    for limit_s in (2, 20, 200):  # a busy machine may not come to the loop in the shortest
        code = app.main(["run", str(unruly("loop")), *options, "--wall-limit", str(limit_s)])
        assert code == 7
        ended["loop"] = evidence(tmp_path / "store")["loop"]
        if "does not return" in ended["loop"][1]:
            break
    assert {deed: outcome for deed, (outcome, _) in ended.items()} == {
        "none": "ok",
        "overrun": "crash",
        "wild": "crash",
        "stack": "crash",
        "assertion": "crash",
        "loop": "wall-clock limit",
    }
    assert "bytes behind the end of the mote's own memory" in ended["overrun"][1]
    assert "SIGSEGV at address 0x8" in ended["wild"][1]
    assert "bytes below the mote's first variable" in ended["stack"][1]
    assert "the mote's code does not return" in ended["loop"][1]
    for deed in ("overrun", "wild", "stack", "assertion", "loop"):
        assert ended[deed][1].startswith("mote 2: "), deed
        assert ", simulated time 576" in ended[deed][1]
        assert "about to" in ended[deed][1] or deed == "overrun", "which writes over that"
    if shutil.which("addr2line") is not None:
        for deed, place in (
            ("overrun", "write_past_the_buffer (app/unruly.c:23)"),
            ("loop", "loop_for_ever (app/unruly.c:"),
            ("wild", "write_anywhere (app/unruly.c:30)"),
            ("stack", "dig (app/unruly.c:"),
            ("assertion", "act (app/unruly.c:"),
        ):
            assert place in ended[deed][1]
    said = capsys.readouterr().out
    assert "deed=overrun seed 1: crash" in said
    assert "mote 2: SIGABRT" in said


def test_a_megabyte_is_a_log_and_one_line_of_it_is_cut_as_cooja_does(unruly, tmp_path):
    assert (
        app.main(
            ["run", str(unruly("long-line", "many-lines")), "--store", str(tmp_path / "store"), "--no-report"]
        )
        == 0
    )
    logs = {
        run.settings["application.deed"]: (
            tmp_path / "store/unruly/runs" / run.run_id / "COOJA.testlog"
        ).read_text()
        for run in Store(tmp_path / "store").runs("unruly")
    }
    assert sum(line.endswith(LINE) for line in logs["many-lines"].splitlines()) == 16384
    assert logs["long-line"].count("# [1024 bytes, no line ending]: ") == (1 << 20) // (16 * 1024 + 1)
    assert max(map(len, logs["long-line"].splitlines())) < 16 * 1024 + 30
    assert all("\tID:2\tdone\n" in log for log in logs.values())


def test_a_mote_that_never_stops_printing_does_not_fill_the_disk(unruly, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "3000000")
    code = app.main(
        ["run", str(unruly("endless", "none")), "--store", str(tmp_path / "store"), "--no-report"]
    )
    assert code == 7
    outcome, why = evidence(tmp_path / "store")["endless"]
    assert outcome == "truncated log"
    found = re.match(
        "mote 2: the log reached its limit of 3000000 bytes; most of it is this mote's: ([0-9]+),", why
    )
    assert found and 2_900_000 < int(found[1]) < 3_100_000
    assert "ORCHESTRATE_LOG_LIMIT" in why
    (log,) = [
        path
        for path in (tmp_path / "store").glob("unruly/runs/*/COOJA.testlog")
        if path.stat().st_size > 10_000
    ]
    assert 3_000_000 <= log.stat().st_size < 3_100_000
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "much")
    assert app.main(["run", str(unruly("endless")), "--store", str(tmp_path / "store"), "--no-report"]) == 4
    assert "ORCHESTRATE_LOG_LIMIT=much" in capsys.readouterr().err
