/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line; passes at the time-out if the expected line has come and the forbidden one has not. */
TIMEOUT(TIMEOUT_MS, if (global.get("expected") && !global.get("forbidden")) { log.testOK(); } else { log.testFailed(); });
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains(SUCCESS_LINE)) { global.put("expected", true); }
  if (msg.contains(FAIL_LINE)) { global.put("forbidden", true); }
  YIELD();
}
