# SPDX-License-Identifier: Apache-2.0
"""The motes of a virtual testbed: one simulation in real time, with pseudo-terminals as serial ports.

`python -m orchestrator.engines.embedded.mote_host PLAN` runs it; plan.py writes PLAN. Gateways'
software finds the ports, and asks over a socket for firmware (requests.py).
"""
