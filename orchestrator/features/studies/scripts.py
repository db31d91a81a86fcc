# SPDX-License-Identifier: Apache-2.0
"""Changes the script of a .csc: its time-out, the values of its variables, and how it ends without a verdict.

A script that never gives a verdict ends by its time-out, which Cooja reports as a failure. As the run of an
experiment it has then run to its end, so its time-out gets the verdict OK.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from orchestrator.csc import read
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import DEFAULT_TIMEOUT_MS, EndScript, JavaScript

_TIMEOUT = re.compile(r"\bTIMEOUT\(([0-9]+)(\s*,\s*(.*))?\)")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)  # as Cooja takes them out, also of strings
_VERDICT = re.compile(r"[tT]est(?:OK|Failed)\b")  # as written, or as Cooja replaces it
_VARIABLE = re.compile(
    r"^(?P<before>[ \t]*(?:(?:var|let|const)[ \t]+)?(?P<name>[A-Za-z_$][\w$]*)[ \t]*=[ \t]*)"
    r"(?P<value>[^=;\n][^;\n]*)",
    re.MULTILINE,
)
_PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?|true|false|null", re.ASCII)


def variables(script: EndScript | JavaScript) -> dict[str, str]:
    """Return the variables that a script sets at the beginning of a line, with the first value of each."""
    values: dict[str, str] = {}
    for match in _VARIABLE.finditer(script.text) if isinstance(script, JavaScript) else ():
        values.setdefault(match["name"], match["value"].strip())
    return values


def changed(
    script: EndScript | JavaScript, timeout_us: int | None, values: Mapping[str, str], file: str
) -> EndScript | JavaScript:
    """Return the script with another time-out (None: its own) and with these values of its variables.

    Raises FaultyInput if what results is no script; `file` is what its faults name.
    """
    if isinstance(script, EndScript):
        if not script.verdict_at_timeout and script.success_line is None:
            script = replace(script, verdict_at_timeout=True)
        return script if timeout_us is None else replace(script, timeout_us=timeout_us)
    text = script.text
    for name, value in values.items():
        text = _with_variable(text, name, value)
    text = _with_end(text, timeout_us, passes=_VERDICT.search(script.code + script.timeout_code) is None)
    if text == script.text:
        return script
    first = script.lines[0].rpartition(":")[2] if script.lines else "1"
    faults = Faults(file)
    changed_script = read.script_of([(text, file, int(first) if first.isdigit() else 1)], faults)
    faults.raise_any()
    return changed_script


def _with_variable(text: str, name: str, value: str) -> str:
    def other(match: re.Match) -> str:
        nonlocal done
        if done or match["name"] != name:
            return match[0]
        done = True
        quoted = match["value"].lstrip()[:1] in ("'", '"') or not _PLAIN.fullmatch(value)
        return match["before"] + (json.dumps(value) if quoted else value)

    done = False
    return _VARIABLE.sub(other, text)


def _with_end(text: str, timeout_us: int | None, passes: bool) -> str:
    """Return the text with its time-out; `passes`: as no verdict is given, the time-out gives one."""
    written = _TIMEOUT.search(_COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text))
    if written is None:
        if timeout_us is None and not passes:
            return text
        milliseconds = DEFAULT_TIMEOUT_MS if timeout_us is None else timeout_us // 1000
        return f"TIMEOUT({milliseconds}{', log.testOK()' if passes else ''}); {text}"
    milliseconds = int(written[1]) if timeout_us is None else timeout_us // 1000
    code = (written[3] or "").strip().rstrip(";")
    if passes:
        code = f"{code}; log.testOK()" if code else "log.testOK()"
    call = f"TIMEOUT({milliseconds}, {code})" if code else f"TIMEOUT({milliseconds})"
    return text[: written.start()] + call + text[written.end() :]
