# SPDX-License-Identifier: Apache-2.0
"""What firmware has besides its own data: other sections, heap, the environment's locale, C++; and what a
fault's place is called.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from engine_firmware import simulation

from orchestrator.runs.model import Outcome

PLACES = [(0, 0), (10, 0), (20, 0)]
FOR_COOJA = "char cooja_dataStart;\n"
COUNTING = (
    FOR_COOJA
    + """
static int own;
%s
void cooja_tick(void) {
  if(first()) { etimer(100); return; }
  if(due()) { (*at)++; SAY("%%d %%d\\n", ++own, counter); etimer(100); }
}
"""
)


@pytest.mark.parametrize("texts", [(), ("-ffixed-rbx", "-DLEAVES")])
@pytest.mark.parametrize("section", ["special", 'zeroed,\\"aw\\",@nobits#'])
def test_motes_share_sections_that_are_not_their_own(section, texts, firmware, run):
    """A pointer in such a section leads each mote to its own variable, as in Cooja, whose motes lie at one
    place.
    """
    head = f"""
#ifdef LEAVES
const char mote_leaves_rbx = 1;
#endif
static int *at; int counter __attribute__((section("{section}"))), *mine __attribute__((section("pointers"))) = &own;
__attribute__((constructor)) static void boot(void) {{ at = &counter; }}
"""  # noqa: E501
    ended = run(simulation(PLACES, 0.45), firmware((COUNTING % head).replace("++own", "++*mine"), texts))
    assert [text for _, _, text in ended.lines] == [
        f"{own} {own * 3 - 2 + mote}" for own in (1, 2, 3, 4) for mote in range(3)
    ]


# Everything of mote 1's turn that the next mote finds, where Cooja's motes would: pointers to each mote's own
# variables, the first and the last of them, too; to code and to libc, which are nobody's own; bytes at odd
# places.
KINDS = """
#include <string.h>
char cooja_dataStart;
static int first_own __attribute__((section(".data"))) = 5, own[9];
static int last_own __attribute__((section(".bss.last,\\"aw\\",@nobits#")));
static int twice(int x) { return 2 * x + own[0]; }
static struct { int *pointers[3]; int (*code)(int); size_t (*libc)(const char *); uint64_t number; char text[5]; } shared
  __attribute__((section("in_one"))) = {{&first_own, &own[8], &last_own}, twice, strlen, 12345678901};
