# SPDX-License-Identifier: Apache-2.0
"""Runs `orchestrate` with the arguments of each line that it reads, in a fork with a process group of its
own, and answers with the exit code, or minus the signal that ended it.

What the last command that came to its end had imported, the next one finds imported.
"""

from __future__ import annotations

import atexit
import json
import os
import struct
import sys
from contextlib import suppress
from importlib import import_module

from orchestrator.cli import app


def command(arguments: list[str], control: str, said: str, imported: int) -> int:
    """In the fork: the exit code of the command, which prints into the file `said`."""
    os.setsid()
    with open(control, "r+b") as stream:
        stream.seek(3 * struct.calcsize("q"))
        stream.write(struct.pack("q", os.getpid()))
    file = os.open(said, os.O_WRONLY | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for of_command, own in ((nothing, 0), (file, 1), (file, 2)):
        os.dup2(of_command, own)
    try:
        code = app.main(arguments)
    except SystemExit as ended:
        code = ended.code or 0
    sys.stdout.flush()
    os.write(imported, "\n".join(name for name in sys.modules if name.startswith("orchestrat")).encode())
    atexit._run_exitfuncs()
    return code


def main() -> None:
    control, said = sys.argv[1:]
    for line in sys.stdin:
        names, imported = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(names)
            code = 70
            try:
                code = command(json.loads(line), control, said, imported)
            finally:
                os._exit(code)
        os.close(imported)
        with open(names) as stream:
            found = stream.read().split()
        _, status = os.waitpid(child, 0)
        for name in found:
            with suppress(ImportError):
                import_module(name)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
