// SPDX-License-Identifier: Apache-2.0
// What each radio did, a strip under its row's records: as Cooja's timeline, if the run has a record of its radios.
const STRIP = 3, RADIO = ["", "line", "pub", "lost", "snd"]; // states as radios.py numbers them -> colours; off has none
let R; // seconds of each change

function unpackRadios() {
  if (!F.radio_us) return;
  R = new Float64Array(C.radio_step.length);
  for (let m = 0; m < motes.length; m++)
    for (let i = C.radio_first[m], at = 0; i < C.radio_first[m + 1]; i++) R[i] = (at += C.radio_step[i]) / 1e6;
}

/** Place of a mote's last change at or before t, or of its first. */
function radioAt(t, m) {
  let low = C.radio_first[m], high = C.radio_first[m + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (R[middle] <= t) low = middle + 1; else high = middle;
  }
  return Math.max(C.radio_first[m], low - 1);
}

/** States shorter than a pixel are a pixel wide; of those of a kind in one pixel one is drawn. */
function radioStrip(c, m, y, from, to, left, scale) {
  if (!R) return;
  const end = C.radio_first[m + 1], last = new Float64Array(RADIO.length).fill(-9);
  for (let i = radioAt(from, m); i < end && R[i] < to; i++) {
    const state = C.radio_state[i], until = i + 1 < end ? R[i + 1] : F.radio_us / 1e6;
    const x = left + (Math.max(R[i], from) - from) * scale, width = Math.max((Math.min(until, to) - Math.max(R[i], from)) * scale, 1);
    if (!RADIO[state] || until === R[i] || x + width - last[state] < 1) continue;
    last[state] = x + width;
    c.fillStyle = colours[RADIO[state]];
    c.fillRect(x, y, width, STRIP);
  }
}
