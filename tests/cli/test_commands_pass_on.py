# SPDX-License-Identifier: Apache-2.0
"""What the options of `build`, `debug`, `init` and `completion` mean to what does the work."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.applications import descriptor
from orchestrator.cli import completion, init
from orchestrator.cli.app import main
from orchestrator.cli.spark_options import session_before, spread
from orchestrator.engines.model import Job
from orchestrator.scenario.model import FirmwareOptions
from orchestrator.vocabulary.simulators import DEFAULT_RULES


@pytest.fixture
def built(monkeypatch, tmp_path):
    """What `build` asks for: (options, application, variant, the rest)."""
    asked = []

    def builder(options, say, show):
        show("a line of the build")
        say("a message")

        def firmware(application, variant, **rest):
            asked.append((options, application, variant, rest))
            return SimpleNamespace(path=tmp_path / "x", sha256="f00", key="b4a")

        return SimpleNamespace(
            firmware=firmware, described=lambda: {"source": "contiki-ng", "tree": "t", "image": "i"}
        )

    monkeypatch.setattr("orchestrator.build.firmware.builder", builder)
    monkeypatch.setattr("orchestrator.build.elf.sizes", lambda path: {"text": 7, "data": 2, "bss": 1})
    return asked


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], FirmwareOptions()),
        (["--image", "i"], FirmwareOptions(builder="docker", image="i")),
        (["--image", "i", "--builder", "host"], FirmwareOptions(image="i")),
        (["--target", "zoul"], FirmwareOptions("contiki-ng")),
        (["--contiki-ng", "t"], FirmwareOptions("contiki-ng", tree="t")),
        (
            ["--compile", "as-is", "--build-memory", "64", "--build-time", "3"],
            FirmwareOptions(compile="as-is", memory=64 << 20, seconds=3.0),
        ),
    ],
)
def test_where_firmware_is_built(words, options, built, capsys):
    assert main(["build", "hello-nullnet", *words, "--json"]) == 0
    ((asked, application, variant, rest),) = built
    target = "zoul" if "zoul" in words else "cooja"
    assert asked == options and application == "hello-nullnet" and variant == {}
    assert rest == {"target": target, "cc": None, "cflags": ""}
    told = json.loads(capsys.readouterr().out)
    assert told["compiler"] is None and told["built"]["tree"] == "t" and told["target"] == target


def test_how_firmware_is_built(built, capsys):
    words = "--variant MAC=csma --variant A=1 --cc env --cflags=-O0 --target wismote"
    assert main(["build", "hello-nullnet", *words.split()]) == 0
    ((_, _, variant, rest),) = built
    assert variant == {"MAC": "csma", "A": "1"} and rest == {
        "target": "wismote",
        "cc": "env",
        "cflags": "-O0",
    }
    said = capsys.readouterr()
    assert "source contiki-ng t\nimage  i\n" in said.out and "flash 9, RAM 3 bytes" in said.out
    assert said.err == (
        "a message\nwismote is built as its Makefiles say, but orchestrate's applications are not tested "
        "on it\n"
    )
    assert main(["build", "hello-nullnet", "--target", "zoul"]) == 0
    assert capsys.readouterr().err == "a message\n"


@pytest.fixture
def debugged(monkeypatch, tmp_path):
    """What gdb is to do: (job, session); the firmware is named and not built."""
    asked = []
    monkeypatch.setattr(
        "orchestrator.engines.embedded.debugger.debug", lambda *given: asked.append(given) or 4
    )
    monkeypatch.setattr("orchestrator.engines.embedded.debugger.find", lambda: None)
    options = []
    monkeypatch.setattr(
        "orchestrator.execution.library.library",
        lambda one, folder, given, say: options.append(given) or tmp_path / "x.cooja",
    )
    return SimpleNamespace(asked=asked, options=options)


@pytest.fixture
def csc() -> Path:
    return Path(__file__).resolve().parents[1] / "golden" / "cooja" / "chain" / "simulation.csc"


def test_a_file_in_gdb(debugged, csc, tmp_path):
    words = "--at 12.5 --command bt --command c --batch --seed 7 --rules 2026.07 --debug-build --compile fast"
    assert main(["debug", str(csc), "--mote", "2", "--contiki", str(tmp_path), *words.split()]) == 4
    ((job, session),) = debugged.asked
    assert isinstance(job, Job) and (job.seed, job.ruleset, str(job.log)) == (7, "2026.07", os.devnull)
    assert (session.mote, session.at_us, session.commands, session.batch) == (
        2,
        12_500_000,
        ["bt", "c"],
        True,
    )
    assert set(job.firmware.values()) == {tmp_path / "x.cooja"} and len(session.sources) == 2 * len(
        job.firmware
    )
    inner = (csc.parents[4] / "contiki-apps" / "probes").resolve()
    assert set(session.sources) == {inner.parent.parent, inner}
    (options, *_) = debugged.options
    assert (options.contiki, options.cflags, options.fast) == (tmp_path, "-O0 -g3 -fno-lto", True)


def test_a_file_in_gdb_as_it_says(debugged, csc):
    assert main(["debug", str(csc), "--mote", "1"]) == 4
    ((job, session),) = debugged.asked
    assert job.ruleset == DEFAULT_RULES and job.seed == job.deployment.seed
    assert (session.mote, session.at_us, session.commands, session.batch) == (1, 0, [], False)
    (options, *_) = debugged.options
    assert (options.contiki, options.cflags, options.fast) == (None, "", False)
    assert all(path.is_absolute() for path in session.sources)


def test_what_can_not_be_debugged(debugged, csc, tmp_path, capsys):
    generated = tmp_path / "generated.csc"
    text = re.sub(r"<randomseed>.*?</randomseed>", "<randomseed>generated</randomseed>", csc.read_text())
    generated.write_text(text.replace("[CONFIG_DIR]", str(csc.parent)))
    for words, code, said in (
        ([str(generated), "--mote", "1"], 2, f"{generated}: its random seed is generated anew for each run"),
        ([str(csc), "--mote", "P1"], 9, f"no mote 'P1' in {csc}; motes of a .csc have numbers: 1, 2"),
        ([str(tmp_path / "no.csc.gz"), "--mote", "1"], 9, f"{tmp_path / 'no.csc.gz'}: no such file"),
        *(
            (
                ["e/c/1", "--mote", "1", *option],
                2,
                "--contiki, --seed, --rules and --compile apply to a .csc file",
            )
            for option in (["--contiki", "x"], ["--seed", "1"], ["--rules", "5.0"], ["--compile", "fast"])
        ),
    ):
        assert main(["debug", *words]) == code
        assert capsys.readouterr().err.startswith(f"orchestrate: {said}")
    assert debugged.asked == []
    assert main(["debug", str(generated), "--mote", "1", "--seed", "3"]) == 4
    assert debugged.asked[0][0].seed == 3


def test_init_in_a_folder_with_a_schema(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert capsys.readouterr().out == (
        "chain.yaml written. Next:\n  orchestrate validate chain.yaml\n  orchestrate run chain.yaml\n"
    )
    usual = init.starter("chain", descriptor.load("aggregation"))
    assert Path("chain.yaml").read_text() == usual
    assert main(["init"]) == 2
    assert (
        "chain.yaml already exists; choose another name, or overwrite it with --force"
        in capsys.readouterr().err
    )
    Path("scenario.schema.json").write_text("{}")
    assert main(["init", "--force"]) == 0
    assert Path("chain.yaml").read_text() == f"# yaml-language-server: $schema=scenario.schema.json\n{usual}"
    Path("sub").mkdir()
    assert main(["init", "sub/own.yml", "--application", "mesh"]) == 0
    assert Path("sub/own.yml").read_text() == init.starter("own", descriptor.load("mesh"))
    assert main(["init", "sub/../a b"]) == 2 and main(["init", "x" * 65]) == 2
    assert "'a b' is not a valid name for an experiment; use letters" in capsys.readouterr().err


def test_init_names_an_application_s_folder_as_seen_from_the_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("apps").mkdir()
    assert main(["new", "app", "greenhouse", "--folder", "apps/greenhouse"]) == 0
    Path("scenarios").mkdir()
    assert main(["init", "scenarios/mine", "--application", "apps/greenhouse"]) == 0
    assert "  name: ./../apps/greenhouse\n" in Path("scenarios/mine.yaml").read_text()
    assert stat.S_IMODE(Path("scenarios/mine.yaml").stat().st_mode) & 0o444 == 0o444


@pytest.mark.parametrize(
    ("running", "stages"), [(True, ["then"]), (False, ["starting Apache Spark", "then"])]
)
def test_spark_is_started_as_a_stage_of_its_own(running, stages, monkeypatch):
    monkeypatch.setattr("orchestrate_spark.session.running", lambda: running)
    monkeypatch.setattr("orchestrate_spark.session.session", lambda master: ("session", master))
    told = []
    assert (
        session_before("then", told.append, "spark://a:1")() == ("session", "spark://a:1") and told == stages
    )


def test_work_is_spread_only_over_a_cluster(monkeypatch):
    from orchestrator.execution import spread as spreads

    monkeypatch.setattr("orchestrate_spark.session.submitted", lambda: False)
    monkeypatch.setattr(spreads, "on_session", lambda made: "on a cluster")
    assert spread("then", print, None) is spreads.here
    assert spread("then", print, "spark://a:1") == "on a cluster"
    monkeypatch.setattr("orchestrate_spark.session.submitted", lambda: True)
    assert spread("then", print, None) == "on a cluster"


def test_what_completes_each_argument(tmp_path, monkeypatch):
    """By its name; of files by their endings."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "a.yml", "a.csc", "a.csc.gz", "a.csv", "a.txt"):
        Path(name).write_text("")
    Path("ab").mkdir()
    files = {"a.yaml", "a.yml", "a.csc", "a.csc.gz", "a.csv", "a.txt"}

    def offered(command: str, name: str, **more) -> set[str]:
        action = SimpleNamespace(dest=name, choices=None, nargs=None, **more)
        given = SimpleNamespace(store=str(tmp_path / "none"))
        made = completion._completer(command, action)
        return {
            one for one in made("a", parsed_args=given, parser=SimpleNamespace(prog="x")) if one[0] == "a"
        }

    yaml, csc = {"a.yaml", "a.yml", "ab/"}, {"a.csc", "a.csc.gz", "ab/"}
    assert offered("run", "scenario") == yaml
    assert offered("simulate", "files") == csc and offered("csc", "file") == csc
    assert offered("policy", "file") == set()
    assert offered("topology", "csc") == {"a.csc", "ab/"}
    assert offered("run", "out") == offered("ingest", "log") == files | {"ab/"}
    assert offered("topology", "p_file") == {"a.csv", *yaml}
    assert offered("build", "application") >= {"ab/", "aggregation", "alarm"}
    assert "ab/" not in offered("init", "application") and "alarm" in offered("init", "application")
    assert offered("report", "experiment") == offered("metrics", "experiment") == yaml
    assert offered("ingest", "experiment") == offered("runs", "experiment") == set()
    assert offered("compare", "a") == offered("compare", "b") == yaml
    assert offered("run", "store") == offered("simulate", "logdir") == offered("new", "folder") == {"ab/"}
    assert offered("run", "seeds") == set()
    for action in (SimpleNamespace(choices=("a",), nargs=None), SimpleNamespace(choices=None, nargs=0)):
        assert completion._completer("run", SimpleNamespace(dest="x", **vars(action))) is None


@pytest.mark.parametrize(("count", "offered"), [(1, 1), (20, 20), (21, 0)])
def test_ids_are_offered_if_they_are_few(count, offered, tmp_path):
    for place in range(count):
        run_folder = tmp_path / "e" / "runs" / f"a{place:019}"
        run_folder.mkdir(parents=True)
        (run_folder / "manifest.json").touch()
    given = SimpleNamespace(store=str(tmp_path), experiment="e")
    found = completion._runs("a", given)
    assert len(found) == offered and all(len(one) == 12 for one in found)
    assert completion._runs("b", given) == []
    assert completion._runs("a", SimpleNamespace(store=str(tmp_path), experiment="f")) == []
