# SPDX-License-Identifier: Apache-2.0
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.features.campaigns import baseline as baselines
from orchestrator.features.campaigns import record, samples
from orchestrator.features.campaigns.judging import files as verdict_files
from orchestrator.features.campaigns.judging.blame import What
from orchestrator.features.campaigns.judging.judge import Kind
from orchestrator.features.campaigns.judging.model import Colour, Standing
from orchestrator.features.campaigns.model import Quarantined, State
from orchestrator.features.campaigns.written import Judging
from orchestrator.runs.model import Outcome
from tests import recorded
from tests.features.campaigns.nights_store import NAME, Nights

GOLDEN = Path(__file__).parent / "verdicts"


@pytest.fixture
def nights(tmp_path):
    made = Nights(tmp_path)
    made.night()
    made.verdict()
    made.promote()
    return made


def texts(found):
    return [f"{one.place}: {one.text}" for one in found.reasons]


def test_without_a_baseline_nothing_is_green(tmp_path):
    made = Nights(tmp_path)
    made.night()
    found = made.verdict()
    assert found.colour is Colour.INCOMPLETE and "no round was promoted" in texts(found)[0]
    assert {cell.standing for cell in found.cells} == {Standing.NO_BASELINE}


def test_the_same_code_is_green_without_a_test(nights):
    nights.night(loss=0.3)  # chance alone, as the code is byte for byte the same
    found = nights.verdict()
    assert found.colour is Colour.GREEN and found.findings == () and found.night == 0
    assert {cell.standing for cell in found.cells} == {Standing.SAME_CODE}


def test_another_firmware_that_behaves_the_same_is_green(nights):
    nights.night(code="b")
    found = nights.verdict()
    assert found.colour is Colour.GREEN, texts(found)
    assert found.night == 1 and len(found.findings) == 6
    assert {cell.standing for cell in found.cells} == {Standing.COMPARED}


def test_a_red_round_says_what_changed_and_a_green_one_has_nothing_to_say(nights):
    nights.night(code="b")
    assert nights.verdict().blame is None
    nights.night(code="c", loss=0.15)
    found = nights.verdict()
    (change,) = found.blame.changes
    assert (change.what, change.cells) == (What.FIRMWARE, ("chain/plain", "chain/merged"))
    assert found.blame.base == found.baseline.round and found.blame.round == found.round.id
    assert [(one.place, one.seconds) for one in found.blame.shows] == [("chain/merged", 3.0)]
    assert {one.metric for one in found.blame.red} == {"event_loss_rate"}
    folder = samples.folder(nights.store, NAME, found.round.id)
    assert json.loads((folder / verdict_files.JSON).read_text())["blame"]["changes"][0]["what"] == "firmware"
    assert "What changed since round 1" in (folder / verdict_files.PAGE).read_text()
    cases = ElementTree.parse(folder / verdict_files.JUNIT).iter("failure")
    assert all("changed since the baseline:\n  firmware mtype1" in one.text for one in cases)
    assert "- firmware mtype1" in (folder / verdict_files.SUMMARY).read_text()


def test_a_metric_that_got_worse_is_red_and_says_which_and_by_how_much(nights):
    nights.night(code="b", loss=0.15)
    found = nights.verdict()
    assert found.colour is Colour.RED
    (one,) = found.of_kind(Kind.WORSE)
    assert (one.cell, one.metric) == ("merged", "event_loss_rate")
    assert one.difference.mean == pytest.approx(5, abs=1.5) and one.effect == 1.0
    assert re.search(r"chain/merged: .*worse: .* % to 1.* points", texts(found)[0])


def test_runs_that_could_not_show_any_change_are_never_green(tmp_path):
    made = Nights(tmp_path, seeds=4)
    made.night()
    made.verdict()
    made.promote()
    made.night(code="b", loss=0.9)
    found = made.verdict()
    assert found.colour is Colour.INCOMPLETE and {one.kind for one in found.findings} == {Kind.BLIND}
    assert len(texts(found)) == 2 and re.match(
        r"chain/plain: 4 runs beside the baseline's 4 are too few: .* tonight's 6 tests; (\d+) can show one",
        texts(found)[0],
    )
    needed = max(one.needs for one in found.findings)
    made.night(code="c", loss=0.9, seeds=range(100, 100 + 2 * needed))  # night 2 may spend less
    assert made.verdict().colour is Colour.RED


def test_a_change_within_the_stated_effect_is_green(nights):
    nights.night(code="b", delay=80.4)
    assert nights.verdict().colour is Colour.GREEN
    nights.night(code="c", loss=0.15)
    assert nights.verdict(Judging(effect=0.1)).colour is Colour.GREEN


