# SPDX-License-Identifier: Apache-2.0
"""`orchestrate compare`: which cells meet, what is said to differ, the numbers, what is left out, and every
refusal.
"""

import csv
import json
import math

import pytest
from compared_store import cell, store, values
from markup import Markup

from orchestrator.cli.app import main
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.report.comparison import phrases
from orchestrator.report.comparison.cells import match
from orchestrator.report.comparison.rows import compare
from orchestrator.report.comparison.sides import side
from orchestrator.statistics.estimates import estimate


def even(name, seed):
    return values(100 + seed, 0.01 * seed)


def more(name, seed):
    """Sent: one more in seeds 1 and 3, three more in 2 and 4; the loss as `even`."""
    return values(100 + seed + (1 if seed % 2 else 3), 0.01 * seed)


def pair(tmp_path, b=more, a=even, cells_a=None, cells_b=None, **options):
    folder = store(tmp_path, "one", cells_a or {"5": cell()}, a)
    store(tmp_path, "two", cells_b or {"5": cell(rx=0.9)}, b, **options)
    return side(folder, "one"), side(folder, "two")


def rows_of(found) -> dict:
    return {(row.pair.name, row.metric): row for row in found.rows}


def test_the_numbers_of_a_pair_by_hand(tmp_path):
    found = compare(*pair(tmp_path))
    row = rows_of(found)["5", "packets_sent"]
    one = row.difference  # differences 1, 3, 1, 3: mean 2, sd 2/sqrt(3)
    assert one.paired and (row.key, one.n, one.a.mean, one.b.mean, one.mean) == (
        "all nodes",
        4,
        112.5,
        114.5,
        2.0,
    )
    assert one.t == pytest.approx(2 * 3**0.5)
    assert row.percent == pytest.approx(100 * 2 / 112.5) and row.p == pytest.approx(one.p) == pytest.approx(
        0.0405, abs=5e-4
    )
    assert row.verdict[0] == "larger"
    assert rows_of(found)["5", "event_loss_rate"].verdict[0] == "equal in every seed"
    assert rows_of(found)["5", "event_loss_rate"].difference.a.mean == pytest.approx(2.5)  # %


def test_shares_and_times_of_motes_are_not_summed(tmp_path):
    def measured(name, seed):
        times = (("join_s", mote, 1.0 + seed) for mote in ("1", "2"))
        shares = (("radio_duty_cycle_by_mote", mote, 0.01 * seed) for mote in ("1", "2"))
        return [*even(name, seed), *times, *shares]

    rows = compare(*pair(tmp_path, a=measured, b=measured)).rows
    assert "packets_sent" in {row.metric for row in rows}
    assert not {"join_s", "radio_duty_cycle_by_mote"} & {row.metric for row in rows}


@pytest.mark.parametrize(("seeds", "effect"), [(5, False), (6, True)])
def test_an_effect_size_takes_six_seeds(seeds, effect, tmp_path):
    """The differences are 1, 3, 1, 3, 1 and 3: of mean 2 and sd sqrt(6/5)."""
    store(tmp_path, "one", {"5": cell()}, even, range(1, seeds + 1))
    store(tmp_path, "two", {"5": cell(rx=0.9)}, more, range(1, seeds + 1))
    found = compare(side(tmp_path, "one"), side(tmp_path, "two"))
    row = rows_of(found)["5", "packets_sent"]
    words = "\n".join(phrases.legend(found))
    if not effect:
        assert math.isnan(row.difference.effect) and "no effect size" in words
    else:
        assert row.difference.effect == pytest.approx(2 / (6 / 5) ** 0.5) and "sd of the differences" in words


def test_a_metric_that_is_0_in_a_and_b_is_named_and_has_no_row(tmp_path):
    def none_lost(name, seed):
        return [*more(name, seed), ("events_duplicated", "total", 0.0)]

    found = compare(*pair(tmp_path, b=none_lost, a=none_lost))
    (shown, every) = ({row.metric for row in rows} for rows in (found.shown, found.rows))
    assert every - shown == {"events_duplicated"}
    assert "Not listed where A and B are 0: Duplicated events." in phrases.legend(found)


