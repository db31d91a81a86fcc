# SPDX-License-Identifier: Apache-2.0
"""orchestrate simulate: Cooja's options, log and exit status."""

import argparse
import json
import re
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.cli.options import seed
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.resources import contiki_apps
from tests import built_before, needs

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "cooja"

needs.a_compiler()


@pytest.fixture
def chain(tmp_path) -> Path:
    """The golden chain and its probe's sources in a folder of their own."""
    text = (GOLDEN / "chain" / "simulation.csc").read_text()
    simulation = read(GOLDEN / "chain" / "simulation.csc")
    shutil.copytree(contiki_apps() / "probes", tmp_path / "probes", ignore=shutil.ignore_patterns("build"))
    (tmp_path / "chain.csc").write_text(
        text.replace(simulation.mote_types[0].source, "[CONFIG_DIR]/probes/chain.c")
    )
    return tmp_path / "chain.csc"


@pytest.fixture
def not_built(tmp_path, monkeypatch) -> None:
    """Nothing but the kernel is in the cache; not what an earlier session built in such a folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(built_before.seed(tmp_path / "cache")))


def test_the_golden_log_by_the_file_s_own_commands(not_built, chain, tmp_path, capsys):
    assert main(["simulate", str(chain), f"--logdir={tmp_path / 'out'}"]) == 0
    said = capsys.readouterr()
    assert (tmp_path / "out" / "COOJA.testlog").read_bytes() == (
        GOLDEN / "chain" / "COOJA.testlog"
    ).read_bytes()
    assert "> make" in said.err, "commands are shown before they run"
    assert "ok, 12 s simulated" in said.err
    assert said.out == ""


def test_no_commands(not_built, chain, tmp_path, capsys):
    assert main(["simulate", str(chain), "--no-commands", "--logdir", str(tmp_path)]) == 4
    assert "may not run (--no-commands)" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.cooja"))
    assert not (tmp_path / "COOJA.testlog").exists()
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 0
    assert not (tmp_path / "probes" / "build").exists(), "the file's own commands ran in a copy"
    there = tmp_path / "probes" / "build" / "cooja" / "mtype1.cooja"  # what a user's own make leaves
    there.parent.mkdir(parents=True)
    shutil.copy(next((tmp_path / "cache").rglob("mtype1.cooja")), there)
    assert main(["simulate", str(chain), "--no-commands", "--logdir", str(tmp_path)]) == 0


def test_no_commands_builds_only_what_we_installed(not_built, tmp_path, capsys):
    """A Makefile that someone else wrote is a command too, wherever it would run."""
    from orchestrator.csc import interfaces
    from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm

    shutil.copytree(contiki_apps(), tmp_path / "tree", ignore=shutil.ignore_patterns("build"))
    form = "$(MAKE) -j$(CPUS) hello-nullnet.cooja TARGET=cooja"
    file = tmp_path / "a.csc"

    def put(commands: str) -> None:
        mote_type = MoteType(
            "m",
            "",
            "[CONFIG_DIR]/tree/apps/hello-nullnet/hello-nullnet.c",
            commands,
            interfaces.STANDARD_INTERFACES,
        )
        file.write_bytes(
            write(Simulation("t", 1, 1000, Udgm(), (mote_type,), (Mote("m", 1, 0, 0),), EndScript(2_000_000)))
        )

    put(form)
    assert main(["simulate", str(file), "--no-commands", "--logdir", str(tmp_path)]) == 0
    put(form + " SHELL=python3")
    assert main(["simulate", str(file), "--no-commands", "--logdir", str(tmp_path)]) == 4
    put(form)
    makefile = tmp_path / "tree" / "apps" / "hello-nullnet" / "Makefile"
    makefile.write_text("$(shell touch " + str(tmp_path / "ran") + ")\n" + makefile.read_text())
    assert main(["simulate", str(file), "--no-commands", "--logdir", str(tmp_path)]) == 4
    assert not (tmp_path / "ran").exists()
    capsys.readouterr()
    assert main(["simulate", str(file), "--logdir", str(tmp_path)]) == 0
    assert (tmp_path / "ran").exists()
    assert "> make hello-nullnet.cooja" in capsys.readouterr().err
    assert not (makefile.parent / "build").exists()


def test_a_generated_seed_is_drawn_and_told(chain, tmp_path, capsys):
    text = chain.read_text()
    number = text[text.index("<randomseed>") : text.index("</randomseed>")]
    chain.write_text(text.replace(number, "<randomseed>generated"))
    seeds = []
    for _ in range(2):
        assert main(["simulate", str(chain), "--logdir", str(tmp_path), "--json"]) == 0
        seeds.append(json.loads(capsys.readouterr().out)[0]["seed"])
        assert (tmp_path / "COOJA.testlog").read_text().startswith(f"Random seed: {seeds[-1]}\n")
    assert seeds[0] != seeds[1]


def test_a_failed_verdict_is_exit_code_1(chain, tmp_path):
    from dataclasses import replace

    simulation = read(chain)
    script = replace(simulation.script, timeout_us=2_000_000, success_line="this is never printed")
    chain.write_bytes(write(replace(simulation, script=script)))
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 1
    assert (
        (tmp_path / "COOJA.testlog")
        .read_text()
        .endswith("TEST FAILED\nTest ended at simulation time: 2000000\n")
    )
    chain.write_bytes(
        write(replace(simulation, script=replace(script, success_line=None, verdict_at_timeout=False)))
    )
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 1
    ended = "TEST TIMEOUT\nTEST FAILED\nTest ended at simulation time: 2000000\n"
    assert (tmp_path / "COOJA.testlog").read_text().endswith(ended)


def test_a_script_that_ends_with_a_line(chain, tmp_path, capsys):
    golden = (GOLDEN / "chain" / "COOJA.testlog").read_text().splitlines(keepends=True)
    deciding = "chain 8 0"
    form = """TIMEOUT(12000);
