# SPDX-License-Identifier: Apache-2.0
"""The names of the files of an application's types of events. Builds look for them in every application."""

DESCRIPTION, HEADER = "event-types.yaml", "event-types.h"
