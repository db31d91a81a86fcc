# SPDX-License-Identifier: Apache-2.0
"""Finding Cooja and its Java, and what its class files say."""

import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.engines.cooja import classes, find, java
from orchestrator.engines.cooja.classes import Classes
from orchestrator.engines.cooja.command import command
from orchestrator.engines.cooja.engine import CoojaEngine
from orchestrator.errors import BuildFailed, MissingTool, Unsupported
from orchestrator.scenario.model import EngineOptions

MAIN, UDGM, MEDIUM = classes._MAIN, classes._UDGM, classes._MEDIUM


def class_file(
    major: int, minor: int = 0, calls: int = 0, method: str = "interfereAnyReception", more: str = "x"
) -> bytes:
    """A class file with so many calls of a method, as far as anything of it is read here."""
    texts = [method, "()V", "Radio", more]
    pool = b"".join(b"\x01" + struct.pack(">H", len(text)) + text.encode() for text in texts)  # 1..4
    pool += b"\x0c" + struct.pack(">HH", 1, 2) + b"\x07" + struct.pack(">H", 3)  # 5: name and type, 6: class
    pool += b"\x0a" + struct.pack(">HH", 6, 5)  # 7: method
    pool += b"\x05" + bytes(8)  # 8 and 9: a long
    return struct.pack(">IHHH", 0xCAFEBABE, minor, major, 10) + pool + struct.pack(">BH", 0xB6, 7) * calls


