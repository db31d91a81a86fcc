# SPDX-License-Identifier: Apache-2.0
"""Would a headless Cooja load it? Each case's verdict was seen in real Cooja (docs/csc.md says how)."""

import gzip

import pytest

from orchestrator.csc import document
from orchestrator.csc.document import Document
from orchestrator.csc.loading.check import judge, misread
from orchestrator.csc.loading.report import Loading, Report
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, NoSuchThing


@pytest.fixture
def text(small, tmp_path) -> str:
    """A file that loads, beside the source that it names."""
    (tmp_path / "node.c").write_text("/* a mote */")
    (tmp_path / "Makefile").write_text("all:")
    return write(small).decode()


def check(path, **given) -> Report:
    """As `csc check` does it: a file that isn't XML gets a report as well."""
    try:
        return judge(document.read(path), "5.0", **given)
    except FaultyInput as faulty:
        return misread(faulty, str(path), "5.0")


def report(text: str, folder, rules: str = "5.0"):
    return judge(Document.of(text.encode(), "a.csc", folder), rules)


def faults(text: str, folder, rules: str = "5.0") -> list[str]:
    return [one.what for one in report(text, folder, rules).findings if one.fatal]


def test_what_we_write_loads(text, tmp_path):
    made = report(text, tmp_path)
    assert made.loading is Loading.NOTES
    assert [one.what for one in made.findings] == [
        "not started without a window: Visualizer, LogListener, TimeLine"
    ]


RADIO = "<moteinterface>org.contikios.cooja.contikimote.interfaces.ContikiRadio</moteinterface>"
BROKEN = [  # what is replaced, by what, a part of what is said
    ("<simconf ", "<simulation ", "not XML"),
    ("<title>Two motes &amp; more</title>", "", "no <title>"),
    ("<randomseed>7</randomseed>", "", "no <randomseed>"),
    ("<randomseed>7</randomseed>", "<randomseed> 7</randomseed>", "white space"),
    ("<randomseed>7</randomseed>", "<randomseed>9223372036854775808</randomseed>", "outside"),
    ("<randomseed>7</randomseed>", "<randomseed>x</randomseed>", "not a whole number"),
    ("<motedelay_us>1000000</motedelay_us>", "", "no <motedelay_us>"),
    ("<motedelay_us>1000000</motedelay_us>", "<motedelay_us>2147483648</motedelay_us>", "outside"),
    ("<motedelay_us>1000000</motedelay_us>", "<motedelay>1.5</motedelay>", "not a whole number"),
    ("radiomediums.UDGM\n", "radiomediums.Nothing\n", "unknown to Cooja"),
    ("radiomediums.UDGM\n", "radiomediums.StandardRadioMedium\n", "unknown to Cooja"),
    ("<transmitting_range>50.0<", "<transmitting_range>50 m<", "not a decimal number"),
    ("contikimote.ContikiMoteType", "mspmote.WismoteMoteType", "WismoteMoteType"),
    ("contikimote.ContikiMoteType", "mspmote.Exp5438MoteType", "Exp5438MoteType"),
    ("contikimote.ContikiMoteType", "mspmote.MspExp430Fr5969MoteType", "which Cooja 5.0 does not have"),
    (RADIO, RADIO.replace("ContikiRadio", "ContikiLog"), "not an interface of cooja motes"),
    ("<source>[CONFIG_DIR]/node.c</source>", "", "without <source>"),
    ("[CONFIG_DIR]/node.c", "[CONFIG_DIR]/gone/node.c", "is not there"),
    ("[CONFIG_DIR]/node.c", " [CONFIG_DIR]/node.c", "white space around it"),
    ("TARGET=cooja", "TARGET=sky", "TARGET=sky"),
    ("<description>", "<projectdir>x</projectdir><description>", "before 2010"),
    ("<id>2</id>", "<id>two</id>", "not a whole number"),
    ('<pos x="0.0"', '<pos x="a"', "not a decimal number"),
    ("<eeprom>Uk8B</eeprom>", "<eeprom>Uk\n8B</eeprom>", "not base64"),
    (
        "interfaces.ContikiEEPROM</moteinterface>",
        "interfaces.ContikiVib</moteinterface>",
        "which its mote type does not have",
    ),
    ("cooja.plugins.TimeLine", "cooja.plugins.NativeIPGateway", "unknown to Cooja"),
    ("org.contikios.cooja.plugins.TimeLine", "PowerTracker", "unknown to Cooja"),
    ("org.contikios.cooja.plugins.ScriptRunner", "org.contikios.cooja.plugins.Notes", "no ScriptRunner"),
    ("TIMEOUT(60000", "TIMEOUT(1);\nTIMEOUT(60000", "two TIMEOUT"),
]


@pytest.mark.parametrize(("old", "new", "said"), BROKEN, ids=lambda part: None)
def test_what_keeps_it_from_loading(text, tmp_path, old, new, said):
    assert old in text, "the case changes nothing"
    (tmp_path / "a.csc").write_text(text.replace(old, new, 1))
    made = check(tmp_path / "a.csc")
    assert made.loading is Loading.FAILS
    assert said in "\n".join(one.what for one in made.findings if one.fatal)
    assert all(one.remedy for one in made.findings if one.fatal)


