// SPDX-License-Identifier: Apache-2.0
// Time, and everything that a user can do.
const SPEEDS = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 100];
const state = {t: 0, playing: false, speed: 1, mote: 0, before: 0, listed: 0, dirty: true};

function seek(t, follow = true) {
  state.t = Math.max(T[0], Math.min(t, T[N - 1] + FLIGHT * state.speed));
  const long = span.to - span.from;
  if (follow && (state.t < span.from || state.t > span.to)) move(state.t - long * 0.1);
  refresh();
}

function refresh() {
  if (!state.dirty && !state.playing) requestAnimationFrame(frame);
  state.dirty = true;
}

function frame(now) {
  if (state.playing) {
    seek(state.t + Math.min(0.1, (now - state.before) / 1000) * state.speed);
    state.before = now;
    if (state.t >= T[N - 1] + FLIGHT * state.speed) play(false);
  }
  state.dirty = false;
  drawTopology(state.t, state.mote, state.speed);
  drawTimeline(state.t, state.mote);
  $("now").textContent = `${Math.min(state.t, T[N - 1]).toFixed(3)} s`;
  $("scrub").value = state.t;
  if (now - state.listed > 200 || !state.playing) {
    state.listed = now;
    list();
  }
  if (state.playing) requestAnimationFrame(frame);
}

/** What the chosen mote did last, in words. */
function list() {
  const mote = motes[state.mote], lines = [];
  for (let at = upTo(state.t, state.mote) - 1, seen = 0; at >= firstOf[state.mote] && lines.length < 14 && seen < 5000; at--, seen++) {
    if (!visible(ofMote[at])) continue;
    const line = document.createElement("li");
    line.textContent = `${T[ofMote[at]].toFixed(6)} s: ${words(ofMote[at])}`;
    lines.push(line);
  }
  const dead = deadSince(state.t, state.mote);
  $("heading").textContent = `${mote.name}${mote.role ? ", " + mote.role : ""}${dead === undefined ? "" : `, dead since ${dead.toFixed(3)} s`}: `
    + (lines.length ? "the last first" : "nothing yet");
  $("records").replaceChildren(...lines);
}

function play(on = !state.playing) {
  if (on === state.playing) return;
  if (on && state.t >= T[N - 1]) seek(T[0]);
  state.playing = on;
  state.before = performance.now();
  $("play").textContent = on ? "Pause" : "Play";
  if (on) requestAnimationFrame(frame); else refresh();
}

function choose(m, scroll = true) {
  if (m === undefined || m < 0) return;
  state.mote = m;
  $("mote").value = m;
  const box = $("rows"), y = ROW * (m + 1);
  if (scroll && (y < box.scrollTop + ROW || y > box.scrollTop + box.clientHeight - ROW)) box.scrollTop = y - box.clientHeight / 2;
  refresh();
}

/** To the next or last record that is shown. */
function step(way) {
  let i = way > 0 ? upTo(state.t) : upTo(state.t - 1e-9) - 1;
  while (i >= 0 && i < N && !visible(i)) i += way;
  if (i < 0 || i >= N) return;
  seek(T[i]);
  choose(C.mote[i]);
  $("tip").textContent = `${T[i].toFixed(6)} s, ${motes[C.mote[i]].name} ${words(i)}`;
}

function faster(way) {
  const at = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(state.speed) + way));
  state.speed = SPEEDS[at];
  $("speed").value = state.speed;
  refresh();
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const name = event.key, in_ = event.target.id, shown = span.to - span.from;
  const ways = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  if (name === " " && event.target.tagName === "BUTTON" && in_ !== "play") return;
  if (in_ === "scrub" && /^(Arrow|Home|End|Page)/.test(name)) return;
  if (in_ === "rows" && (name === "ArrowUp" || name === "ArrowDown")) return;
  if (in_ === "topology" && ways[name]) choose(nearest(...view.at[state.mote], ways[name], state.mote));
  else if (name === " ") play();
  else if (name === "ArrowLeft" || name === "ArrowRight") seek(state.t + ways[name][0] * shown / (event.shiftKey ? 4 : 40));
  else if (name === "," || name === ".") step(name === "." ? 1 : -1);
  else if (name === "[" || name === "]") faster(name === "]" ? 1 : -1);
  else if (name === "+" || name === "-") { zoom(name === "+" ? 0.5 : 2, state.t); refresh(); }
  else if (name === "0") { zoom(1e9, state.t); refresh(); }
  else if (name === "Home" || name === "End") seek(name === "Home" ? T[0] : T[N - 1]);
  else return;
  event.preventDefault();
}

