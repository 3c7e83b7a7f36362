"use strict";
const byId = (id) => document.getElementById(id);
const held = JSON.parse(byId("recording").textContent);
const {start, frames, columns, planes_per_die: planesPerDie, page_types: typeOf, type_names: typeNames} = held;
const hasTypes = typeNames.length > 1;
const pagesPerBlock = typeOf.length;
const blocks = start.blocks.length;
const blocksPerPlane = blocks / (Math.max(...start.blocks.map(([plane]) => plane)) + 1);
const blockName = (block) => `${Math.floor(block / blocksPerPlane)}:${block % blocksPerPlane}`;
const STATES = ["free", "valid", "dead"];
const LETTERS = {free: "", active: "A", full: "", collecting: "C", "set aside": "S"};
const LAST = 12;

const made = (tag, className, text, attributes = {}) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const told = (number) => number.toLocaleString("en-US");

// The state of the device: the rows of tables, of which a frame has those that have changed.
let tables, frame;
const rewind = () => {
  tables = structuredClone(start);
  frame = 0;
};
const advance = () => {
  const {changes} = frames[frame];
  for (const [table, rows] of Object.entries(changes)) Object.assign(tables[table], rows);
  frame += 1;
  return Object.keys(changes.blocks ?? {}).map(Number);
};
const named = (table, values) => Object.fromEntries(columns[table].map((name, at) => [name, values[at]]));
const row = (table, at) => named(table, tables[table][at]);
const rowsOf = (table) => tables[table].map((values) => named(table, values));
const worksOn = () => rowsOf("dies").flatMap((die) => die.pages);  // of each page: plane, block, page, LPA, request

// Blocks.
const fill = (element, shares, dead) => {
  let from = 0;
  const stops = shares.map((share, type) => `var(--type-${type}) ${from}% ${(from += 100 * share)}%`);
  stops.push(`transparent ${from}%`);
  const place = dead < 1 ? from / (1 - dead) : 0;
  element.style.backgroundImage = `var(--hatch), linear-gradient(to top, ${stops})`;
  element.style.backgroundSize = `100% ${100 * dead}%, 100% 100%`;
  element.style.backgroundPosition = `left bottom ${place}%, left`;
};
const counts = (block) => {
  const found = {valid: typeNames.map(() => 0), dead: 0, free: 0};
  [...row("blocks", block).pages].forEach((state, page) => {
    if (state === "1") found.valid[typeOf[page]] += 1;
    else found[STATES[state]] += 1;
  });
  return found;
};
const inWords = (block) => {
  const {state, erases} = row("blocks", block);
  const {valid, dead, free} = counts(block);
  const byType = hasTypes ? ` (${typeNames.map((name, type) => `${valid[type]} ${name}`).join(", ")})` : "";
  const sum = valid.reduce((a, b) => a + b);
  return `block ${blockName(block)}: ${state}, ${sum} valid${byType}, ${dead} dead, ${free} free, ${erases} erases`;
};
const cells = Array.from({length: blocks}, (_, block) => made("i", "cell", "", {"data-block": block, role: "img"}));
const drawBlock = (block) => {
  const {valid, dead} = counts(block);
  fill(cells[block], valid.map((count) => count / pagesPerBlock), dead / pagesPerBlock);
  const letter = LETTERS[row("blocks", block).state];
  cells[block].replaceChildren(...(letter ? [made("b", "", letter)] : []));
  cells[block].title = inWords(block);
};

