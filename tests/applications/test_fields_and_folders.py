# SPDX-License-Identifier: Apache-2.0
"""EEPROM fields byte by byte, their names in C, and what is said of folders and names of applications."""

from __future__ import annotations

import pytest

from orchestrator.applications import eeprom, eeprom_header, find, folder
from orchestrator.applications.extension import SettingFault, of_setting
from orchestrator.applications.model import EepromField
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.event_service.channels import ChannelTerms, channel_terms
from orchestrator.features.policies import components
from orchestrator.vocabulary.parameters import Parameter
from tests.applications.an_application import an_application


def images(fields, **facts):
    app = an_application(
        eeprom=tuple(fields),
        parameters={
            "p": Parameter("p", "time", 0),
            "q": Parameter("q", "ratio", 0.0),
            "w": Parameter("w", "choice"),
        },
    )
    return eeprom.encode(app, facts, "mote 1")


def a_field(kind="u8", source="id", **more):
    return EepromField(
        **{
            "name": "f",
            "type": kind,
            "array": False,
            "value": None,
            "source": source,
            "map": {},
            "unit": "",
            "line": 7,
        }
        | more
    )  # noqa: E501


@pytest.mark.parametrize(
    ("field", "facts", "image"),
    [
        (a_field(), {"id": 255}, b"\xff"),
        (a_field("u16"), {"id": 0x102}, b"\x02\x01"),
        (a_field("u32"), {"id": 2**32 - 1}, b"\xff" * 4),
        (a_field("i16"), {"id": -2}, b"\xfe\xff"),
        (a_field("i32"), {"id": -(2**31)}, b"\0\0\0\x80"),
        (a_field(value=9, source=""), {}, b"\x09"),
        (a_field(source="trace"), {"trace": True}, b"\x01"),
        (a_field(source="role", map={"relay": 3}), {"role": "relay"}, b"\x03"),
        (a_field(source="trace", map={"true": 5, "false": 6}), {"trace": False}, b"\x06"),
        (a_field("u16", "children", array=True), {"children": [1, 2]}, b"\x02\x01\0\x02\0"),
        (a_field("u8", "children", array=True), {"children": []}, b"\0"),
        (a_field("u16", "duration", unit="ms"), {"duration": 3_000}, b"\x03\0"),
        (a_field("u8", "parameter.q", unit="%"), {"parameter.q": 0.25}, b"\x19"),
        (a_field(most=5), {"id": 5}, b"\x05"),
    ],
)
def test_fields_byte_by_byte(field, facts, image):
    assert images([field], **facts) == image


TYPE = "change the setting, or the field's type or unit"


@pytest.mark.parametrize(
    ("field", "facts", "what", "remedy"),
    [
        (a_field(), {"id": 256}, "is 256, a u8 holds 0 to 255", TYPE),
        (a_field("i16"), {"id": -32769}, "is -32769, a i16 holds -32768 to 32767", TYPE),
        (a_field(most=5), {"id": 6}, "is 6, the firmware has room for 5", "5 id at most"),
        (
            a_field("u8", "children", array=True, most=1),
            {"children": [1, 2]},
            "has 2 items, the firmware has room for 1",
            "1 children at most",
        ),
        (
            a_field("u8", "children", array=True),
            {"children": [0] * 256},
            "has 256 items, its count (u8) goes to 255",
            TYPE,
        ),
        (a_field(source="role", map={}), {"role": "x"}, None, None),
        (a_field(source="role", map={"a": 1}), {"role": "x"}, "has no number for role 'x' in its map", TYPE),
        (
            a_field("u16", "duration", unit="ms"),
            {"duration": 1_500},
            "is 1500 us, no whole number of ms",
            TYPE,
        ),
    ],
)
def test_what_does_not_fit_a_field(field, facts, what, remedy):
    with pytest.raises(ValueError if what is None else FaultyInput) as raised:
        images([field], **facts)
    if what is not None:
        (fault,) = raised.value.faults
        assert (fault.file, fault.line) == ("/apps/mine/application.yaml", 7)
        assert (fault.what, fault.remedy) == (f"EEPROM of mote 1: f {what}", remedy)


