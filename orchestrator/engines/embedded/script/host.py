# SPDX-License-Identifier: Apache-2.0
"""The process in which a script runs: an interpreter at one end of a socket, the kernel at the other.

It is started as python -I -S host.py SOCKET FOLDER, with the job as JSON on standard input; FOLDER has the
interpreter. Reports go to standard output as lines of JSON, {"kind": "ready" | "faulty" | "error" |
"unsupported", ...}, messages to the socket (kernel/script/javascript.h). The process is confined: it can't
open files or sockets, start processes or take more memory than PROCESS_LIMIT, and a step that computes too
long ends it with SIGPROF.
"""

import json
import os
import re
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from types import ModuleType

STEP_LIMIT_S = 10.0  # processor time between two lines
MEMORY_LIMIT = 256 << 20  # bytes for the script
PROCESS_LIMIT = 1 << 30  # bytes of address space
STACK_LIMIT = 4 << 20  # bytes
PRINTED_LIMIT = 1 << 20  # bytes of the file that is standard error
USER_LINES = 100_000  # the script's code begins at this line, its code for the time-out at twice that

MESSAGE = struct.Struct("=IIqdddII")
LINE, TIMEOUT, LINES, WAIT, VERDICT, LOG, MOTES = 1, 2, 3, 10, 11, 20, 41
_SENT = re.compile("\ufdd1[\ufdd0\ufdd1]|\ufdd0")
_FRAME = re.compile(r"<input>:(\d+)")


class Kernel:
    """The connection to the kernel. What the script says is sent when it waits or asks."""

    def __init__(self, file: int):
        self._socket = socket.socket(fileno=file)
        self._stream = self._socket.makefile("rb", 1 << 16)
        self._said: list[bytes] = []

    def tell(
        self,
        kind: int,
        mote: int = 0,
        number: int = 0,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        text: str = "",
    ) -> None:
        """Queue a message."""
        if "\ufdd0" in text or "\ufdd1" in text:  # sent_() of prelude.js
            text = _SENT.sub(lambda found: found[0][1:] or "\0", text)
        data = text.encode("utf-8", "replace")
        self._said.append(MESSAGE.pack(kind, int(mote), int(number), x, y, z, len(data), 0) + data)

    def _receive(self) -> tuple:
        try:
            if self._said:
                self._socket.sendall(b"".join(self._said))
                self._said.clear()
            head = self._stream.read(MESSAGE.size)
            message = MESSAGE.unpack(head)
            return message, self._stream.read(message[6])
        except (OSError, struct.error):
            os._exit(0)  # the simulation is over

    def flush(self) -> None:
        """Send what is queued."""
        try:
            self._socket.sendall(b"".join(self._said))
            self._said.clear()
        except OSError:
            os._exit(0)

    def wait(self) -> str:
        """Wait for a line: `mote id time text`, or "" at the time-out.

        A script that stands aside gets many lines of `id time text` at once.
        """
        self.tell(WAIT)
        (kind, mote, number, x, *_), text = self._receive()
        signal.setitimer(signal.ITIMER_PROF, STEP_LIMIT_S)
        if kind == LINES:
            return text.decode("utf-8", "replace")
        return "" if kind == TIMEOUT else f"{mote} {int(x)} {number} {text.decode('utf-8', 'replace')}"

    def ask(self, kind: int, mote: int, number: int) -> str:
        """Ask the kernel and return its answer."""
        self.tell(kind, mote, number)
        (_, mote, number, x, y, z, *_), data = self._receive()
        if kind == MOTES:
            return " ".join(map(str, struct.unpack(f"={len(data) // 4}i", data)))
        return f"{number} {x!r} {y!r} {z!r} {mote}" if kind > MOTES else str(mote)


def say(**report: object) -> None:
    """Report to the engine."""
    print(json.dumps(report), flush=True)


def line_of(stack: str) -> int:
    """Return the innermost line of the script in a stack, from 1; 0 if there is none.

    Lines of the code for the time-out begin at USER_LINES + 1.
    """
    lines = [int(found) for found in _FRAME.findall(stack)]
    return next((line - USER_LINES for line in lines if line > USER_LINES), 0)


