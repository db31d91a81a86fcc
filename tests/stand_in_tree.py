# SPDX-License-Identifier: Apache-2.0
"""A folder that passes for a Contiki-NG tree where none is: it is found, hashed and built on as one, but what
it compiles is the embedded Contiki, with other flags. It is for tests of what orchestrate does with trees,
not of what is in them."""

from __future__ import annotations

from pathlib import Path

from orchestrator.build.contiki_ng import Tree, tree

_INCLUDE = """\
MODULES := $(notdir $(MODULES_REL))
CFLAGS += -O1
EXTRA_CC_ARGS := $(if $(findstring undefs,$(TARGET_STARTFILES)),$(CFLAGS))
include $(APPS_ROOT)/os/Makefile.os
"""


def stand_in_tree(folder: Path) -> Tree:
    files = {
        "Makefile.include": _INCLUDE,
        "arch/platform/cooja/Makefile.cooja": "# stand-in\n",
        "os/contiki.h": "// stand-in\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return tree(folder)
