# SPDX-License-Identifier: Apache-2.0
"""What the embedded engine's reader makes of single things of a .csc, and of single lines of a script.

The cases and what comes of them are recorded (tests/recorded.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.csc import classes, nashorn
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import OrchestrateError
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_reads")
COOJA = "org.contikios.cooja."
UDGM = f"{COOJA}radiomediums.UDGM\n"
RADIO = f"<moteinterface>{COOJA}contikimote.interfaces.ContikiRadio</moteinterface>"
BASE, SENT = "<BaseRSSIConfig{}>-90</BaseRSSIConfig>", '<SendRSSIConfig Mote="{}">5</SendRSSIConfig>'
VARIES = "<rx_sensitivity>-99</rx_sensitivity><enable_time_variation>false</enable_time_variation>"
WHOLE = "<ratio>0.5</ratio><signal>-20</signal><lqi>7</lqi><channel>3</channel><delay>9</delay>"
BARE = "<motetype>\n      org.contikios.cooja.contikimote.ContikiMoteType\n      </motetype>"
FIRST_ID = "<id>1</id>"


def medium(name: str, inside: str) -> tuple[str, str]:
    return "</radiomedium>", f"{inside}</radiomedium>@{name}"


def edge(inside: str, to: str = f"{COOJA}radiomediums.DGRMDestinationRadio") -> tuple[str, str]:
    return medium("DirectedGraphMedium", f"<edge><source>1</source><dest>{to}{inside}</dest></edge>")


def config(name: str, inside: str) -> tuple[str, str]:
    text = f"<interface_config>{COOJA}contikimote.interfaces.{name}{inside}</interface_config>"
    return "<mote>", f"<mote>{text}"


CASES = {
    "media": [
        (UDGM, f"{COOJA}radiomediums.{'M' * 90}\n"),
        (UDGM, "org.contikios.mrm.MRM\n"),
        ("<success_ratio_rx>0.95<", "<success_ratio_rx>1.01<"),
        ("<success_ratio_rx>0.95<", "<success_ratio_rx>1<"),
        ("<success_ratio_tx>1.0<", "<success_ratio_tx>0<"),
        ("<success_ratio_tx>1.0</success_ratio_tx>", "<success_ratio>0.25</success_ratio>"),
        ("<transmitting_range>50.0<", "<transmitting_range>-1<"),
        ("<transmitting_range>50.0<", "<transmitting_range>0<"),
        medium("UDGM", "<odd>1</odd>"),
        medium("UDGM", BASE.format(' Mote="2"') + SENT.format(1)),
        medium("UDGM", BASE.format("") + SENT.format(3)),
        medium("UDGMConstantLoss", ""),
        medium("SilentRadioMedium", "<odd/>"),
        medium("LogisticLoss", VARIES),
        medium("LogisticLoss", "<odd>1</odd>"),
        medium("log", "<shadowing_db>-1</shadowing_db><reference_dbm>-50</reference_dbm><odd>1</odd>"),
        edge("<radio>2</radio>"),
        edge(f"<radio>2</radio>{WHOLE}"),
        edge("<radio>2</radio><ratio>1.5</ratio><lqi>x</lqi><delay>-1</delay><odd/>"),
        edge("<radio>2</radio><delay>9007199254740993</delay>"),
        edge("<radio>9</radio>"),
        edge(""),
        edge("<radio>2</radio>", "my.Destination"),
        medium("DirectedGraphMedium", "<edge><src>1</src></edge>"),
        medium("DirectedGraphMedium", "<edge><source>1</source><source>2</source></edge>"),
    ],
    "motes": [
        (RADIO, ""),
        (RADIO, RADIO * 2),
        (RADIO, RADIO.replace("ContikiRadio", "R" * 90)),
        (RADIO, RADIO.replace("contikimote.interfaces.ContikiRadio", "interfaces.RimeAddress")),
        (f"<moteinterface>{COOJA}contikimote.interfaces.ContikiClock</moteinterface>", ""),
        ("<commands>", "<commands>x</commands><commands>"),
        ("<source>", "<netstack>MANUAL</netstack><source>"),
        ("<source>", "<netstack> DEFAULT </netstack><source>"),
        ("<source>", "<projectdir>x</projectdir><source>"),
        ("<source>", "<odd>x</odd><source>"),
        ("<source>", "<firmware>x</firmware><commstack>y</commstack><source>"),
        ("<mote>", "<mote><odd/>"),
        ("<mote>", "<mote><breakpoints/>"),
        ("<mote>", "<mote><breakpoints><breakpoint/></breakpoints>"),
        config("ContikiRadio", "<bitrate>9999999</bitrate>"),
        config("ContikiRadio", "<bitrate>0</bitrate>"),
        config("ContikiRadio", "<bitrate>1000</bitrate><odd/>"),
        config("ContikiRS232", "<history>x</history>"),
        config("ContikiRS232", "<odd>x</odd>"),
        config("ContikiClock", "<deviation>1.0</deviation>"),
        config("ContikiClock", "<deviation>x</deviation>"),
        config("ContikiVib", ""),
        config("R" * 90, ""),
        (FIRST_ID, "<id>-1</id>"),
        (FIRST_ID, "<id>0</id>"),
        ("</motetype>", f"</motetype>{BARE}"),
    ],
    "simulation": [
        ("<simulation>", "<simulation><title>again</title>"),
        ("<title>Two motes &amp; more</title>", ""),
        ("<radiomedium>", "<radiomedium/><radiomedium>"),
        ("<events>", "<events><odd/>"),
        ("<simconf ", '<simconf odd="1" '),
        ('version="2023090101"', 'version="x"'),
        ('version="2023090101"', 'version="2023090102"'),
        ("<randomseed>7<", "<randomseed> generated <"),
        ("<randomseed>7<", "<randomseed>-9223372036854775808<"),
        ("<motedelay_us>1000000</motedelay_us>", "<motedelay>5</motedelay><motedelay_us>6</motedelay_us>"),
        ("</simconf>", f"<plugin>{COOJA}plugins.ScriptRunner</plugin></simconf>"),
        ("</simconf>", f"<plugin>{COOJA}plugins.PowerTracker</plugin></simconf>"),
        ("</simconf>", f"<plugin>{'P' * 90}</plugin></simconf>"),
        ("</simconf>", f"<plugin>{COOJA}plugins.SimControl</plugin></simconf>"),
        ("</simconf>", "<plugin>Mobility</plugin></simconf>"),
        ("</simconf>", "<plugin>SerialSocketServer</plugin></simconf>"),
        (
            "</simconf>",
            "<plugin>org.contikios.cooja.plugins.Mobility<plugin_config><odd/></plugin_config></plugin></simconf>",
        ),
        ("<active>true</active>", "<active>true</active><odd/>"),
    ],
}
SCRIPTS = [
    "var x = sim.getRandomSeed() + 1 + 2;",
    "var x = 1 + 2;",
    "var t = sim.getRandomSeed(); t += 1;",
    "sim.getMoteWithID(1).seen += sim.getRandomSeed();",
    "o[next()] += sim.getRandomSeed();",
    "x += 1;",
    "a[i] = time;",
    "a[f(1)] = time;",
    "a[i++] = time;",
    "a[i] = 5;",
    "a[i] = sim.getSimulationTime();",
    "a = {1: time};",
    "a = {b: time};",
    "a = {1: 2};",
    "for each (var m in ms) { m(); }",
    "for each (a.b in ms) { m(); }",
    "for (i in sim.getMotes()) { f(i); }",
    "for (i in all) { f(i); }",
    "for (i of all) { f(i); }",
    "switch (x) { case 1: f(); case -2: g(); }",
    "switch (x) { case 'a': f(); }",
    "switch (x) { default: f(); }",
    "s.length();",
    "s.length(1);",
    "s.length;",
    "id.equals(7);",
    "var id; id.equals(7);",
    "mote.getID().equals((8));",
    "a.equals(b);",
    "a.equals(1, 2);",
    "return 5;",
    "return x;",
    "return;",
    "function f() { return x; }",
    "try { f(); } catch (e) { g(); }",
    "try { f(); } catch { g(); }",
    "try { f(); } catch (e if e) { g(); }",
    "function f(x) x + 1",
    "if (a) function f() {}",
    "{ function f() {} } f();",
    "{ function f() {} f(); }",
    "/a/g;",
    "/a/gg;",
    "/a/y;",
    "/(?<b>a)/;",
    "/(?:a)/;",
    "/\\(?<a/;",
    "'0b11';",
    "'0x11';",
    "'+0x11';",
    "'\\u180e';",
    "'\\u{61}';",
    "1_000;",
    "10n;",
    "a ** b;",
    "a ?? b;",
    "a?.b;",
    "...a;",
    "f(...a);",
    "[a, b] = c;",
    "class A {}",
    "function* f() { yield 1; }",
    "async function f() { await x; }",
    "var await = 1; await++;",
    "var yield = 2;",
    "log.log;",
    "log.log('a');",
    "f(log.log);",
    "Number.EPSILON;",
    "Number.MAX_VALUE;",
    "f(a, b,);",
    "f(a, b);",
    "new.target;",
    "with (a) { b(); }",
    "x.__noSuchMethod__ = 1;",
    "e.lineNumber;",
    "#!x",
    "import a from 'b';",
    "var a = {get b() { return 1; }, *c() {}};",
]


def read(small, old: str, new: str) -> str:
    text = write(small).decode()
    assert old in text, "the case changes nothing"
    new, _, kind = new.partition("@")
    text = text.replace(old, new, 1)
    if kind:
        text = text.replace("radiomediums.UDGM\n", f"radiomediums.{kind}\n")
        if kind == "log":
            text = text.replace("org.contikios.cooja.radiomediums.log", classes.LOG_DISTANCE)
        if kind != "UDGM":
            start = text.index("<transmitting_range>")
            text = text[:start] + text[text.index("</success_ratio_rx>") + 19 :]
    try:
        made = read_bytes(text.encode(), "a.csc")
    except OrchestrateError as error:
        return f"{type(error).__name__}\n{error}"
    types = [kind.interfaces for kind in made.mote_types]
    return f"{made.title} {made.seed} {made.motedelay_us}\n{made.medium}\n{types}\n" + "\n".join(
        map(str, made.motes)
    )


@pytest.mark.parametrize("name", CASES)
def test_what_the_reader_makes_of_a_change(small, name):
    told = [f"--- {old.strip()} -> {new.strip()}\n{read(small, old, new)}\n" for old, new in CASES[name]]
    recorded.same("".join(told), RECORDED / f"{name}.txt")


def test_what_becomes_of_a_script_s_lines():
    told = []
    for code in SCRIPTS:
        found = nashorn.read(code)
        told.append(f"--- {code}\n{found.code}\n")
        told += [f"refused {line}: {what}\n" for line, what in found.refused]
        told += [f"beyond {line}: {what}\n" for line, what in found.beyond]
        told += [f"calls {found.calls}\n"] if found.calls else []
    recorded.same("".join(told), RECORDED / "scripts.txt")
