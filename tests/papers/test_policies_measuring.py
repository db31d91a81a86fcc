# SPDX-License-Identifier: Apache-2.0
"""How Figures 23, 26, 27 and 28 of the paper on policies are measured: what is compiled, run and added up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build.machines import MACHINES
from orchestrator.build.sizes import Part, Size
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.features.policies.paper import data, figure_23, figure_26, figure_27, figure_28, simulated
from orchestrator.features.policies.paper.figure_26 import PULLED, PUSHED, Cost
from orchestrator.resources import contiki_apps
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests import needs


class Failing:
    """A machine whose compiler says no."""

    title, name = "a machine", "failing"

    def compiler(self):
        return SimpleNamespace(command=("sh", "-c", "echo not today >&2; exit 3"))


# --- Figure 23
# ------------------------------------------------------------------------------------------------------------
def module(name: str, *files: str) -> Part:
    """Each file has another size, of which all kinds but the stack count."""
    return Part(name, {file: Size(1000 * n, 100 * n, 10 * n, n) for n, file in enumerate(files, 1)}, (0, ""))


def test_the_manager_is_some_of_the_policies_files_in_either_reading():
    policies = module(
        "policies",
        "policy-manager.c",
        "policy-conflict.c",
        "policy-enforcement.c",
        "policy-operations.c",
        "policy-timeouts.c",
        "policy-octets.c",
        "policy-arithmetic.c",
    )
    push = module("push-dpc", "push-dpc.c", "push-more.c")
    assert figure_23.both_readings(policies, push) == {
        "manager": 3 * 1111,
        "manager with PushDPC": 3 * 1111 + 3 * 1111,
        "manager, wide reading": 21 * 1111,
        "manager with PushDPC, wide reading": 21 * 1111 + 3 * 1111,
    }


def test_every_row_of_figure_23_is_of_the_module_that_it_names(monkeypatch):
    names = ("pubsub", "pull-dpc", "cpc", "sampling-buffer", "secure-group")
    parts = [module(name, *(f"{name}-{n}.c" for n in range(place + 1))) for place, name in enumerate(names)]
    parts += [
        module("policies", *figure_23.WIDE),
        module("push-dpc", "push-dpc.c"),
        module("other", "other.c"),
    ]
    asked = []
    monkeypatch.setattr(figure_23.sizes, "modules", lambda machine: parts)
    monkeypatch.setattr(figure_23, "_policy", lambda path, machine: asked.append(path) or len(asked))
    machine = MACHINES["msp430"]
    found = figure_23._on(machine)
    assert found.machine is machine
    assert {name: size for name, size in found.rows.items() if not name.startswith("manager")} == {
        "broker": 1111,
        "PushDPC": 1111,
        "PullDPC": 3 * 1111,
        "ReliableCPC": 6 * 1111,
        "sampling buffer": 10 * 1111,
        "secure group": 15 * 1111,
        **{name: place for place, name in enumerate(figure_23.POLICIES, 1)},
    }
    assert [path.name for path in asked] == list(figure_23.POLICIES.values())
    assert all(path.is_file() for path in asked)


def test_a_machine_without_a_compiler_is_left_out_and_said(monkeypatch, capsys):
    def on(machine):
        if machine.name == "msp430":
            raise MissingTool("no clang for it")
        return machine.name

    monkeypatch.setattr(figure_23, "_on", on)
    assert figure_23.measured.__wrapped__() == ("cortex-m3",)
    assert capsys.readouterr().err == "no clang for it\n"


def test_a_policy_that_does_not_compile_is_a_failure():
    path = contiki_apps() / "policies" / "figure-16.escape"
    with pytest.raises(BuildFailed, match=r"figure-16\.escape for a machine: not today"):
        figure_23._policy(path, Failing())


def test_a_policys_bytes_are_those_of_its_object_file():
    """More rules take more bytes, on any machine."""
    needs.a_compiler()
    machine = SimpleNamespace(compiler=lambda: SimpleNamespace(command=("cc",)), title="this machine")
    folder = contiki_apps() / "policies"
    small, large = (
        figure_23._policy(folder / name, machine) for name in ("figure-14-rebuilt.escape", "figure-15.escape")
    )
    assert 100 < small < large < 10_000


# --- Figure 26
# ------------------------------------------------------------------------------------------------------------
def test_overheads_are_of_the_instructions_and_of_the_time_until_the_frame_has_left():
    """48 bytes of 32 us are 1536 us; at 4 instructions a microsecond that is as much as 6144 of them."""
    cost = Cost(2048, 2560)
    assert cost.overhead == 25.0 and cost.whole == pytest.approx(100 * 512 / (2048 + 6144))


def test_both_policies_are_measured_without_and_with_the_manager(monkeypatch, capsys):
    asked = []

    def instructions(policies, topic, readings, managed, pulled):
        asked.append((policies[0].name, topic, tuple(readings), managed, pulled))
        return [1, 1000 + len(asked), 3]

    monkeypatch.setattr(figure_26, "instructions", instructions)
    assert figure_26.measured.__wrapped__() == {PUSHED: Cost(1001, 1002), PULLED: Cost(1003, 1004)}
    first, second = "figure-14-rebuilt.escape", "figure-17-rebuilt.escape"
    assert asked == [
        (first, "TempForFireAlarm", (10, 60, 70), False, False),
        (first, "TempForFireAlarm", (10, 60, 70), True, False),
        (second, "ACSTemp", (10, 60, 70), False, True),
        (second, "ACSTemp", (10, 60, 70), True, True),
    ]

    def missing(*_, **__):
        raise MissingTool("no emulator")

    monkeypatch.setattr(figure_26, "instructions", missing)
    assert figure_26.measured.__wrapped__() == {} == figure_26.on_one_event.__wrapped__()
    assert capsys.readouterr().err == "no emulator\n"


def test_policies_on_the_event_are_the_last_of_all(monkeypatch):
    asked = {}

    def instructions(policies, topic, readings, managed, pulled):
        text = policies[0].read_text()
        topics = [line.split()[3] for line in text.splitlines() if line.startswith("  on")]
        asked[topics.count("Heat(t)"), len(topics)] = topics
        assert (topic, readings, managed, pulled) == ("Heat", figure_26.READINGS, True, False)
        assert text.count("0-0: t < 50 -> discard;\n    0-0: t >= 50 -> accept;") == len(topics)
        return [0, len(topics), 0]

    monkeypatch.setattr(figure_26, "instructions", instructions)
    found = figure_26.on_one_event.__wrapped__()
    assert found == {(1, 1): 1, (1, 128): 128, **{(many, 32): 32 for many in (1, 2, 4, 8, 16, 32)}}
    assert asked.keys() == found.keys()
    for (on_it, in_all), topics in asked.items():
        assert topics == [f"Other{n}(t)" for n in range(in_all - on_it)] + ["Heat(t)"] * on_it


@pytest.mark.parametrize("managed", [False, True])
def test_a_readings_instructions_are_from_its_call_to_its_frame(monkeypatch, managed):
    compiled = {}

    def compile_(files, options, program):
        compiled.update(files=files, options=options)

    marks = [
        ("began", 100),
        ("ended", 160),
        ("began", 200),
        ("ended", 1200),
        ("began", 2000),
        ("ended", 2007),
    ]
    monkeypatch.setattr(figure_26, "_compile", compile_)
    monkeypatch.setattr(
        figure_26.counted, "entries", lambda program, names: marks if names == ("began", "ended") else []
    )
    path = contiki_apps() / "policies" / "figure-14-rebuilt.escape"
    found = figure_26.instructions([path], "TempForFireAlarm", (10, 60, 70), managed, not managed)
    assert found == [60, 1000, 7]
    defined = [one for one in compiled["options"] if one.startswith("-D")]
    assert defined == [
        f"-DMANAGED={int(managed)}",
        f"-DPULLED={int(not managed)}",
        "-DSUBJECT=0x54656d70466f3531ULL",
        "-DREADINGS={ 10, 60, 70 }",
        f"-DPUBSUB_CONF_ENFORCEMENT={int(managed)}",
    ]
    names = {Path(file).name for file in compiled["files"]}
    assert {"mote.c", "temperature.c", "linkaddr.c", "list.c", "memb.c", "pubsub.c"} <= names
    assert "pubsub-link.c" not in names  # mote.c stands for the link
    assert ({"policy-manager.c", "policies-generated.c"} <= names) == managed
    assert not managed or "policy-manager.c" in names
    assert managed or not any("polic" in name for name in names)


def test_a_program_that_does_not_compile_is_a_failure(monkeypatch, tmp_path):
    monkeypatch.setattr(figure_26.counted, "MACHINE", Failing())
    with pytest.raises(BuildFailed, match=r"program\.elf for a machine: not today"):
        figure_26._compile([tmp_path / "x.c"], [], tmp_path / "program.elf")


# --- Figure 27
# ------------------------------------------------------------------------------------------------------------
def test_a_drain_is_the_mean_of_all_motes_and_a_run_that_failed_has_none(monkeypatch):
    """Cells are named by what the case is, and by the behaviour of its motes."""
    asked = []

    def run_one(kernel, job):
        asked.append(job)
        (job.radio / "states.csv").write_text(
            "mote,transmitting_us,receiving_us\n1,100,7\n2,20,8\n3,30,9\n", encoding="ascii"
        )
        return SimpleNamespace(outcome=Outcome.CRASH if len(asked) == 2 else Outcome.OK)

    monkeypatch.setattr(figure_27, "engine", lambda name: SimpleNamespace(prepare=lambda: None, name=name))
    monkeypatch.setattr(figure_27, "run_one", run_one)
    monkeypatch.setattr(figure_27, "job", lambda cell, folder, radio: SimpleNamespace(radio=radio))
    names = [cell.name for cell in loads(data.text(figure_27.FILE), figure_27.FILE).cells]
    found = figure_27.measured.__wrapped__()
    assert set(found.values()) == {figure_27.Drain(50.0, 8.0)}
    assert [f"{case}-{behaviour}" for case, behaviour in found] == [names[0], *names[2:]]
    assert {behaviour for _, behaviour in found} == {figure_27.POLICIES, figure_27.CODED}


@pytest.mark.parametrize(
    ("mine", "other", "words"), [(1.0, 3.0, "33 %"), (3.0, 2.0, "150 %"), (0.0, 2.0, "0 %"), (1.0, 0.0, "–")]
)
def test_a_ratio_is_in_percent_of_what_motes_draw_without_policies(mine, other, words):
    assert figure_27._ratio(mine, other) == words


# --- Figure 28
# ------------------------------------------------------------------------------------------------------------
def test_profiles_are_by_what_is_hot_and_by_the_sensors(monkeypatch):
    monkeypatch.setattr(figure_28, "profile", lambda cell: cell.name)
    assert figure_28.measured.__wrapped__() == {
        (hot, sensors): f"{hot}-{sensors}" for hot in ("0%", "1%") for sensors in (5, 30, 60, 118)
    }


def test_shares_and_rates_are_of_all_motes_and_layers():
    one = figure_28.Profile(
        {figure_28.POLICIES: 30, figure_28.MANAGER: 10, figure_28.BROKER: 40, figure_28.SYSTEM: 120}, 4, 2.5
    )
    assert one.each(figure_28.SYSTEM) == 12.0 and one.each(figure_28.DIFFUSION) == 0.0
    assert one.share(figure_28.NARROW) == 20.0 and one.share(figure_28.WIDE) == 40.0


@pytest.mark.parametrize(("share", "verdict"), [(49, "holds"), (50, "does not hold")])
def test_a_small_part_is_less_than_half(monkeypatch, share, verdict):
    profile = figure_28.Profile({figure_28.POLICIES: share, figure_28.SYSTEM: 100 - share}, 1, 1.0)
    monkeypatch.setattr(figure_28, "measured", lambda: {("0%", 5): profile})
    assert figure_28.checks({})[0].verdict == verdict


def test_a_profile_takes_away_what_a_run_of_a_millisecond_executes(monkeypatch):
    (cell, *_) = loads(data.text(figure_28.FILE), figure_28.FILE).cells
    asked = []

    def instructions(one):
        asked.append(one.duration_us)
        return Counter({"app/lorry.c": 10 * len(asked), "middleware/run-log/x.c": 5, "libc": 3})

    monkeypatch.setattr(figure_28, "_instructions", instructions)
    found = figure_28.profile(cell)
    assert asked == [cell.duration_us, 1000]
    assert found.layers == {figure_28.APPLICATION: -10, figure_28.SYSTEM: 0}
    assert found.seconds == cell.duration_us / 1e6 - 0.001


# --- their runs
# ------------------------------------------------------------------------------------------------------------
def test_a_run_is_of_the_cells_firmware_with_the_figures_seed_and_flags(tmp_path, monkeypatch):
    (cell, *_) = loads(data.text(figure_28.FILE), figure_28.FILE).cells
    built = []

    def firmware(application, variant, cflags):
        built.append(cflags)
        return SimpleNamespace(path=tmp_path / "lorry.so")

    monkeypatch.setattr(simulated.host, "firmware", firmware)
    job = simulated.job(cell, tmp_path, radio=tmp_path / "radio", cflags="-fno-lto")
    plain = simulated.job(cell, tmp_path)
    assert built == ["-fno-lto", ""]
    assert job.seed == 1 and list(job.firmware.values()) == [tmp_path / "lorry.so"]
    assert job.log == tmp_path / "log" and job.radio == tmp_path / "radio" and plain.radio is None
    scenario = loads(data.text(figure_28.FILE), figure_28.FILE)
    assert scenario.seeds == (simulated.SEED,)
