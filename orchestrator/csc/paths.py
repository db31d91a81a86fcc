# SPDX-License-Identifier: Apache-2.0
"""Cooja's path tokens: [CONFIG_DIR] (the .csc's folder), [CONTIKI_DIR] and [COOJA_DIR]."""

from __future__ import annotations

from pathlib import Path

from orchestrator.errors import NoSuchThing

TOKENS = {"[CONTIKI_DIR]": "--contiki DIR", "[COOJA_DIR]": "--cooja DIR"}


def note_of_relative(text: str, config_dir: Path) -> tuple[str, str] | None:
    """Return a note and a remedy if only we find a file that is named without a token, beside the .csc.

    Cooja looks for it in the folder in which it was started.
    """
    path = Path(text)
    if text.startswith("[") or path.is_absolute() or path.exists() or not (config_dir / path).exists():
        return None
    return (
        f"{text[:120]!r} is taken from the .csc's folder; Cooja does not find it, as it looks where it was "
        "started",
        f"write [CONFIG_DIR]/{text[:120]}",
    )


def resolve(text: str, config_dir: Path, contiki: Path | None = None, cooja: Path | None = None) -> Path:
    """Return the absolute path of a file that a .csc names.

    Raises NoSuchThing if a token's folder was not given.

    A path without a token is relative to the working directory if it exists there, as in Cooja, else to the
    .csc.
    """
    for token, folder in (("[CONFIG_DIR]", config_dir), ("[CONTIKI_DIR]", contiki), ("[COOJA_DIR]", cooja)):
        if text.startswith(token):
            if folder is None:
                raise NoSuchThing(f"{text}: the folder {token} is not known; name it with {TOKENS[token]}")
            return (Path(folder).absolute() / text[len(token) :].lstrip("/")).resolve()
    path = Path(text)
    if path.is_absolute() or path.exists():
        return path.resolve()
    return (config_dir.absolute() / path).resolve()
