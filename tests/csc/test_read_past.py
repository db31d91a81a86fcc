# SPDX-License-Identifier: Apache-2.0
"""What Cooja reads past without a window changes nothing of a simulation, and is a note.

What Cooja refuses is refused. Each form is one of public .csc files.
"""

import pytest

from orchestrator.csc.model import EndScript
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported

SERVER = "org.contikios.cooja.serialsocket.SerialSocketServer"
CLIENT = "org.contikios.cooja.serialsocket.SerialSocketClient"
PLUGIN = "<plugin>{}<mote_arg>0</mote_arg><plugin_config>{}</plugin_config></plugin></simconf>"
READ_PAST = [  # a part of a file, what stands there as well or instead, a part of the note
    ("<description>", "<symbols>false</symbols><description>", "<symbols>"),
    ("<motedelay_us>", "<datatrace>true</datatrace><motedelay_us>", "<datatrace>"),
    ("<simulation>", "<project EXPORT='discard'>[APPS_DIR]/avrora</project><simulation>", "avrora"),
    ("<simulation>", "<project>/home/u/contiki/tools/cooja/apps/mrm</project><simulation>", "apps/mrm"),
    ("<simulation>", "<odd/><simulation>", "<odd>"),
    ("</title>", "</title><title>Another</title>", "Cooja takes the first"),
    ("<events>", "<events><odd/>", "<odd>"),
    ("<transmitting_range>", "<odd/><transmitting_range>", "<odd>"),
    ("<description>", "<description>Another</description><description>", "Cooja takes the last"),
    ("<description>", "<netstack>ContikiRadio</netstack><description>", "netstack"),
    ("<mote>", "<mote><odd/>", "<odd>"),
    ('<pos x="30.5"', '<odd/><pos w="1" x="30.5"', "<odd>"),
    ("<script>", "<split>20</split><script>", "<split>"),
    ("</simconf>", PLUGIN.format("org.contikios.cooja.plugins.PowerTracker", ""), "--radio"),
    ("</simconf>", PLUGIN.format("org.contikios.cooja.plugins.Mobility", ""), "moves nothing"),
    (
        "</simconf>",
        PLUGIN.format("org.contikios.cooja.plugins.Mobility", "<positions>[CONFIG_DIR]/no.dat</positions>"),
        "no mote moves",
    ),
]


def changed(small, before: str, after: str) -> bytes:
    text = write(small).decode()
    assert before in text
    return text.replace(before, after, 1).encode()


@pytest.mark.parametrize(("before", "after", "note"), READ_PAST)
def test_what_cooja_ignores_is_ignored_and_noted(small, before, after, note):
    found = read_bytes(changed(small, before, after))
    assert found == read_bytes(write(small))
    assert any(note in one for one in found.notes), found.notes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<randomseed>7<", "<randomseed> 7 <"),
        ("<motedelay_us>1000000<", "<motedelay_us>1000000 <"),
        ("<logoutput>40000<", "<logoutput> 40000<"),
        ("<id>2<", "<id>2 <"),
    ],
)
def test_white_space_that_java_refuses_is_refused_as_csc_check_does(small, before, after):
    with pytest.raises(FaultyInput, match="white space around it"):
        read_bytes(changed(small, before, after))


def test_serial_sockets_are_read_with_what_their_plugins_say(small):
    config = "<port>60001</port><bound>false</bound><commands>\nsh a.sh 1\n\nsh b.sh</commands>"
    data = changed(small, "</simconf>", PLUGIN.format(SERVER, config))
    client = PLUGIN.format(CLIENT, "<host>localhost</host><port>7</port>").replace(
        ">0<", ">8</mote_arg><mote_arg>1<"
    )
    server, connected = read_bytes(data.replace(b"</simconf>", client.encode())).serial_sockets
    assert (server.mote, server.port, server.host) == (0, 60001, "")
    assert server.commands == ("sh a.sh 1", "sh b.sh")
    assert (connected.mote, connected.port, connected.host, connected.commands) == (1, 7, "localhost", ())
    found = read_bytes(data)
    assert read_bytes(write(found)) == found


def test_a_tracker_beside_a_script_that_adds_motes_is_not_run(small):
    script = "<script>TIMEOUT(1000); sim.addMote(sim.getMoteTypes()[0].generateMote(sim));</script>"
    text = write(small).decode()
    text = text[: text.index("<script>")] + script + text[text.index("</script>") + 9 :]
    assert read_bytes(text.encode())
    tracker = PLUGIN.format("org.contikios.cooja.plugins.PowerTracker", "")
    with pytest.raises(Unsupported, match="PowerTracker"):
        read_bytes(text.replace("</simconf>", tracker).encode())


def test_a_tracker_that_the_script_asks_is_a_part_of_the_simulation(small):
    script = "<script>TIMEOUT(1000); sim.getCooja().getPlugin('PowerTracker');</script>"
    text = write(small).decode()
    text = text[: text.index("<script>")] + script + text[text.index("</script>") + 9 :]
    assert not read_bytes(text.encode()).power_tracker
    tracker = PLUGIN.format("org.contikios.cooja.plugins.PowerTracker", "")
    found = read_bytes(text.replace("</simconf>", tracker).encode())
    assert found.power_tracker
    assert not found.notes
    assert read_bytes(write(found)) == found


def test_a_file_without_a_script_names_what_ends_it_and_runs_so(small, tmp_path):
    text = write(small).decode()
    start = text.rindex("<plugin>", 0, text.index("ScriptRunner"))
    data = text[:start] + text[text.index("</plugin>", start) + 9 :]
    with pytest.raises(FaultyInput, match="simulate --seconds N.*csc fix"):
        read_bytes(data.encode())
    from orchestrator.csc.read import read

    (tmp_path / "a.csc").write_text(data)
    assert read(tmp_path / "a.csc", seconds=30).script == EndScript(timeout_us=30_000_000)
