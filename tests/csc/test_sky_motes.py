# SPDX-License-Identifier: Apache-2.0
"""Mote types of Tmote Skys in .csc files: what the embedded engine runs, and what it refuses by name."""

from pathlib import Path

import pytest

from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported

CSC = """<simconf version="2023090101"><simulation><title>t</title><randomseed>1</randomseed>
<motedelay_us>0</motedelay_us><radiomedium>org.contikios.cooja.radiomediums.SilentRadioMedium</radiomedium>
<motetype>{package}.cooja.mspmote.{kind}MoteType<firmware>[CONFIG_DIR]/a.sky</firmware>{interfaces}
<mote>{config}<interface_config>{package}.cooja.mspmote.interfaces.MspMoteID<id>7</id></interface_config>{more}</mote>
</motetype></simulation>
<plugin>org.contikios.cooja.plugins.ScriptRunner<plugin_config><script>TIMEOUT(1000, log.testOK());</script>
</plugin_config></plugin>{plugin}</simconf>"""
LISTED = ("Position", "SkySerial", "MspClock", "SkyLED", "MspMoteID", "SkyByteRadio")


def csc(kind="Sky", package="org.contikios", interfaces=(), config="", more="", plugin="") -> bytes:
    names = "".join(
        f"<moteinterface>{package}.cooja.{'' if name == 'Position' else 'mspmote.'}interfaces.{name}"
        "</moteinterface>"
        for name in interfaces
    )
    return CSC.format(
        kind=kind, package=package, interfaces=names, config=config, more=more, plugin=plugin
    ).encode()


def test_old_and_new_spellings_are_the_same_mote_type():
    today = ("Position", "MspSerial", "MspClock", "MspLED", "MspMoteID", "Msp802154Radio")
    (new,) = read_bytes(csc(interfaces=today)).mote_types
    (old,) = read_bytes(csc(package="se.sics", interfaces=LISTED)).mote_types
    assert old == new
    assert old.interfaces == today


def test_a_mote_has_its_place_id_and_clock_deviation():
    place = "org.contikios.cooja.interfaces.Position<pos x='1.5' y='-2' z='3'/>"
    clock = "org.contikios.cooja.mspmote.interfaces.MspClock<deviation>0.5</deviation>"
    config = "".join(f"<interface_config>{one}</interface_config>" for one in (place, clock))
    (mote,) = read_bytes(csc(config=config)).motes
    assert (mote.id, mote.x, mote.y, mote.z, mote.deviation) == (7, 1.5, -2, 3, 0.5)


@pytest.mark.parametrize(
    ("file", "named"),
    [
        (csc(kind="Z1"), "Z1MoteType"),
        (csc(interfaces=("MspClock", "MspMoteID", "Msp802154Radio", "Msp802154BitErrorRadio")), "radio"),
        (csc(more="<breakpoints><breakpoint><stops>true</stops></breakpoint></breakpoints>"), "breakpoint"),
        (
            csc(
                config="<interface_config>org.contikios.cooja.mspmote.interfaces.MspClock<deviation>1.5"
                "</deviation></interface_config>"
            ),
            "deviation",
        ),
    ],
    ids=["Z1", "two radios", "breakpoint", "fast clock"],
)
def test_what_is_not_emulated_is_refused_by_name(file, named):
    with pytest.raises(Unsupported, match=named):
        read_bytes(file)


def test_a_breakpoint_that_stops_nothing_changes_nothing():
    more = "<breakpoints><breakpoint><stops>false</stops><line>3</line></breakpoint></breakpoints>"
    assert read_bytes(csc(more=more)).motes == read_bytes(csc()).motes


def test_a_serial_socket_is_that_of_a_tmote_sky():
    plugin = (
        "<plugin>org.contikios.cooja.serialsocket.SerialSocketServer<mote_arg>0</mote_arg>"
        "<plugin_config><port>60001</port><bound>true</bound></plugin_config></plugin>"
    )
    (socket,) = read_bytes(csc(plugin=plugin)).serial_sockets
    assert (socket.mote, socket.port) == (0, 60001)


def test_an_interface_of_other_motes_is_faulty():
    with pytest.raises(FaultyInput, match="ContikiBeeper"):
        read_bytes(csc(interfaces=("Position", "MspClock", "MspMoteID", "ContikiBeeper")))


def test_tmote_skys_are_written_as_they_were_read():
    read = read_bytes(csc())
    again = read_bytes(write(read))
    assert (again.mote_types, again.motes, again.medium) == (read.mote_types, read.motes, read.medium)


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ('var memory = new (Java.type("org.contikios.cooja.mote.memory.VarMemory"))(mote.memory)', None),
        ('memory.getIntValueOf("a")', None),
        ("mote.getInterfaces().getInterfaceOfType(org.contikios.cooja.interfaces.Position.class)", None),
        ("mote.getInterfaces().getLED().isRedOn()", None),
        ("mote.getCPU().getPC()", "getCPU"),
        ("mote.getStackTrace()", "getStackTrace"),
        ('Java.type("java.io.File")', "Java.type"),
        ("new org.contikios.cooja.mote.memory.MemoryBuffer()", "MemoryBuffer"),
        ('mem.addVarMonitor(null, "a", null)', "addVarMonitor"),
    ],
)  # fmt: skip
def test_of_what_scripts_do_to_a_sky_the_rest_is_refused_by_name(call, refused):
    script = csc().replace(b"log.testOK());", f"log.testOK());\nYIELD();\n{call};".encode())
    if refused is None:
        assert read_bytes(script).script
    else:
        with pytest.raises(Unsupported, match=refused):
            read_bytes(script)


@pytest.mark.parametrize(("of", "name"), [("mote", "getMemory"), ("mote.getInterfaces()", "getLED")])
def test_memory_and_leds_of_a_cooja_mote_are_refused_before_the_run(of, name):
    file = Path(__file__).parents[1] / "golden" / "cooja" / "chain" / "simulation.csc"
    script = file.read_text()
    start = script.index("TIMEOUT(")
    with pytest.raises(Unsupported, match=name):
        read_bytes((script[:start] + f"{of}.{name}();\n" + script[start:]).encode())
