// SPDX-License-Identifier: Apache-2.0

// ---- tooltip.js: what is shown beside the pointer ----

function showTooltip(event, children) {
  const tooltip = byId("tooltip");
  tooltip.replaceChildren(...children);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const x = event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16;
  const y = event.clientY + 18 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  tooltip.style.left = Math.max(4, x) + "px";
  tooltip.style.top = Math.max(4, y) + "px";
}

function hideTooltip() { byId("tooltip").hidden = true; }

const twoColumns = (rows) => element("table", {}, element("tbody", {}, ...rows.map(([name, value]) =>
  element("tr", {}, element("td", {}, name), element("td", {}, value)))));
