# SPDX-License-Identifier: Apache-2.0
"""Descriptions of commands: as written where they fit; else whole paragraphs wrap, and lists hang."""

import pytest

from orchestrator.cli.usage import Help

TEXT = """Does this and then that, in this order, so that nothing
is lost.

  orchestrate this      the first of two, with a long explanation of it
  orchestrate that      the other"""


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (75, TEXT),
        (
            50,
            """Does this and then that, in this order, so that
nothing is lost.

  orchestrate this      the first of two, with a
                        long explanation of it
  orchestrate that      the other""",
        ),
    ],
)
def test_a_description(width, shown):
    assert Help("orchestrate")._fill_text(TEXT, width, "") == shown
