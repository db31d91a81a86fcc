# SPDX-License-Identifier: Apache-2.0
"""What is said while an image is pulled: how far it has come, not each layer's every step."""

from __future__ import annotations

from orchestrator.build.docker_pull import Pull


def test_layers_and_bytes_are_told_every_few_seconds_and_at_the_end():
    said: list[str] = []
    clock = iter(range(0, 1000, 2)).__next__
    pull = Pull("contiki:1", said.append, clock)
    assert said == ["pulling the image contiki:1"]
    pull.event({"status": "Pulling from contiki", "id": "1"})
    pull.event({"status": "Pulling fs layer", "id": "a"})
    pull.event({"status": "Already exists", "id": "b"})
    for done in (10, 20, 30):
        pull.event(
            {
                "status": "Downloading",
                "id": "a",
                "progressDetail": {"current": done * 10**6, "total": 40 * 10**6},
            }
        )
    pull.event({"status": "Digest: sha256:0"})
    assert said[1:] == ["contiki:1: layers 1 of 2, 10 of 40 MB"]
    pull.event({"status": "Pull complete", "id": "a"})
    pull.end()
    assert said[-1] == "contiki:1: layers 2 of 2, 40 of 40 MB"
    assert len(said) < 6


def test_a_pull_that_had_nothing_to_bring_says_so_without_bytes():
    said: list[str] = []
    pull = Pull("x", said.append, lambda: 0.0)
    pull.event({"status": "Already exists", "id": "b"})
    pull.end()
    assert said == ["pulling the image x", "x: layers 1 of 1"]