def test_what_got_better_is_named_and_not_red(nights):
    nights.night(code="b", delay=60)
    found = nights.verdict()
    assert found.colour is Colour.GREEN
    assert [one.metric for one in found.of_kind(Kind.BETTER)] == ["delay_ms"]
    assert "1 metric got better" in found.notes[-1]


def test_a_red_night_advises_no_promotion_of_what_got_better(nights):
    nights.night(code="b", delay=60, loss=0.15)
    found = nights.verdict()
    assert found.colour is Colour.RED and len(found.of_kind(Kind.BETTER)) == 1
    assert not [note for note in found.notes if "promote" in note]


def test_nights_of_the_same_code_are_judged_together(nights):
    for _ in range(3):
        nights.night(code="b", loss=0.12)
        found = nights.verdict()
    merged = found.cells[1]
    assert merged.pooled == ("000002", "000003", "000004")
    assert found.findings[0].difference.b.n == 36 and found.night == 3
    assert found.level < nights.verdict(round_id="2").level


def test_a_verdict_given_again_is_the_same(nights):
    nights.night(code="b", loss=0.15)
    first, again = (verdict_files.plain(nights.verdict()) for _ in range(2))
    assert first == again


def test_a_baseline_pools_earlier_rounds_of_the_same_code(nights):
    nights.night()
    nights.verdict()
    made = nights.promote("more runs")
    assert made.number == 2 and [one.rounds for one in made.cells] == [("000001", "000002")] * 2
    assert all(len(one.runs) == 24 for one in made.cells)
    assert [one.reason for one in baselines.history(nights.store, NAME)] == ["it is good", "more runs"]


def test_after_a_promotion_nights_are_counted_anew(nights):
    nights.night(code="b", loss=0.15)
    assert nights.verdict().colour is Colour.RED
    nights.promote("the loss is meant")
    nights.night(code="c", loss=0.15)
    found = nights.verdict()
    assert found.colour is Colour.GREEN and found.night == 1


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"ran": lambda key: key.seed != 15, "state": State.BUDGET}, "the round's time was over"),
        ({"ran": lambda key: key.seed != 15, "state": State.INTERRUPTED}, "interrupted"),
        ({"shards": 2, "came": 1}, "their shard never came"),
        ({"outcome": lambda key: Outcome.CRASH if key.seed == 15 else Outcome.OK}, "ended without a verdict"),
        ({"measured": lambda key: key.seed != 15}, "without metrics"),
        ({"manifest_code": "z"}, "other firmware than the round's plan"),
        ({"digest": "e"}, "its scenario is another one than in the baseline"),
        ({"cells": ("plain", "merged", "new")}, "it is not in the baseline"),
        ({"cells": ("plain",)}, "it is in the baseline and not in this round"),
    ],
)
@pytest.mark.parametrize("code", ["a", "b"])
def test_what_was_not_run_or_not_compared_is_never_green(nights, how, what, code):
    nights.night(code=code, **how)
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE and found.colour.exit_code == 7
    assert any(what in text for text in texts(found)), texts(found)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (None, "2 runs: it is no longer whole in the store"),
        ({"firmware": {"mtype1": "0" * 64}}, "2 runs: it has other firmware than the round's plan"),
        (
            {"engine": {"name": "cooja", "version": "9", "rules": "5.0"}},
            "2 runs: it was made by another engine (cooja 9)",
        ),
        ({"cell": "merged"}, "2 runs: it has another cell or seed than its journal says"),
        ({"seed": 99}, "2 runs: it has another cell or seed than its journal says"),
    ],
)
def test_a_run_of_something_else_is_told_by_its_manifest(nights, told, what):
    one = nights.night()
    changed = [run for run in one.runs() if run.cell == "plain" and run.seed in (15, 17)]
    for run in changed:
        path = nights.store / "chain" / "runs" / run.run_id / "manifest.json"
        if told is None:
            path.unlink()
        else:
            path.write_text(json.dumps(json.loads(path.read_text()) | told))
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE and texts(found) == [f"chain/plain: {what}"]


def test_of_runs_that_did_not_end_ok_no_manifest_is_asked_for(nights):
    nights.night(outcome=lambda key: Outcome.CRASH if key.seed == 15 else Outcome.OK)
    for run in record.latest(nights.store, NAME).runs():
        if run.seed == 15:
            (nights.store / "chain" / "runs" / run.run_id / "manifest.json").unlink()
    assert texts(nights.verdict()) == [
        f"chain/{cell}: 1 run ended without a verdict: {Outcome.CRASH.value}" for cell in ("plain", "merged")
    ]


def test_a_failed_run_is_red_though_others_are_missing(nights):
    nights.night(
        outcome=lambda key: Outcome.FAILED if key.seed == 15 else Outcome.OK,
        ran=lambda key: key.seed != 16,
        state=State.BUDGET,
    )
    found = nights.verdict()
    assert found.colour is Colour.RED and found.colour.exit_code == 1
    assert any("1 run failed: seed 15" in text for text in texts(found))
    assert any("not run" in text for text in texts(found))


