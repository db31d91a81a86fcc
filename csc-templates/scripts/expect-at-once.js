/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line; passes at the expected line, fails at the time-out. */
TIMEOUT(TIMEOUT_MS, log.testFailed());
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains(SUCCESS_LINE)) { log.testOK(); }
  YIELD();
}