def test_the_interval_of_a_share_stays_between_0_and_100_percent(tmp_path):
    shares = {1: 0.001, 2: 0.001, 3: 0.002, 4: 0.016}
    found = compare(*pair(tmp_path, a=lambda name, seed: values(100, shares[seed])))
    loss = rows_of(found)["5", "event_loss_rate"].difference.a
    wanted = estimate([100 * share for share in shares.values()], (0.0, 100.0))
    assert wanted.low > 0 and (loss.low, loss.high) == pytest.approx((wanted.low, wanted.high))


def test_swapped_sides_flip_the_signs(tmp_path):
    a, b = pair(tmp_path, b=lambda name, seed: values(90 + seed * seed, 0.02))
    there, back = compare(a, b), compare(b, a)
    assert len(there.rows) == len(back.rows) == 3
    for one, other in zip(there.rows, back.rows, strict=True):
        assert one.difference.mean == pytest.approx(-other.difference.mean) and one.p == pytest.approx(
            other.p, nan_ok=True
        )
        assert {one.verdict[0], other.verdict[0]} in ({"larger", "smaller"}, {one.verdict[0]})
    assert [change.values for change in there.matched.changes] == [(("1.0", "0.9"),)]
    assert [change.values for change in back.matched.changes] == [(("0.9", "1.0"),)]


@pytest.mark.parametrize(
    ("b", "application", "why"),
    [
        (
            lambda name, seed: values(100, 0.0, published=100 + seed),
            "aggregation",
            "not the same number of events published by P1",
        ),
        (more, "mesh", "not the same application"),
        (
            lambda name, seed: [line for line in more(name, seed) if line[1] != "P1"],
            "aggregation",
            "not the same publishers",
        ),
    ],
)
def test_seeds_are_paired_only_where_they_share_their_events(tmp_path, b, application, why):
    found = compare(*pair(tmp_path, b=b, cells_b={"5": cell(application=application)}))
    assert not found.matched.pairs[0].by_seed and found.matched.pairs[0].why.startswith(why)
    assert all(not row.difference.paired for row in found.rows)


def test_seeds_without_a_partner_are_not_paired(tmp_path):
    folder = store(tmp_path, "one", {"5": cell()}, even, seeds=(1, 2, 3))
    store(tmp_path, "two", {"5": cell(rx=0.9)}, more, seeds=(2, 3, 9))
    assert {row.difference.n for row in compare(side(folder, "one"), side(folder, "two")).rows} == {2}
    store(tmp_path, "three", {"5": cell(rx=0.8)}, more, seeds=(3, 8, 9))
    found = compare(side(folder, "one"), side(folder, "three"))
    assert found.matched.pairs[0].why == "fewer than two seeds in common" and {
        row.difference.n for row in found.rows
    } == {3}


def test_cells_meet_by_parameters_whatever_they_are_called(tmp_path):
    ours = {"small": cell(3), "large": cell(9), "only here": cell(7)}
    theirs = {"3": cell(3, rx=0.5), "9": cell(9, rx=0.5), "12": cell(12, rx=0.5)}
    found = match(*pair(tmp_path, cells_a=ours, cells_b=theirs))
    assert [(one.a, one.b) for one in found.pairs] == [("small", "3"), ("large", "9")]
    assert (found.only_a, found.only_b) == (("only here",), ("12",))
    assert [(change.what, change.values) for change in found.changes] == [
        ("radio.rx_ratio", (("1.0", "0.5"),))
    ]


