# SPDX-License-Identifier: Apache-2.0
"""Reading an EEPROM image back gives the values that it was made of."""

import pytest

from orchestrator.applications import descriptor, eeprom
from orchestrator.applications.image import decode, decoder
from orchestrator.applications.model import Application, EepromField
from orchestrator.resources import contiki_apps

FIELDS = (
    EepromField("version", "u8", value=2),
    EepromField("role", "u8", source="role", map={"subscriber": 0, "relay": 7}),
    EepromField("offset", "i16", source="index"),
    EepromField("children", "u16", array=True, source="children"),
    EepromField("seed", "u32", source="seed"),
)


@pytest.fixture
def application(tmp_path) -> Application:
    return Application(
        "a", tmp_path / "application.yaml", "", ("relay",), False, {}, FIELDS, {}, None, None, 0
    )


def test_what_was_encoded_is_decoded(application):
    facts = {"role": "relay", "index": -3, "children": [2, 400], "seed": 1 << 31}
    image = eeprom.encode(application, facts, "m")
    read = {"version": 2, "role": "relay", "offset": -3, "children": [2, 400], "seed": 1 << 31}
    assert decode(application, image) == read
    assert decode(application, image.ljust(1024, b"\0")) == read


def test_what_is_no_image_of_it_is_not_decoded(application):
    image = eeprom.encode(application, {"role": "relay", "index": 0, "children": [], "seed": 0}, "m")
    for other in (b"", image[:-1], b"\x03" + image[1:], image + b"\x01"):
        assert decode(application, other) is None


def test_nobody_knows_the_image_of_a_source_without_a_descriptor(tmp_path):
    assert decoder([tmp_path])("[CONFIG_DIR]/x/x.c", b"abc") is None
    assert decoder([tmp_path])("/nowhere/\0/x.c", b"abc") is None


def test_no_two_applications_have_images_that_begin_alike():
    """The magic number tells a mote that an image is its application's."""
    of = {}
    for path in sorted(contiki_apps().glob("apps/*/application.yaml")):
        for field in descriptor.load(path).eeprom:
            if field.name == "magic":
                of.setdefault(field.value, []).append(path.parent.name)
    assert len(of) >= 6 and all(len(names) == 1 for names in of.values()), of
