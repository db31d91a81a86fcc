// SPDX-License-Identifier: Apache-2.0
// The page's data as typed arrays, and what a record says in words.
const $ = id => document.getElementById(id);
const F = JSON.parse($("facts").textContent);
const ARRAYS = {uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array};
const PUB = F.kinds.indexOf("pub"), SND = F.kinds.indexOf("snd"), RCV = F.kinds.indexOf("rcv"), MRG = F.kinds.indexOf("mrg"),
  FWD = F.kinds.indexOf("fwd"), DRP = F.kinds.indexOf("drp"), DLV = F.kinds.indexOf("dlv"), DIE = F.kinds.indexOf("die"), REV = F.kinds.indexOf("rev"), PARENT = F.kinds.indexOf("parent");
const OF_DATAGRAMS = F.item === "datagram";
const NAMES = {pub: OF_DATAGRAMS ? "originate" : "publish", snd: "send", rcv: "receive", mrg: "merge", fwd: "forward", drp: "drop", dlv: "deliver", die: "die", rev: "boot again", sub: "subscribe"};
const OVERHEARD = F.reasons.indexOf("off-topology") + 1; // a frame for another mote: not worth showing unless asked
const ACCEPTED = 1;
const motes = F.motes.map(([id, name, role, x, y, parent]) => ({id, name: name || String(id), role, x, y, parent}));
const placeOf = new Map(motes.map((mote, place) => [mote.id, place]));
const C = {}; // the columns
let T, N, ofMote, firstOf; // seconds of each record; how many; the records of each mote: ofMote[firstOf[m]] to before firstOf[m + 1]

async function unpack() {
  const text = atob($("data").textContent);
  $("data").textContent = "";
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const content = await new Response(stream).arrayBuffer();
  for (const [name, [type, at, count]] of Object.entries(F.columns)) C[name] = new ARRAYS[type](content, at, count);
  unpackRadios();
  N = C.time.length;
  T = new Float64Array(N);
  for (let i = 0, at = F.start_us; i < N; i++) T[i] = (at += C.time[i] * F.unit_us) / 1e6;
  firstOf = new Uint32Array(motes.length + 1);
  for (let i = 0; i < N; i++) firstOf[C.mote[i] + 1]++;
  for (let m = 0; m < motes.length; m++) firstOf[m + 1] += firstOf[m];
  const next = firstOf.slice();
  ofMote = new Uint32Array(N);
  for (let i = 0; i < N; i++) ofMote[next[C.mote[i]]++] = i;
}

/** How many records are earlier than or at t; of one mote's, if m is given, counted from the start of ofMote. */
function upTo(t, m) {
  let low = m === undefined ? 0 : firstOf[m], high = m === undefined ? N : firstOf[m + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (T[m === undefined ? middle : ofMote[middle]] <= t) low = middle + 1; else high = middle;
  }
  return low;
}

let lost = []; // of each mote when it is dead: pairs of seconds

/** Since when a mote has been dead at t; nothing if it lives. */
const deadSince = (t, m) => lost[m].find(([from, to]) => from <= t && t < to)?.[0];

/** From when to when a mote is dead, in pairs of seconds; to the end of the run where it stays so. */
function deaths(m) {
  const found = [];
  for (let at = firstOf[m]; DIE >= 0 && at < firstOf[m + 1]; at++) {
    const i = ofMote[at], open = found.length && found[found.length - 1][1] === undefined;
    if (C.kind[i] === DIE && !open) found.push([T[i], undefined]);
    else if (C.kind[i] === REV && open) found[found.length - 1][1] = T[i];
  }
  return found.map(([from, to]) => [from, to === undefined ? Infinity : to]);
}

let moves = []; // of each mote: pairs of a second and the place of its parent from then on

/** The place of a mote's parent at t: the last that it announced, else the configured one; undefined if there is none. */
function parentAt(t, m) {
  const last = moves[m].findLast(([from]) => from <= t);
  return last ? last[1] : placeOf.get(motes[m].parent);
}

function announced(m) {
  const found = [];
  for (let at = firstOf[m]; PARENT >= 0 && at < firstOf[m + 1]; at++) {
    const i = ofMote[at];
    if (C.kind[i] === PARENT && C.peer[i]) found.push([T[i], C.peer[i] - 1]);
  }
  return found;
}

