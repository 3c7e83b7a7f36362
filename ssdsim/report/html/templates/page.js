"use strict";
// Charts: each names the columns that it is drawn of, which lie in the page once.
const held = document.getElementById("drawn");
const drawn = held ? JSON.parse(held.textContent) : {charts: {}, data: {}, config: {}};
const rowsOf = (columns) => {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, at) => Object.fromEntries(names.map((name) => [name, columns[name][at]])));
};
const rows = Object.fromEntries(Object.entries(drawn.data).map(([name, columns]) => [name, rowsOf(columns)]));
const overTime = [];
const all = [...document.querySelectorAll("[data-chart]")].map(async (place) => {
  const given = drawn.charts[place.dataset.chart];
  const text = JSON.stringify(given);
  const used = Object.keys(rows).filter((name) => text.includes(JSON.stringify({name})));
  const datasets = Object.fromEntries(used.map((name) => [name, rows[name]]));
  const spec = {...given, datasets, config: drawn.config};
  const actions = {export: {svg: true, png: true}, source: false, compiled: false, editor: false};
  const {view} = await vegaEmbed(place, spec, {renderer: "svg", actions, downloadFileName: place.dataset.chart});
  if ((spec.params || []).some((param) => param.name === "begin")) overTime.push(view);
  place.dataset.done = "";
});
Promise.all(all).catch((error) => console.error(error));

// The window of time that the charts of a part share.
for (const form of document.querySelectorAll("form.window")) {
  const {begin, end} = form.elements;
  const last = Math.max(...rows.timeseries.map((row) => row.end_s));
  const seconds = (input) => (last * input.value) / 1000;
  const show = () => {
    begin.value = Math.min(begin.value, 995);
    end.value = Math.max(end.value, +begin.value + 5);
    for (const input of [begin, end]) {
      input.nextElementSibling.textContent = `${seconds(input).toPrecision(4)} s`;
    }
    for (const view of overTime) view.signal("begin", seconds(begin)).signal("end", seconds(end)).runAsync();
  };
  form.addEventListener("input", show);
  form.addEventListener("reset", () => setTimeout(show));
  Promise.all(all).then(show);
}

// Tables: to be sorted by a column, or cut down to the rows that are marked.
const valueOf = (row, at) => row.cells[at].textContent.trim();
const numberOf = (text) => parseFloat(text.replaceAll(",", ""));
for (const table of document.querySelectorAll("table[data-sortable]")) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.ariaSort === "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const compare = (a, b) => {
        const [left, right] = [valueOf(a, at), valueOf(b, at)];
        const order = numberOf(left) - numberOf(right);
        return Number.isNaN(order) ? left.localeCompare(right) : order;
      };
      body.append(...[...body.rows].sort((a, b) => (descending ? -compare(a, b) : compare(a, b))));
    });
  });
}
for (const box of document.querySelectorAll("[data-filter]")) {
  const table = box.closest(".table").querySelector("table");
  const show = () => table.classList.toggle("only-marked", box.checked);
  box.addEventListener("change", show);
  show();
}
