# SPDX-License-Identifier: Apache-2.0
"""The replay in a headless Chromium: opens in time, says nothing on the console, obeys keys and pointer, fits
400 px.
"""

import hashlib
import json
import re

import pytest
import traced_run
from devtools import Browser
from test_browser import CHROMIUM

from orchestrator.report import replay

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no Chromium (set CHROMIUM)")]
READY = "document.documentElement?.dataset.ready"
TARGET_S = 3.0  # issue 4


def now(browser: Browser) -> float:
    browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return float(browser.run("document.getElementById('now').textContent").split()[0])


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """900 motes, 15 minutes, an event a mote every 30 s, merged on the way: 130,000 records."""
    store, run = traced_run.store(tmp_path_factory.mktemp("large"), side=30, rounds=29)
    return replay.write(store, "traced", run)


@pytest.fixture
def browser(large, tmp_path):
    with Browser(tmp_path / "profile") as one:
        one.page(
            "Performance.enable", timeDomain="threadTicks"
        )  # of the processor, however busy the machine is
        one.page("Page.navigate", url=large.as_uri())
        one.ready = one.until(READY)
        one.seconds = {each["name"]: each["value"] for each in one.page("Performance.getMetrics")["metrics"]}[
            "TaskDuration"
        ]
        yield one
        assert one.messages == []


def test_900_motes_and_15_minutes_open_in_time(browser):
    assert browser.ready != "failed" and browser.seconds < TARGET_S
    assert browser.run("document.getElementById('problem').hidden")
    drawn = browser.run("""(() => { const c = document.getElementById('topology');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()""")
    assert drawn > 900 * 10


def test_keys_and_pointer_do_what_they_say(browser):
    start = now(browser)
    browser.key(".")
    browser.key(".")
    assert now(browser) > start
    records = browser.run("document.getElementById('records').textContent")
    assert re.match(r"[0-9]+\.[0-9]{6} s: (published|sent|received) P[0-9]+/1", records)
    browser.key("End")
    assert now(browser) > 850
    browser.key("Home")
    assert now(browser) == start
    window = browser.run("document.getElementById('window').textContent")
    browser.key("+")
    now(browser)
    assert browser.run("document.getElementById('window').textContent") != window
    browser.key(" ", "Space")
    browser.until(f"parseFloat(document.getElementById('now').textContent) > {start} + 0.2")
    assert browser.run("document.getElementById('play').textContent") == "Pause"
    browser.key(" ", "Space")
    assert browser.run("document.getElementById('play').textContent") == "Play"
    browser.run("document.getElementById('topology').focus()")
    chosen = browser.run("document.getElementById('mote').value")
    browser.key("ArrowUp")
    assert browser.run("document.getElementById('mote').value") == str(int(chosen) - 30)
    place = browser.run("(r => [r.left, r.top])(document.getElementById('timeline').getBoundingClientRect())")
    browser.run("document.getElementById('timeline').scrollIntoView()")
    place = browser.run("(r => [r.left, r.top])(document.getElementById('timeline').getBoundingClientRect())")
    before = now(browser)
    browser.click(place[0] + 600, place[1] + 60)
    assert now(browser) != before


def test_it_fits_a_telephone_and_every_control_has_a_name(browser):
    browser.size(400, 800)
    now(browser)
    assert browser.run("document.documentElement.scrollWidth") == 400
    nameless = browser.run("""[...document.querySelectorAll('button, select, input, [tabindex]')].filter(e =>
        !e.textContent.trim() && !e.getAttribute('aria-label') && !(e.labels && e.labels.length)).map(e => e.id)""")  # noqa: E501
    assert nameless == []
    small = browser.run(
        "[...document.querySelectorAll('button')].filter(e => e.getBoundingClientRect().height < 24).length"
    )
    assert small == 0


def test_what_it_cannot_unpack_it_says(large, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(
        large.read_text(encoding="utf-8").replace('id="data">', 'id="data">AAAA'), encoding="utf-8"
    )
    with Browser(tmp_path / "profile") as browser:
        browser.page("Page.navigate", url=broken.as_uri())
        assert browser.until(READY) == "failed"
        assert "can't be shown" in browser.run("document.getElementById('problem').textContent")


def test_a_mote_that_died_is_shown_dead_from_then_on_until_it_boots_again(tmp_path):
    """The third of four motes: dead from 60 s on, booted again at 90 s, dead again from 100 s on."""
    store, run = traced_run.store(tmp_path, side=2, rounds=4)
    log = store / "traced" / "runs" / run / "COOJA.testlog"
    told = [(60_000_000, "!die,planned"), (90_000_000, "!rev,1"), (100_000_000, "!die,planned")]
    lines = [line for line in log.read_text().splitlines() if "\t" in line] + [
        f"{at}\tID:3\t{text}" for at, text in told
    ]
    lines.sort(key=lambda line: int(line.split("\t")[0]))
    log.write_text("\n".join([*lines, "TEST OK", ""]))
    manifest = log.with_name("manifest.json")
    manifest.write_text(
        manifest.read_text().replace(
            json.loads(manifest.read_text())["log_sha256"], hashlib.sha256(log.read_bytes()).hexdigest()
        )
    )
    page = replay.write(store, "traced", run)
    with Browser(tmp_path / "profile") as browser:
        browser.page("Page.navigate", url=page.as_uri())
        assert browser.until(READY) != "failed", browser.messages
        browser.run(
            """(() => { const box = document.getElementById("mote"); box.value = 2; box.onchange(); })()"""
        )
        assert not browser.run("document.getElementById('dead').hidden")
        seen = {}
        for at in (50, 61, 95, 101):
            browser.run(
                f"""(() => {{ const box = document.getElementById("scrub"); box.value = {at}; box.oninput(); }})()"""  # noqa: E501
            )
            assert now(browser) == pytest.approx(at, abs=0.01)
            heading = browser.run("document.getElementById('heading').textContent")
            # The cross over the mote, in the colour of what is lost.
            red = browser.run("""(() => { const c = document.getElementById('topology'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] === 0xb3 && d[i + 1] === 0x47 && d[i + 2] === 0; return n; })()""")  # noqa: E501
            seen[at] = ("dead since" in heading, red > 10)
        assert seen == {50: (False, False), 61: (True, True), 95: (False, False), 101: (True, True)}
        records = browser.run("document.getElementById('records').textContent")
        assert "died: planned" in records and "booted again" in records
        assert [
            text for text in browser.messages if "getImageData" not in text
        ] == []  # which only this test asks so often