def run(job: dict, kernel: Kernel, quickjs: ModuleType) -> None:
    """Run the script to its end."""
    context = quickjs.Context()
    context.set_memory_limit(MEMORY_LIMIT)
    context.set_max_stack_size(STACK_LIMIT)
    for name, function in functions(kernel, job["aside"]).items():
        context.add_callable(name, guarded(function))
    try:
        define(context, job)
    except quickjs.JSException as error:
        say(kind="faulty", what=str(error).split("\n")[0], line=line_of(str(error)))
        return
    say(kind="ready")
    verdict = 1
    try:
        verdict = context.eval("run_()")
    except quickjs.JSException as error:
        say(kind="error", what=str(error).split("\n")[0], line=line_of(str(error)))
    if job["aside"]:
        context.eval("hand_back_()")
    kernel.tell(
        VERDICT,
        number=1 if type(verdict) is int and verdict == 0 else 0,
        x=float(context.eval("TIMEOUT ? -1 : now_")),
    )
    kernel.flush()


def functions(kernel: Kernel, aside: bool) -> dict[str, Callable]:
    """Return what the script's prelude calls outside of the interpreter, by its names there."""

    def unsupported(what: str, stack: str) -> None:
        say(kind="unsupported", what=what, line=line_of(stack))
        os._exit(0)

    def printed(text: str) -> None:
        try:
            os.write(2, text.encode("utf-8", "replace") + b"\n")
        except OSError:
            pass  # more than PRINTED_LIMIT

    def acts(*_: object) -> None:  # stands_aside() did not see it: the engine runs it again, line by line
        os._exit(0)

    def log(text: str) -> None:
        """Send a text at once, so that it is in the log whatever happens to the script."""
        kernel.tell(LOG, text=text)
        kernel.flush()

    return {
        "wait_": kernel.wait,
        "log_": log,
        "tell_": acts if aside else kernel.tell,
        "ask_": acts if aside else kernel.ask,
        "unsupported_": unsupported,
        "print_": printed,
    }


def guarded(function: Callable) -> Callable:
    """Return the function with an end of the process for values that it doesn't take."""

    def call(*arguments: object) -> object:
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError, struct.error) as error:
            say(kind="error", what=f"a value that Cooja's function doesn't take: {error}", line=0)
            os._exit(0)

    return call


def define(context: object, job: dict) -> None:
    """Define the prelude and the script as functions, whose lines are those that line_of() knows."""
    context.eval(
        f"var seed_ = {json.dumps(job['seed'])}, title_ = {json.dumps(job['title'])}, types_ = "
        f"{json.dumps(job['types'])}, aside_ = {json.dumps(job['aside'])}, calls_ = "
        f"{json.dumps(job['calls'])}, zone_ = {json.dumps(time.tzname[0])}, user_lines_ = {USER_LINES};"
    )
    context.eval(job["prelude"])
    blank = "\n" * (USER_LINES - 1)
    context.eval(
        f"{blank}{blank}\n" + "function YIELD() { if(TIMEOUT || !next_line_()) { "
        f"{job['timeout_code']};\n"
        "if(timeout_function != null) { timeout_function(); } log.log('TEST TIMEOUT\\n'); throw new "
        "TestFailed(); } }"
    )
    context.eval(
        f"{blank}function run_() {{ try {{ YIELD();{job['code']}\nwhile(true) {{ YIELD(); }} }} "
        "catch(error) { if(error instanceof TestOK) { return 0; } if(error instanceof TestFailed) { "
        "return 1; } throw error; } }"
    )


def shut_in() -> None:
    """Confine this process: no new files and processes, and limited memory."""
    for limit, most in (
        (resource.RLIMIT_AS, PROCESS_LIMIT),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, PRINTED_LIMIT),
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(limit, (most, most))


def main() -> None:
    """Read the job, confine this process and run the script."""
    job = json.load(sys.stdin)
    sys.path.append(sys.argv[2])
    import _quickjs

    kernel = Kernel(int(sys.argv[1]))
    signal.setitimer(signal.ITIMER_PROF, STEP_LIMIT_S)
    shut_in()
    run(job, kernel, _quickjs)


if __name__ == "__main__":
    main()
