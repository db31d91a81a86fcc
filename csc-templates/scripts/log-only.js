/* SPDX-License-Identifier: Apache-2.0 */
/* Logs every line. Without a verdict of its own, Cooja fails the run at the time-out. */
TIMEOUT(TIMEOUT_MS);
while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  YIELD();
}
