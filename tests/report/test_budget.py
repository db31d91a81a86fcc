# SPDX-License-Identifier: Apache-2.0
"""A page stays under its size; what has no room in it is a file beside it, and the page says so."""

import metrics_store
from markup import Markup

from orchestrator.pictures.elements import Picture
from orchestrator.report import budget, charts, page
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Beside, Figure, Gallery, Section, Text
from orchestrator.report.render import Page, figures, html
from orchestrator.statistics.estimates import estimate


def figure(name: str, size: int = 1000) -> Figure:
    drawing = charts.bars(["a"], [charts.Series("s", [estimate([1.0])])], "x")
    return Figure(
        name,
        name,
        Drawing(drawing.paint, 1, 1, drawing.rows, own=Picture(1, 1, {}, (), " " * size)),
        "",
        name,
    )


def of(*sizes: tuple[int, ...]) -> Page:
    """A page with a section a tuple, a figure a size."""
    return Page(
        "t",
        "s",
        (),
        tuple(
            Section(
                f"s{i}", "S", (Gallery(tuple(figure(f"f{i}-{j}", size) for j, size in enumerate(group))),)
            )
            for i, group in enumerate(sizes)
        ),
    )


def test_a_page_with_room_is_not_changed():
    roomy = of((1000, 1000))
    assert budget.fitted(roomy) == roomy


def test_the_fullest_section_gives_its_last_figures_until_the_page_fits():
    big = of((300_000,) * 5, (300_000,) * 2)
    fitted = budget.fitted(big, 2_000_000)  # 400 kB each in base64, 2.8 MB
    assert fitted.outside == {"f0-2", "f0-3", "f0-4"}
    assert len(html(fitted).encode()) <= 2_000_000 < len(html(big).encode())
    assert len(html(fitted).encode()) > 2_000_000 - 500_000  # no more than it must
    assert len(budget.fitted(big, 10).outside) == 7  # the text alone is more: it stays, and the search ends
    assert budget.fitted(Page("t", "s", (), (Section("a", "A", (Text(("x",)),)),)), 10).outside == frozenset()


def test_what_is_outside_is_written_whatever_was_asked_for_and_linked(tmp_path, monkeypatch):
    monkeypatch.setattr(budget.fitted, "__defaults__", (100_000, lambda *_: None))
    store = metrics_store.store(tmp_path, cells=("H5", "H5A"), seeds=range(1, 3))
    index = page.write(store, "aggregation-paper", ["pdf"])
    shown = Markup(index.read_text(encoding="utf-8"))
    assert index.stat().st_size < 100_000
    links = {tag["href"] for tag in shown.all("a") if tag["href"].endswith(".svg")}
    assert links and f"{len(links)} figures are files in the folder figures/ beside this page" in shown.text
    assert {path.name for path in (index.parent / "figures").glob("*.svg")} == {
        link.removeprefix("figures/") for link in links
    }
    assert all(
        (index.parent / tag["href"]).is_file() for tag in shown.all("a") if tag["href"].startswith("figures/")
    )
    assert len(shown.all("figure")) == len(shown.all("img")) + len(links)


def test_figures_of_one_name_get_files_of_their_own():
    one = Section(
        "a", "A", (Gallery((figure("x"), figure("x"), figure("x-2"))), figure("x"), Beside((), figure("y")))
    )
    assert [each.name for each in figures(budget.fitted(Page("t", "s", (), (one,))))] == [
        "x",
        "x-2",
        "x-2-2",
        "x-3",
        "y",
    ]