def test_runs_that_did_not_end_ok_or_are_not_there_are_named_and_left_out(tmp_path):
    bad = {2: "crash", 3: "failed verdict"}
    _, b = pair(
        tmp_path,
        b=lambda name, seed: None if seed == 4 else more(name, seed),
        outcome=lambda name, seed: bad.get(seed, "ok"),
        planned=2,
    )
    assert len(b.runs) == 1 and len(b.excluded) == 4
    for what in (
        "5 seed 2: crash",
        "5 seed 3: failed verdict",
        "5 seed 4: no metrics",
        "2 of the campaign's runs not made yet",
    ):
        assert any(what in line for line in b.excluded), what


def test_one_seed_gives_means_and_says_that_it_is_one(tmp_path, capsys):
    folder = store(tmp_path, "one", {"5": cell()}, even, seeds=(1,))
    store(tmp_path, "two", {"5": cell(rx=0.9)}, more, seeds=(1,))
    found = compare(side(folder, "one"), side(folder, "two"), margin=0.01)
    assert {row.verdict[0] for row in found.rows} == {"one seed, nothing shown"} and found.equivalent is False
    assert main(["compare", "one", "two", "--store", str(folder)]) == 0
    assert "no interval and no test: run more seeds" in capsys.readouterr().out


def test_a_margin_is_of_the_mean_and_of_a_share_in_points(tmp_path):
    found = compare(*pair(tmp_path), margin=0.05)
    sent, lost = rows_of(found)["5", "packets_sent"], rows_of(found)["5", "event_loss_rate"]
    assert (sent.margin, lost.margin) == (pytest.approx(5.625), 5.0)
    assert sent.verdict[0] == "larger" and sent.equivalence == (
        "equivalent",
        "good",
    )  # differs, by less than matters
    assert found.equivalent and compare(found.a, found.b, margin=0.01).equivalent is False


def test_faults_say_what_to_do(tmp_path):
    a, b = pair(tmp_path, cells_b={"5": cell(9), "6": cell(11)})
    with pytest.raises(Unsupported, match=r"same runs \(one\)\n.*--store-b"):
        compare(a, side(tmp_path, "one"))
    with pytest.raises(Unsupported, match=r"same runs \(two, two/6\)"):
        compare(b, side(tmp_path, "two/6"))
    with pytest.raises(NoSuchThing, match="no experiment 'three'.*one, two"):
        side(tmp_path, "three")
    with pytest.raises(NoSuchThing, match=r"no cell '55' in one; did you mean 5\? there are: 5"):
        side(tmp_path, "one/55")
    with pytest.raises(NoSuchThing, match=r"no store .*nowhere\n.*--store"):
        side(tmp_path / "nowhere", "one")
    with pytest.raises(
        NoSuchThing,
        match="^no metric nix, event_loss in one or two/5; there are: event_loss_rate, events_published, "
        "packets_sent$",
    ):
        compare(a, side(tmp_path, "two/5"), ["nix", "packets_sent", "event_loss"])
    with pytest.raises(NoSuchThing, match=r"no metric packets_sent/P99 in .*did you mean packets_sent\?"):
        compare(a, side(tmp_path, "two/5"), ["packets_sent/P99"])
    ours = {"a": cell(3, merge="mean"), "b": cell(5, merge="mean")}
    theirs = {"c": cell(3, shape="tree", merge="sum"), "d": cell(5, shape="tree", merge="min")}
    store(tmp_path, "three", ours, even)
    store(tmp_path, "four", {**theirs, "e": cell(3, shape="tree", merge="sum")}, even)
    found = match(side(tmp_path, "three"), side(tmp_path, "four"))
    assert [(one.a, one.b) for one in found.pairs] == [("b", "d")] and found.only_b == (
        "c",
        "e",
    )  # c and e are one
    with pytest.raises(
        NoSuchThing, match="no cell of three has the parameters of one of five(.|\n)*compare three/a five/"
    ):
        store(tmp_path, "five", {"c": cell(3), "d": cell(3)}, even)
        match(side(tmp_path, "three"), side(tmp_path, "five"))
    store(tmp_path, "six", {"5": cell()}, even, outcome=lambda name, seed: "crash")
    with pytest.raises(
        NoSuchThing, match=r"no run of six ended ok with metrics: 5 seed 1: crash(.|\n)*runs list six"
    ):
        side(tmp_path, "six")


