// SPDX-License-Identifier: Apache-2.0
// The motes at their positions, and over them the frames on their way.
const FLIGHT = 0.45; // seconds a frame is seen flying, however long it took in truth
const MOST_ARROWS = 4000;
const view = {at: [], radius: 5, width: 0, height: 0};

function place() {
  const canvas = $("topology");
  const xs = motes.map(mote => mote.x), ys = motes.map(mote => mote.y), least = values => values.reduce((a, b) => Math.min(a, b)),
    most = values => values.reduce((a, b) => Math.max(a, b));
  const x0 = least(xs), y0 = least(ys), wide = most(xs) - x0, high = most(ys) - y0, margin = 34;
  view.width = canvas.clientWidth;
  view.height = Math.max(240, Math.min(innerHeight * 0.56, 560, (view.width - 2 * margin) * high / Math.max(wide, 1e-3) + 3 * margin));
  canvas.style.height = view.height + "px";
  const scale = Math.min((view.width - 2 * margin) / Math.max(wide, 1e-3), (view.height - 2 * margin) / Math.max(high, 1e-3));
  const left = (view.width - wide * scale) / 2, top = (view.height - high * scale) / 2;
  view.at = motes.map(mote => [left + (mote.x - x0) * scale, top + (mote.y - y0) * scale]);
  const gap = wide * high > 0 ? Math.sqrt(wide * high / motes.length) * scale : Math.max(wide, high) * scale / Math.max(1, motes.length - 1);
  view.radius = Math.max(2, Math.min(13, gap * (gap < 24 ? 0.24 : 0.3)));
  for (const [m, mote] of motes.entries()) { // the control node may lie on the subscriber
    if (mote.role !== "control") continue;
    const [x, y] = view.at[m];
    if (motes.some((other, o) => o !== m && Math.hypot(view.at[o][0] - x, view.at[o][1] - y) < 2 * view.radius)) view.at[m] = [x, y + 2.8 * view.radius];
  }
}

function body(c, role, x, y, r) {
  c.beginPath();
  if (role === "subscriber") c.rect(x - r, y - r, 2 * r, 2 * r);
  else if (role === "relay") { c.moveTo(x, y - r * 1.2); c.lineTo(x + r * 1.2, y); c.lineTo(x, y + r * 1.2); c.lineTo(x - r * 1.2, y); c.closePath(); }
  else if (role === "control") { c.moveTo(x, y - r); c.lineTo(x + r, y + r); c.lineTo(x - r, y + r); c.closePath(); }
  else c.arc(x, y, r, 0, 7);
}

/** Over a mote that is dead. */
function cross(c, x, y, r) {
  c.strokeStyle = colours.lost;
  c.lineWidth = Math.max(1.5, r / 4);
  c.beginPath();
  c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r);
  c.stroke();
}

function drawTopology(t, chosen, speed) {
  const c = fresh($("topology"), view.width, view.height), r = view.radius;
  c.strokeStyle = colours.line;
  c.lineWidth = 1.2;
  c.beginPath();
  motes.forEach((mote, m) => {
    const p = parentAt(t, m);
    if (p === undefined || deadSince(t, m) !== undefined || deadSince(t, p) !== undefined) return;
    c.moveTo(...view.at[m]);
    c.lineTo(...view.at[p]);
  });
  c.stroke();
  const trail = Math.max(FLIGHT * speed, 1e-6), last = upTo(t), first = Math.max(upTo(t - trail), last - MOST_ARROWS);
  const frames = () => {
    for (let i = first; i < last; i++) {
      const k = C.kind[i], along = (t - T[i]) / trail, m = C.mote[i];
      if (k === SND && C.peer[i]) arrow(c, m, C.peer[i] - 1, along, size(C.held[i]), C.fate[i] === ACCEPTED);
      else if (k === RCV && C.peer[i] && (!C.fate[i] || !C.peer[i - C.fate[i]])) arrow(c, C.peer[i] - 1, m, along, size(C.held[i]), true);
    }
  };
  if (r >= 7) frames(); // over small motes, under the names of large ones
  const labelled = r >= 7;
  motes.forEach((mote, m) => {
    const [x, y] = view.at[m];
    body(c, mote.role, x, y, r);
    c.fillStyle = colours.paper;
    c.fill();
    const dead = deadSince(t, m) !== undefined;
    c.strokeStyle = m === chosen ? colours.mark : colours.soft;
    c.lineWidth = m === chosen ? 3 : 1.3;
    if (dead) c.setLineDash([3, 3]);
    c.stroke();
    c.setLineDash([]);
    if (dead) cross(c, x, y, r * 1.15);
    if (!labelled && m !== chosen) return;
    c.fillStyle = colours.ink;
    c.font = "11px sans-serif";
    c.textAlign = "center";
    const inside = !dead && r >= 9 && mote.name.length < 4;
    c.strokeStyle = colours.paper;
    c.lineWidth = 4;
    if (!inside) c.strokeText(mote.name, x, y - r - 5);
    c.fillText(mote.name, x, inside ? y + 4 : y - r - 5);
  });
  if (r < 7) frames();
  for (let i = first; i < last; i++) {
    const k = C.kind[i];
    if (k !== SND && k !== RCV && !(k === DRP && C.reason[i] === OVERHEARD)) pulse(c, C.mote[i], k, (t - T[i]) / trail);
  }
}

