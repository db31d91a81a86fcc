// SPDX-License-Identifier: Apache-2.0
// A row a mote: what it did and when, as wide or close as wanted.
const ROW = 24, NAME = 64, MOST_OF_ROW = 30000;
// Kinds of the same microsecond stand under each other, in the order in which they happen.
const LANE = F.kinds.map(name => ({rcv: -7, mrg: -2.5, fwd: 2.5, snd: 7}[name] || 0));
const shown = F.kinds.map(() => true);
let overheard = false;
const span = {from: 0, to: 1};
const order = motes.map((_, m) => m); // rows in the order of the mote ids, as the manifest has them

const visible = i => shown[C.kind[i]] && (overheard || C.kind[i] !== DRP || C.reason[i] !== OVERHEARD);
const across = width => (width - NAME - 8) / (span.to - span.from);

function drawTimeline(t, chosen) {
  const box = $("rows"), width = box.clientWidth, height = box.clientHeight, c = fresh($("timeline"), width, height);
  const scale = across(width), top = box.scrollTop, firstRow = Math.floor(top / ROW);
  $("timeline").style.height = height + "px";
  ticks(c, width, height, scale);
  const lastRow = Math.min(motes.length, Math.ceil((top + height - ROW) / ROW));
  for (let row = firstRow; row < lastRow; row++) {
    const m = order[row], y = ROW * (row + 1.5) - top;
    if (y < ROW) continue;
    c.fillStyle = m === chosen ? colours.mark : colours.soft;
    c.font = (m === chosen ? "bold " : "") + "12px sans-serif";
    c.textAlign = "right";
    c.fillText(motes[m].name.slice(0, 8), NAME - 8, y + 4);
    c.strokeStyle = colours.line;
    c.lineWidth = 0.6;
    c.beginPath();
    c.moveTo(NAME, y);
    c.lineTo(width - 8, y);
    c.stroke();
    for (const [from, to] of lost[m]) {
      const begin = Math.max(NAME, NAME + (from - span.from) * scale), end = Math.min(width - 8, NAME + (to - span.from) * scale);
      if (end <= begin) continue;
      c.fillStyle = colours.lost;
      c.globalAlpha = 0.22;
      c.fillRect(begin, y - ROW / 2 + 1, end - begin, ROW - 2);
      c.globalAlpha = 1;
      c.textAlign = "left";
      if (end - begin > 40) c.fillText("dead", begin + 6, y + 4);
    }
    radioStrip(c, m, y + ROW / 2 - STRIP - 1, span.from, span.to, NAME, scale);
    marks(c, m, y, scale);
  }
  const x = NAME + (t - span.from) * scale;
  if (x >= NAME && x <= width - 8) {
    c.strokeStyle = colours.mark;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, height);
    c.stroke();
  }
  $("window").textContent = `${span.from.toFixed(2)} s to ${span.to.toFixed(2)} s`;
}

/** A row's records; one that would lie on the one of its kind before is left out. */
function marks(c, m, y, scale) {
  const from = upTo(span.from - 3 / scale, m), to = upTo(span.to + 3 / scale, m), step = Math.max(1, Math.ceil((to - from) / MOST_OF_ROW));
  const last = new Float64Array(F.kinds.length).fill(-9);
  for (let at = from; at < to; at += step) {
    const i = ofMote[at], k = C.kind[i], x = NAME + (T[i] - span.from) * scale;
    if (!visible(i) || x - last[k] < 1.5 || x < NAME - 3) continue;
    last[k] = x;
    mark(c, k, x, y + LANE[k], 3.6);
  }
}

function ticks(c, width, height, scale) {
  let step = 1e-4;
  for (const factor = [2, 2.5, 2]; step * scale < 70; step *= factor[0], factor.push(factor.shift())) ;
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  c.font = "12px sans-serif";
  c.textAlign = "center";
  for (let n = Math.ceil(span.from / step); n * step <= span.to; n++) {
    const x = NAME + (n * step - span.from) * scale;
    c.fillStyle = colours.soft;
    if (x < width - 30) c.fillText((n * step).toFixed(digits) + " s", x, 13);
    c.strokeStyle = colours.line;
    c.lineWidth = 0.6;
    c.beginPath();
    c.moveTo(x, ROW);
    c.lineTo(x, height);
    c.stroke();
  }
}

/** How busy each moment was, over the whole run. */
function drawDensity() {
  const canvas = $("density"), width = canvas.clientWidth, height = canvas.clientHeight, c = fresh(canvas, width, height);
  const bins = new Uint32Array(Math.max(1, Math.floor(width / 2))), whole = Math.max(T[N - 1] - T[0], 1e-6);
  for (let i = 0; i < N; i++) if (visible(i)) bins[Math.min(bins.length - 1, Math.floor((T[i] - T[0]) / whole * bins.length))]++;
  const most = bins.reduce((a, b) => Math.max(a, b), 1);
  c.fillStyle = colours.few;
  bins.forEach((count, bin) => c.fillRect(bin * 2, height - 1 - (height - 2) * count / most, 1.6, 1 + (height - 2) * count / most));
  c.fillStyle = colours.mark;
  for (const [at] of F.phases) c.fillRect((at / 1e6 - T[0]) / whole * width, 0, 1.5, height);
}

function zoom(factor, around) {
  const long = Math.min(Math.max((span.to - span.from) * factor, 0.002), T[N - 1] - T[0] + 0.01);
  const share = (around - span.from) / (span.to - span.from);
  move(around - share * long, long);
}

function move(from, long = span.to - span.from) {
  span.from = Math.max(T[0] - 0.005, Math.min(from, T[N - 1] + 0.005 - long));
  span.to = span.from + long;
}

/** The record nearest to a point of the timeline, -1 if there is none within 8 pixels. */
function recordAt(x, y) {
  const box = $("rows"), row = Math.floor((y + box.scrollTop) / ROW - 1), m = order[row], scale = across(box.clientWidth);
  if (m === undefined || y < ROW) return [m, -1];
  const t = span.from + (x - NAME) / scale;
  let best = -1, least = 8 / scale;
  for (let at = upTo(t - least, m), end = Math.min(upTo(t + least, m), at + 5000); at < end; at++) {
    const i = ofMote[at], apart = Math.abs(T[i] - t);
    if (visible(i) && apart < least) [best, least] = [i, apart];
  }
  return [m, best];
}