def test_a_metric_of_one_side_is_named(tmp_path):
    found = compare(*pair(tmp_path, b=lambda name, seed: [*more(name, seed), ("reduction", "total", 0.5)]))
    assert found.one_sided == ("reduction/total (5: only B)",)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    cells = {"3": cell(3), "5": cell(5)}
    store(folder / "first", "chain", cells, even)
    store(
        folder / "second",
        "chain",
        {name: {**one, "radio": one["radio"] | {"rx_ratio": 0.9}} for name, one in cells.items()},
        more,
    )
    return folder


def ask(stores, *more_arguments) -> list[str]:
    return [
        "compare",
        "chain",
        "chain",
        "--store",
        str(stores / "first"),
        "--store-b",
        str(stores / "second"),
        *more_arguments,
    ]


def test_the_command_in_the_terminal_as_json_and_csv(stores, tmp_path, capsys):
    assert main(ask(stores, "--csv", str(tmp_path / "rows.csv"))) == 0
    text = capsys.readouterr().out
    assert "radio.rx_ratio" in text and "3: seed by seed" in text and "0.081" in text  # twice 0.0405
    assert main(ask(stores, "--json", "--margin", "1%")) == 1
    said = json.loads(capsys.readouterr().out)
    assert (
        said["differs"] == [{"what": "radio.rx_ratio", "values": [{"a": "1.0", "b": "0.9"}]}]
        and said["equivalent"] is False
    )
    rows = {(row["cell_a"], row["metric"]): row for row in said["rows"]}
    assert rows["5", "packets_sent"]["effect_is"] == "dz" and rows["5", "events_published"]["effect"] is None
    with (tmp_path / "rows.csv").open(newline="") as file:
        written = {(row["cell_a"], row["metric"]): row for row in csv.DictReader(file)}
    assert (
        written.keys() == rows.keys()
        and float(written["5", "packets_sent"]["ci_low"]) == rows["5", "packets_sent"]["ci_low"]
    )
    assert written["5", "events_published"]["p"] == ""
    assert main(ask(stores, "--margin", "5%", "--metrics", "packets_sent/P1,event_loss_rate", "--json")) == 0
    assert {(row["metric"], row["key"]) for row in json.loads(capsys.readouterr().out)["rows"]} == {
        ("packets_sent", "P1"),
        ("event_loss_rate", "total"),
    }


def test_the_page_stands_alone_with_its_figures_in_every_format(stores, tmp_path, capsys):
    written = []
    for name in ("one", "two"):
        assert (
            main(
                ask(
                    stores, "--report", str(tmp_path / name), "--figures", "svg,pdf,pgf,csv", "--margin", "1%"
                )
            )
            == 1
        )
        written.append(
            {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        )
    assert written[0] == written[1] and len(written[0]) == 1 + 4 * 3
    shown = Markup((tmp_path / "one" / "index.html").read_text(encoding="utf-8"))
    assert len(shown.all("img")) == 3 and all(
        tag["src"].startswith("data:image/svg+xml;base64,") for tag in shown.all("img")
    )
    for words in (
        "chain beside chain",
        "radio.rx_ratio",
        "equal in every seed",
        "Within 1",
        "Provenance of B",
    ):
        assert words in shown.text, words
    forest = (tmp_path / "one" / "figures" / "difference-packets-sent-all-nodes.csv").read_text().splitlines()
    assert forest[1].startswith("3,packets_sent/all nodes,4,2.0,")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--margin", "150%"], 2, "between 0% and 100%"),
        (["--margin", "x"], 2, "1%"),
        (["--figures", "gif"], 2, "no format gif"),
        (["--metrics", "nix"], 9, "no metric nix"),
    ],
)
def test_wrong_arguments(stores, capsys, arguments, code, said):
    assert main(ask(stores, *arguments)) == code
    assert said in capsys.readouterr().err
