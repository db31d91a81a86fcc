# SPDX-License-Identifier: Apache-2.0
"""The files that a scenario or an application names, and where they are looked for."""

from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.distribution import placed_tasks
from orchestrator.scenario.named import Named
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults


@pytest.fixture
def application():
    return descriptor.load(Path(__file__).parents[2] / "contiki-apps" / "apps" / "distribution")


def test_a_system_is_the_scenario_s_file_or_else_the_application_s(application, tmp_path):
    file = application.parameters["system"].default

    def name(folder):
        named = Named(Faults("x.yaml"), folder)
        (text,) = named.rows_of_application(file, Scalar(file, 7), placed_tasks.read, application)
        return text.splitlines()[0]

    assert name(tmp_path) == name(None) == "distribution: example"
    text = (application.file.parent / file).read_text()
    (tmp_path / file).write_text(text.replace("distribution: example", "distribution: mine"))
    assert name(tmp_path) == "distribution: mine"
    assert name(None) == "distribution: example"


def test_a_system_that_is_nowhere_is_said_where_it_is_named(application, tmp_path):
    faults = Faults("x.yaml")
    named = Named(faults, tmp_path)
    gone = Scalar("gone.yaml", 7)
    assert named.rows_of_application("gone.yaml", gone, placed_tasks.read, application) is None
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    assert [(fault.line, fault.what) for fault in raised.value.faults] == [
        (7, "there is no file 'gone.yaml'")
    ]
    with pytest.raises(NoSuchThing, match=r"application\.yaml: there is no file 'gone\.yaml' beside it"):
        named.rows_of_application("gone.yaml", None, placed_tasks.read, application)