def jar(path: Path, major: int = 65, minor: int = 0, calls: int = 4, reasserts: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MAIN, class_file(major))
        archive.writestr(classes._VERSIONED[1], class_file(major, minor))
        archive.writestr(UDGM, class_file(major, calls=calls))
        archive.writestr(MEDIUM, class_file(major, more="reassertInterference" if reasserts else "x"))
    return path


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch, tmp_path):
    for name in ("COOJA", "CONTIKI_NG", "JAVA_HOME", java.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(java, "_PLACES", (str(tmp_path / "jvm" / "*"),))


def test_all_places_and_their_order(tmp_path, monkeypatch):
    built = jar(tmp_path / "tree" / "tools" / "cooja" / "build" / "libs" / "cooja.jar")
    for named in (built, built.parents[2], tmp_path / "tree"):
        place = find.find(named)
        assert (place.jar, place.folder) == (built, built.parents[2])
    monkeypatch.setenv("CONTIKI_NG", str(tmp_path / "tree"))
    assert find.find().jar == built
    other = jar(tmp_path / "other" / "lib" / "cooja-full.jar")
    assert find.find(contiki=tmp_path / "tree").jar == built
    monkeypatch.setenv("COOJA", str(tmp_path / "other"))
    assert find.find().jar == other
    assert find.find(built).jar == built
    full = jar(built.with_name("cooja-full.jar"))
    assert find.find(built.parents[2]).jar == full, "that one needs no folder of libraries"
    program = tmp_path / "cooja"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert find.find(program).program == program


def test_what_is_no_cooja_says_why(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("")
    for path, why in (
        ("gone", "no such file"),
        ("empty", "submodule"),
        ("other", "no built Cooja"),
        ("other/file", "neither a jar"),
    ):
        with pytest.raises(MissingTool, match=why):
            find.find(tmp_path / path)
    with pytest.raises(MissingTool, match="no Cooja was named"):
        find.find()


def test_a_gradle_wrapper_builds_what_is_not_there(tmp_path):
    made = jar(tmp_path / "made.jar")
    wrapper = tmp_path / "cooja" / "gradlew"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f'#!/bin/sh\n[ "$3" = fullJar ] && mkdir -p build/libs && cp {made} build/libs/cooja-full.jar\n'
    )
    wrapper.chmod(0o755)
    assert find.find(wrapper.parent).jar == wrapper.parent / "build" / "libs" / "cooja-full.jar"
    (wrapper.parent / "build" / "libs" / "cooja-full.jar").unlink()
    wrapper.write_text("#!/bin/sh\necho 'Could not resolve all files'; exit 1\n")
    with pytest.raises(BuildFailed, match="Could not resolve"):
        find.find(wrapper.parent)
    wrapper.write_text(
        "#!/bin/sh\nprintf 'java.net.UnknownHostException: services.gradle.org\\n\\tat "
        "java.base/X(Y.java:1)\\n'; exit 1\n"
    )
    with pytest.raises(
        BuildFailed,
        match="UnknownHostException.*\n    Gradle and Cooja's dependencies come from the network",
    ):
        find.find(wrapper.parent)  # what the real wrapper said without a network
    wrapper.write_text("#!/bin/sh\nseq 1 9; echo '  at x'; exit 1\n")
    with pytest.raises(BuildFailed) as raised:
        find.find(wrapper.parent)
    assert str(raised.value) == (
        f"Cooja in {wrapper.parent} is not built, and `gradlew fullJar` failed:\n    "
        + "\n    ".join("123456")
    )
    with pytest.raises(MissingTool, match="is not built yet\n.*gradlew fullJar"):
        find.find(wrapper.parent, build=False)
    wrapper.chmod(0o644)
    with pytest.raises(BuildFailed, match="does not start"):
        find.find(wrapper.parent)


def test_the_java_that_the_classes_need(tmp_path):
    assert classes.read(jar(tmp_path / "a.jar", 69)).java == 25
    preview = classes.read(jar(tmp_path / "b.jar", 65, 0xFFFF))
    assert (preview.java, preview.preview) == (21, True)
    assert classes.read(tmp_path / "a.jar").digest != preview.digest


@pytest.mark.parametrize(
    ("calls", "reasserts", "rules"),
    [(4, False, "5.0"), (5, True, "2026.07"), (5, False, "unknown"), (4, True, "unknown")],
)
def test_the_rule_set_by_its_corrections(calls, reasserts, rules, tmp_path):
    assert classes.read(jar(tmp_path / "a.jar", calls=calls, reasserts=reasserts)).rules == rules


@given(st.integers(0, 400), st.binary(max_size=8))
def test_a_damaged_jar_is_no_traceback(tmp_path_factory, at, patch):
    path = jar(tmp_path_factory.getbasetemp() / "damaged" / "a.jar")
    data = bytearray(path.read_bytes())
    data[at : at + len(patch)] = patch
    path.write_bytes(data[: len(data) - at // 4])
    try:
        classes.read(path)
    except MissingTool as missing:
        assert "is no Cooja that can be used" in str(missing)


def runtime(home: Path, version: str, modules: str = "java.base java.desktop") -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


def test_the_runtime_that_fits(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for version in ("17.0.1", "21.0.2", "25", "26"):
        runtime(tmp_path / "jvm" / version, version)
    runtime(tmp_path / "jvm" / "22-small", "22", "java.base")
    assert java.find(Classes(21, True, "5.0", "")).version == 21
    assert java.find(Classes(22, False, "5.0", "")).version == 25, "the one of version 22 lacks java.desktop"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jvm" / "26"))
    assert java.find(Classes(22, False, "5.0", "")).version == 26
    assert java.find(Classes(21, True, "5.0", "")).version == 21, (
        "a preview class runs on its own version only"
    )
    monkeypatch.setenv(java.VARIABLE, str(tmp_path / "jvm" / "25"))
    assert java.find(Classes(22, False, "5.0", "")).version == 25
    with pytest.raises(
        MissingTool,
        match=r"(?s)needs Java 27 or newer; here: .*Java 17.*22-small/bin/java without "
        r"java.desktop.*openjdk-27-jre",
    ):
        java.find(Classes(27, False, "5.0", ""))
    with pytest.raises(MissingTool, match="needs Java 23; here"):
        java.find(Classes(23, True, "5.0", ""))


def test_the_command_line(tmp_path):
    place = find.Place(tmp_path / "c.jar", tmp_path)
    made = command(place, "java", Classes(21, True, "5.0", ""), 1 << 30, ["0/a.csc,logdir=0"])
    assert made[:2] == ["java", "-Xmx1048576k"]
    assert "--enable-preview" in made
    assert made[-1] == "0/a.csc,logdir=0"
    assert "--enable-preview" not in command(place, "java", Classes(25, False, "5.0", ""), 1 << 30, [])
    assert command(find.Place(None, None, tmp_path / "p"), "", None, 1, ["x"])[0] == str(tmp_path / "p")


def test_whose_rules_a_run_follows(tmp_path, monkeypatch):
    runtime(tmp_path / "jvm" / "21", "21")
    engine = CoojaEngine(EngineOptions(path=str(jar(tmp_path / "a.jar"))))
    assert engine.rules(None) == engine.rules("5.0") == "5.0"
    with pytest.raises(Unsupported, match=r"wants the rules 2026\.07; the Cooja at .* follows 5\.0"):
        engine.rules("2026.07")
    mixed = CoojaEngine(EngineOptions(path=str(jar(tmp_path / "b.jar", calls=5))))
    assert mixed.rules(None) == "unknown"
    assert mixed.rules("2026.07") == "2026.07", "it does not say, the user does"
    assert engine.version() != mixed.version()


def test_without_readelf(tmp_path, monkeypatch):
    runtime(tmp_path / "jvm" / "21", "21")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match="binutils"):
        CoojaEngine(EngineOptions(path=str(jar(tmp_path / "a.jar")))).prepare()
