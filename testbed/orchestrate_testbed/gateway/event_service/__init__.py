# SPDX-License-Identifier: Apache-2.0
"""The event service on gateways: its tables, their propagation and the tree of gateways.

Most of it does no I/O: inputs are values (a frame from the base station, a message from a neighbour, a
connection that came or went), and outputs are lists of messages with their receivers. On a gateway sockets
drive these classes (driver.py, server.py), in a simulation the engine's clock does. After chapters 4 and 5
of the event service thesis ("An Event
Service for sensor networks", after CORBA's); `readings.py` has the places where it contradicts itself.
"""
