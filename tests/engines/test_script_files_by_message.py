# SPDX-License-Identifier: Apache-2.0
"""What the kernel does with a script's files, message by message, and where they can't be written."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import stat

import pytest
from script_conversation import STORAGE, conversations
from script_messages import Kind


@pytest.fixture(scope="module")
def conversation(firmware, tmp_path_factory):
    return conversations(firmware, tmp_path_factory.mktemp("conversation") / "COOJA.testlog")


@pytest.mark.parametrize(
    ("lengths", "cut"), [((600, 400), False), ((600, 401), True), ((1001,), True), ((1000,), False)]
)
def test_files_may_be_as_long_as_a_log_s_limit(conversation, lengths, cut):
    with conversation(1.0, "--log-limit", "1000") as script:
        script.wait()
        for number, length in enumerate(lengths):
            script.say(Kind.APPEND, text=b"f%d/" % number + b"y" * length)
        script.say(Kind.VERDICT, number=1)
        assert (script.ends()[1]["report"] == "end") is not cut
    folder = conversation.log.parent / "script-files"
    assert [(folder / f"f{number}").read_bytes() for number in range(len(lengths))] == [
        b"y" * length for length in lengths
    ]


def test_files_begin_anew_and_go_on(conversation):
    folder = conversation.log.parent / "script-files"
    shutil.rmtree(folder, ignore_errors=True)
    for _ in range(2):
        with conversation() as script:
            script.wait()
            for text in (
                b"a/1",
                b"b/x/y",
                b"a/2",
                b"=b/",
                b"b/z",
                b"=c/5",
                b"=c/6",
                b"aa/7",
                b"a/3",
                b"c/\x00\xff",
            ):
                script.say(
                    Kind.WRITE_FILE if text.startswith(b"=") else Kind.APPEND, text=text.removeprefix(b"=")
                )
            script.say(Kind.VERDICT, number=1)
            assert script.ends()[0] == 0
        assert {path.name: path.read_bytes() for path in folder.iterdir() if path.name in "aabbcc"} == {
            "a": b"123",
            "aa": b"7",
            "b": b"z",
            "c": b"6\x00\xff",
        }
    os.umask(masked := os.umask(0))
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "a")]
    assert modes == [0o777 & ~masked, 0o666 & ~masked]


def test_files_are_beside_a_log_of_the_present_folder(conversation, tmp_path):
    with conversation(1.0, name="L", cwd=tmp_path) as script:
        script.wait()
        script.say(Kind.APPEND, text=b"a/text")
        script.say(Kind.VERDICT, number=1)
        assert script.ends()[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"L", "script-files"}
    assert (tmp_path / "script-files" / "a").read_text() == "text"


@pytest.mark.parametrize("way", ["a file", "a link", "no folder"])
def test_what_is_no_folder_for_files_ends_the_kernel(conversation, tmp_path, way):
    place = tmp_path / "script-files"
    if way == "a file":
        place.write_text("mine")
    elif way == "a link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    with conversation(1.0, name=str(tmp_path / "L")) as script:
        script.wait()
        if way == "no folder":
            shutil.rmtree(tmp_path)
        script.say(Kind.APPEND, text=b"a/text")
        code, report = script.ends()
    assert (code, report["kind"]) == (STORAGE, "storage")
    assert report["message"].startswith(f"can't make the folder {place}: ")
    assert way != "a link" or not list((tmp_path / "elsewhere").iterdir())


def test_a_file_that_takes_only_a_part_is_named(conversation, tmp_path):
    """As on a full disk: the first call writes some bytes, the next one fails."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))

    with conversation(1.0, name=str(tmp_path / "L"), preexec_fn=limit) as script:
        script.wait()
        script.say(Kind.APPEND, text=b"full/" + b"x" * 6_000)
        code, report = script.ends()
    file = tmp_path / "script-files" / "full"
    assert (code, report["kind"]) == (STORAGE, "storage")
    assert report["message"] == f"can't write {file}: {os.strerror(errno.EFBIG)}"
    assert file.read_bytes() == b"x" * 5_000