@pytest.mark.parametrize("more", [0, 1])
def test_an_image_has_at_most_1024_bytes(more):
    fields = [a_field("u8", "children", array=True) for _ in range(4)] + [a_field()] * more
    facts = {"children": [0] * 255, "id": 1}
    if not more:
        assert len(images(fields, **facts)) == 1024
        return
    with pytest.raises(FaultyInput) as raised:
        images(fields, **facts)
    assert [(one.line, one.what, one.remedy) for one in raised.value.faults] == [
        (0, "EEPROM of mote 1: the image has 1025 bytes, 1024 fit", "use fewer motes, or smaller fields")
    ]


def test_images_of_several_seeds():
    app = an_application(eeprom=(a_field(), a_field("u16", "seed", name="seed"), a_field(value=3, source="")))
    encoder = eeprom.Encoder(app, {"id": 9})
    parts = encoder.parts({}, "mote 1")
    assert encoder.seeded({"mote 1": parts}, 0x102) == [b"\x09\x02\x01\x03"]
    with pytest.raises(FaultyInput) as raised:
        encoder.seeded({"mote 1": parts, "mote 2": parts}, 70_000)
    assert [fault.what for fault in raised.value.faults] == [
        f"EEPROM of mote {n}: seed is 70000, a u16 holds 0 to 65535" for n in (1, 2)
    ]


def test_sources_and_dimensions():
    declared = {"a": Parameter("a", "motes"), "b": Parameter("b", "text"), "c": Parameter("c", "bytecode")}
    declared |= {"d": Parameter("d", "policies"), "e": Parameter("e", "time"), "f": Parameter("f", "int")}
    assert eeprom.of_parameters(declared) == ["listed.a", "code.c", "loaded.d", "parameter.e", "parameter.f"]
    app = an_application(parameters=declared)
    assert [eeprom.dimension(app, one) for one in ("duration", "id", "parameter.e", "parameter.f", "e")] == [
        "time",
        "",
        "time",
        "",
        "",
    ]
    assert eeprom.is_array("children") and eeprom.is_array("code.x") and not eeprom.is_array("id")


def test_names_and_numbers_in_c():
    assert eeprom_header.c_name("a-b.c") == "a_b_c"
    assert [eeprom_header.c_type(a_field(kind)) for kind in eeprom.RANGES] == [
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "int16_t",
        "int32_t",
    ]
    assert [eeprom_header._number(one) for one in (1, 2**31 - 1, 2**31)] == ["1", "2147483647", "2147483648U"]
    assert [eeprom_header._sum(*one) for one in (("a", 3), ("a", 0), ("", 3), ("", 0))] == [
        "a + 3",
        "a",
        "3",
        "0",
    ]
    fields = (
        a_field(name="a-b"),
        a_field(name="a_b", line=8),
        a_field(name="int", line=9),
        a_field(name="1", line=10),
    )
    with pytest.raises(FaultyInput) as raised:
        eeprom_header._check(an_application(eeprom=fields))
    assert [(one.line, one.what, one.remedy) for one in raised.value.faults] == [
        (
            line,
            f"the EEPROM's field {name} {why}, so that eeprom-fields.h can't have it",
            "give the field another name",
        )
        for line, name, why in (
            (8, "a_b", "is there twice"),
            (9, "int", "is no name in C"),
            (10, "1", "is no name in C"),
        )
    ]


# --- folders and names of applications


def test_what_keeps_a_folder_from_being_built(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / "out").write_text("")
    (mine / "sub").mkdir()
    (mine / "sub" / "b.h").write_text("")
    for name in ("build", ".git", "__pycache__"):
        (mine / name).mkdir()
        (mine / name / "x.c").write_text("")
    for name in ("a.o", "a.md", ".hidden", "a.c~", "a.yaml"):
        (mine / name).write_text("")
    (mine / "there").symlink_to("../out")
    (mine / "none").symlink_to("nowhere")
    (mine / "folder").symlink_to("sub")
    assert [path.relative_to(mine).as_posix() for path in folder._walk(mine)] == ["none", "there", "sub/b.h"]
    assert list(folder.files(mine)) == ["there", "sub/b.h"]
    new = "`orchestrate new app NAME` writes an application to compare with"
    assert [(fault.file, fault.what, fault.remedy) for fault in folder.faults(mine, "mine")] == [
        (str(mine), "no Makefile", new),
        (str(mine), "no mine.c, which the firmware is called after", new),
        (str(mine / "folder"), "a link to a folder", "put the folder itself there"),
        (str(mine / "none"), "a link to nowhere, which does not exist", "put the file itself there"),
        (
            str(mine / "there"),
            f"a link to {tmp_path / 'out'}, out of the application's folder",
            "put the file itself there",
        ),
    ]


