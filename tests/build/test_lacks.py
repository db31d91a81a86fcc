# SPDX-License-Identifier: Apache-2.0
"""What an application needs and the embedded Contiki lacks is named before anything is compiled: headers,
then functions.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orchestrator.build import host
from orchestrator.cli.app import main
from orchestrator.errors import BuildFailed, FaultyInput
from orchestrator.resources import contiki_apps
from tests import needs

needs.a_compiler()
MAKEFILE = "CONTIKI_PROJECT = probe\nMODULES = pubsub\ninclude ../../Makefile.embedded\n"
START = """#include "contiki.h"
PROCESS(probe_process, "probe");
AUTOSTART_PROCESSES(&probe_process);
"""
BODY = """PROCESS_THREAD(probe_process, ev, data)
{
  PROCESS_BEGIN();
  CALLS
  PROCESS_END();
}
"""


@pytest.fixture(autouse=True)
def no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def probe(folder: Path, text: str, makefile: str = MAKEFILE, **others: str) -> Path:
    made = folder / "probe"
    made.mkdir()
    (made / "probe.c").write_text(text)
    (made / "Makefile").write_text(makefile)
    for name, content in others.items():
        (made / name.replace("_", ".")).write_text(content)
    return made


def faults(folder: Path) -> list[tuple[str, int, str, str]]:
    """(file's name, line, what, remedy) of each."""
    with pytest.raises(FaultyInput) as raised:
        host.firmware(folder)
    assert all(Path(fault.file).is_relative_to(folder) for fault in raised.value.faults), (
        "names the user's files, not copies"
    )
    return [(Path(fault.file).name, fault.line, fault.what, fault.remedy) for fault in raised.value.faults]


def test_headers_come_first_then_functions_all_at_once(tmp_path):
    text = (
        '#include "net/routing/rpl-lite/rpl.h"\n#include "helper.h"\n'
        + START
        + BODY.replace(
            "CALLS", "simple_udp_register(&c, 1);\n  uip_ipaddr_t a;\n  tcpip_poll(&a);\n  tcpip_poll(&a);"
        )
    )
    found = faults(
        probe(tmp_path, text, helper_h='#include "net/ipv6/simple-udp.h"\nuip_ipaddr_t known(void);\n')
    )
    assert [
        (name, line, what.split(" (also")[0].rsplit(" ", 1)[-1] if "header" in what else what.split()[0])
        for name, line, what, _ in found
    ] == [
        ("helper.h", 1, "net/ipv6/simple-udp.h"),
        ("probe.c", 1, "net/routing/rpl-lite/rpl.h"),
        ("probe.c", 9, "simple_udp_register"),
        ("probe.c", 11, "tcpip_poll"),
    ]
    assert "(also at probe.c:12)" in found[3][2]
    assert all("CONTIKI=DIR" in remedy for *_, remedy in found)


def test_nothing_was_compiled_by_then(tmp_path, monkeypatch):
    monkeypatch.setattr(host, "call", lambda *called: pytest.fail("make was called"))
    assert faults(probe(tmp_path, START + '#include "net/ipv6/uip.h"\n' + BODY.replace("CALLS", "")))


@pytest.mark.parametrize(
    ("line", "what", "remedy"),
    [
        ('#include "random.h"', "no header random.h", "the nearest is lib/random.h"),
        ('#include "sys/etmier.h"', "no header sys/etmier.h", "the nearest is sys/etimer.h"),
        ('#include "mean.h"', "no header mean.h", "MODULES += aggregation"),
        ("#include <nowhere.h>", "no header nowhere.h", "CONTIKI=DIR"),
        ('#include "../../../../../../../up.h"', "up.h", "CONTIKI=DIR"),
    ],
)
def test_what_is_said_of_a_header(tmp_path, line, what, remedy):
    (found,) = faults(probe(tmp_path, START + line + "\n" + BODY.replace("CALLS", "")))
    assert found[:2] == ("probe.c", 4) and what in found[2] and remedy in found[3]


def test_functions_of_a_header_that_was_misspelt_are_no_faults_of_their_own(tmp_path):
    (found,) = faults(
        probe(tmp_path, '#include "random.h"\n' + START + BODY.replace("CALLS", "random_rand();"))
    )
    assert "lib/random.h" in found[3]


@pytest.mark.parametrize(
    ("call", "header"),
    [
        ("random_rand();", "lib/random.h"),
        ("snprintf(0, 0, 0);", "stdio.h"),
        ("pubsub_announce(0, 0);", "pubsub.h"),
    ],
)
def test_a_function_whose_header_is_not_included(tmp_path, call, header):
    (found,) = faults(probe(tmp_path, START + BODY.replace("CALLS", call)))
    assert found[:2] == ("probe.c", 7) and f"include {header}" in found[3]


@pytest.mark.parametrize(
    "lines",
    [
        '"sub"\n#include "sub/x.h"',
        '"a b.h"',
        "<>",
        '"/nowhere/x.h"',
        '"é.h"',
        "NOTHING",
        '"x/"',
        '"../x/../../y.h"',
        '"probe.c"',
    ],
)
def test_odd_includes_are_refused_not_followed(tmp_path, lines):
    with pytest.raises((FaultyInput, BuildFailed)) as raised:
        host.firmware(probe(tmp_path, f"{START}#include {lines}\n"))
    assert ("probe.c:2" if "probe.c" in lines else "probe.c:4") in str(raised.value)


def test_what_a_condition_leaves_out_is_not_missed(tmp_path):
    text = (
        START + '#if NETSTACK_CONF_WITH_IPV6\n#include "net/ipv6/uip.h"\n#endif\n' + BODY.replace("CALLS", "")
    )
    assert host.firmware(probe(tmp_path, text)).path.is_file()


def test_files_outside_of_the_folder(tmp_path):
    (tmp_path / "shared.h").write_text("")
    (tmp_path / "shared.c").write_text("")
    found = faults(
        probe(
            tmp_path,
            '#include "../shared.h"\n' + START + BODY.replace("CALLS", ""),
            "PROJECT_SOURCEFILES = ../shared.c gone.c\n" + MAKEFILE,
        )
    )
    assert [(name, line) for name, line, *_ in found] == [("Makefile", 1), ("Makefile", 1), ("probe.c", 1)]
    assert (
        "../shared.c is outside" in found[0][2]
        and "no gone.c" in found[1][2]
        and "../shared.h is outside" in found[2][2]
    )


def test_a_makefile_for_a_contiki_ng_tree_alone(tmp_path):
    made = probe(
        tmp_path,
        START,
        "CONTIKI_PROJECT = probe\nCONTIKI = ../..\n# x\ninclude $(CONTIKI)/Makefile.include\n",
    )
    (found,) = faults(made)
    assert (
        found[:2] == ("Makefile", 4)
        and "Contiki-NG's makefiles" in found[2]
        and "orchestrate new app" in found[3]
    )


def test_what_only_the_linker_finds_has_its_line_too(tmp_path):
    text = (
        START
        + "int elsewhere(void);\n"
        + BODY.replace("CALLS", 'printf("%d", elsewhere());').replace(
            "PROCESS_T", "#include <stdio.h>\nPROCESS_T"
        )
    )
    (found,) = faults(probe(tmp_path, text))
    assert found[:2] == ("probe.c", 9) and "elsewhere is declared, and defined nowhere" in found[2]


def test_a_link_out_of_the_folder_and_what_is_not_there(tmp_path):
    made = probe(tmp_path, START)
    (tmp_path / "secret.h").write_text("")
    (made / "out.h").symlink_to("../secret.h")
    (made / "none.h").symlink_to("nowhere")
    (made / "in.h").symlink_to("probe.c")
    (made / "probe.c").unlink()
    found = faults(made)
    assert sorted(name for name, *_ in found) == ["in.h", "none.h", "out.h", "probe"]
    assert not (tmp_path / "cache").exists()


FULL = pytest.mark.full(instead="aggregation lacks nothing")


@pytest.mark.parametrize(
    "name",
    ["aggregation", *(pytest.param(name, marks=FULL) for name in ("mesh", "hello-nullnet", "pubsub-hello"))],
)
def test_ours_lack_nothing_as_own_applications(tmp_path, name):
    shutil.copytree(contiki_apps() / "apps" / name, tmp_path / name, ignore=shutil.ignore_patterns("build"))
    assert host.firmware(tmp_path / name).sha256 == host.firmware(name).sha256


def test_the_command_says_it_without_a_traceback(tmp_path, capsys):
    made = probe(tmp_path, '#include "net/ipv6/uip.h"\n' + START + BODY.replace("CALLS", ""))
    assert main(["build", str(made)]) == 3
    assert f"{made}/probe.c:1: the embedded Contiki has no header net/ipv6/uip.h" in capsys.readouterr().err
