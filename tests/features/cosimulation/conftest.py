# SPDX-License-Identifier: Apache-2.0
"""Motes that say every 500 ms what they measure, and open a valve when their serial line says so."""

from __future__ import annotations

import pytest

from orchestrator import live
from tests.own_csc import own_csc

BODY = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
volatile short centidegrees = 2000;
volatile float share = 0.5;
volatile unsigned char valve;
volatile char title[8] = "none";
void cooja_tick(void) {
  if(first()) etimer(500);
  if(simSerialReceivingFlag) {
    if(!memcmp(simSerialReceivingData, "open", 4)) { valve = 1; SAY("opened\\n"); }
    if(!memcmp(simSerialReceivingData, "close", 5)) { valve = 0; SAY("closed\\n"); }
    simSerialReceivingFlag = simSerialReceivingLength = 0;
  }
  if(due()) { etimer(500); SAY("measured %d\\n", centidegrees); }
}"""
QUANTITIES = {
    "temperature": "centidegrees:h*0.01",
    "share": "share:f",
    "valve": "valve:B",
    "title": "title:8s",
}


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    return own_csc(tmp_path_factory.mktemp("cosimulation"), BODY, motes=3)


@pytest.fixture
def simulation(file):
    with live.open(file) as simulation:
        yield simulation