function listen() {
  addEventListener("keydown", key);
  addEventListener("resize", () => { place(); drawDensity(); refresh(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); drawDensity(); refresh(); });
  $("play").onclick = () => play();
  $("play").onkeyup = event => { if (event.key === " ") event.preventDefault(); }; // the keydown was it
  $("back").onclick = () => step(-1);
  $("next").onclick = () => step(1);
  $("closer").onclick = () => { zoom(0.5, state.t); refresh(); };
  $("wider").onclick = () => { zoom(2, state.t); refresh(); };
  $("all").onclick = () => { zoom(1e9, state.t); refresh(); };
  $("speed").onchange = () => { state.speed = Number($("speed").value); refresh(); };
  $("mote").onchange = () => choose(Number($("mote").value));
  $("scrub").oninput = () => seek(Number($("scrub").value));
  $("rows").onscroll = refresh;
  $("topology").onpointerdown = event => choose(nearest(event.offsetX, event.offsetY));
  const box = $("timeline");
  let held = null, moved = false;
  box.onpointerdown = event => { held = [event.clientX, span.from]; moved = false; box.setPointerCapture(event.pointerId); };
  box.onpointermove = event => {
    if (held && Math.abs(event.clientX - held[0]) > 3) moved = true;
    if (held && moved) { move(held[1] - (event.clientX - held[0]) / across($("rows").clientWidth)); refresh(); }
    const i = recordAt(event.offsetX, event.offsetY)[1];
    if (i >= 0) $("tip").textContent = `${T[i].toFixed(6)} s, ${motes[C.mote[i]].name} ${words(i)}`;
  };
  box.onpointerup = event => {
    held = null;
    if (moved) return;
    const [m, i] = recordAt(event.offsetX, event.offsetY);
    choose(m, false);
    seek(i >= 0 ? T[i] : span.from + (event.offsetX - NAME) / across($("rows").clientWidth));
  };
  box.onpointercancel = () => { held = null; };
  $("rows").addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, span.from + (event.offsetX - NAME) / across($("rows").clientWidth));
    refresh();
  }, {passive: false});
}

function choices() {
  for (const speed of SPEEDS) $("speed").append(new Option(`${speed}×`, speed, false, speed === state.speed));
  motes.forEach((mote, m) => $("mote").append(new Option(`${mote.name} (${mote.id}${mote.role ? ", " + mote.role : ""})`, m)));
  const button = (text, on, kind, toggle) => {
    const made = document.createElement("button");
    made.type = "button";
    made.setAttribute("aria-pressed", on);
    if (kind !== null) {
      const sign = document.createElement("canvas");
      sign.setAttribute("aria-hidden", "true");
      mark(fresh(sign, 14, 14), kind, 7, 7, 4.5);
      made.append(sign);
    }
    made.append(text);
    made.onclick = () => { made.setAttribute("aria-pressed", toggle()); drawDensity(); refresh(); };
    $("kinds").append(made);
  };
  const used = new Set(C.kind);
  F.kinds.forEach((name, kind) => used.has(kind) && button(NAMES[name] || name, true, kind, () => shown[kind] = !shown[kind]));
  if (OVERHEARD) button("overheard frames", false, null, () => overheard = !overheard);
}

async function begin() {
  if (!window.DecompressionStream) throw new Error("this browser is too old to unpack the replay (it needs DecompressionStream, of 2023)");
  await unpack();
  readColours();
  lost = motes.map((_, m) => deaths(m));
  moves = motes.map((_, m) => announced(m));
  $("dead").hidden = !lost.some(spans => spans.length);
  document.querySelector("main").hidden = false;
  state.t = T[0];
  // So that the busiest part of a run is not a grey block: about three hundred records, or all of it.
  const long = Math.max(0.5, (T[N - 1] - T[0]) * Math.min(1, 300 * Math.sqrt(motes.length) / N));
  span.from = T[0] - 0.005;
  span.to = span.from + Math.min(long, T[N - 1] - T[0] + 0.01);
  Object.assign($("scrub"), {min: T[0], max: T[N - 1], step: "any", value: T[0]});
  $("rows").style.height = Math.min(330, ROW * (motes.length + 2)) + "px";
  $("height").style.height = ROW * (motes.length + 2) + "px";
  place();
  choices();
  choose(C.mote[0]);
  drawDensity();
  listen();
  frame(performance.now());
  document.documentElement.dataset.ready = Math.round(performance.now());
}

begin().catch(error => {
  $("problem").textContent = `The replay can't be shown: ${error.message}`;
  $("problem").hidden = false;
  document.documentElement.dataset.ready = "failed";
});