def test_a_round_in_which_every_run_failed_is_red_though_nothing_was_measured(nights):
    nights.night(code="b", outcome=lambda key: Outcome.FAILED)
    found = nights.verdict()
    assert found.colour is Colour.RED and found.trends == () and found.findings == ()
    assert [one.standing for one in found.cells] == [Standing.NOT_MEASURED] * 2
    assert [one.text.partition(":")[0] for one in found.reasons if one.colour is Colour.RED] == [
        "12 runs failed"
    ] * 2


def test_quarantine_is_left_out_on_purpose_and_named(nights):
    out = Quarantined("chain", "merged", None, "2026-12-01", "it hangs, see issue 7")
    nights.night(code="b", loss=0.5, quarantine=(out,))
    found = nights.verdict()
    assert found.colour is Colour.GREEN
    assert found.cells[1].standing is Standing.QUARANTINED
    assert "it hangs, see issue 7 (until 2026-12-01)" in verdict_files.summary(found)
    assert b"<skipped" in verdict_files.junit_xml(found)


def test_a_metric_that_is_gone_is_not_green(nights, monkeypatch):
    metrics = nights._metrics
    monkeypatch.setattr(
        nights, "_metrics", lambda *args: [row for row in metrics(*args) if row["metric"] != "delay_ms"]
    )
    nights.night(code="b")
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE
    assert any("delay_ms is no longer measured" in text for text in texts(found))


def test_a_baseline_of_another_schema_is_said_and_kept(nights):
    path = record.folder(nights.store, NAME) / baselines.FILE
    changed = json.loads(path.read_text()) | {"format": 2}
    path.write_text(json.dumps(changed))
    nights.night()
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE and "of format 2" in found.reasons[0].text
    assert json.loads(path.read_text()) == changed
    with pytest.raises(StorageFailed, match="promote a round again"):
        nights.promote()


