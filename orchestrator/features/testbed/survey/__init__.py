# SPDX-License-Identifier: Apache-2.0
"""A lab's links: measured by the application link-survey, and used by simulators."""