NOTED = [
    ("<randomseed>7</randomseed>", "<randomseed>generated</randomseed>", "is generated"),
    ("<motedelay_us>1000000</motedelay_us>", "<motedelay>1000</motedelay>", "before 2010"),
    (' version="2023090101"', "", "no version"),
    ("<success_ratio_tx>1.0<", "<success_ratio_tx>1.5<", "not a probability"),
    ("<transmitting_range>50.0<", "<transmitting_range> 50d <", ""),
    ("org.contikios.cooja.radiomediums.UDGM", "se.sics.cooja.radiomediums.UDGM", "se.sics"),
    (
        "<moteinterface>",
        "<moteinterface>org.contikios.cooja.interfaces.RimeAddress</moteinterface><moteinterface>",
        "RimeAddress",
    ),
    ("<id>2</id>", "<id>1</id>", "two motes with id 1"),
    ("cooja.plugins.TimeLine", "cooja.plugins.SimControl", "SimControl is gone"),
    ('<pos x="0.0" y="0.0"/>', "<x>0.0</x><y>1</y><z>0</z>", "before 2022"),
    ("<title>", "<strange/><title>", "<strange> in <simulation>"),
]


@pytest.mark.parametrize(("old", "new", "said"), NOTED, ids=lambda part: None)
def test_what_cooja_passes_over_is_a_note(text, tmp_path, old, new, said):
    assert old in text, "the case changes nothing"
    made = report(text.replace(old, new, 1), tmp_path)
    assert made.loading is Loading.NOTES
    assert said in "\n".join(one.what for one in made.findings)


def test_every_reason_at_once(text, tmp_path):
    for old, new, _ in (BROKEN[1], BROKEN[9], BROKEN[15], BROKEN[21], BROKEN[25]):
        text = text.replace(old, new, 1)
    assert len(faults(text, tmp_path)) == 5


def test_the_newer_cooja_knows_one_mote_type_more(text, tmp_path):
    text = text.replace("contikimote.ContikiMoteType", "mspmote.MspExp430Fr5969MoteType", 1)
    assert any("which Cooja 5.0 does not" in one for one in faults(text, tmp_path))
    assert not any(one.startswith("mote type org") for one in faults(text, tmp_path, "2026.07"))


SOCKET = """<plugin>org.contikios.cooja.serialsocket.SerialSocketServer<mote_arg>{mote}</mote_arg>
<plugin_config><port>{port}</port><commands>sudo ./tunslip6 aaaa::1/64</commands></plugin_config></plugin></simconf>"""  # noqa: E501


@pytest.mark.parametrize(
    ("mote", "port", "loads"),
    [("1", "60001", True), ("2", "60001", False), ("1", "x", False), ("1", "99999", False)],
)
def test_a_serial_socket_needs_its_mote_and_a_port(text, tmp_path, mote, port, loads):
    made = report(text.replace("</simconf>", SOCKET.format(mote=mote, port=port)), tmp_path)
    assert (made.loading is Loading.NOTES) is loads
    if loads:
        assert "port 60001" in str(made.findings)
        assert "as root" in str(made.findings)


def test_what_commands_need_is_looked_for_in_the_scripts_that_they_call(text, tmp_path):
    (tmp_path / "test.sh").write_text("#!/bin/sh\n# tunslip6 is not called here\nmtr -6 -r $1\n")
    plugin = SOCKET.format(mote=1, port=60001).replace("sudo ./tunslip6", "[CONFIG_DIR]/test.sh")
    made = str(report(text.replace("</simconf>", plugin), tmp_path).findings)
    assert "mtr" in made and "as root" not in made
    (tmp_path / "test.sh").write_text("make -C $1 connect-router-cooja TARGET=native &\nping6 $2\n")
    made = str(report(text.replace("</simconf>", plugin), tmp_path).findings)
    assert "as root, with a TUN device" in made
    assert all(name in made for name in ("make", "ping6", "sudo", "ifconfig", "rlwrap"))


MOBILITY = """<plugin>org.contikios.cooja.plugins.Mobility<plugin_config><positions>[CONFIG_DIR]/{}</positions></plugin_config></plugin></simconf>"""  # noqa: E501


def test_a_mobility_file_is_read(text, tmp_path):
    (tmp_path / "good.dat").write_text("# a comment\n0 1.0 2 3\n")
    (tmp_path / "bad.dat").write_text("0  1.0 2 3\n")
    assert not faults(text.replace("</simconf>", MOBILITY.format("good.dat")), tmp_path)
    assert "bad.dat, line 1" in faults(text.replace("</simconf>", MOBILITY.format("bad.dat")), tmp_path)[0]
    assert "no mote will move" in str(
        report(text.replace("</simconf>", MOBILITY.format("gone.dat")), tmp_path).findings
    )


def test_a_folder_that_was_not_said_is_a_note_and_a_wrong_one_a_fault(text, tmp_path):
    text = text.replace("[CONFIG_DIR]/node.c", "[CONTIKI_DIR]/examples/node.c")
    (tmp_path / "a.csc").write_text(text)
    assert "--contiki" in str(check(tmp_path / "a.csc").findings)
    assert check(tmp_path / "a.csc").loading is Loading.NOTES
    assert "not a Contiki-NG tree" in str(check(tmp_path / "a.csc", contiki=tmp_path).findings)


def test_compressed_and_missing(text, tmp_path):
    (tmp_path / "a.csc.gz").write_bytes(gzip.compress(text.encode()))
    assert check(tmp_path / "a.csc.gz").loading is Loading.NOTES
    with pytest.raises(NoSuchThing):
        check(tmp_path / "none.csc")
    (tmp_path / "a.csc").write_text("no XML")
    assert check(tmp_path / "a.csc").loading is Loading.FAILS
