/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line; passes at the time-out if the expected line has come. */
TIMEOUT(TIMEOUT_MS, if (global.get("expected")) { log.testOK(); } else { log.testFailed(); });
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains(SUCCESS_LINE)) { global.put("expected", true); }
  YIELD();
}
