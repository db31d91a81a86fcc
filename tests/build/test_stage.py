# SPDX-License-Identifier: Apache-2.0
"""Applications' descriptions that a store keeps, each once, by the digest of its content."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.build import stage
from orchestrator.errors import StorageFailed

APPLICATION = descriptor.load("aggregation")


def test_a_description_is_kept_once_and_mended_if_it_was_damaged(tmp_path):
    text = APPLICATION.file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    kept = tmp_path / "descriptions" / digest / "aggregation" / "application.yaml"
    assert stage.describe(APPLICATION, tmp_path) == digest
    assert stage.description(digest, "aggregation", tmp_path) == kept and kept.read_bytes() == text
    before = kept.stat().st_ino
    assert stage.describe(APPLICATION, tmp_path) == digest and kept.stat().st_ino == before
    kept.write_bytes(text[:-1])
    assert stage.describe(APPLICATION, tmp_path) == digest and kept.read_bytes() == text
    assert [path.name for path in kept.parent.iterdir()] == ["application.yaml"]


def test_a_store_that_is_a_file_is_told(tmp_path):
    home = tmp_path / "firmware"
    home.write_text("")
    with pytest.raises(StorageFailed, match="firmware"):
        stage.describe(APPLICATION, Path(home))
