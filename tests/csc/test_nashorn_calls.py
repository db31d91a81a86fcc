# SPDX-License-Identifier: Apache-2.0
"""How an error of Nashorn would name a call, by the place that our interpreter gives for it."""

import pytest

from orchestrator.csc.nashorn_calls import calls


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("f();", {"1:1": "f"}),
        ("\n  a.b.c();", {"2:7": "a.b.c"}),
        ("new Thing();", {"1:10": "Thing"}),
        ("new Thing;", {"1:5": "Thing"}),
        ("this.x();", {"1:6": "this.x"}),
        ("'one two'.three();", {"1:11": '"one two".three'}),
        ("a['key']();", {"1:2": "a.key"}),
        ("a['no name']();", {"1:2": 'a["no name"]'}),
        ("a[12]();", {"1:2": "a[12]"}),
        ("a[012]();", {}),  # not as Nashorn would write that number
        ("(1 + 2).go();", {"1:9": "?.go"}),
        ("(1 + 2)();", {}),
        ("é(); f();", {"1:1": "é", "1:6": "f"}),  # columns count characters
    ],
)
def test_a_call_is_named_where_its_error_is(code, named):
    assert calls(code) == named
