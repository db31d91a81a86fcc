# SPDX-License-Identifier: Apache-2.0
"""The C header made of an application's EEPROM fields: C reads with it what `encode` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.applications import descriptor, eeprom, eeprom_header
from orchestrator.applications.model import Application, Course, EepromField
from orchestrator.build import sources
from orchestrator.errors import FaultyInput
from orchestrator.resources import contiki_apps

HOST = Path(__file__).resolve().parents[1] / "middleware" / "host"
OURS = sorted(path.parent.name for path in (contiki_apps() / "apps").glob(f"*/{eeprom_header.FILE}"))
FIELDS = (
    EepromField("magic", "u16", value=0xBEEF),
    EepromField("role", "u8", source="role", map={"sub-scriber": 1, "relay": 250}),
    EepromField("children", "u16", array=True, source="children"),
    EepromField("depth", "i32", source="depth"),
    EepromField("motes", "i16", array=True, source="motes"),
    EepromField("seed", "u32", source="seed"),
)
MAIN = """
#include <stdio.h>
#include <string.h>
#include "eeprom-fields.h"

static unsigned char image[EEPROM_SIZE];

bool
eeprom_read(eeprom_addr_t at, unsigned char *to, size_t size)
{
  if(at + size > sizeof(image)) {
    return false;
  }
  memcpy(to, image + at, size);
  return true;
}

int
main(void)
{
  struct eeprom_fields fields;
  unsigned i;

  fread(image, 1, sizeof(image), stdin);
  if(!eeprom_fields_read(&fields)) {
    puts("refused");
    return 0;
  }
  printf("%u %d %ld %lu of", EEPROM_FIELDS_ROLE_SUB_SCRIBER == fields.role, fields.role, (long)fields.depth,
         (unsigned long)fields.seed);
  for(i = 0; i < fields.children_count; i++) {
    printf(" %u", eeprom_fields_children(i));
  }
  printf(" and");
  for(i = 0; i < fields.motes_count; i++) {
    printf(" %d", eeprom_fields_motes(i));
  }
  printf(", %u bytes\\n", eeprom_fields_size());
  return 0;
}
"""


def application(fields: tuple[EepromField, ...]) -> Application:
    return Application("odd", Path("application.yaml"), "", (), False, {}, fields, {}, None, None, Course())


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    cc = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not cc:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("eeprom")
    (folder / "main.c").write_text(MAIN)
    (folder / eeprom_header.FILE).write_text(eeprom_header.header(application(FIELDS)))
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-result", f"-I{HOST}"]
    subprocess.run([cc, *flags, "main.c", "-o", "main"], cwd=folder, check=True)
    return folder / "main"


def read(program: Path, image: bytes) -> str:
    return subprocess.run([program], input=image, capture_output=True, check=True).stdout.decode().strip()


@pytest.mark.parametrize(
    ("children", "motes"), [([], []), ([2, 65535], [-1]), ([7], [3, -32768, 5]), ([1] * 255, [9])]
)
def test_c_reads_what_was_written_behind_arrays_too(program, children, motes):
    facts = {"role": "relay", "children": children, "depth": -5, "motes": motes, "seed": 2**32 - 1}
    image = eeprom.encode(application(FIELDS), facts, "mote 1")
    listed = ["0 250 -5 4294967295 of", *map(str, children), "and", *map(str, motes)]
    assert read(program, image) == " ".join(listed) + f", {len(image)} bytes"


def test_another_applications_image_is_refused(program):
    assert read(program, b"\xef\xbf" + bytes(1022)) == "refused"
    assert read(program, b"\xef\xbe\x01" + bytes(1021)) == "1 1 0 0 of and, 13 bytes"


def test_names_that_c_can_not_have_are_all_told():
    fields = tuple(
        EepromField(name, "u8", value=1, line=line)
        for line, name in enumerate(("int", "a-b", "a_b", "2nd"), 1)
    )
    with pytest.raises(FaultyInput) as told:
        eeprom_header.header(application(fields))
    assert [fault.line for fault in told.value.faults] == [1, 3, 4]


@pytest.mark.parametrize("name", OURS)
def test_the_header_in_our_folders_is_that_of_the_descriptor(name):
    """Made anew by `orchestrate build --eeprom-fields NAME`."""
    written = contiki_apps() / "apps" / name / eeprom_header.FILE
    assert written.read_text() == eeprom_header.header(descriptor.load(written.parent))


def test_every_application_with_an_image_reads_it_by_name():
    described = sorted((contiki_apps() / "apps").glob(f"*/{descriptor.FILE}"))
    assert [path.parent.name for path in described if descriptor.load(path).eeprom] == OURS


def user_application(folder: Path, line: str) -> Path:
    (folder / "mine.c").write_text(f"{line}\n")
    (folder / "Makefile").write_text("CONTIKI_PROJECT = mine\n")
    (folder / descriptor.FILE).write_text(
        "name: mine\nsummary: s\nroles: [subscriber, publisher, relay]\ncontrol-node: false\n"
        "eeprom:\n  - {field: mote, type: u16, source: id}\n"
    )
    return folder


def test_a_build_has_the_header_and_its_key_tells_it(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    found = sources.collect(user_application(folder, '#include "eeprom-fields.h"'))
    (path,) = found.made
    assert path == "apps/mine/eeprom-fields.h" and b"uint16_t mote;" in found.made[path]
    found.copy(tmp_path / "copy")
    assert (tmp_path / "copy" / path).read_bytes() == found.made[path]
    text = (folder / descriptor.FILE).read_text()
    (folder / descriptor.FILE).write_text(text.replace("u16", "u32"))
    assert sources.collect(folder).digest() != found.digest()
    # What an older one in the folder says doesn't count.
    (folder / eeprom_header.FILE).write_text("#error old\n")
    assert sources.collect(folder).made[path].count(b"uint32_t mote;") == 1
    sources.collect(folder).copy(tmp_path / "again")
    assert b"#error" not in (tmp_path / "again" / path).read_bytes()


def test_an_application_that_reads_by_position_has_no_header(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    found = sources.collect(user_application(folder, "int x;"))
    assert not found.made
    (folder / descriptor.FILE).write_text("name: [nonsense\n")
    assert sources.collect(folder).digest() == found.digest()