def test_half_a_parquet_file_is_said_wherever_it_is(nights):
    one = nights.night(code="b")
    base = record.folder(nights.store, NAME) / baselines.SAMPLES / "000001.parquet"
    whole = base.read_bytes()
    base.write_bytes(whole[: len(whole) // 2])
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE and "not readable as Parquet" in texts(found)[0]
    base.write_bytes(whole)
    old = samples.folder(nights.store, NAME, "000001") / samples.FILE
    old.write_bytes(b"PAR1")
    found = nights.verdict()
    assert found.colour is Colour.GREEN and "round 000001 is not in the trends" in found.notes[0]
    table = nights.store / "chain" / "metrics" / "per_run" / "part-0.parquet"
    table.write_bytes(table.read_bytes()[:100])
    (samples.folder(nights.store, NAME, one.id) / samples.FILE).unlink()
    with pytest.raises(StorageFailed, match="orchestrate metrics chain"):
        nights.verdict()


def test_the_baselines_numbers_are_those_that_were_promoted(nights):
    base = record.folder(nights.store, NAME) / baselines.SAMPLES / "000001.parquet"
    other = samples.kept(base)
    other["value"] += 1
    samples.keep(base, other)
    nights.night(code="b")
    found = nights.verdict()
    assert found.colour is Colour.INCOMPLETE and "is not the file that was promoted" in texts(found)[0]


def test_numbers_that_have_no_folder_say_why_they_are_not_kept(nights):
    base = record.folder(nights.store, NAME) / baselines.SAMPLES / "000001.parquet"
    with pytest.raises(StorageFailed, match="can't be written"):
        samples.keep(base / "in-a-file" / "000001.parquet", samples.kept(base))


def test_a_red_round_without_a_baseline_and_one_whose_baseline_is_gone(tmp_path):
    made = Nights(tmp_path)
    made.night(outcome=lambda key: Outcome.FAILED if key.seed == 3 else Outcome.OK)
    found = made.verdict()
    assert found.colour is Colour.RED and found.blame is None
    made.promote()
    made.night(code="b", outcome=lambda key: Outcome.FAILED if key.seed == 15 else Outcome.OK)
    assert made.verdict().blame.base == "000001"
    (record.folder(made.store, NAME) / "rounds" / "000001.json").unlink()
    found = made.verdict()
    assert found.colour is Colour.RED and found.blame is None
    assert found.notes[-1].startswith("what changed can't be told: no round 000001 of nights")


def test_a_round_that_cannot_be_read_is_not_in_the_trends(nights):
    nights.night()
    nights.verdict()
    (record.folder(nights.store, NAME) / "rounds" / "000001.json").write_text("{")
    found = nights.verdict()
    assert any(note.startswith("a round is not in the trends: ") for note in found.notes)


def test_metrics_that_one_seed_has_cannot_be_tested(tmp_path):
    made = Nights(tmp_path)
    made.night()
    made.verdict()
    made.promote()
    made.night(code="b", measured=lambda run: run.seed == 13)
    found = made.verdict()
    assert {one.kind for one in found.findings} == {Kind.UNKNOWN}
    assert "chain/merged: Event loss rate: fewer than two seeds, nothing can be tested" in texts(found)


def test_a_round_that_has_no_metrics_is_not_promoted(tmp_path):
    made = Nights(tmp_path)
    made.night(measured=lambda run: False)
    made.verdict()
    with pytest.raises(
        Unsupported, match="round 000001 of nights has no metrics that could be compared with"
    ):
        made.promote()


def test_a_cell_without_metrics_is_not_in_the_baseline(tmp_path):
    made = Nights(tmp_path)
    made.night(measured=lambda run: run.cell == "plain")
    made.verdict()
    found = made.promote()
    assert [(one.cell, len(one.runs), one.rounds, one.engine) for one in found.cells] == [
        ("plain", 12, ("000001",), "embedded 0123456789ab 5.0")
    ]


def test_only_a_round_that_ended_is_promoted(nights):
    nights.night(ran=lambda key: key.seed < 20, state=State.INTERRUPTED)
    nights.verdict()
    with pytest.raises(Unsupported, match="interrupted"):
        nights.promote()
    assert len(baselines.history(nights.store, NAME)) == 1


def test_of_two_promotions_at_once_the_second_is_refused(nights):
    nights.night()
    nights.verdict()
    one = record.latest(nights.store, NAME)
    first, frame = baselines.proposed(nights.store, NAME, one, "first")
    second, _ = baselines.proposed(nights.store, NAME, one, "second")
    baselines.promote(nights.store, NAME, first, frame)
    with pytest.raises(Unsupported, match="meanwhile"):
        baselines.promote(nights.store, NAME, second, frame)
    assert baselines.present(nights.store, NAME).reason == "first"


def test_runs_of_the_same_seeds_are_compared_seed_by_seed(tmp_path):
    made = Nights(tmp_path)
    made.night(seeds=range(1, 13))
    made.verdict()
    made.promote()
    made.night(code="b", seeds=range(1, 13))
    found = made.verdict()
    assert all(one.difference.paired for one in found.findings)


def test_a_trend_says_since_when_and_repeated_runs_are_one_night(tmp_path):
    made = Nights(tmp_path)
    for _ in range(6):
        made.night(seeds=range(1, 13))  # the very same runs: no evidence of their own
        made.verdict()
    made.night(code="b", seeds=range(1, 13), delay=80.0)
    found = made.verdict()
    assert not any(one.changes for one in found.trends)
    other = Nights(tmp_path / "other")
    for code in "abcdefgh":
        other.night(code=code, delay=80.0 if code < "e" else 90.0)
        found = other.verdict()
    changed = [one for one in found.trends if one.changes]
    assert [(one.cell, one.metric) for one in changed] == [("merged", "delay_ms")]
    assert [changed[0].points[place].round.id for place in changed[0].changes] == ["000005"]


@pytest.mark.parametrize("which", ["green", "red", "incomplete"])
def test_golden_files(nights, which):
    how = {
        "green": {},
        "red": {"code": "b", "loss": 0.16},
        "incomplete": {"code": "b", "shards": 2, "came": 1},
    }
    nights.night(**how[which])
    found = nights.verdict()
    folder = samples.folder(nights.store, NAME, found.round.id)
    for file in (verdict_files.JSON, verdict_files.JUNIT, verdict_files.SUMMARY):
        made = re.sub(r'("orchestrate": )"[^"]*"', r'\1"VERSION"', (folder / file).read_text())
        recorded.same(made, GOLDEN / f"{which}-{file}")
    suite = ElementTree.fromstring(verdict_files.junit_xml(found))[0]
    assert int(suite.get("tests")) == 3
    assert (suite.get("failures") != "0") == (which == "red")
    assert (suite.get("errors") != "0") == (which == "incomplete")


def test_every_point_of_a_trend_leads_to_its_runs(nights):
    nights.night(code="b")
    nights.verdict()
    folder = samples.folder(nights.store, NAME, "000002")
    page = (folder / verdict_files.PAGE).read_text()
    links = re.findall(r'<a href="([^"]+)" title="round', page)
    assert len(links) == 2 * 3 * 2  # cells, metrics, nights
    for link in links:
        file, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in (folder / file).read_text()
    runs = (folder / verdict_files.RUNS).read_text()
    folders = re.findall(r'<a href="([^"#]+/)">', runs)
    assert len(folders) == 24 and all((folder / link / "manifest.json").is_file() for link in folders)
