# SPDX-License-Identifier: Apache-2.0
"""The event service on gateways: its tables, their propagation, the tree of gateways, without any I/O.

Inputs are values (a frame from the base station, a message from a neighbour, a connection that came or
went) and outputs are lists of what is to be sent and to whom. Sockets drive these classes on a gateway; the
engine's clock drives them in a simulation. After chapters 4 and 5 of the event service thesis ("An Event
Service for sensor networks", after CORBA's); `readings.py` has the places where it contradicts itself.
"""
