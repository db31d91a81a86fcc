# SPDX-License-Identifier: Apache-2.0
"""Renders a Trace as one HTML page, whose policy allows no script but the page's own and no request."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from orchestrator.report.replay.columns import Trace

_FOLDER = Path(__file__).resolve().parent
SCRIPTS = ("trace.js", "topology.js", "radios.js", "timeline.js", "player.js")


def html(experiment: str, trace: Trace, run_id: str) -> str:
    """Render the replay of a run; `trace` may be that of its traced repetition, which has another id."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    script = '"use strict";\n(() => {\n' + "".join(_text(name) for name in SCRIPTS) + "})();\n"
    css = _text("replay.css")
    facts, packed = trace.packed()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = Environment(loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("replay.html").render(
        experiment=experiment,
        facts=trace.facts,
        run_id=run_id,
        policy=policy,
        css=css,
        script=script,
        json=facts,
        data=base64.b64encode(packed).decode(),
        records=len(trace.columns["time"]),
    )


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the name that a policy has for an inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
