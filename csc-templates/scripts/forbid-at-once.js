/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line; fails at the forbidden line, passes at the time-out. */
TIMEOUT(TIMEOUT_MS, log.testOK());
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains(FAIL_LINE)) { log.testFailed(); }
  YIELD();
}
