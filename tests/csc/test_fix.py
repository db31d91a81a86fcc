# SPDX-License-Identifier: Apache-2.0
"""Old files become ones that load, say the same as before, and change no more."""

import gzip
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from orchestrator.csc.difference import differences
from orchestrator.csc.document import Document
from orchestrator.csc.fixing import fix, fix_bytes
from orchestrator.csc.loading.check import judge
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, OrchestrateError
from tests.tier import examples

INTERFACES = "".join(
    f"\n      <moteinterface>se.sics.cooja.{name}</moteinterface>"
    for name in (
        "interfaces.Position",
        "interfaces.RimeAddress",
        "interfaces.Battery",
        "contikimote.interfaces.ContikiMoteID",
        "contikimote.interfaces.ContikiRS232",
        "contikimote.interfaces.ContikiIPAddress",
        "contikimote.interfaces.ContikiRadio",
        "contikimote.interfaces.ContikiClock",
    )
)
MOTE = """
    <mote>
      <breakpoints />
      <interface_config>
        se.sics.cooja.interfaces.Position
        <x>{x}</x>
        <y>2.5</y>
        <z>{z}</z>
      </interface_config>
      <interface_config>
        se.sics.cooja.contikimote.interfaces.ContikiMoteID
        <id>{id}</id>
      </interface_config>
      <motetype_identifier>{type}</motetype_identifier>
    </mote>"""
MOTETYPE = """
    <motetype>
      se.sics.cooja.contikimote.ContikiMoteType
      <identifier>{type}</identifier>
      <description>Old &amp; {type}</description>
      <contikiapp>[CONFIG_DIR]/{type}.c</contikiapp>
      <command>sh place.sh</command>{interfaces}
    </motetype>"""
PLUGIN = """
  <plugin>
    {name}
    <width>200</width>
    <z>1</z>
    <height>100</height>
    <location_x>-3</location_x>
    <location_y>4</location_y>
  </plugin>"""


def old(
    order: str = "aab", plugins=("se.sics.cooja.plugins.SimControl", "se.sics.cooja.plugins.VisUDGM")
) -> str:
    """A file of 2009, its motes of types in that order."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- mine -->
<simconf>
  <project>[APPS_DIR]/mrm</project>
  <simulation>
    <title>Old &amp; good</title>
    <delaytime>0</delaytime>
    <randomseed>123456</randomseed>
    <motedelay>1000</motedelay>
    <radiomedium>
      se.sics.cooja.radiomediums.UDGM
      <transmitting_range>50.0</transmitting_range>
      <interference_range>100.0</interference_range>
      <success_ratio>0.9</success_ratio>
    </radiomedium>{"".join(MOTETYPE.format(type=kind, interfaces=INTERFACES) for kind in sorted(set(order)))}
    <!-- the motes -->{
        "".join(
            MOTE.format(x=number * 10.0, z=0.0 if number % 2 else 1.5, id=number, type=kind)
            for number, kind in enumerate(order, 1)
        )
    }
  </simulation>{"".join(PLUGIN.format(name=name) for name in plugins)}
</simconf>
"""


def verdict(data: bytes, folder) -> list[str]:
    written = Document.of(data, "fixed.csc", folder)
    return [one.what for one in judge(written, "5.0").findings if one.fatal]


def seen(data: bytes, folder, name: str):
    (folder / name).write_bytes(data)
    return survey(folder / name)


@pytest.fixture
def sources(tmp_path):
    for name in ("a.c", "b.c", "place.sh"):
        (tmp_path / name).write_text("")
    return tmp_path


def test_a_file_of_2009_becomes_todays(sources):
    before = old().encode()
    after, changes = fix_bytes(before)
    assert verdict(before, sources)
    assert not verdict(after, sources)
    assert all(change.done and change.line >= 0 for change in changes)
    text = after.decode()
    assert text.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- mine -->\n<simconf version="2023090101">'
    )
    for gone in (
        "se.sics",
        "<x>",
        "motetype_identifier",
        "RimeAddress",
        "SimControl",
        "delaytime",
        "<motedelay>",
        "contikiapp",
        "location_x",
    ):
        assert gone not in text
    for there in (
        '<pos x="10.0" y="2.5" />',
        '<pos x="20.0" y="2.5" z="1.5" />',
        "<motedelay_us>1000000</motedelay_us>",
        "<!-- the motes -->",
        "<breakpoints />",
        '<bounds x="-3" y="4" height="100" width="200" z="1" />',
    ):
        assert there in text
    assert fix_bytes(after) == (after, ())


def test_it_says_the_same_as_before(sources):
    after, _ = fix_bytes(old().encode())
    found = differences(seen(old().encode(), sources, "old.csc"), seen(after, sources, "new.csc"))
    assert [(one.part, one.of) for one in found] == [("script", "")]  # the one that was added


def test_interleaved_motes_stay_outside_and_are_named(sources):
    after, changes = fix_bytes(old("aba").encode())
    assert after.count(b"<motetype_identifier>") == 3
    assert any(not change.done and "their order" in change.what for change in changes)
    assert not verdict(after, sources)
    assert [mote.id for mote in seen(after, sources, "new.csc").motes] == [1, 2, 3]
    again, left = fix_bytes(after)
    assert again == after
    assert [change.what for change in left] == [change.what for change in changes if not change.done]


@pytest.mark.parametrize("plugin", ["org.contikios.cooja.plugins.NativeIPGateway", "my.own.Plugin"])
def test_what_is_not_understood_stays(plugin):
    before = old(plugins=(plugin,)).encode()
    after, changes = fix_bytes(before)
    assert plugin.encode() in after
    assert any(not change.done and plugin in change.what for change in changes)


