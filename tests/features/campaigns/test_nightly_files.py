# SPDX-License-Identifier: Apache-2.0
"""nightly.yaml and what starts it: checked by structure, and by their own verifiers where there are any."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from orchestrator.cli.app import every_command
from orchestrator.cli.usage import Parser
from orchestrator.features.campaigns.load import load

ROOT = Path(__file__).resolve().parents[3]
SERVICE = ROOT / "contrib" / "nightly" / "orchestrate-nightly.service"
TIMER = SERVICE.with_suffix(".timer")
WORKFLOW = ROOT / ".github" / "workflows" / "nightly.yml"
CRON = SERVICE.with_name("crontab")


def calls(text: str) -> list[str]:
    """The arguments of each `orchestrate nightly` in a text."""
    return re.findall(r"bin/orchestrate nightly (.*)", text)


def parsed(arguments: list[str]):
    from orchestrator.features.campaigns.commands import nightly

    parser = Parser(prog="orchestrate nightly")
    nightly.add_arguments(parser)
    return parser.parse_args(arguments)


def test_the_nightly_campaign_covers_papers_topologies_sizes_rates_media_and_seeds():
    campaign = load(ROOT / "nightly.yaml")
    cells = [cell for part in campaign.parts for cell in part.scenario.cells]
    applications = {cell.application.name for cell in cells}
    assert {"aggregation", "mesh", "blackboard-paper"} <= applications
    assert len({cell.topology.shape for cell in cells}) >= 5
    assert {cell.topology.parameters.get("publishers") for cell in cells} >= {5, 10}
    assert {cell.application.parameters.get("rate") for cell in cells} >= {"high", "low"}
    media = {(cell.radio.medium, getattr(cell.radio, "rx_ratio", None)) for cell in cells}
    assert len({medium for medium, _ in media}) >= 2 and len(media) >= 3
    assert all(len(part.seeds) >= 5 for part in campaign.parts) and not campaign.repeats
    assert campaign.budget_s and campaign.retention.rounds


def test_the_short_form_is_a_part_of_it():
    whole, short = load(ROOT / "nightly.yaml"), load(ROOT / "nightly-short.yaml")
    assert short.total < whole.total / 5
    assert {part.named for part in short.parts} <= {part.named for part in whole.parts}


@pytest.mark.parametrize("file", [SERVICE, CRON, WORKFLOW], ids=lambda path: path.name)
def test_what_is_started_is_a_command_that_there_is(file):
    (call,) = calls(file.read_text())
    words = call.replace('"$FILE"', "nightly.yaml").replace('"$GITHUB_STEP_SUMMARY"', "summary.md").split()
    assert "nightly" in every_command() and parsed(words).file == Path("nightly.yaml")


def test_the_units_belong_together():
    service, timer = (
        configparser.ConfigParser(strict=False, interpolation=None, delimiters="=") for _ in range(2)
    )
    service.optionxform = timer.optionxform = str
    service.read(SERVICE)
    timer.read(TIMER)
    assert service["Service"]["Type"] == "oneshot" and service["Service"]["KillSignal"] == "SIGINT"
    assert timer["Timer"]["Persistent"] == "true" and "OnCalendar" in timer["Timer"]
    assert timer["Install"]["WantedBy"] == "timers.target"


def test_the_workflow_keeps_the_store_of_a_red_night_too():
    told = yaml.safe_load(WORKFLOW.read_text())
    assert told[True]["schedule"] and told["permissions"] == {"contents": "read"}
    steps = told["jobs"]["nightly"]["steps"]
    used = {step["uses"].partition("@")[0]: step for step in steps if "uses" in step}
    assert used["actions/cache/save"]["if"] == used["actions/upload-artifact"]["if"] == "${{ !cancelled() }}"
    keys = {used[f"actions/cache/{what}"]["with"]["key"] for what in ("restore", "save")}
    assert len(keys) == 1 and keys.pop().startswith(used["actions/cache/restore"]["with"]["restore-keys"])


def test_the_line_of_cron_has_its_five_fields_and_meets_no_other_night():
    (line,) = [line for line in CRON.read_text().splitlines() if not line.startswith("#")]
    assert re.match(r"(\d+|\*) (\d+|\*) \* \* \* cd \S+ && flock --nonblock ", line)


def test_systemd_accepts_the_units(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    for unit in (SERVICE, TIMER):
        shutil.copy(unit, tmp_path)
    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in (done.stdout + done.stderr).splitlines() if "orchestrate-nightly" in line]
    assert done.returncode == 0 and not complaints, done.stderr


def test_actionlint_accepts_the_workflow():
    found = shutil.which("actionlint") or shutil.which("actionlint", path=str(Path.home() / "go" / "bin"))
    if found is None:
        pytest.skip("no actionlint (go install github.com/rhysd/actionlint/cmd/actionlint@latest)")
    done = subprocess.run([found, str(WORKFLOW)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