// The device: channels, their dies, and the planes of those.
const layOut = () => {
  const device = byId("device");
  const size = blocks <= 120 ? 26 : blocks <= 300 ? 20 : blocks <= 1200 ? 14 : 10;
  device.style.setProperty("--cell", `${size}px`);
  const channels = rowsOf("buses").map(({channel}) => {
    const place = made("section", "channel");
    place.append(made("p", "bus", "", {id: `bus-${channel}`}), made("div"));
    device.append(place);
    return place.lastChild;
  });
  const planeOf = rowsOf("blocks").map(({plane}) => plane);
  return rowsOf("dies").map(({index, channel}) => {
    const place = made("div", "die", "", {id: `die-${index}`});
    const parts = {does: made("p", "does"), waits: made("p", "waits"), planes: {}};
    place.append(parts.does, parts.waits);
    for (let plane = index * planesPerDie; plane < (index + 1) * planesPerDie; plane += 1) {
      const grid = made("div", "plane");
      parts.planes[plane] = made("small", "", "", {id: `plane-${plane}`});
      grid.append(parts.planes[plane], ...cells.filter((_, at) => planeOf[at] === plane));
      place.append(grid);
    }
    channels[channel].append(place);
    return parts;
  });
};
rewind();
const dieParts = layOut();
const mark = (state) => made("span", "state", state.replace("_", " "), {"data-state": state});
const drawDies = () => {
  rowsOf("dies").forEach((die, at) => {
    const parts = dieParts[at];
    parts.does.replaceChildren(made("b", "", `Die ${die.index} `), mark(die.phase), die.op ? ` ${die.op} for ${die.source}` : "");
    for (const [plane, label] of Object.entries(parts.planes)) label.textContent = `plane ${plane}`;
    for (const [plane, block, page, lpa, request] of die.pages) {
      const place = blockName(block) + (die.op === "erase" ? "" : ` page ${page}${hasTypes ? ` ${typeNames[typeOf[page]]}` : ""}`);
      const of = (lpa < 0 ? "" : `, LPA ${lpa}`) + (request < 0 ? "" : `, request ${request}`);
      parts.planes[plane].append(": ", made("b", "", place), of);
    }
    parts.waits.textContent =
      `waiting: host reads ${die.host_reads}, host writes ${die.host_writes}, GC reads ${die.gc_reads}, GC writes ${die.gc_writes}`;
  });
  for (const {channel, taken, busy_ns: busy} of rowsOf("buses")) {
    const used = ` in use for ${told(Math.round(busy / 1000))} µs so far`;
    byId(`bus-${channel}`).replaceChildren(made("b", "", `Channel ${channel}: bus `), mark(taken ? "taken" : "free"), used);
  }
};

// What stands beside it.
const drawRequests = () => {
  const {admitted, done, in_device: inDevice, outstanding} = row("run", 0);
  const more = inDevice > outstanding.length ? " ..." : "";
  const lines = [`${told(admitted)} admitted, ${told(done)} done, ${inDevice} in the device: ${outstanding.join(" ")}${more}`];
  for (const {name, ...of} of rowsOf("streams")) {
    lines.push(`stream ${name}: ${told(of.admitted)} admitted, ${told(of.outstanding)} in the device, ${told(of.waiting)} waiting`);
  }
  for (const {capacity, used, leaving} of rowsOf("buffer")) {
    lines.push(`Write buffer: ${told(used)} of ${told(capacity)} pages, ${told(leaving)} of them on their way to flash`);
  }
  byId("requests").replaceChildren(...lines.map((line) => made("p", "", line)));
};
const timeOf = (at) => (at ? frames[at - 1].changes.run?.[0]?.[0] ?? timeOf(at - 1) : start.run[0][0]);
const drawEvents = () => {
  const lines = [];
  for (let at = frame; at > 0 && lines.length < LAST; at -= 1) {
    for (const words of [...frames[at - 1].events].reverse()) {
      const line = made("li", at === frame ? "now" : "");
      line.append(made("time", "", `+${told((timeOf(at) - timeOf(0)) / 1000)}`), words);
      lines.push(line);
    }
  }
  byId("events").replaceChildren(...lines.slice(0, LAST));
  const now = frame ? frames[frame - 1].events : ["the window begins"];
  byId("now").replaceChildren(...(now.length ? now : ["something changes inside the device"]).map((words) => made("li", "", words)));
  byId("time").textContent = `${told(timeOf(frame))} ns`;
  byId("count").textContent = `event ${frame} of ${frames.length}`;
};

