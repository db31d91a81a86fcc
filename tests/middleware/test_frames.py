# SPDX-License-Identifier: Apache-2.0
"""The frames' description, Python's codec and the C code agree on every frame."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path
from typing import Any

import c_tests
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.frames import c_header, codec, description, page
from orchestrator.frames.codec import KIND, NotAFrame
from orchestrator.frames.description import BITS, REST, Field
from tests.tier import examples
from tests.waiting import HANG_S

DESCRIBED = description.load()
QUICK = settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))


def octets(value: Any) -> Any:
    """A vector's fields with data, written in hexadecimal, as bytes."""
    if isinstance(value, dict):
        return {name: bytes.fromhex(one) if name == "data" else octets(one) for name, one in value.items()}
    return [octets(one) for one in value] if isinstance(value, list) else value


def name(vector: description.Vector) -> str:
    return vector.refused or f"{vector.fields[KIND]} {vector.fields['number']}"


right = [vector for vector in DESCRIBED.vectors if not vector.refused]
damaged = [vector for vector in DESCRIBED.vectors if vector.refused]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames")
    events, terms, distribution = (
        c_tests.MIDDLEWARE / name for name in ("event-service", "event-terms", "distribution")
    )
    return c_tests.build(
        c_tests.library(folder),
        Path(__file__).parent / "unit" / "frames_main.c",
        events / "event-service-frames.c",
        terms / "event-terms.c",
        terms / "event-condition.c",
        distribution / "distribution-frames.c",
        folders=(events, terms, distribution),
        flags=(*c_tests.SANITIZE, "-DEVENT_SERVICE_CONF_TERMS=80", "-DEVENT_SERVICE_CONF_BINDINGS=8"),
    )


