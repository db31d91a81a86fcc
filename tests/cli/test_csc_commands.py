# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc as a user calls it: what it prints, writes and returns."""

import gzip
import json

import pytest

from orchestrator.cli.app import main
from orchestrator.csc import interfaces
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.write import write
from orchestrator.engines.cooja import classes
from tests import needs
from tests.lossy_chain import scenario

SCRIPT = b"  <plugin>\n    org.contikios.cooja.plugins.ScriptRunner"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.c").write_text("")
    (tmp_path / "Makefile").write_text("")
    kind = MoteType(
        "mtype1", "A", "[CONFIG_DIR]/a.c", "$(MAKE) a.cooja TARGET=cooja", interfaces.STANDARD_INTERFACES
    )
    data = write(
        Simulation(
            "t", 1, 0, Udgm(), (kind,), (Mote("mtype1", 1, 0, 0), Mote("mtype1", 2, 30, 0)), EndScript(1000)
        )
    )
    (tmp_path / "good.csc").write_bytes(data)
    (tmp_path / "bare.csc").write_bytes(data[: data.index(SCRIPT)] + b"</simconf>\n")
    return tmp_path


def test_check(folder, capsys):
    assert main(["csc", "check", "good.csc"]) == 0
    assert "good.csc: loads with notes (Cooja 5.0)" in capsys.readouterr().out
    assert main(["csc", "check", "good.csc", "bare.csc", "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in told] == ["loads with notes", "does not load"]
    assert main(["csc", "check", "none.csc"]) == 9


def test_check_for_our_own_engine(folder, capsys):
    text = (folder / "good.csc").read_text()
    runner = "<plugin>org.contikios.cooja.plugins.ScriptRunner<plugin_config><script>log.testOK();</script>"
    (folder / "two.csc").write_text(
        text.replace("</simconf>", f"{runner}</plugin_config></plugin></simconf>")
    )
    assert main(["csc", "check", "good.csc", "--engine", "embedded"]) == 0
    assert main(["csc", "check", "two.csc"]) == 0
    assert main(["csc", "check", "two.csc", "--engine", "embedded"]) == 4
    said = capsys.readouterr().out
    assert "the embedded engine: not supported: a second ScriptRunner" in said
    assert "two.csc: loads, but the embedded engine does not run it (Cooja 5.0)" in said


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("sim.stopAll();", "not supported: script: the call stopAll()"),  # Cooja has it
        ("a ** b;", "script: the operator ** is nothing that Cooja's interpreter, Nashorn, reads"),
    ],
)
def test_what_only_our_engine_says_of_a_script_s_own_file_names_that_file(folder, capsys, script, told):
    (folder / "own.js").write_text(f"\n{script}\nlog.testOK();\n")
    text = (folder / "good.csc").read_text()
    script = text[text.index("<script>") : text.index("</script>") + 9]
    (folder / "own.csc").write_text(text.replace(script, "<scriptfile>[CONFIG_DIR]/own.js</scriptfile>"))
    main(["csc", "check", "own.csc", "--engine", "embedded"])
    assert f"  the embedded engine: {folder / 'own.js'}:2: {told}" in capsys.readouterr().out


def test_fix_writes_only_where_it_is_told(folder, capsys):
    before = (folder / "bare.csc").read_bytes()
    assert main(["csc", "fix", "bare.csc", "--seconds", "5"]) == 0
    told = capsys.readouterr()
    assert "a ScriptRunner that logs every line and ends the run after 5 s" in told.out
    assert "loads with notes" in told.out and "note: " not in told.out  # `csc check` tells them
    assert "nothing was written" in told.err
    assert (folder / "bare.csc").read_bytes() == before
    assert main(["csc", "fix", "bare.csc", "-o", "new.csc.gz"]) == 0
    assert b"TIMEOUT(600000" in gzip.decompress((folder / "new.csc.gz").read_bytes())
    assert main(["csc", "fix", "bare.csc", "--in-place"]) == 0
    assert main(["csc", "check", "bare.csc"]) == 0
    capsys.readouterr()
    assert main(["csc", "fix", "bare.csc", "--in-place"]) == 0
    assert "nothing to change" in capsys.readouterr().out


def test_fix_says_what_still_keeps_it_from_loading(folder, capsys):
    (folder / "a.c").unlink()
    assert main(["csc", "fix", "bare.csc", "-o", "new.csc"]) == 3
    assert "is not there" in capsys.readouterr().out
    assert main(["csc", "fix", "bare.csc", "--seconds", "0"]) == 2