// The pages of the block that is chosen: a row a page type, a column a wordline.
let chosen = -1;
const drawPages = () => {
  const place = byId("pages");
  for (const cell of document.querySelectorAll(".cell.chosen")) cell.classList.remove("chosen");
  byId("number").value = chosen < 0 ? "" : blockName(chosen);
  if (chosen < 0) {
    place.replaceChildren(made("p", "", "Click on a block, or name it as plane:block, to see its pages."));
    return;
  }
  cells[chosen].classList.add("chosen");
  const of = row("blocks", chosen);
  const under = new Set(worksOn().filter(([, block]) => block === chosen).map(([, , page]) => page));
  const lines = typeNames.map(() => made("div", "wordlines"));
  typeOf.forEach((type, page) => {
    const state = STATES[of.pages[page]];
    const letter = {free: "", valid: typeNames[type][0] ?? "V", dead: "×"}[state];
    const next = of.next_pages[type] === page;
    const works = under.has(page);
    const element = made("i", `page ${state}${works ? " works" : ""}`, letter || (next ? ">" : ""), {"data-type": type});
    if (state === "valid") element.style.background = `var(--type-${type})`;
    element.title = `page ${page}${hasTypes ? `, ${typeNames[type]}` : ""}: ${state}${next ? ", next to be written" : ""}${works ? ", a die works on it" : ""}`;
    lines[type].append(element);
  });
  const body = typeNames.flatMap((name, type) => [made("p", "", hasTypes ? `${name} pages, by wordline` : "pages, by number"), lines[type]]);
  place.replaceChildren(made("p", "words", inWords(chosen).replace(/^.*?: /, "")), ...body);
};
const blockOf = (text) => {
  const [plane, place] = (/^(\d+):(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  return place < blocksPerPlane && plane * blocksPerPlane < blocks ? plane * blocksPerPlane + place : -1;
};
const choose = (block) => {
  chosen = block;
  drawPages();
  drawLink();
};

// Moving.
const drawLink = () => byId("link").setAttribute("href", `#frame=${frame}${chosen < 0 ? "" : `&block=${blockName(chosen)}`}`);
let shown = false;
const go = (to) => {
  const end = Math.min(Math.max(to, 0), frames.length);
  const changed = new Set();
  if (!shown || end < frame) {
    shown = true;
    rewind();
    for (let block = 0; block < blocks; block += 1) changed.add(block);
  }
  while (frame < end) for (const block of advance()) changed.add(block);
  changed.forEach(drawBlock);
  for (const cell of document.querySelectorAll("#device .works")) cell.classList.remove("works");
  for (const [, block] of worksOn()) cells[block].classList.add("works");
  byId("slider").value = frame;
  drawDies();
  drawRequests();
  drawEvents();
  drawPages();
  drawLink();
};
let timer = 0;
const playing = (wanted) => {
  clearInterval(timer);
  timer = 0;
  if (wanted) {
    if (frame === frames.length) go(0);
    timer = setInterval(() => (frame < frames.length ? go(frame + 1) : playing(false)), 1000 / +byId("speed").value);
  }
  byId("play").textContent = timer ? "Pause" : "Play";
};
const MOVES = {first: () => 0, back: () => frame - 1, on: () => frame + 1, last: () => frames.length};
const KEYS = {ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last"};
const move = (name) => {
  playing(false);
  go(MOVES[name]());
};
byId("slider").max = frames.length;
byId("slider").addEventListener("input", (event) => {
  playing(false);
  go(+event.target.value);
});
byId("speed").addEventListener("change", () => playing(timer));
byId("number").addEventListener("change", (event) => choose(blockOf(event.target.value)));
document.addEventListener("click", (event) => {
  const {go: name} = event.target.dataset ?? {};
  const cell = event.target.closest("[data-block]");
  if (name) move(name);
  else if (event.target.id === "play") playing(!timer);
  else if (cell) choose(+cell.dataset.block === chosen ? -1 : +cell.dataset.block);
  if (event.detail && event.target.tagName === "BUTTON") event.target.blur();  // or the space key would press it again
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ["number", "speed"].includes(event.target.id)) return;
  if (event.key === " " && event.target.tagName !== "BUTTON") playing(!timer);
  else if (event.key in KEYS) move(KEYS[event.key]);
  else if (event.key === "Escape") choose(-1);
  else return;
  event.preventDefault();
});

// #frame=17&block=0:3&theme=dark, and &play
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("theme")) document.documentElement.style.colorScheme = asked.get("theme");
  playing(false);
  if (asked.has("block")) chosen = blockOf(asked.get("block"));
  go(Number.parseInt(asked.get("frame") ?? frame, 10) || 0);
  if (asked.has("play")) playing(true);
};
addEventListener("hashchange", readHash);
byId("share").hidden = location.protocol === "about:";  // within a notebook, where links lead out of the frame

const legend = (words, draw) => {
  const [item, cell] = [made("span"), made("i", "cell")];
  draw(cell);
  item.append(cell, ` ${words}`);
  byId("legend").append(item);
};
const one = (type) => typeNames.map((_, at) => (at === type ? 1 : 0));
typeNames.forEach((name, type) => legend(hasTypes ? `valid, ${name}` : "valid", (cell) => fill(cell, one(type), 0)));
legend("dead", (cell) => fill(cell, [], 1));
legend("free", () => {});
legend("active", (cell) => cell.append(made("b", "", "A")));
legend("being collected", (cell) => cell.append(made("b", "", "C")));
legend("set aside", (cell) => cell.append(made("b", "", "S")));
legend("a die works on it", (cell) => cell.classList.add("works"));
readHash();