const size = list => C.list_start[list + 1] - C.list_start[list];

function events(list) {
  const from = C.list_start[list], to = C.list_start[list + 1], names = [];
  for (let i = from; i < Math.min(to, from + 12); i++) names.push(OF_DATAGRAMS ? `datagram ${C.list_sequence[i]}` : `P${C.list_publisher[i]}/${C.list_sequence[i]}`);
  return names.join(" + ") + (to - from > 12 ? ` and ${to - from - 12} more` : "");
}

const peer = i => C.peer[i] ? motes[C.peer[i] - 1].name : "all";

function words(i) {
  const why = C.reason[i] ? F.reasons[C.reason[i] - 1] : "", about = C.subject[i] ? F.subjects[C.subject[i] - 1] : "";
  const held = events(C.held[i]), what = !OF_DATAGRAMS ? held : held ? `${held} (${about})` : about;
  if (OF_DATAGRAMS) switch (C.kind[i]) {
    case PUB: return `originated ${what}`;
    case SND: return `sent ${what} to ${peer(i)}, frame ${C.frame[i]}` + (why ? `; ${why}` : "");
    case DRP: return `did not forward ${what}`;
    case DLV: return `is the destination of ${what}`;
    case PARENT: return `announced ${peer(i)} as its parent`;
  }
  switch (C.kind[i]) {
    case PUB: return `published ${what}`;
    case SND: return `sent ${what} to ${peer(i)}, frame ${C.frame[i]}` + (C.peer[i] && C.fate[i] !== ACCEPTED ? "; never accepted" : "");
    case RCV: return `received ${what} from ${peer(i)}, frame ${C.frame[i]}`;
    case MRG: return `merged ${what} into ${events(C.stored[i])}`;
    case FWD: return `forwarded ${what}: ${why}`;
    case DRP: return C.reason[i] === OVERHEARD ? `overheard frame ${C.frame[i]} of ${peer(i)}`
      : `dropped frame ${C.frame[i]}${C.peer[i] ? " of " + peer(i) : ""}: ${why}`;
    case DIE: return `died${why ? ": " + why : ""}`;
    case REV: return "booted again";
    case DLV: return `delivered ${what} to its application`;
  }
  return [F.kinds[C.kind[i]], C.peer[i] ? peer(i) : "", what, why].filter(part => part).join(" ");
}

const colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "line", "paper", "ground", "accent", "one", "few", "many", "lost", "mark", ...F.kinds])
    colours[name] = style.getPropertyValue("--" + name).trim() || colours.ink; // a kind that is new has no colour yet
}

/** A canvas's context, as many device pixels as the screen has, drawn in CSS pixels. */
function fresh(canvas, width, height) {
  const dense = Math.min(devicePixelRatio || 1, 3);
  if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
  }
  const context = canvas.getContext("2d");
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** A kind's mark, so that no one needs the colours. */
function mark(context, kind, x, y, r) {
  context.fillStyle = context.strokeStyle = colours[F.kinds[kind]];
  context.lineWidth = 1.6;
  context.beginPath();
  if (kind === PUB) context.arc(x, y, r, 0, 7);
  else if (kind === SND) { context.moveTo(x, y - r); context.lineTo(x + r, y + r); context.lineTo(x - r, y + r); }
  else if (kind === RCV) { context.moveTo(x, y + r); context.lineTo(x + r, y - r); context.lineTo(x - r, y - r); }
  else if (kind === MRG) { context.moveTo(x, y - r * 1.2); context.lineTo(x + r * 1.2, y); context.lineTo(x, y + r * 1.2); context.lineTo(x - r * 1.2, y); }
  else if (kind === FWD) context.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7);
  else if (kind === DRP) {
    context.moveTo(x - r, y - r); context.lineTo(x + r, y + r); context.moveTo(x + r, y - r); context.lineTo(x - r, y + r);
    context.stroke();
    return;
  } else if (kind === DIE) {
    context.strokeStyle = colours.lost;
    context.lineWidth = 2.4;
    context.moveTo(x, y - r * 1.5); context.lineTo(x, y + r * 1.5); context.moveTo(x - r, y - r * 0.5); context.lineTo(x + r, y - r * 0.5);
    context.stroke();
    return;
  } else {
    context.arc(x, y, r * 0.9, 0, 7);
    context.stroke();
    return;
  }
  context.fill();
}
