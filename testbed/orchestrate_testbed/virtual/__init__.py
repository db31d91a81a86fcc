# SPDX-License-Identifier: Apache-2.0
"""A testbed in a box: real sshd servers on loopback addresses as gateways, beside a process with their motes.

`testbed.up` makes it, `testbed.down` removes all of it, `failures` breaks and mends parts of it.
"""
