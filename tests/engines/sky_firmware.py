# SPDX-License-Identifier: Apache-2.0
"""Small programs for emulated Tmote Skys, built here, and the simulation of one mote that runs them."""

from __future__ import annotations

from pathlib import Path

from orchestrator.csc.read import read_bytes
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.runs.model import RunResult
from tests.programs_for_sky import compiled

HEAD = """#include <msp430f1611.h>
#include <legacymsp430.h>
#include <stdint.h>
static void put(char c) { while(!(IFG2 & UTXIFG1)); U1TXBUF = c; }
static void say(const char *s) { while(*s) put(*s++); put('\\n'); }
static void begin(void)
{
  WDTCTL = WDTPW | WDTHOLD; U1CTL = SWRST | CHAR; U1TCTL = SSEL1; U1BR0 = 4; U1BR1 = 0;
  ME2 |= UTXE1; U1CTL &= ~SWRST; say("begins");
}
"""
FIRST_LINE = HEAD.count("\n") + 1  # of the program that follows
SCENARIO = """<simconf version="2023090101"><simulation><title>t</title><randomseed>1</randomseed>
<motedelay_us>0</motedelay_us><radiomedium>org.contikios.cooja.radiomediums.SilentRadioMedium</radiomedium>
<motetype>org.contikios.cooja.mspmote.SkyMoteType<firmware>[CONFIG_DIR]/a.sky</firmware>
<mote><interface_config>org.contikios.cooja.mspmote.interfaces.MspMoteID<id>7</id></interface_config></mote>
</motetype></simulation>
<plugin>org.contikios.cooja.plugins.ScriptRunner<plugin_config><script>TIMEOUT(5000, log.testOK());
while(true) { log.log(time + " " + msg + "\\n"); YIELD(); }</script></plugin_config></plugin></simconf>"""


def built(program: str, folder: Path) -> Path:
    """Compile a program, which follows HEAD; return its ELF file."""
    return compiled(HEAD + program, folder)


def job(firmware: Path, log: Path) -> Job:
    """Return the simulation of mote 7 with this firmware, for 5 s."""
    simulation = read_bytes(SCENARIO.encode())
    return Job(simulation, 1, {simulation.mote_types[0].identifier: firmware}, log, "2026.07")


def ran(firmware: Path, plain: bool = False) -> tuple[RunResult, str]:
    """Run it; return the result and the log."""
    log = firmware.with_name("log")
    result = run_one(EmbeddedEngine(plain=plain), job(firmware, log))
    return result, log.read_text()
