"use strict";
const drawn = JSON.parse(document.getElementById("drawn")?.textContent ?? "{}");
for (const place of document.querySelectorAll("[data-chart]")) {
  const actions = {export: true, source: false, compiled: false, editor: false};
  const options = {renderer: "svg", actions, downloadFileName: place.dataset.chart};
  vegaEmbed(place, drawn[place.dataset.chart], options).then(() => (place.dataset.done = ""), console.error);
}

// Tables are sorted by a click on a column's head.
const textOf = (row, at) => row.cells[at].textContent.trim();
const numberOf = (text) => parseFloat(text.replaceAll(",", ""));
for (const head of document.querySelectorAll("th")) {
  head.addEventListener("click", () => {
    const at = head.cellIndex;
    const body = head.closest("table").tBodies[0];
    const turn = head.ariaSort === "ascending" ? -1 : 1;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
    const compare = (left, right) => numberOf(left) - numberOf(right) || left.localeCompare(right);
    body.append(...[...body.rows].sort((a, b) => turn * compare(textOf(a, at), textOf(b, at))));
  });
}