def test_which_application_is_meant(tmp_path):
    assert [find.is_path(one) for one in (".", "..", "./a", "a/b", "a", "a.b")] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]
    near = "name the folder that has application.yaml"
    for written, said in (
        ("./gone", f"the application './gone': no folder ({tmp_path / 'gone'})\n{near}, as seen from the "
        "scenario's folder"),
        ("/nix", f"the application '/nix': no folder (/nix)\n{near}"),
        ("~/x", f"the application '~/x': no folder ({tmp_path / '~/x'})\n`~` is not replaced: write the "
        "path from / on"),
        ("./file", f"the application './file': a file, not a folder ({tmp_path / 'file'})\n{near}, as seen "
        "from the scenario's folder"),  # noqa: E501
        ("./empty", f"the application './empty': no application.yaml in {tmp_path / 'empty'}\n{find._NEW}"),
    ):  # fmt: skip
        (tmp_path / "file").write_text("")
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(NoSuchThing) as raised:
            find.load_own(written, tmp_path)
        assert str(raised.value) == said
    with pytest.raises(NoSuchThing, match=f"' can't be a path\n{find._NEW}$"):
        find.load_own("./" + "a" * 300, tmp_path)
    with pytest.raises(NoSuchThing) as raised:
        find.load_installed("probe-ap")
    assert str(raised.value) == (
        "no application 'probe-ap'\ndid you mean probe-app? there are: probe-app; one of your own is named "
        "by its "
        "path, such as ./'probe-ap'"
    )
    with pytest.raises(NoSuchThing, match="^no application 'A b'\nthere are: probe-app$"):
        find.load_installed("A b")


@pytest.mark.parametrize(
    ("makefile", "modules"),
    [
        ("MODULES = a b # c\n", {"a", "b"}),
        ("MODULES += a\nMODULES ?= b\nXMODULES = c\n", {"a", "b"}),
        ("MODULES := a \\\n  b\n", {"a", "b"}),
        ("MODULES = $(X)\n", None),
        ("", set()),
    ],
)
def test_components_of_an_application(tmp_path, makefile, modules):
    (tmp_path / "Makefile").write_text(makefile)
    (tmp_path / "a.c").write_text(
        'pubsub_announce(policy_subject("one"), 1); x_pubsub_announce(policy_subject("no"));\n'
        'pubsub_subscribe ( policy_subject ( "two" ));'
    )
    found = components.read(tmp_path)
    assert found.modules == (None if modules is None else frozenset(modules))
    assert (found.advertised, found.subscribed) == (frozenset({"one"}), frozenset({"two"}))
    (tmp_path / "Makefile").unlink()
    assert components.read(tmp_path).modules is None


def test_channels_of_applications_without_gateways_have_no_terms():
    assert channel_terms(an_application(), {}) == ChannelTerms() == ChannelTerms(b"", b"", ())
    app = an_application(gateways="event-service")
    assert channel_terms(app, {"type": "none"}) == ChannelTerms()
    assert of_setting(app, "type", "odd", "mend") == SettingFault(
        str(app.file), 0, "type: odd", "mend", "type"
    )
    values = {"type": "gone", "offers": "none", "asks": "none", "condition": "x > 1"}
    assert [(one.what, one.remedy) for one in channel_terms(app, values).faults] == [
        ("type: gone isn't described", "describe it in event-types.yaml"),
        ("condition: a condition needs a type of events", "set application.type"),
    ]
