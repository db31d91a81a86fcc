# SPDX-License-Identifier: Apache-2.0
"""A virtual testbed: real sshd servers on loopback addresses are its gateways, one process has its motes.

`testbed.up` makes it, `testbed.down` removes all of it, `failures` breaks and mends parts of it.
"""
