# SPDX-License-Identifier: Apache-2.0
"""What runs on a gateway needs nothing but Python 3.7."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import orchestrate_testbed
import pytest
from orchestrate_testbed import zipapp

GATEWAY = Path(orchestrate_testbed.__file__).parent / "gateway"
FILES = sorted(GATEWAY.rglob("*.py"))
NEWER = {"graphlib", "tomllib", "zoneinfo", "compression", "annotationlib"}  # than Python 3.7


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(GATEWAY).as_posix())
def test_a_file_is_of_python_37_and_imports_its_library_only(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 7))
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module]
        for name in names:
            first = name.split(".")[0]
            known = first in sys.stdlib_module_names - NEWER or name.startswith("orchestrate_testbed.gateway")
            assert known, f"{name} isn't on a gateway"


def test_the_zipapp_runs_on_python_37(pyz, tmp_path):
    python = shutil.which("python3.7")
    if python is None or subprocess.run([python, "--version"], capture_output=True).returncode:
        found = sorted(Path.home().glob(".pyenv/versions/3.7.*/bin/python3.7"))
        if not found:
            pytest.skip("no Python 3.7 here")
        python = str(found[0])
    root = tmp_path / "root"
    subprocess.run([python, str(pyz), "start", str(root)], check=True, capture_output=True)
    try:
        asked = b'{"id":1,"ask":"hello"}\n'
        done = subprocess.run(
            [python, str(pyz), "ask", str(root)], input=asked, capture_output=True, check=True
        )
        assert b'"python":"3.7.' in done.stdout
    finally:
        subprocess.run([python, str(pyz), "stop", "--remove", str(root)], check=True)
    assert not root.exists()


def test_the_same_sources_make_the_same_zipapp(tmp_path):
    assert zipapp.content() == zipapp.content()
    assert zipapp.packed(tmp_path) == zipapp.packed(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [zipapp.packed(tmp_path).name]
