# SPDX-License-Identifier: Apache-2.0
"""Writes the overview page of an application: who advertises, notifies and subscribes to what.

It also says which values are encrypted. All of it is taken from the policies: an event `C-B subscribe T` says
that a component of that node subscribes to T, and an operation in an action says that the policy does.
Operations of components that no policy watches are unknown here.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from orchestrator.features.policies import meaning
from orchestrator.features.policies.meaning import Application, Decide, Meant, Perform
from orchestrator.features.policies.model import Point
from orchestrator.features.policies.picture import picture
from orchestrator.features.policies.types import SEALED

COLUMNS = ("advertised by", "notified by", "subscribed by", "received at", "encrypted")
_STYLE = """body{font:15px system-ui,sans-serif;margin:2em auto;max-width:1000px;padding:0 1em;color:#333}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4em .6em;
border-bottom:1px solid #ccc}h2{margin-top:2em}code{font-family:monospace}svg{border:1px solid #ddd}"""


class Use(NamedTuple):
    """One use of a topic. `column`: its column in the table."""

    topic: str
    column: str
    text: str


def uses(application: Application) -> list[Use]:
    """Return every use of a topic, by policy, in the order of the source."""
    return list(dict.fromkeys(use for policy in application.policies for use in _of_policy(policy)))


def _of_policy(policy: Meant) -> Iterable[Use]:
    columns = {"advertise": COLUMNS[0], "notify": COLUMNS[1], "subscribe": COLUMNS[2]}
    for handler in policy.handlers:
        place = handler.trigger
        if isinstance(place, Point):
            if place.direction == "C-B" and place.operation in columns:
                yield Use(place.topic, columns[place.operation], f"component, seen by {policy.name}")
            elif place.direction == "B-extB" and place.operation in columns:
                yield Use(place.topic, columns[place.operation], f"node, seen by {policy.name} (B-extB)")
            elif place.operation == "notify" and place.direction in ("B-C", "extB-B"):
                yield Use(place.topic, COLUMNS[3], f"{policy.name} ({place.direction})")
        for rule in handler.rules:
            for step in meaning.steps(rule.action):
                if isinstance(step, Perform) and step.operation in columns:
                    with_ = f" with {', '.join(step.extensions)}" if step.extensions else ""
                    yield Use(step.topic, columns[step.operation], policy.name + with_)
                values = getattr(step, "arguments", None) or ()
                sealed = any(term.type is SEALED for term in values)
                if sealed and isinstance(step, Decide) and isinstance(place, Point) and step.accepts:
                    if place.direction in ("C-B", "B-extB"):
                        yield Use(place.topic, COLUMNS[4], f"by {policy.name} ({place.direction})")
                elif sealed and isinstance(step, Perform):
                    yield Use(step.topic, COLUMNS[4], f"by {policy.name}")


def page(application: Application) -> str:
    """Return the page, complete in one file."""
    all_uses = uses(application)
    rows = []
    for topic in application.topics:
        cells = []
        for column in COLUMNS:
            texts = [use.text for use in all_uses if use.topic == topic and use.column == column]
            nothing = "no policy encrypts it" if column == COLUMNS[4] else ""
            cells.append("<br>".join(map(escape, texts)) or nothing)
        rows.append(
            f"<tr><th><code>{escape(topic)}</code></th>"
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + "</tr>"
        )
    head = "".join(f"<th>{column}</th>" for column in ("topic", *COLUMNS))
    machines = "".join(
        f'<h2 id="{escape(policy.name)}">{escape(policy.name)}</h2>{picture(policy).svg()}'
        for policy in application.policies
    )
    names = ", ".join(
        f'<a href="#{escape(policy.name)}">{escape(policy.name)}</a>' for policy in application.policies
    )
    count = len(application.policies)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Policies of an application</title>'
        f"<style>{_STYLE}</style></head><body><h1>Policies of an application</h1>"
        f"<p>{count} {'policy' if count == 1 else 'policies'}: {names}.</p>"
        "<p>The table holds what the policies show: what they do, and what they watch components do."
        f"</p><table><tr>{head}</tr>{''.join(rows)}</table>{machines}</body></html>\n"
    )
