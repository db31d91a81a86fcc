# SPDX-License-Identifier: Apache-2.0
"""The names of the C files that policies become. Builds look for them without loading the language."""

SOURCE, HEADER = "policies-generated.c", "policies-generated.h"
NAMES = "policies-names.c"  # a separate file, because only a firmware that logs policies needs it