def read_by_c(program: Path, frames: list[bytes]) -> list[str]:
    fed = b"".join(bytes([len(frame)]) + frame for frame in frames)
    done = subprocess.run([program], input=fed, capture_output=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.decode().splitlines()


def shown(frame: dict[str, Any]) -> str:
    """What the C program prints of a frame."""

    def words(value: Any) -> list[str]:
        if isinstance(value, dict):
            data = f"{value['data'].hex()}-" if "data" in value else ""
            return [word for key, one in value.items() for word in ([data] if key == "data" else words(one))]
        return [word for one in value for word in words(one)] if isinstance(value, list) else [str(value)]

    fields = dict(frame)
    return " ".join([str(DESCRIBED.kind(fields.pop(KIND)).type), *words(fields)])


def test_every_kind_has_a_right_frame_and_a_damaged_one():
    assert {vector.fields[KIND] for vector in right} == {kind.name for kind in DESCRIBED.kinds}
    assert len({kind.type for kind in DESCRIBED.kinds}) == len(DESCRIBED.kinds)
    assert {vector.frame[0] & 15 for vector in damaged if vector.frame} >= {1, 2, 3, 5, 6}


@pytest.mark.parametrize("vector", right, ids=name)
def test_right_frames_are_read_and_written(vector):
    assert codec.decode(vector.frame) == octets(vector.fields)
    assert codec.encode(octets(vector.fields)) == vector.frame


@pytest.mark.parametrize("vector", damaged, ids=name)
def test_damaged_frames_are_refused(vector):
    with pytest.raises(NotAFrame):
        codec.decode(vector.frame)


def test_c_reads_the_same(program):
    lines = read_by_c(program, [vector.frame for vector in DESCRIBED.vectors])
    assert len(lines) == len(DESCRIBED.vectors)
    for vector, line in zip(DESCRIBED.vectors, lines, strict=True):
        if vector.refused:
            assert line.endswith("refused"), vector.refused
        else:
            assert line == shown(octets(vector.fields))


@st.composite
def values(draw, fields, room=6):
    """Right values of some fields; the counts are left out."""
    made, lists = {}, {}
    for field in fields:
        if field.name in codec.counts(fields):
            continue
        if not field.count:
            made[field.name] = draw(one(field, room))
            continue
        if "." in field.count:
            many = len(made[field.count.split(".")[0]]["contributor"])
            items = draw(st.lists(one(field, room), min_size=many, max_size=many))
        else:
            counted = next((other for other in fields if other.name == field.count), None)
            most = (counted.max if counted and counted.max else room) if field.count != REST else 5
            least = counted.min if counted else field.min
            if field.type == "pushed":  # two that fit a frame
                most, room = 2, 1
            items = draw(st.lists(one(field, room), min_size=least, max_size=min(most, max(room, 2))))
        made[field.name] = bytes(items) if field.type == "u8" else items
    return made | lists


def one(field: Field, room: int) -> st.SearchStrategy:
    if not field.is_number:
        return values(DESCRIBED.structures[field.type], room)
    most = (1 << BITS[field.type]) - 1 if field.max is None else field.max
    return st.integers(field.min, most) | st.sampled_from([field.min, most, *field.also])


@st.composite
def frames(draw):
    kind = draw(st.sampled_from(DESCRIBED.kinds))
    head = {field.name: draw(one(field, 0)) for field in DESCRIBED.header if field.type != "u4"}
    made = {KIND: kind.name, **head, **draw(values(kind.body))}
    for interest in made.get("interests", ()):  # as frames/README.md says beside the bounds
        if (interest["hops"] == 0) != (interest["subscriber"] == made["sender"]):
            interest["hops"] = 0 if interest["subscriber"] == made["sender"] else 1
    return made


@QUICK
@given(frames())
def test_what_is_written_is_read(made):
    data = codec.encode(made)
    assert codec.decode(data) == made
    assert len(data) <= DESCRIBED.largest


@settings(QUICK, max_examples=examples(40))
@given(st.lists(frames(), min_size=1, max_size=40))
def test_c_reads_what_python_writes(program, made):
    # Interests of nobody are no neighbour's.
    made = [frame for frame in made if 0 < frame["sender"] < 65534]
    assert read_by_c(program, [codec.encode(frame) for frame in made]) == [shown(frame) for frame in made]


@st.composite
def nearly(draw):
    whole = bytearray(codec.encode(draw(frames())))
    for _ in range(draw(st.integers(1, 3))):
        whole[draw(st.integers(0, len(whole) - 1))] = draw(st.integers(0, 255))
    return bytes(whole[: draw(st.integers(0, len(whole)) | st.just(len(whole)))])


@settings(QUICK, max_examples=examples(80))
@given(st.lists(nearly() | st.binary(max_size=127), min_size=1, max_size=40))
def test_c_and_python_refuse_the_same(program, garbled):
    for data, line in zip(garbled, read_by_c(program, garbled), strict=True):
        try:
            read = codec.decode(data)
        except NotAFrame:
            assert line.endswith("refused"), data.hex()
        else:
            assert line == shown(read) or (read[KIND] == "interests" and line.endswith("refused"))
            assert codec.encode(read) == data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"frame": "nothing"}, "there is no frame 'nothing'"),
        ({"sender": 65536}, "sender is 65536"),
        ({"sender": "3"}, "sender is not a whole number"),
        ({"surplus": 1}, "surplus: missing or unknown"),
        ({"event": None}, "None has no fields"),
        ({"event": {"subject": 1}}, "missing or unknown"),
    ],
)
def test_what_can_not_be_written_is_said(change, says):
    event = octets(right[0].fields)
    with pytest.raises(NotAFrame, match=says):
        codec.encode(event | change)


def test_lists_that_belong_together_have_one_length():
    copy = octets(next(vector.fields for vector in right if vector.fields[KIND] == "diffused-event"))
    with pytest.raises(NotAFrame, match="incarnation has 1 items, there are 2 to go with"):
        codec.encode(copy | {"incarnation": [1]})


def test_a_frame_that_is_too_long_is_not_written():
    event = octets(right[0].fields)
    event["event"]["contributor"] = [{"publisher": 1, "sequence": 1}] * 28
    with pytest.raises(NotAFrame, match="it takes 104 bytes, 100 at most"):
        codec.encode(event)


def test_header_and_page_are_of_the_description():
    """Made anew by `python -m orchestrator.frames --write`."""
    assert c_header.file().read_text() == c_header.header(DESCRIBED)
    assert page.file().read_text() == page.page(DESCRIBED)


def test_the_command_makes_them_anew_and_nothing_without_being_told(tmp_path, monkeypatch):
    monkeypatch.setattr(c_header, "file", lambda: tmp_path / "frames.h")
    monkeypatch.setattr(page, "file", lambda: tmp_path / "frames.md")
    for words in ([], ["--write", "more"], ["--read"]):
        monkeypatch.setattr("sys.argv", ["frames", *words])
        with pytest.raises(SystemExit, match="usage"):
            runpy.run_module("orchestrator.frames", run_name="__main__")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("sys.argv", ["frames", "--write"])
    runpy.run_module("orchestrator.frames", run_name="__main__")
    assert (tmp_path / "frames.h").read_text() == c_header.header(DESCRIBED)
    assert (tmp_path / "frames.md").read_text() == page.page(DESCRIBED)
