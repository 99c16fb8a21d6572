// SPDX-License-Identifier: Apache-2.0

// ---- table.js: a table of texts, and bars in it ----

function fillTable(id, titles, rows) {
  const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col", ...(title === "" ? { class: "bar" } : {}) }, title)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) =>
    (cell instanceof HTMLTableCellElement ? cell : element("td", {}, cell)))));
  byId(id).replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

// A long name has several lines, which break where parts of it end.
const nameCell = (name) => element("td", { class: "name" },
  ...name.split(/(?<=::)/).flatMap((part) => [element("wbr", {}), part]));

const barCell = (share) => element("td", { class: "bar", "aria-hidden": "true" },
  element("i", { style: "width:" + (100 * Math.max(0, Math.min(1, share))).toFixed(1) + "%" }));
