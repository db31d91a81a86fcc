# SPDX-License-Identifier: Apache-2.0
"""The examples in the help of all commands."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from orchestrator.cli.app import every_command, main
from orchestrator.cli.usage import Parser
from orchestrator.errors import WrongUsage


def parser_of(name: str) -> Parser:
    module = import_module(every_command()[name].module)
    parser = Parser(prog=f"orchestrate {name}")
    module.add_arguments(parser)
    return parser


def examples() -> list[str]:
    """Return the indented lines of descriptions that begin with the program's name, as whole commands."""
    found = []
    for command in every_command().values():
        module = import_module(command.module)
        actions = getattr(module, "ACTIONS", {})
        texts = [module.DESCRIPTION]
        texts += [import_module(f"{command.module}_{action}").DESCRIPTION for action in actions]
        for text in texts:
            whole = re.sub(r"\\\n\s*", "", text)
            for begun in re.finditer(r"^ +orchestrate ", whole, re.MULTILINE):
                line, *rest = whole[begun.start() :].splitlines()
                while line.count('"') % 2:  # a quoted text goes on
                    line += rest.pop(0)
                found.append(line.strip())
    return found


@pytest.mark.parametrize("line", examples())
def test_every_example_of_a_help_is_accepted_by_its_command(line):
    name, *words = shlex.split(line, comments=True)[1:]
    words = words[: next((at for at, word in enumerate(words) if word in ("|", "<", ">", "&&")), None)]
    try:
        parser_of(name).parse_args(words)
    except (WrongUsage, SystemExit) as error:
        pytest.fail(f"{line}: {error}")


def test_a_printed_command_can_be_pasted(tmp_path, capsys):
    old = tmp_path / "an old.csc"
    golden = Path("tests/golden/cooja/chain/simulation.csc").read_text()
    golden = golden.replace("[CONFIG_DIR]/../../../..", str(Path.cwd()))
    old.write_text(golden.replace("<simconf version=", "<simconf was="))
    main(["csc", "check", str(old)])
    line = re.search(r"`(orchestrate csc fix [^`]+)`", capsys.readouterr().out)[1]
    assert main(shlex.split(line)[1:]) == 0
    assert main(["csc", "check", str(old)]) == 0 and "csc fix" not in capsys.readouterr().out
