# SPDX-License-Identifier: Apache-2.0
"""The engine that runs a deployment on the motes of a testbed."""
