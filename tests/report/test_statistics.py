# SPDX-License-Identifier: Apache-2.0

from orchestrator import console
from orchestrator.cli.tables import Column, Table
from orchestrator.report.axis import written
from orchestrator.report.model import Entry
from orchestrator.report.statistics import against, number
from orchestrator.statistics.estimates import NOTHING, estimate


def test_a_published_number_is_judged_by_our_single_runs():
    ours = estimate([48.0, 50.0, 52.0, 50.0, 49.0, 51.0])
    assert against(50.1, ours, "%") == ("within the range of our single runs", "good")
    assert against(51.9, ours, "%")[1] == "good"  # outside the interval of the mean
    verdict, tone = against(80.0, ours, "%")
    assert (verdict, tone) == ("outside the range of our single runs; ours is lower by 30.0 points", "bad")
    assert against(100.0, estimate([200.0, 200.0]), "messages", 0)[0].endswith(
        "ours is higher by 100 messages (100\u00a0%)"
    )
    assert against(1.0, NOTHING)[0] == "not measured"


def test_a_rounded_number_stands_for_what_it_was_rounded_from():
    ours = estimate([50.43, 50.6])
    assert not ours.has_run(50.4) and ours.has_run(50.4, 0.1) and not ours.has_run(50.3, 0.1)
    assert against(50.4, ours, "%", rounded=0.1)[1] == "good" and against(50.4, ours, "%")[1] == "bad"
    assert ours.has_run(50.65, 0.1) and not ours.has_run(50.66, 0.1)


def test_numbers_are_for_reading():
    assert number(1234567.8, 1) == "1\u202f234\u202f567.8"
    assert number(-1e-9, 1) == "0.0" and number(-2.5, 1) == "−2.5" and number(float("nan")) == "–"


def test_what_is_not_zero_does_not_read_as_zero():
    assert [number(value, 2) for value in (0.0, 0.0034, -0.0034, 0.00012, 1e-6, 9e-7)] == [
        "0.00", "0.003", "−0.003", "0.0001", "0.000001", "0.00"
    ]  # fmt: skip
    assert number(0.4, 0) == "0.4" and number(0.5, 0) == "0"


def test_pages_have_minus_signs_and_terminals_and_files_have_hyphens(capsys):
    console.show("from −3 to −2.5 dB", Table("", (Column("B − A"),), [(number(-2.5),)]))
    assert "−" not in capsys.readouterr().out
    assert [Entry(text, number=True).text for text in ("-81.3", "1-4", "1e-07", "-5 to -3")] == [
        "−81.3",
        "1-4",
        "1e-07",
        "−5 to −3",
    ]
    assert written([-2.0, 1.0])[0] == number(-2.0, 0) == "−2"
