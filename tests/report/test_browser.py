# SPDX-License-Identifier: Apache-2.0
"""The report in a headless Chromium: nothing wider than the window, every picture drawn, prints on A4."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest

from tests.waiting import HANG_S

CHROMIUM = (
    os.environ.get("CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]
MEASURE = """<script>
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, pre, nav") &&
      e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + "." + e.className);
  const images = [...document.images].map(i => [i.naturalWidth, Math.round(i.getBoundingClientRect().width)]);
  parent.postMessage(JSON.stringify({inner: innerWidth, scroll: document.documentElement.scrollWidth,
      wide: wide.slice(0, 5), images: images}), "*");
});
</script>"""
# A window of a headless Chromium has at least 500 pixels; a frame has the width it is given.
FRAME = """<!DOCTYPE html><body style="margin:0"><script>
addEventListener("message", e => document.body.setAttribute("data-measured", e.data));
</script><iframe src="page.html" style="border:0;width:%dpx;height:900px"></iframe></body>"""

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no Chromium (set CHROMIUM)")]


def chromium(tmp_path, *arguments: str) -> str:
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *arguments],
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    return done.stdout


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_window(index, tmp_path, width):
    page = tmp_path / "page.html"
    page.write_text(
        index.read_text(encoding="utf-8").replace("</body>", MEASURE + "</body>"), encoding="utf-8"
    )
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME % width, encoding="utf-8")
    dom = chromium(
        tmp_path, "--window-size=1400,1000", "--virtual-time-budget=10000", "--dump-dom", frame.as_uri()
    )
    found = re.search(r'data-measured="([^"]*)"', dom)
    assert found, "the page was not measured"
    measured = json.loads(found.group(1).replace("&quot;", '"'))
    assert measured["inner"] == width
    assert measured["scroll"] <= width and not measured["wide"]
    assert len(measured["images"]) > 10
    assert all(natural > 0 and shown > width * 0.35 for natural, shown in measured["images"])


def test_it_prints(index, tmp_path):
    target = tmp_path / "report.pdf"
    chromium(tmp_path, f"--print-to-pdf={target}", "--no-pdf-header-footer", index.as_uri())
    content = target.read_bytes()
    assert content.startswith(b"%PDF") and 5 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 60
