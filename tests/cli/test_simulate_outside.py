# SPDX-License-Identifier: Apache-2.0
"""orchestrate simulate with a world outside: its options, and what the machine lacks."""

import json
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.csc.read import read
from orchestrator.resources import contiki_apps
from tests import needs

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "cooja" / "chain"
SERVER = """<plugin>org.contikios.cooja.serialsocket.SerialSocketServer<mote_arg>0</mote_arg>
<plugin_config><port>0</port><bound>false</bound>{}</plugin_config></plugin></simconf>"""

needs.a_compiler()


@pytest.fixture
def chain(tmp_path) -> Path:
    """The golden chain, and its firmware's sources where it names them."""
    source = read(GOLDEN / "simulation.csc").mote_types[0].source
    shutil.copytree(contiki_apps() / "probes", tmp_path / "probes", ignore=shutil.ignore_patterns("build"))
    text = (GOLDEN / "simulation.csc").read_text().replace(source, "[CONFIG_DIR]/probes/chain.c")
    (tmp_path / "chain.csc").write_text(text)
    return tmp_path / "chain.csc"


def with_server(chain: Path, commands: str = "") -> Path:
    """The same file with a serial socket."""
    inside = f"<commands>{commands}</commands>" if commands else ""
    file = chain.with_name("served.csc")
    file.write_text(chain.read_text().replace("</simconf>", SERVER.format(inside)))
    return file


def test_a_paced_run_has_the_golden_log_and_tells_its_lateness(chain, tmp_path, capsys):
    assert main(["simulate", str(chain), "--speed", "40", "--json", f"--logdir={tmp_path / 'out'}"]) == 0
    said = capsys.readouterr()
    assert (tmp_path / "out" / "COOJA.testlog").read_bytes() == (GOLDEN / "COOJA.testlog").read_bytes()
    (row,) = json.loads(said.out)
    assert row["wall_s"] >= 12 / 40
    assert row["pace"]["speed"] == 40
    assert 0 <= row["pace"]["late_p50_us"] <= row["pace"]["late_p99_us"]
    assert "40 times real time" in said.err and "99th percentile" in said.err


def test_a_session_becomes_a_test(chain, tmp_path, capsys):
    """Nobody connects here; the record is one all the same, and the log is the golden one."""
    live, again = tmp_path / "live", tmp_path / "again"
    assert main(["simulate", str(with_server(chain)), "--speed", "max", f"--logdir={live}"]) == 0
    assert "is the serial line of mote 1" in capsys.readouterr().err
    record = live / "serial-input.jsonl"
    replay = ["simulate", str(with_server(chain)), f"--replay-input={record}", f"--logdir={again}"]
    assert main(replay) == 0
    assert "serial line" not in capsys.readouterr().err
    for folder in (live, again):
        assert (folder / "COOJA.testlog").read_bytes() == (GOLDEN / "COOJA.testlog").read_bytes()
    record.write_text(record.read_text() + "[]\n")
    assert main(replay) == 3
    assert f"{record}:3" in capsys.readouterr().err
    assert main(["simulate", str(with_server(chain)), "--no-sockets", f"--logdir={again}"]) == 0
    assert not (again / "serial-input.jsonl").exists()


def test_commands_are_shown_and_without_their_programs_the_file_is_refused(
    chain, tmp_path, capsys, monkeypatch
):
    call = ["simulate", str(with_server(chain, "echo up")), f"--logdir={tmp_path / 'out'}"]
    assert main(call) == 0
    assert "runs beside the simulation: echo up" in capsys.readouterr().err
    assert (tmp_path / "out" / "commands.log").read_text() == "up\n"
    file = with_server(chain, "mtr -6 -r fd00::1")
    (tmp_path / "bin").mkdir()
    for name in ("make", "cc", "gcc", "sh", "rm", "mkdir", "ld", "as"):
        if found := shutil.which(name):
            (tmp_path / "bin" / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert main(["simulate", str(file), f"--logdir={tmp_path / 'out'}"]) == 5
    said = capsys.readouterr().err
    line = next(
        number for number, text in enumerate(file.read_text().split("\n"), 1) if "SerialSocket" in text
    )
    assert f"{file}:{line}: " in said and "mtr" in said and "--no-commands" in said


def test_a_command_that_fails_is_named_with_the_failed_run(chain, tmp_path, capsys):
    """At real time, in which the command ends long before the simulation."""
    file = with_server(chain, "test -e /none")
    assert main(["simulate", str(file), "--speed", "1", f"--logdir={tmp_path / 'out'}"]) == 1
    assert "a command of the .csc ended with" in capsys.readouterr().err


def test_a_record_of_input_is_of_one_simulation(chain, tmp_path, capsys):
    record = tmp_path / "serial-input.jsonl"
    record.write_text("")
    files = [str(chain), str(with_server(chain))]
    assert main(["simulate", *files, "--replay-input", str(record), f"--logdir={tmp_path / 'out'}"]) == 2
    assert str(record) in capsys.readouterr().err


def test_without_root_a_border_router_is_refused_by_name(chain, tmp_path, capsys, monkeypatch):
    from orchestrator.engines.embedded import machine

    monkeypatch.setattr(machine.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(machine, "sudo_works", lambda: False)
    (tmp_path / "br.sh").write_text("./tunslip6 -a 127.0.0.1 fd00::1/64\n")
    monkeypatch.setattr(machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    file = with_server(chain, "[CONFIG_DIR]/br.sh")
    assert main(["simulate", str(file), f"--logdir={tmp_path / 'out'}"]) == 5
    said = capsys.readouterr().err
    assert f"{file}:" in said and "br.sh" in said and "root" in said


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--speed", "fast"], 2),
        (["--speed", "0"], 2),
        (["--speed", "-1"], 2),
        (["--engine", "cooja", "--speed", "1"], 2),
        (["--replay-input", "none"], 9),
    ],
)
def test_wrong_options_are_named(chain, tmp_path, capsys, options, code):
    try:
        assert main(["simulate", str(chain), f"--logdir={tmp_path / 'out'}", *options]) == code
    except SystemExit as end:
        assert end.code == code
    assert options[-2] in capsys.readouterr().err


def test_files_with_one_port_let_the_others_go_first(chain, tmp_path, capsys):
    """The second waits for the first one's port, but the third need not wait for either."""
    for name in ("1-served", "2-served", "3-usual"):
        (tmp_path / "suite").mkdir(exist_ok=True)
        third = tmp_path / "out" / "3-usual" / "COOJA.testlog"
        waits = f"until test -s {third}; do sleep 0.1; done"
        text = (with_server(chain, waits) if "served" in name else chain).read_text()
        if "served" in name:  # else its 12 s would be over at once
            text = text.replace("</title>", "</title><speedlimit>0.05</speedlimit>", 1)
        (tmp_path / "suite" / f"{name}.csc").write_text(text.replace("[CONFIG_DIR]", str(tmp_path)))
    assert main(["simulate", str(tmp_path / "suite"), "-j", "2", f"--logdir={tmp_path / 'out'}"]) == 0
    ended = [line.split(":")[0] for line in capsys.readouterr().err.splitlines() if ": ok, " in line]
    assert ended[0] == "3-usual" and sorted(ended[1:]) == ["1-served", "2-served"]
