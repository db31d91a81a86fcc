# SPDX-License-Identifier: Apache-2.0
"""Locates files other than Python: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return the folder `contiki-apps` or `csc-templates`, of the wheel's package data or the checkout."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def contiki_apps() -> Path:
    """Return the folder of the embedded Contiki, the middleware and the applications."""
    return data_folder("contiki-apps")


def csc_templates() -> Path:
    """Return the folder of the templates of .csc files."""
    return data_folder("csc-templates")
