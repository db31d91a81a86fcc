# SPDX-License-Identifier: Apache-2.0
"""Everything that can go wrong with a run in a real Cooja, each done on purpose, as staged folders.

`tools/golden/record_failures.py` records what Cooja makes of them; the tests replay the records, or run the
cases themselves where a Cooja is at hand.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine_firmware import HEAD, simulation

from orchestrator.csc.model import Simulation
from orchestrator.engines.cooja.stage import SIMULATION, Stage
from orchestrator.runs.model import Outcome

# What Cooja's own loader wants beside HEAD's variables.
FOR_COOJA = r"""
int referenceVar = 1, filled = 1;
char simButtonChanged, simButtonIsActive, simButtonIsDown, simPirChanged, simPirIsActive, simVibChanged, simVibIsActive;
char simSerialReceivingFlag, simSerialReceivingData[2048], simDontFallAsleep, simCFSData[1000], filler[1000];
int simSerialReceivingLength, simCFSSize;
"""  # noqa: E501
_SECTIONS = tuple(
    f"-Wl,--defsym,{symbol}"
    for symbol in (
        "cooja_dataStart=ADDR(.data)",
        "cooja_dataSize=SIZEOF(.data)",
        "cooja_bssStart=ADDR(.bss)",
        "cooja_bssSize=SIZEOF(.bss)",
    )
)
TALKING = r"""
void cooja_tick(void) {
  if(first() || due()) { SAY("mote %d at %d\n", simMoteID, (int)simCurrentTime); etimer(500); DO }
}
"""


def build(folder: Path, does: str = "", head: str = HEAD + FOR_COOJA) -> Path:
    """Firmware that says something every 500 ms of its time and then does what is given."""
    source = folder / "firmware.c"
    source.write_text("#include <stdlib.h>\n#include <assert.h>\n" + head + TALKING.replace("DO", does))
    library = folder / "built.so"
    subprocess.run(
        [
            "gcc",
            "-O1",
            "-g",
            "-fPIC",
            "-fno-common",
            "-shared",
            "-w",
            *_SECTIONS,
            str(source),
            "-o",
            str(library),
        ],
        check=True,
    )
    return library


def _no_controller(csc: str) -> str:
    return re.sub(
        r"<plugin>\s*org\.contikios\.cooja\.plugins\.ScriptRunner.*?</plugin>", "", csc, flags=re.DOTALL
    )


def _script(text: str) -> Callable[[str], str]:
    return lambda csc: re.sub(
        r"<script>.*?</script>", lambda _: f"<script>{text}</script>", csc, flags=re.DOTALL
    )


def _command(text: str) -> Callable[[str], str]:
    return lambda csc: csc.replace("<commands>sh place.sh</commands>", f"<commands>{text}</commands>")


@dataclass(frozen=True)
class Case:
    """`does`: what the firmware does in its second tick or later. `edit`: of the staged .csc. `heap` in
    bytes.

    `outcome` of a run of its own; `says`: a part of the lines that prove it. `end`: the test has to end the
    JVM, by its own wall-clock limit or by SIGKILL. `old_java`: on a Java that is too old.
    """

    outcome: Outcome
    says: str
    does: str = ""
    edit: Callable[[str], str] = lambda csc: csc
    options: tuple = ()
    head: str = HEAD + FOR_COOJA
    heap: int = 200_000_000
    end: str = ""
    old_java: bool = False
    library: bytes | None = None


LATER = "if(simCurrentTime > 1000) "
CASES = {
    "ok": Case(Outcome.OK, ""),
    "failed-verdict": Case(
        Outcome.FAILED, "no line with 'never said' came within 3 s", options=(("success", "never said"),)
    ),
    "failed-line": Case(Outcome.FAILED, "ID:1\tmote 1 at 1000", options=(("fail", "at 1000"),)),
    "script-timeout": Case(Outcome.NO_VERDICT, "TEST TIMEOUT", options=(("verdict", False),)),
    "script-syntax": Case(
        Outcome.SETUP_ERROR, "javax.script.ScriptException", edit=_script("TIMEOUT(2000);\nif (;")
    ),
    "script-exception": Case(
        Outcome.FAILED, '"nobody" is not defined', edit=_script("TIMEOUT(2000);\nnobody.knows();\n")
    ),
    "no-controller": Case(Outcome.NO_END, "No plugin controlling simulation", edit=_no_controller),
    "compile-error": Case(Outcome.BUILD_ERROR, "broken.c:1", edit=_command("gcc -c broken.c")),
    "no-such-program": Case(Outcome.BUILD_ERROR, "no-such-compiler", edit=_command("no-such-compiler x.c")),
    "no-library": Case(Outcome.SETUP_ERROR, "mtype", edit=_command("true")),
    "no-medium": Case(
        Outcome.SETUP_ERROR, "NoSuchMedium", edit=lambda csc: csc.replace("radiomediums.UDGM", "NoSuchMedium")
    ),
    "no-plugin": Case(
        Outcome.SETUP_ERROR,
        "NoSuchPlugin",
        edit=lambda csc: csc.replace("plugins.ScriptRunner", "NoSuchPlugin"),
    ),
    "not-xml": Case(Outcome.SETUP_ERROR, "Config not well-formed", edit=lambda csc: csc[:-40]),
    "not-a-library": Case(Outcome.SETUP_ERROR, "mtype", library=b"no ELF file\n"),
    "no-variable": Case(
        Outcome.SETUP_ERROR, "simBeeped", head=HEAD.replace("simBeeped", "renamed") + FOR_COOJA
    ),
    "null-pointer": Case(Outcome.CRASH, "SIGSEGV", LATER + "*(volatile int *)8 = 1;"),
    "null-pointer-in-libc": Case(
        Outcome.CRASH, "nep_invoker", LATER + "memcpy((void *)8, filler, simMoteID * 500);"
    ),
    "assertion": Case(Outcome.CRASH, "Assertion `simMoteID == 7' failed", LATER + "assert(simMoteID == 7);"),
    "abort": Case(Outcome.CRASH, "SIGABRT", LATER + "abort();"),
    "exit": Case(Outcome.CRASH, "exit code 5", LATER + "exit(5);"),
    "recursion": Case(
        Outcome.CRASH, "SIGSEGV", "volatile char a[100000]; if(simCurrentTime > 1000) for(;;) a[-rand()] = 1;"
    ),
    "java-exception": Case(
        Outcome.CRASH,
        "Simulation stopped due to error",
        LATER + "simLoggedFlag = 1, simLoggedLength = 1 << 30;",
    ),
    "out-of-memory": Case(
        Outcome.OUT_OF_MEMORY,
        "java.lang.OutOfMemoryError",
        heap=12_000_000,
        head=HEAD + FOR_COOJA + "char big[16000000];\n",
    ),
    "heap-too-large": Case(Outcome.OUT_OF_MEMORY, "heap", heap=1 << 56),
    "old-java": Case(Outcome.TOOL_MISSING, "UnsupportedClassVersionError", old_java=True),
    "endless-loop": Case(Outcome.WALL_LIMIT, "wall-clock limit", LATER + "for(;;) { }", end="limit"),
    "killed": Case(Outcome.LOST, "signal 9", LATER + "for(;;) { }", end="kill"),
}


def stage(case: Case, folder: Path) -> tuple[Stage, Simulation]:
    """The case in a run's folder, ready for Cooja."""
    folder.mkdir(parents=True)
    (folder / "made").mkdir()
    library = build(folder / "made", case.does, case.head)
    if case.library is not None:
        library.write_bytes(case.library)
    simulated = simulation([(0, 0)], 3, **dict(case.options))
    made = Stage(folder, simulated, 1, {"t": library})
    csc = made.folder / SIMULATION
    csc.write_text(case.edit(csc.read_text(encoding="utf-8")), encoding="utf-8")
    (made.folder / "type1" / "broken.c").write_text("int main(void) { return nothing; }\n")
    return made, simulated