static char odd[13] __attribute__((section("oddly"), aligned(1))) = "0123456789ab";
static char odder[13] __attribute__((section("more_odd"), aligned(1))) = "cdefghijklmn";
static int *alone __attribute__((section("lonely"))) = &own[3];
static char single __attribute__((section("just_one"))) = 1;
void cooja_tick(void) {
  if(first()) { own[0] = simMoteID; etimer(100); return; }
  if(!due()) return;
  for(int i = 0; i < 3; i++) ++*shared.pointers[i];
  ++*alone;
  shared.number++;
  shared.text[4] = ++odd[12] + ++odder[0];
  odd[0] += simMoteID;
  single++;
  SAY("%d %d %d %d code %d %d number %lld bytes %d %d %d %d %d\\n", first_own, own[8], last_own, own[3], shared.code(simMoteID),
      (int)shared.libc("four"), (long long)shared.number, odd[0], odd[12], odder[0], shared.text[4], single);
  etimer(100);
}
"""  # noqa: E501


@pytest.mark.parametrize("motes", [2, 3])
@pytest.mark.parametrize("texts", [(), ("-ffixed-rbx", "-DLEAVES")])
def test_what_lies_in_shared_sections_is_the_latest_mote_s(texts, motes, firmware, run):
    leaves = "#ifdef LEAVES\nconst char mote_leaves_rbx = 1;\n#endif\n"
    ended = run(simulation(PLACES[:motes], 0.45), firmware(leaves + KINDS, texts))
    expected, number, odd, last, odder = [], 12345678901, ord("0"), 0, ord("c")
    for turn in range(1, 5):
        for mote in range(1, motes + 1):
            number, odd, last, odder = number + 1, odd + mote, last + 1, odder + 1
            expected.append(
                f"{5 + turn} {turn} {turn} {turn} code {3 * mote} 4 number {number} "
                f"bytes {odd} {last} {odder} {(last + odder + 128) % 256 - 128} {last + 1}"
            )
    assert [text for _, _, text in ended.lines] == expected


def test_without_cooja_s_loader_a_section_is_the_mote_s_own(firmware, run):
    head = (
        'static int *at; int counter __attribute__((section("mine"))); __attribute__((constructor)) static '
        "void boot(void) { at = &counter; }"
    )
    ended = run(simulation(PLACES, 0.25), firmware((COUNTING % head).replace(FOR_COOJA, "")))
    assert [text for _, _, text in ended.lines] == ["1 1"] * 3 + ["2 2"] * 3


KEEPS = (
    "#include <stdlib.h>\nstatic int *at, counter; __attribute__((constructor)) static void boot(void) { at "
    "= %s; }"
)


@pytest.mark.parametrize(
    "memory",
    [
        "malloc(9)",
        "calloc(2, 4)",
        "realloc(0, 8)",
        '(int *)strdup("8 bytes")',
        '(asprintf((char **)&at, "%s %f", "x", 1.5), at)',
    ],
)
def test_memory_that_cooja_s_motes_share_is_refused(memory, firmware, run):
    library = firmware(COUNTING % (KEEPS.replace("%s", memory)))
    ended = run(simulation(PLACES, 1), library)
    assert ended.result.outcome is Outcome.SETUP_ERROR
    assert ended.result.evidence[0].startswith(
        "the firmware of mote type t (t.c): a constructor or cooja_init() allocates memory and keeps it"
    )
    assert run(simulation(PLACES[:1], 1), library).result.outcome is Outcome.OK


def test_memory_that_is_given_back_or_asked_for_in_a_tick_is_a_mote_s_own(firmware, run):
    head = (
        "#include <stdlib.h>\nstatic int *at, counter; __attribute__((constructor)) static void boot(void) { "
        "free(malloc(9)); }"
    )
    body = (
        (COUNTING % head)
        .replace("etimer(100); return;", "at = calloc(1, 4); etimer(100); return;")
        .replace("counter)", "*at)")
    )
    assert [text for _, _, text in run(simulation(PLACES, 0.15), firmware(body)).lines] == ["1 1"] * 3


def test_exceptions_are_refused_by_name(firmware, run):
    throws = (
        "void __cxa_throw(void *, void *, void *);\nvoid cooja_tick(void) { if(simMoteID == 9) "
        "__cxa_throw(0, 0, 0); }\n"
    )
    ended = run(simulation(PLACES, 1), firmware(throws, ("-lstdc++",)))
    assert ended.result.outcome is Outcome.SETUP_ERROR
    assert (
        "uses C++ exceptions (__cxa_throw)" in ended.result.evidence[0]
        and "-fno-exceptions" in ended.result.evidence[0]
    )


def test_wide_characters_follow_the_environment_s_locale_as_in_a_jvm(firmware, run, monkeypatch):
    says = (
        '#include <wchar.h>\nvoid cooja_tick(void) { if(first()) { char t[40] = ""; int n = snprintf(t, 40, '
        '"%ls", L"\\u00e4"); SAY("%d %s\\n", n, t); } }\n'
    )
    found = {}
    for locale in ("C", "C.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        found[locale] = [text for _, _, text in run(simulation(PLACES[:1], 1), firmware(says)).lines]
    assert found["C"] == ["-1 "]
    assert found["C.UTF-8"][0].startswith("2 ")


@pytest.mark.parametrize(
    ("deed", "place"),
    [
        ("*(volatile char *)TEXT = 1", "among the firmware's code and constants, which can't be written"),
    ],
)
def test_a_fault_s_place(deed, place, firmware, run):
    body = (
        'static const char TEXT[] = "constant";\nvoid cooja_tick(void) { if(simMoteID == 2 && !first()) { '
        f"{deed}; }} etimer(10); due(); }}\n"
    )
    ended = run(simulation(PLACES, 1), firmware(body))
    assert ended.result.outcome is Outcome.CRASH
    assert place in ended.result.evidence[0]


@pytest.mark.skipif(
    shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").exists(),
    reason="no German locale can be made here",
)
def test_a_locale_that_firmware_sets_holds_for_all_motes_as_in_a_jvm(firmware, run, monkeypatch, tmp_path):
    """Compared with both Coojas on 2026-11-22, with printf, strtod, scanf and strftime besides."""
    subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")],
        check=True,
        capture_output=True,
    )
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    says = """#include <locale.h>
    void cooja_tick(void) { if(first()) { if(simMoteID == 2) setlocale(LC_ALL, "de_DE.UTF-8"); etimer(10); } if(due()) SAY("%.2f %g\\n", 1.25, 0.5); }"""  # noqa: E501
    assert {text for _, _, text in run(simulation(PLACES[:2], 1), firmware(says)).lines} == {"1,25 0,5"}