def test_what_cooja_does_not_know_goes_if_that_is_wanted(sources):
    """A mote interface with its configurations, and a plugin; both stop Cooja from loading the file."""
    unknown = "org.contikios.cooja.interfaces.Fan"
    text = old(plugins=("my.own.Plugin",))
    text = text.replace("</motetype>", f"<moteinterface>{unknown}</moteinterface>\n</motetype>")
    text = text.replace("</mote>", f"<interface_config>{unknown}<speed>1</speed></interface_config>\n</mote>")
    before, _ = fix_bytes(text.encode())
    assert verdict(before, sources)
    after, changes = fix_bytes(before, remove_unknown=True)
    assert not verdict(after, sources)
    assert b"Fan" not in after
    assert b"my.own.Plugin" not in after
    assert all(change.done for change in changes)


def test_a_current_file_is_left_alone(small):
    data = write(small)
    assert fix_bytes(data) == (data, ())


def test_a_script_ends_the_run_after_the_seconds_said(small):
    data = write(small)
    bare = data[: data.index(b"  <plugin>\n    org.contikios.cooja.plugins.ScriptRunner")] + b"</simconf>\n"
    after, changes = fix_bytes(bare, seconds=77)
    assert b"TIMEOUT(77000, log.testOK());" in after
    assert [change.done for change in changes] == [True]
    assert "77 s" in changes[0].what


def test_line_ends_and_encoding_stay(sources):
    text = old().replace("Old &amp; good", "Größe").replace('"UTF-8"', '"ISO-8859-1"').replace("\n", "\r\n")
    after, _ = fix_bytes(text.encode("latin-1"))
    assert "Größe".encode("latin-1") in after
    assert after.count(b"\r\n") == after.count(b"\n")
    assert not verdict(after, sources)
    assert fix_bytes(after) == (after, ())


def test_compressed_files_stay_compressed(tmp_path):
    (tmp_path / "a.csc.gz").write_bytes(gzip.compress(old().encode()))
    fixed = fix(tmp_path / "a.csc.gz")
    assert gzip.decompress(fixed.data) == fix_bytes(old().encode())[0]
    (tmp_path / "a.csc.gz").write_bytes(fixed.data)
    assert fix(tmp_path / "a.csc.gz").data == fixed.data
    assert not fix(tmp_path / "a.csc.gz").changed


def test_no_simulation_is_refused():
    with pytest.raises(FaultyInput):
        fix_bytes(b"<html/>")


PIECES = [
    b"<",
    b">",
    b"&",
    b"<!-- c -->",
    b"<mote>",
    b"</mote>",
    b"<x>1</x>",
    b"<pos/>",
    b"<id> 1</id>",
    b"text",
    b"se.sics.cooja",
    b"<plugin>se.sics.cooja.plugins.SimControl</plugin>",
    b"<moteinterface>x</moteinterface>",
    b"<motetype/>",
    b"<![CDATA[a<b]]>",
    b"<identifier>a</identifier>",
    b"\xff",
    b"<?pi x?>",
    b"<eeprom>A A</eeprom>",
]


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["aab", "aba", "a", "bbaa"]),
    st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 40), st.sampled_from(PIECES)), max_size=3),
)
def test_fixing_twice_is_fixing_once(order, changes):
    data = old(order).encode()
    for place, length, piece in changes:
        data = data[:place] + piece + data[place + length :]
    try:
        once, said = fix_bytes(data)
    except OrchestrateError as error:
        assert str(error)
        return
    twice, again = fix_bytes(once)
    assert twice == once
    assert not any(change.done for change in again)
    assert (once == data) is not any(change.done for change in said)


def test_what_cooja_does_not_load_without_is_added_in_its_place(small, sources):
    whole = write(small).decode().replace("node.c", "a.c")
    bare = re.sub(r" *<(title|randomseed|motedelay_us)>.*\n", "", whole)
    after, changes = fix_bytes(bare.encode())
    simulation = etree.fromstring(after).find("simulation")
    assert [(one.tag, one.text) for one in simulation[:3]] == [
        ("title", "Simulation"),
        ("randomseed", "1"),
        ("motedelay_us", "1000000"),
    ]
    assert [change.done for change in changes] == [True] * 3
    (sources / "Makefile").write_text("")
    assert len(verdict(bare.encode(), sources)) == 3
    assert not verdict(after, sources)


def test_motes_within_their_type_do_not_name_it():
    text = old("a").replace("</motetype>", MOTE.format(x=1.0, z=0.0, id=7, type="a") + "</motetype>", 1)
    after, changes = fix_bytes(text.encode())
    assert b"motetype_identifier" not in after and any(
        "from motes within their type" in change.what for change in changes
    )


@pytest.mark.parametrize(
    ("project", "own"),
    [
        ("[APPS_DIR]/avrora", True),
        ("/home/user/contiki-ng/tools/cooja/apps/mrm", True),
        ("../apps/native_gateway", True),
        ("/home/user/contikiprojects/sics.se/mobility", True),
        ("[APPS_DIR]/my-own-extension", False),
        ("/home/me/mrm", False),
    ],
)
def test_cooja_s_own_extensions_go_and_a_user_s_stays_and_is_named(small, project, own):
    text = write(small).replace(b"<simulation>", f"<project>{project}</project><simulation>".encode())
    made, changes = fix_bytes(text)
    assert (project.encode() in made) is not own
    assert [change.done for change in changes if project in change.what] == [own]


def test_mrm_s_viewers_go(small):
    viewer = b"<plugin>org.contikios.mrm.AreaViewer<plugin_config/></plugin></simconf>"
    made, _ = fix_bytes(write(small).replace(b"</simconf>", viewer))
    assert b"AreaViewer" not in made
