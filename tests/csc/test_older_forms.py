# SPDX-License-Identifier: Apache-2.0
"""Forms that Cooja still reads: motes beside their types, positions as elements, old package names."""

import os
from pathlib import Path

import pytest

from orchestrator.csc import interfaces
from orchestrator.csc.model import EndScript, Mote, Udgm
from orchestrator.csc.paths import resolve
from orchestrator.csc.read import read, read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import NoSuchThing, OrchestrateError

OLD = b"""<?xml version="1.0" encoding="UTF-8"?>
<simconf>
  <project>[APPS_DIR]/mrm</project>
  <simulation>
    <title>Old</title>
    <speedlimit>1.0</speedlimit>
    <delaytime>0</delaytime>
    <randomseed>123456</randomseed>
    <motedelay>1000</motedelay>
    <radiomedium>
      se.sics.cooja.radiomediums.UDGM
      <transmitting_range>50</transmitting_range>
      <success_ratio>0.5</success_ratio>
    </radiomedium>
    <events><logoutput>40000</logoutput></events>
    <motetype>
      se.sics.cooja.contikimote.ContikiMoteType
      <identifier>mtype205</identifier>
      <description>Node</description>
      <contikiapp>[CONTIKI_DIR]/examples/node.c</contikiapp>
      <commands>make TARGET=cooja clean
      make node.cooja TARGET=cooja</commands>
      <moteinterface>se.sics.cooja.interfaces.Position</moteinterface>
      <moteinterface>org.contikios.cooja.interfaces.RimeAddress</moteinterface>
      <moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiIPAddress</moteinterface>
      <moteinterface>se.sics.cooja.contikimote.interfaces.ContikiMoteID</moteinterface>
      <moteinterface>se.sics.cooja.contikimote.interfaces.ContikiRadio</moteinterface>
      <moteinterface>se.sics.cooja.contikimote.interfaces.ContikiRS232</moteinterface>
      <moteinterface>se.sics.cooja.contikimote.interfaces.ContikiClock</moteinterface>
      <symbols>false</symbols>
    </motetype>
    <mote>
      <breakpoints />
      <interface_config>
        se.sics.cooja.interfaces.Position
        <x>-1.25</x><y>38.5</y><z>0.0</z>
      </interface_config>
      <interface_config>se.sics.cooja.contikimote.interfaces.ContikiMoteID<id>4</id></interface_config>
      <interface_config>se.sics.cooja.contikimote.interfaces.ContikiRadio<bitrate>250.0</bitrate></interface_config>
      <interface_config>se.sics.cooja.contikimote.interfaces.ContikiRS232<history>help~;</history></interface_config>
      <motetype_identifier>mtype205</motetype_identifier>
    </mote>
  </simulation>
  <plugin>se.sics.cooja.plugins.SimControl<width>242</width></plugin>
  <plugin>
    se.sics.cooja.plugins.ScriptRunner
    <plugin_config>
      <script>TIMEOUT(5000, log.testOK());
while(true) { log.log(time + "\\tID:" + id + "\\t" + msg + "\\n"); YIELD(); }</script>
      <active>true</active>
    </plugin_config>
    <width>600</width>
  </plugin>
</simconf>
"""


def test_a_file_of_2013():
    simulation = read_bytes(OLD.replace(b"      <symbols>false</symbols>\n", b""))
    assert simulation.seed == 123456
    assert simulation.motedelay_us == 1_000_000
    assert simulation.medium == Udgm(50, 100, 0.5, 1)
    assert simulation.motes == (Mote("mtype205", 4, -1.25, 38.5),)
    assert simulation.script == EndScript(5_000_000)
    (mote_type,) = simulation.mote_types
    assert mote_type.source == "[CONTIKI_DIR]/examples/node.c"
    assert mote_type.interfaces == (
        "Position",
        "IPAddress",
        "ContikiMoteID",
        "ContikiRadio",
        "ContikiRS232",
        "ContikiClock",
    )
    again = read_bytes(write(simulation))
    assert again == simulation


def test_a_mote_type_without_interfaces_has_all():
    data = OLD.replace(b"      <symbols>false</symbols>\n", b"")
    lines = [line for line in data.split(b"\n") if b"<moteinterface>" not in line]
    assert read_bytes(b"\n".join(lines)).mote_types[0].interfaces == interfaces.STANDARD_INTERFACES


def test_path_tokens(tmp_path, monkeypatch):
    (tmp_path / "here.c").write_text("")
    monkeypatch.chdir(tmp_path)
    assert resolve("[CONFIG_DIR]/../a.c", tmp_path / "b") == tmp_path / "a.c"
    assert resolve("[CONTIKI_DIR]/a.c", Path("x"), tmp_path) == tmp_path / "a.c"
    assert resolve("[COOJA_DIR]/a.c", Path("x"), None, tmp_path) == tmp_path / "a.c"
    assert resolve("here.c", tmp_path / "b") == tmp_path / "here.c"
    assert resolve("there.c", tmp_path / "b") == tmp_path / "b" / "there.c"
    with pytest.raises(NoSuchThing, match="--contiki DIR"):
        resolve("[CONTIKI_DIR]/a.c", tmp_path)


@pytest.mark.contiki_ng
@pytest.mark.skipif("CONTIKI_NG" not in os.environ, reason="set CONTIKI_NG to a Contiki-NG tree")
def test_every_simulation_of_contiki_ng_is_read_or_refused_by_name():
    """Nothing of Contiki-NG's own files is faulty; what this version can't run is named."""
    tree = Path(os.environ["CONTIKI_NG"])
    files = sorted(tree.glob("**/*.csc"))
    assert len(files) > 50
    for path in files:
        try:
            read(path, tree)
        except OrchestrateError as error:
            named = (
                "not supported" in str(error) or "no ScriptRunner" in str(error) or "scriptfile" in str(error)
            )
            assert named, f"{path}: {error}"
