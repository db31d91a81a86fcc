# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium by its DevTools protocol over a pipe (NUL-terminated JSON): no driver, no port, no
library.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import signal
import time
from pathlib import Path
from typing import Self

from test_browser import CHROMIUM, FLAGS

from tests.waiting import HANG_S, wait_until


class Browser:
    """One page. `messages`: what it said on its console, exceptions and policy violations included."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 900):
        self.messages: list[str] = []
        self._number, self._rest = 0, b""
        read_here, write_there = os.pipe()
        read_there, self._write = os.pipe()
        self._read = read_here

        # Chromium reads commands at 3 and writes answers at 4; neither may be an end of ours.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (read_there, write_there)]
        actions = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, end, place) for end, place in zip(ends, (3, 4), strict=True)]
        self._process = os.posix_spawn(
            CHROMIUM,
            [CHROMIUM, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=actions,
        )
        for end in (read_there, write_there, *ends):
            os.close(end)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.page(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._read)
        os.close(self._write)

    def size(self, width: int, height: int) -> None:
        self.page(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def page(self, method: str, **parameters):
        return self.call(method, self._session, **parameters)

    def call(self, method: str, session: str = "", /, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters} | (
            {"sessionId": session} if session else {}
        )
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + HANG_S
        while time.monotonic() < until:
            answer = self._next(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)
        raise AssertionError(f"no answer to {method}")

    def run(self, script: str):
        """The value of a JavaScript expression; promises are awaited."""
        found = self.page("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script: str):
        """Asks until the expression has a true value, and returns it."""
        return wait_until(lambda: self.run(script))

    def key(self, key: str, code: str = "") -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.page("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, **text)
        self.page("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.page("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.page("Page.captureScreenshot", format="png")["data"]))

    def _next(self, until: float) -> dict:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            assert ready, "Chromium is silent"
            part = os.read(self._read, 1 << 20)
            assert part, "Chromium has gone"
            self._rest += part
        answer, self._rest = self._rest.split(b"\0", 1)
        return json.loads(answer)

    def _note(self, event: dict) -> None:
        content = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.messages.append(str(content["exceptionDetails"].get("exception", content)))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.messages.append(str(content["args"]))
        elif event.get("method") == "Log.entryAdded":
            self.messages.append(content["entry"]["text"])
