"use strict";
const byId = (id) => document.getElementById(id);
const {start, frames, columns, planes_per_die: planesPerDie, page_types: typeOf, type_names: typeNames} = JSON.parse(byId("recording").textContent);
const hasTypes = typeNames.length > 1;
const blocksPerPlane = start.blocks.length / (Math.max(...start.blocks.map(([plane]) => plane)) + 1);
const blockName = (block) => `${Math.floor(block / blocksPerPlane)}:${block % blocksPerPlane}`;
const blockOf = (text) => {
  const [plane, place] = (/^(\d+):(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  return place < blocksPerPlane && plane * blocksPerPlane < start.blocks.length ? plane * blocksPerPlane + place : -1;
};
const LETTERS = {active: "A", collecting: "C", "set aside": "S"};
const LAST = 12;
const told = (number) => number.toLocaleString("en-US");
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt()};`);

// The state: rows of tables, of which a frame has those that have changed; and of each block, how it is drawn.
let tables, chosen = -1, frame = Infinity;
const drawn = [];
const row = (table, at) => Object.fromEntries(columns[table].map((name, column) => [name, tables[table][at][column]]));
const rowsOf = (table) => tables[table].map((_, at) => row(table, at));
const stateAt = (to) => {
  if (to < frame) {
    [tables, frame] = [structuredClone(start), 0];
    drawn.length = 0;
  }
  for (; frame < to; frame += 1) {
    for (const [table, rows] of Object.entries(frames[frame].changes)) Object.assign(tables[table], rows);
    for (const block of Object.keys(frames[frame].changes.blocks ?? {})) delete drawn[block];
  }
};

// Blocks: how many pages are valid, of each type, and dead; filled from below.
const inWords = (block) => {
  const {state, erases, pages} = row("blocks", block);
  const valid = typeNames.map(() => 0);
  let [dead, free] = [0, 0];
  [...pages].forEach((page, at) => (page === "1" ? (valid[typeOf[at]] += 1) : page === "2" ? (dead += 1) : (free += 1)));
  const byType = hasTypes ? ` (${typeNames.map((name, type) => `${valid[type]} ${name}`).join(", ")})` : "";
  const sum = valid.reduce((a, b) => a + b);
  return {valid, dead, words: `${state}, ${sum} valid${byType}, ${dead} dead, ${free} free, ${erases} erases`};
};
const ofBlock = (block) => {
  const {valid, dead, words} = inWords(block);
  let from = 0;
  const stops = [...valid, dead].map((count, type) => {
    const hue = type < valid.length ? `var(--type-${type})` : "var(--dead)";
    return `${hue} ${from}% ${(from += (100 * count) / typeOf.length)}%`;
  });
  const letter = LETTERS[row("blocks", block).state] ?? "";
  return `data-block="${block}" title="block ${blockName(block)}: ${words}"
    style="background-image: linear-gradient(to top, ${stops}, transparent ${from}%)">${letter && `<b>${letter}</b>`}</i>`;
};
const cell = (block, works) =>
  `<i class="cell${works.has(block) ? " works" : ""}${block === chosen ? " chosen" : ""}" ${(drawn[block] ??= ofBlock(block))}`;

// The device: channels, their dies, and the planes of those.
const mark = (state) => `<span class="state" data-state="${state}">${state.replace("_", " ")}</span>`;
const ofDie = (die, works) => {
  const planes = Array.from({length: planesPerDie}, (_, at) => {
    const plane = die.index * planesPerDie + at;
    const does = die.pages.filter(([on]) => on === plane).map(([, block, page, lpa, request]) => {
      const place = die.op === "erase" ? "" : ` page ${page}${hasTypes ? ` ${typeNames[typeOf[page]]}` : ""}`;
      return `: <b>${blockName(block)}${place}</b>${lpa < 0 ? "" : `, LPA ${lpa}`}${request < 0 ? "" : `, request ${request}`}`;
    });
    const cells = Array.from({length: blocksPerPlane}, (_, place) => cell(plane * blocksPerPlane + place, works));
    return `<div class="plane"><small id="plane-${plane}">plane ${plane}${does.join("")}</small>${cells.join("")}</div>`;
  });
  return `<div class="die" id="die-${die.index}"><p><b>Die ${die.index} </b>${mark(die.phase)}${die.op ? ` ${die.op} for ${die.source}` : ""}</p>
<p class="waits">waiting: host reads ${die.host_reads}, host writes ${die.host_writes}, GC reads ${die.gc_reads}, GC writes ${die.gc_writes}</p>${planes.join("")}</div>`.replace("\n", "");
};
const drawDevice = (dies, works) => {
  byId("device").innerHTML = rowsOf("buses").map(({channel, taken, busy_ns: busy}) => {
    const used = `in use for ${told(Math.round(busy / 1000))} µs so far`;
    const ofChannel = dies.filter((die) => die.channel === channel).map((die) => ofDie(die, works));
    return `<section class="channel"><p id="bus-${channel}"><b>Channel ${channel}: bus </b>${mark(taken ? "taken" : "free")} ${used}</p><div>${ofChannel.join("")}</div></section>`;
  }).join("");
};

// What stands beside it: requests, the last events, and the pages of the block that is chosen, a row a type.
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
  byId("requests").innerHTML = lines.map((line) => `<p>${escaped(line)}</p>`).join("");
};
const timeOf = (at) => (at ? frames[at - 1].changes.run?.[0]?.[0] ?? timeOf(at - 1) : start.run[0][0]);
const drawEvents = () => {
  const lines = [];
  for (let at = frame; at > 0 && lines.length < LAST; at -= 1) {
    const time = `<time>+${told((timeOf(at) - timeOf(0)) / 1000)}</time>`;
    lines.push(...frames[at - 1].events.map((words) => `<li${at === frame ? ' class="now"' : ""}>${time}${words}</li>`).reverse());
  }
  byId("events").innerHTML = lines.slice(0, LAST).join("");
  const now = frame ? frames[frame - 1].events : ["the window begins"];
  byId("now").innerHTML = (now.length ? now : ["something changes inside the device"]).map((words) => `<li>${words}</li>`).join("");
  byId("time").textContent = `${told(timeOf(frame))} ns`;
  byId("count").textContent = `event ${frame} of ${frames.length}`;
};
const drawPages = (works) => {
  byId("number").value = chosen < 0 ? "" : blockName(chosen);
  if (chosen < 0) {
    byId("pages").innerHTML = "<p>Click on a block, or name it as plane:block, to see its pages.</p>";
    return;
  }
  const {pages, next_pages: nextPages} = row("blocks", chosen);
  const rows = typeNames.map(() => "");
  typeOf.forEach((type, page) => {
    const state = ["free", "valid", "dead"][pages[page]];
    const [next, atWork] = [nextPages[type] === page, works.get(chosen)?.includes(page)];
    const letter = {free: next ? ">" : "", valid: typeNames[type][0] ?? "V", dead: "×"}[state];
    const title = `page ${page}${hasTypes ? `, ${typeNames[type]}` : ""}: ${state}${next ? ", next to be written" : ""}${atWork ? ", a die works on it" : ""}`;
    const hue = state === "valid" ? ` style="background: var(--type-${type})"` : "";
    rows[type] += `<i class="page ${state}${atWork ? " works" : ""}" data-type="${type}" title="${title}"${hue}>${letter}</i>`;
  });
  const heads = typeNames.map((name) => (hasTypes ? `${name} pages, by wordline` : "pages, by number"));
  byId("pages").innerHTML = `<p>${inWords(chosen).words}</p>${rows.map((each, type) => `<p>${heads[type]}</p><div class="wordlines">${each}</div>`).join("")}`;
};

// Moving.
const go = (to = frame, block = chosen) => {
  chosen = block;
  stateAt(Math.min(Math.max(to, 0), frames.length));
  const dies = rowsOf("dies");
  const works = new Map();  // the pages of each block that a die works on
  for (const [, on, page] of dies.flatMap((die) => die.pages)) works.set(on, [...(works.get(on) ?? []), page]);
  drawDevice(dies, works);
  drawRequests();
  drawEvents();
  drawPages(works);
  byId("slider").value = frame;
  byId("link").setAttribute("href", `#frame=${frame}${chosen < 0 ? "" : `&block=${blockName(chosen)}`}`);
};
let timer = 0;
const playing = (wanted) => {
  clearInterval(timer);
  if (wanted && frame === frames.length) go(0);
  timer = wanted ? setInterval(() => (frame < frames.length ? go(frame + 1) : playing(false)), 1000 / +byId("speed").value) : 0;
  byId("play").textContent = timer ? "Pause" : "Play";
};
const moved = (to) => {
  playing(false);
  go(to);
};
const MOVES = {Home: () => 0, ArrowLeft: () => frame - 1, ArrowRight: () => frame + 1, End: () => frames.length};
byId("slider").max = frames.length;
byId("slider").addEventListener("input", (event) => moved(+event.target.value));
byId("speed").addEventListener("change", () => playing(timer));
byId("number").addEventListener("change", (event) => go(frame, blockOf(event.target.value)));
document.addEventListener("click", ({target, detail}) => {
  const block = target.closest("[data-block]")?.dataset.block;
  if (target.dataset?.go) moved(MOVES[target.dataset.go]());
  else if (target.id === "play") playing(!timer);
  else if (block) go(frame, +block === chosen ? -1 : +block);
  if (detail && target.tagName === "BUTTON") target.blur();  // or the space key would press it again
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ["number", "speed"].includes(event.target.id)) return;
  if (event.key === " " && event.target.tagName !== "BUTTON") playing(!timer);
  else if (event.key in MOVES) moved(MOVES[event.key]());
  else if (event.key === "Escape") go(frame, -1);
  else return;
  event.preventDefault();
});

// #frame=17&block=0:3&theme=dark, and &play
const readHash = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("theme")) document.documentElement.style.colorScheme = asked.get("theme");
  playing(false);
  go(Number.parseInt(asked.get("frame") ?? frame, 10) || 0, asked.has("block") ? blockOf(asked.get("block")) : chosen);
  if (asked.has("play")) playing(true);
};
addEventListener("hashchange", readHash);
byId("share").hidden = location.protocol === "about:";  // within a notebook, where links lead out of the frame
stateAt(0);
readHash();
