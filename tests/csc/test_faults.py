# SPDX-License-Identifier: Apache-2.0
"""Files that aren't simulations, or not ones that this version runs, get one clear answer with all
faults."""

import gzip

import pytest

from orchestrator.csc.read import read, read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, NoSuchThing, Unsupported
from tests.counting import at_most_calls


def faults(data: bytes) -> list[str]:
    with pytest.raises(FaultyInput) as raised:
        read_bytes(data, "a.csc")
    return [f"{fault.line}: {fault.what}" for fault in raised.value.faults]


def refused(data: bytes) -> str:
    with pytest.raises(Unsupported) as raised:
        read_bytes(data, "a.csc")
    return str(raised.value)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "not XML"),
        (b"{}", "not XML"),
        (bytes(range(256)), "not XML"),
        (b"<simconf><simulation></simconf>", "not XML"),
        (b"<simconf>&nothing;</simconf>", "not XML"),
        (b"<simconf>" + b"<a>" * 100_000, "depth"),
        (b"<simconf><a>" + b"x" * 11_000_000 + b"</a></simconf>", "too long"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><simconf/>', "document type"),
        (b"<html/>", "outermost element is <html>"),
    ],
    ids=["empty", "json", "binary", "unclosed", "entity", "deep", "long", "dtd", "html"],
)
def test_what_is_no_simulation(data, what):
    found = faults(data)
    assert len(found) == 1
    assert what in found[0]


def test_an_entity_bomb_is_not_expanded():
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE simconf [<!ENTITY e0 "{"x" * 100}">{entities}]><simconf>&e11;</simconf>'
    found = faults(bomb.encode())  # 10 TB of text if it were, which no machine ends
    assert "document type" in found[0] or "not XML" in found[0]


def test_a_local_file_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    data = (
        f'<!DOCTYPE a [<!ENTITY s SYSTEM "{(tmp_path / "secret").as_uri()}">]><simconf><a>&s;</a></simconf>'
    )
    assert "hunter2" not in "".join(faults(data.encode()))


def test_no_such_file(tmp_path):
    with pytest.raises(NoSuchThing, match="no such file"):
        read(tmp_path / "a.csc")
    with pytest.raises(NoSuchThing, match="folder"):
        read(tmp_path)


def test_a_gzip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("orchestrator.csc.parse.MAX_BYTES", 1_000_000)
    (tmp_path / "a.csc.gz").write_bytes(gzip.compress(b"<simconf>" + bytes(50_000_000)))
    with pytest.raises(FaultyInput, match="larger than"):
        read(tmp_path / "a.csc.gz")
    (tmp_path / "b.csc.gz").write_bytes(b"<simconf/>")
    with pytest.raises(FaultyInput, match="not a gzip file"):
        read(tmp_path / "b.csc.gz")


CHANGES = {  # (what is replaced, by what) -> what is said
    (
        b"org.contikios.cooja.radiomediums.UDGM",
        b"org.contikios.mrm.MRM",
    ): "not supported: radio medium org.contikios.mrm.MRM",
    (
        b"org.contikios.cooja.radiomediums.UDGM",
        b"com.example.Medium",
    ): "unknown radio medium 'com.example.Medium'",
    (
        b"org.contikios.cooja.contikimote.ContikiMoteType",
        b"org.contikios.cooja.mspmote.Z1MoteType",
    ): "not supported: mote type org.contikios.cooja.mspmote.Z1MoteType\n    use "
    "org.contikios.cooja.contikimote.ContikiMoteType, or run the file with --engine cooja",
    (b"org.contikios.cooja.contikimote.ContikiMoteType", b"Nothing"): "unknown mote type 'Nothing'",
    (
        b"<moteinterface>org.contikios.cooja.interfaces.Battery",
        b"<moteinterface>org.example.Laser",
    ): "unknown mote interface 'org.example.Laser'",
    (b"org.contikios.cooja.plugins.TimeLine", b"Mine"): "unknown plugin 'Mine'",
    (
        b"org.contikios.cooja.plugins.ScriptRunner",
        b"org.contikios.cooja.plugins.Notes",
    ): "no ScriptRunner plugin",
    (b"  YIELD();", b"  sim.stopSimulation();"): "not supported: script: the call stopSimulation()",
    (b"<id>2</id>", b"<id>two</id>"): "mote id: 'two' is not a whole number",
    (b'y="-4.0"', b'y="nan"'): "y: 'nan' is not a decimal number",
    (b"<eeprom>Uk8B", b"<eeprom>U k8B"): "eeprom: not base64",
    (b"<randomseed>7", b"<randomseed>seven"): "randomseed: 'seven' is not a whole number",
    (b"<randomseed>7", b"<randomseed>9999999999999999999"): "randomseed: 9999999999999999999 is outside",
    (b"<motedelay_us>1000000", b"<motedelay_us>2147483648"): "motedelay_us: 2147483648 is outside",
    (b"<success_ratio_rx>0.95", b"<success_ratio_rx>95"): "success_ratio_rx: 95.0 is out of range",
    (
        b"<transmitting_range>50.0",
        b"<transmitting_range>1e999",
    ): "transmitting_range: '1e999' is not a decimal number",
    (b"<source>[CONFIG_DIR]/node.c</source>", b""): "a mote type without <source>",
    (b"<script>", b"<scriptfile>[CONFIG_DIR]/none.js</scriptfile><script>"): "No such file or directory",
    (b"<script>", b"<scriptfile>[CONTIKI_DIR]/a.js</scriptfile><script>"): "name it with --contiki DIR",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change[1].decode()[:40])
def test_every_part_is_named_with_its_line(small, change):
    before, after = change
    data = write(small)
    assert data.count(before) >= 1
    line = data[: data.index(before)].count(b"\n") + 1
    with pytest.raises((FaultyInput, Unsupported)) as raised:
        read_bytes(data.replace(before, after), "a.csc")
    message = str(raised.value)
    assert CHANGES[change] in message
    if "no ScriptRunner" not in message and "without <source>" not in message:
        lines = [int(text.split(":")[1]) for text in message.split("\n") if text.startswith("a.csc:")]
        assert min(abs(found - line) for found in lines) <= 8, (lines, line)


def test_all_faults_at_once(small):
    data = write(small)
    for before, after in [change for change in CHANGES if b"script" not in change[1]][::2]:
        data = data.replace(before, after, 1)
    assert len(faults(data)) >= 7


def test_faults_of_a_great_many_motes_are_counted(small):
    data = write(small).replace(b"<id>2</id>", b"<id>x</id>" * 1)
    mote = data[data.index(b"<mote>") : data.index(b"</mote>") + 7].replace(b"<id>1<", b"<id>x<")
    found = faults(data.replace(b"</motetype>", mote * 1000 + b"</motetype>"))
    assert len(found) == 51
    assert "more" in found[-1]


def test_what_is_only_unsupported_says_so(small):
    data = write(small)
    start = data.rindex(b"<plugin>", 0, data.index(b"ScriptRunner"))
    runner = data[start : data.index(b"</plugin>", start) + 9]
    assert "not supported: a second ScriptRunner" in refused(data.replace(runner, runner * 2))


def test_a_simulation_of_many_motes_is_read_with_work_by_their_number(small):
    data = write(small)
    mote = data[data.index(b"<mote>") : data.index(b"</mote>") + 7]
    rest = b"".join(mote.replace(b"<id>1<", b"<id>%d<" % (number + 10)) for number in range(5_000))
    with at_most_calls(5_000 * 120):
        simulation = read_bytes(data.replace(b"</motetype>", rest + b"</motetype>"))
    assert len(simulation.motes) == 5_002