def test_show(folder, capsys):
    assert main(["csc", "show", "good.csc", "-o", "a.svg"]) == 0
    assert "2 x A (ContikiMoteType): 1-2" in capsys.readouterr().out
    assert (folder / "a.svg").read_text().startswith("<svg")
    assert main(["csc", "show", "good.csc", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["links"][0] == {"from": 1, "to": 2, "ratio": 1.0}


def test_diff(folder, capsys):
    assert main(["csc", "diff", "good.csc", "good.csc"]) == 0
    assert capsys.readouterr().out == ""
    (folder / "other.csc").write_text((folder / "good.csc").read_text().replace('x="30.0"', 'x="31.0"'))
    assert main(["csc", "diff", "good.csc", "other.csc"]) == 1
    assert capsys.readouterr().out == "mote 2: moved  (30.0, 0.0) -> (31.0, 0.0)\n"
    assert main(["csc", "diff", "good.csc", "a.c"]) == 3


def test_diff_marks_what_only_one_file_has(folder, capsys):
    text = (folder / "good.csc").read_text()
    (folder / "other.csc").write_text(
        text.replace("<id>2</id>", "<id>3</id>").replace("TIMEOUT(1", "TIMEOUT(2")
    )
    assert main(["csc", "diff", "good.csc", "other.csc"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == ["mote 2: removed  - (30.0, 0.0)", "mote 3: added  + (30.0, 0.0)", "script: changed"]
    assert "-TIMEOUT(1, log.testOK());" in told and "+TIMEOUT(2, log.testOK());" in told
    assert main(["csc", "diff", "good.csc", "other.csc", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0] == {
        "part": "mote", "of": "2", "what": "removed", "before": "(30.0, 0.0)", "after": None,
    }  # fmt: skip
    (folder / "edge.csc").write_text(
        text.replace("radiomediums.UDGM", "radiomediums.DirectedGraphMedium").replace(
            "</radiomedium>",
            "<edge><source>1</source><dest>org.contikios.cooja.radiomediums.DGRMDestinationRadio"
            "<radio>2</radio></dest></edge></radiomedium>",
        )
    )
    assert main(["csc", "diff", "good.csc", "edge.csc"]) == 1
    assert "edge 1 to 2: added" in capsys.readouterr().out.splitlines()


def test_fix_tells_in_json_what_it_did(folder, capsys):
    assert main(["csc", "fix", "bare.csc", "--json"]) == 0
    told = capsys.readouterr()
    said = json.loads(told.out)
    assert said.pop("findings") and told.err == ""
    assert said == {
        "file": "bare.csc",
        "written": None,
        "changes": [
            {
                "line": 0,
                "what": "a ScriptRunner that logs every line and ends the run after 600 s of simulated time",
                "done": True,
            }
        ],
        "verdict": "loads with notes",
    }
    assert main(["csc", "fix", "good.csc"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("nothing to change\n") and told.err == ""
    assert main(["csc", "fix", "bare.csc", "-o", "new.csc"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["csc", "fix", "good.csc", "-o", "same.csc"]) == 0
    assert (folder / "same.csc").read_bytes() == (folder / "good.csc").read_bytes()
    (folder / "odd.csc").write_text((folder / "good.csc").read_text().replace("TimeLine", "Mine"))
    capsys.readouterr()
    assert main(["csc", "fix", "odd.csc"]) == 3
    assert "left as it is: line " in capsys.readouterr().out


def test_diff_reads_eeprom_images_by_their_application(folder, capsys):
    for minutes in (1, 2):
        assert (
            main(
                [
                    "topology",
                    "chain",
                    "--publishers",
                    "2",
                    "--application",
                    "aggregation",
                    "--duration",
                    f"{minutes} min",
                    "--csc",
                    f"{minutes}.csc",
                ]
            )
            == 0
        )
    capsys.readouterr()
    assert main(["csc", "diff", "1.csc", "2.csc"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert "mote 1: EEPROM duration_ms  60000 -> 120000" in told
    assert not any("bytes" in line for line in told)


def test_open_says_what_is_missing(folder, monkeypatch, capsys):
    monkeypatch.delenv("DISPLAY", raising=False)
    assert main(["csc", "open", "none.csc"]) == 9
    assert main(["csc", "open", "good.csc"]) == 5
    assert "no display" in capsys.readouterr().err
    monkeypatch.setenv("DISPLAY", ":77")
    assert main(["csc", "open", "good.csc", "--cooja", "nowhere"]) == 5
    assert "no such file or folder" in capsys.readouterr().err


def test_open_starts_cooja_with_the_file(folder, monkeypatch):
    """A program in Cooja's place that writes its arguments down."""
    program = folder / "cooja"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/asked"\n')
    program.chmod(0o755)
    monkeypatch.setenv("DISPLAY", ":77")
    assert main(["csc", "open", "good.csc", "--cooja", str(program)]) == 0
    assert (folder / "asked").read_text().splitlines() == ["--gui", str(folder.resolve() / "good.csc")]
    program.write_text("#!/bin/sh\nexit 3\n")
    assert main(["csc", "open", "good.csc", "--cooja", str(program)]) == 7


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    needs.a_compiler()
    where = tmp_path_factory.mktemp("opened")
    (where / "opened.yaml").write_text(scenario("opened", "duration: 2 s\nseeds: 1\n"))
    assert main(["run", str(where / "opened.yaml"), "--store", str(where / "store"), "--no-report"]) == 0
    return where / "store"


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("5.0", False),
        ("2026.07", True),
        ("unknown", False),
    ],
)
def test_open_shows_a_run_and_says_if_this_cooja_has_other_rules(
    store, tmp_path, monkeypatch, capfd, rules, told
):
    program = tmp_path / "cooja"
    program.write_text(f'#!/bin/sh\nls > "{tmp_path}/there"; printf "%s\\n" "$@" > "{tmp_path}/asked"\n')
    program.chmod(0o755)
    monkeypatch.setenv("DISPLAY", ":77")
    monkeypatch.setattr(classes, "UNKNOWN", rules)  # a program without Cooja's classes is of any rules
    assert main(["csc", "open", "opened/base/1", "--store", str(store), "--cooja", str(program)]) == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[:2] == ["--gui", "--logdir=."] and asked[2].endswith(".csc")
    assert asked[2].rpartition("/")[2] in (tmp_path / "there").read_text().split()
    said = capfd.readouterr()
    assert ("what you see may differ" in said.out + said.err) is told
    assert not told or "the run followed the rules 5.0, and this Cooja follows 2026.07" in said.err
