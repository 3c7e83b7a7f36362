"use strict";
const drawn = JSON.parse(document.getElementById("drawn")?.textContent ?? "{}");
for (const place of document.querySelectorAll("[data-chart]")) {
  const actions = {export: true, source: false, compiled: false, editor: false};
  const options = {renderer: "svg", actions, downloadFileName: place.dataset.chart};
  vegaEmbed(place, drawn[place.dataset.chart], options).then(() => (place.dataset.done = ""), console.error);
}
