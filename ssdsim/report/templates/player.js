"use strict";
const byId = (id) => document.getElementById(id);
const {start_ns: startNs, start, frames, planes_per_die: planesPerDie, pages_per_block: pagesPerBlock} =
  JSON.parse(byId("recording").textContent);
const blocksPerPlane = start.blocks.length / (start.dies.length * planesPerDie);
const blockName = (block) => `${Math.floor(block / blocksPerPlane)}:${block % blocksPerPlane}`;
const LETTERS = {active: "A", collecting: "C", "set aside": "S"};
const [LAST, STEP_MS] = [14, 200];
const told = (number) => number.toLocaleString("en-US");
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt()};`);

// The state at `frame`: rows of tables, of which each frame has those that it has changed.
let state, frame = Infinity;
const stateAt = (to) => {
  if (to < frame) [state, frame] = [structuredClone(start), 0];
  for (; frame < to; frame += 1) {
    for (const [table, rows] of Object.entries(frames[frame].changes)) Object.assign(state[table], rows);
  }
};

// The device: channels, their dies, the planes of those, and their blocks, which are filled from below.
const ofBlock = ({state: is, valid, programmed, erases}, block, isAtWork) => {
  const [toValid, toDead] = [valid, programmed].map((count) => `${(100 * count) / pagesPerBlock}%`);
  const dead = Math.max(programmed - valid, 0);
  const words = `block ${blockName(block)}: ${is}, ${valid} valid, ${dead} dead, ${erases} erases`;
  const hues = `var(--valid) ${toValid}, var(--dead) ${toValid} ${toDead}, transparent ${toDead}`;
  const letter = LETTERS[is] ? `<b>${LETTERS[is]}</b>` : "";
  return `<i class="cell${isAtWork ? " works" : ""}" title="${words}" style="background-image: linear-gradient(to top, ${hues})">${letter}</i>`;
};
const mark = (word) => `<span class="state" data-state="${word}">${word.replace("_", " ")}</span>`;
const ofDie = (die, index) => {
  const planes = Array.from({length: planesPerDie}, (_, at) => {
    const plane = index * planesPerDie + at;
    const pages = die.pages.filter((page) => page.plane === plane);
    const does = pages.map(({block, page, lpa, request}) =>
      `: <b>${blockName(block)}${die.op === "erase" ? "" : ` page ${page}`}</b>${lpa < 0 ? "" : `, LPA ${lpa}`}${request < 0 ? "" : `, request ${request}`}`);
    const first = plane * blocksPerPlane;
    const blocks = state.blocks.slice(first, first + blocksPerPlane);
    const cells = blocks.map((block, place) => ofBlock(block, first + place, pages.some((page) => page.block === first + place)));
    return `<div class="plane"><small id="plane-${plane}">plane ${plane}${does.join("")}</small>${cells.join("")}</div>`;
  });
  return `<div class="die" id="die-${index}"><p><b>Die ${index} </b>${mark(die.phase)}${die.op ? ` ${die.op} for ${die.source}` : ""}</p>
<p class="waits">waiting: host reads ${die.host_reads}, host writes ${die.host_writes}, GC reads ${die.gc_reads}, GC writes ${die.gc_writes}</p>${planes.join("")}</div>`;
};
const drawDevice = () => {
  byId("device").innerHTML = state.buses.map((isTaken, channel) => {
    const dies = state.dies.map((die, index) => (die.channel === channel ? ofDie(die, index) : ""));
    return `<section class="channel"><p id="bus-${channel}"><b>Channel ${channel}: bus </b>${mark(isTaken ? "taken" : "free")}</p><div>${dies.join("")}</div></section>`;
  }).join("");
};

// What stands beside it: requests, streams, the write buffer, and the last events.
const drawRequests = () => {
  const {admitted, done, in_device: inDevice, outstanding} = state.requests[0];
  const more = inDevice > outstanding.length ? " ..." : "";
  const lines = [`${told(admitted)} admitted, ${told(done)} done, ${inDevice} in the device: ${outstanding.join(" ")}${more}`];
  for (const {name, ...of} of state.streams) {
    lines.push(`stream ${name}: ${told(of.admitted)} admitted, ${told(of.outstanding)} in the device, ${told(of.waiting)} waiting`);
  }
  for (const {capacity, used, leaving} of state.buffer) {
    lines.push(`write buffer: ${told(used)} of ${told(capacity)} pages, ${told(leaving)} of them on their way to flash`);
  }
  byId("requests").innerHTML = lines.map((line) => `<p>${escaped(line)}</p>`).join("");
};
const drawEvents = () => {
  const lines = [];
  for (let at = frame; at > 0 && lines.length < LAST; at -= 1) {
    const {at_ns: atNs, events} = frames[at - 1];
    const time = `<time>+${told((atNs - startNs) / 1000)}</time>`;
    const words = events.length ? events : ["something changes inside the device"];
    lines.push(...words.map((text) => `<li${at === frame ? ' class="now"' : ""}>${time}${text}</li>`).reverse());
  }
  byId("events").innerHTML = lines.slice(0, LAST).join("");
  byId("count").textContent = `event ${frame} of ${frames.length}, ${told(frame ? frames[frame - 1].at_ns : startNs)} ns`;
};

// Moving.
const go = (to) => {
  stateAt(Math.min(Math.max(to, 0), frames.length));
  drawDevice();
  drawRequests();
  drawEvents();
  byId("slider").value = frame;
  byId("link").setAttribute("href", `#frame=${frame}`);
};
let timer = 0;
const playing = (wanted) => {
  clearInterval(timer);
  if (wanted && frame === frames.length) go(0);
  timer = wanted ? setInterval(() => (frame < frames.length ? go(frame + 1) : playing(false)), STEP_MS) : 0;
  byId("play").textContent = timer ? "Pause" : "Play";
};
const moved = (to) => {
  playing(false);
  go(to);
};
const MOVES = {Home: () => 0, ArrowLeft: () => frame - 1, ArrowRight: () => frame + 1, End: () => frames.length};
byId("slider").max = frames.length;
byId("slider").addEventListener("input", (event) => moved(+event.target.value));
byId("play").addEventListener("click", () => playing(!timer));
for (const button of document.querySelectorAll("[data-go]")) {
  button.addEventListener("click", () => moved(MOVES[button.dataset.go]()));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in MOVES) moved(MOVES[event.key]());
  else if (event.key === " " && event.target.tagName !== "BUTTON") playing(!timer);
  else return;
  event.preventDefault();
});

// #frame=17, and &play
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  moved(Number.parseInt(asked.get("frame") ?? 0, 10) || 0);
  playing(asked.has("play"));
};
addEventListener("hashchange", readHash);
readHash();
