# SPDX-License-Identifier: Apache-2.0
"""An application for tests that need one of few words."""

from __future__ import annotations

from pathlib import Path

from orchestrator.applications.model import Application, Course


def an_application(**given) -> Application:
    values = {
        "name": "aggregation",
        "file": Path("/apps/mine/application.yaml"),
        "summary": "",
        "roles": ("subscriber", "publisher"),
        "control_node": False,
        "parameters": {},
        "eeprom": (),
        "build": {},
        "success_line": "ok",
        "fail_line": None,
        "course": Course(),
    }
    return Application(**values | given)