function pulse(c, m, kind, along) {
  const [x, y] = view.at[m];
  c.globalAlpha = Math.max(0, 1 - along);
  if (kind === PUB || kind === DLV) {
    c.strokeStyle = colours[F.kinds[kind]];
    c.lineWidth = 2;
    c.beginPath();
    c.arc(x, y, view.radius * (1.1 + (kind === PUB ? along : 1 - along)), 0, 7);
    c.stroke();
  } else mark(c, kind, x + view.radius * 0.9, y - view.radius * 0.9, Math.max(3, view.radius * 0.45));
  c.globalAlpha = 1;
}

function arrow(c, from, to, along, held, accepted) {
  const [x1, y1] = view.at[from], [x2, y2] = view.at[to], far = accepted ? 1 : 0.75;
  const reach = Math.min(1, along * 1.6) * far, x = x1 + (x2 - x1) * reach, y = y1 + (y2 - y1) * reach;
  c.globalAlpha = Math.max(0, Math.min(1, 2.2 - 2 * along));
  c.strokeStyle = c.fillStyle = !accepted ? colours.lost : held < 2 ? colours.one : held < 4 ? colours.few : colours.many;
  c.lineWidth = Math.min(7, 1.6 + 0.9 * Math.log2(Math.max(1, held)));
  c.setLineDash(accepted ? [] : [5, 4]);
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x, y);
  c.stroke();
  c.setLineDash([]);
  const angle = Math.atan2(y2 - y1, x2 - x1), head = 4 + c.lineWidth;
  c.beginPath();
  if (accepted) {
    c.moveTo(x + Math.cos(angle) * head, y + Math.sin(angle) * head);
    for (const turn of [2.5, -2.5]) c.lineTo(x + Math.cos(angle + turn) * head, y + Math.sin(angle + turn) * head);
    c.fill();
  } else {
    for (const turn of [0.785, 2.356]) {
      c.moveTo(x - Math.cos(turn) * head, y - Math.sin(turn) * head);
      c.lineTo(x + Math.cos(turn) * head, y + Math.sin(turn) * head);
    }
    c.lineWidth = 2;
    c.stroke();
  }
  if (held > 1 && view.radius >= 5) {
    c.font = "bold 11px sans-serif";
    c.textAlign = "center";
    c.fillText(String(held), (x1 + x) / 2 - Math.sin(angle) * 10, (y1 + y) / 2 + Math.cos(angle) * 10 + 4);
  }
  c.globalAlpha = 1;
}

/** The nearest mote to a point, or, with a direction, the nearest that lies that way. */
function nearest(x, y, towards, except) {
  let best = -1, least = Infinity;
  view.at.forEach(([mx, my], m) => {
    const dx = mx - x, dy = my - y;
    if (m === except || (towards && dx * towards[0] + dy * towards[1] < Math.abs(dx * towards[1]) + Math.abs(dy * towards[0]) + 0.5)) return;
    const apart = Math.hypot(dx, dy);
    if (apart < least) [best, least] = [m, apart];
  });
  return best;
}
