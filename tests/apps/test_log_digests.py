# SPDX-License-Identifier: Apache-2.0
"""Every application prints the recorded bytes (log_digests.py renews the records)."""

from __future__ import annotations

import pytest

from orchestrator.applications import descriptor
from tests import needs
from tests.apps import log_digests
from tools.contract.cases import applications

needs.a_compiler()
KINDS = log_digests.kinds()
FULL = pytest.mark.full(instead="each application with the MAC it has unless told otherwise")


def usual(application: str, mac: str) -> bool:
    """Whether an application has this MAC unless it is told otherwise."""
    declared = descriptor.load(application).parameters.get("mac")
    return declared is None or mac == declared.default


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[] if usual(*kind) else FULL) for kind in KINDS],
    ids=lambda kind: "-".join(filter(None, kind)),
)
def test_every_log_is_as_it_was(kind, tmp_path):
    assert log_digests.line(log_digests.by_kind()[kind], tmp_path) in log_digests.kept()


def test_every_application_and_every_mac_is_kept():
    assert {application for application, _ in KINDS} == set(applications())
    assert {mac for _, mac in KINDS} == {"", "csma", "nullmac", "radio-csma"}
    assert len(log_digests.kept()) == len(KINDS)
