# SPDX-License-Identifier: Apache-2.0
"""The run time of data distribution on gateways: a process for each task, and an event channel.

It is that of Uvarov et al. (2004), section 5.2. Processes have the host's real-time priorities where they are
allowed; the channel uses the event service's tables.
"""
