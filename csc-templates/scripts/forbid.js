/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line; passes at the time-out unless the forbidden line has come. */
TIMEOUT(TIMEOUT_MS, if (global.get("forbidden")) { log.testFailed(); } else { log.testOK(); });
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains(FAIL_LINE)) { global.put("forbidden", true); }
  YIELD();
}
