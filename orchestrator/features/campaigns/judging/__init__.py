# SPDX-License-Identifier: Apache-2.0
"""The verdict on a round: its tests, its files and page, and what changed."""