while (true) {
  log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");
  if (msg.contains("%s")) { %s; }
  YIELD();
}
"""
    text = chain.read_text()
    old = text[text.index("<script>") : text.index("</script>")]
    last = next(number for number, line in enumerate(golden) if deciding in line)
    chain.write_text(text.replace(old, "<script>" + form % (deciding, "log.testOK()")))
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 0
    ended = [*golden[: last + 1], "TEST OK\n", f"Test ended at simulation time: {golden[last].split()[0]}\n"]
    assert (tmp_path / "COOJA.testlog").read_text() == "".join(ended)
    chain.write_text(text.replace(old, "<script>" + form % (deciding, "log.testFailed()")))
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 1  # it can never pass
    failed = [line.replace("TEST OK", "TEST FAILED") for line in ended]
    assert (tmp_path / "COOJA.testlog").read_text() == "".join(failed)
    chain.write_text(text.replace(old, "<script>" + form % (deciding, "sim.getRadioMedium()")))
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 4
    assert "not supported: script: the call getRadioMedium()" in capsys.readouterr().err


def test_a_mote_that_crashes_is_named(chain, tmp_path, capsys):
    probe = tmp_path / "probes" / "probe.c"
    whole = probe.read_text()
    broken = re.sub(r"(cooja_tick\(void\)\s*\{)", r"\1 *(volatile int *)0 = 1;", whole)
    assert broken != whole
    probe.write_text(broken)
    assert main(["simulate", str(chain), "--logdir", str(tmp_path)]) == 7
    said = capsys.readouterr().err
    assert "crash" in said
    assert "mote" in said


def test_what_can_be_wrong_with_the_call(chain, tmp_path, capsys):
    for arguments, code, said in (
        ([tmp_path / "none.csc"], 9, "no such file"),
        ([tmp_path / "a.xml"], 2, "ends with .csc"),
        ([f"{chain},random-seed=x"], 2, "is not a whole number"),
        ([f"{chain},speed=2"], 2, "'speed=2' is not known"),
        ([chain, "--contiki", tmp_path / "none"], 9, "no such folder"),
        ([chain, "--engine", "none"], 2, "no engine named 'none'"),
        ([chain, "--logdir", chain], 8, "correct the path"),
    ):
        assert main(["simulate", *map(str, arguments)]) == code, arguments
        assert said in capsys.readouterr().err
    (tmp_path / "bad.csc").write_text("<simconf>")
    assert main(["simulate", str(tmp_path / "bad.csc")]) == 3
    assert main(["simulate", str(chain), "--random-seed=1_000"]) == 2


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("-3", -3), ("0x1F", 31), ("#ff", 255), (str(2**63 - 1), 2**63 - 1)]
)
def test_seeds_are_java_longs(text, value):
    assert seed(text) == value


@pytest.mark.parametrize("text", ["", "x", "1.5", "--3", "1_0", str(2**63), " "])
def test_other_seeds_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        seed(text)
