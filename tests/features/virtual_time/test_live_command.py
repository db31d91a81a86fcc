# SPDX-License-Identifier: Apache-2.0
"""orchestrate live: a program's own exit code, output and arguments, or why it was ended."""

from __future__ import annotations

import sys

import pytest

from orchestrator.cli.app import main
from tests import needs
from tests.features.virtual_time.conftest import ROUTER
from tests.own_csc import own_csc

needs.a_compiler()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return own_csc(tmp_path_factory.mktemp("live"), ROUTER.read_text())


@pytest.fixture
def call(file, tmp_path, capfd):
    """call(program, option...) -> exit code, standard output, standard error and log."""

    def call(text: str, *options: str, arguments: tuple[str, ...] = ()):
        program = tmp_path / "program.py"
        program.write_text(text)
        log = tmp_path / "log"
        words = ["live", *options, "--logdir", str(log), str(file), str(program), *arguments]
        code = main(words)
        out, err = capfd.readouterr()
        return code, out, err, _text(log / "COOJA.testlog")

    return call


def _text(log):
    return log.read_text(errors="replace") if log.exists() else ""


CLIENT = """\
import asyncio, random, sys
import aiocoap

async def main():
    context = await aiocoap.Context.create_client_context()
    await asyncio.sleep(random.random())
    answer = await context.request(aiocoap.Message(code=aiocoap.GET, uri=sys.argv[1])).response
    print(answer.payload.decode(), asyncio.get_running_loop().time(), {"any", "order", "of", "a", "set"})

if __name__ == "__main__":
    asyncio.run(main())
    sys.exit(3)
"""


def test_an_unmodified_program_has_its_exit_code_and_the_same_bytes_every_time(call):
    first = call(CLIENT, "--border-router", "1", "--name", "s=fd00::5", arguments=("coap://s/",))
    assert first[0] == 3 and first[1].startswith("mote 5 here ")
    again = call(CLIENT, "--border-router", "1", "--name", "s=fd00::5", arguments=("coap://s/",))
    assert (again[1], again[3]) == (first[1], first[3])
    assert "TEST FAILED" in first[3]


def test_a_program_that_ends_well(call):
    code, out, _, log = call("import asyncio\nasyncio.run(asyncio.sleep(5))\nprint(__name__)\n")
    assert (code, out) == (0, "__main__\n") and log.endswith(
        "TEST OK\nTest ended at simulation time: 5000000\n"
    )


def test_a_server_ends_at_the_time_that_it_was_given(call):
    server = "import asyncio\nasync def main():\n while True: await asyncio.sleep(3)\nasyncio.run(main())\n"
    code, _, _, log = call(server, "--until", "10min")
    assert code == 0 and log.endswith("time: 600000000\n")


def test_a_program_that_raises_shows_where(call):
    code, _, err, log = call("import asyncio\nasync def main():\n    [][1]\nasyncio.run(main())\n")
    assert code == 7 and "program.py:3" in err and "IndexError" in err and "TEST FAILED" in log
    assert "runpy" not in err


def test_code_that_python_cannot_interrupt_is_ended(call):
    code, _, err, log = call(
        "import asyncio\nasyncio.run(asyncio.sleep(0, sum(range(10**13))))\n", "--step-limit", "300ms"
    )
    assert code == 7 and "program.py" in err and "Traceback" not in err
    assert log.startswith("Random seed: 1\n")


def test_tcp_is_refused_as_unsupported(call):
    text = "import asyncio\nasyncio.run(asyncio.open_connection('fd00::2', 80))\n"
    code, _, err, _ = call(text, "--border-router", "1")
    assert code == 4 and "TCP" in err and "program.py" in err


def test_a_border_router_that_never_asks(call):
    code, _, err, _ = call(
        "print('it ran')", "--border-router", "1=fd00::1/64", "--border-router", "2=fd01::1/64"
    )
    assert code == 2 and "mote 2" in err


@pytest.mark.parametrize(
    "options",
    [
        ("--border-router", "x"),
        ("--border-router", "1=fd00::1"),
        ("--border-router", "1", "--border-router", "2"),
        ("--name", "sensor"),
        ("--baud", "0"),
        ("--until", "never"),
    ],
)
def test_wrong_usage_runs_nothing(options, file, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nothing")
    try:
        code = main(["live", *options, str(file), str(tmp_path / "p.py")])
    except SystemExit as end:
        code = end.code
    assert code == 2


def test_no_program(file, tmp_path):
    assert main(["live", "--logdir", str(tmp_path), str(file), str(tmp_path / "none.py")]) == 9
