# SPDX-License-Identifier: Apache-2.0
"""The run time of data distribution on gateways (Uvarov et al. 2004, section 5.2): a process for each task,
with the host's real-time priorities where they are allowed, and an event channel on the event service's
tables.
"""
