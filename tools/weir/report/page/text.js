// SPDX-License-Identifier: Apache-2.0

// ---- text.js: numbers as people read them, and elements with text in them ----

const threeDigits = (value) => value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);

function timeText(ns) {
  const size = Math.abs(ns);
  if (size < 999.5) return Math.round(ns) + " ns";
  if (size < 999.5e3) return threeDigits(ns / 1e3) + " µs";
  if (size < 999.5e6) return threeDigits(ns / 1e6) + " ms";
  return threeDigits(ns / 1e9) + " s";
}

function sizeText(bytes) {
  if (bytes < 1024) return Math.round(bytes) + " B";
  let value = bytes / 1024, unit = 0;
  for (; value >= 1023.95 && unit < 3; unit++) value /= 1024;
  return threeDigits(value) + " " + ["KiB", "MiB", "GiB", "TiB"][unit];
}

// A moment, to a tenth of a microsecond.
const momentText = (ns) => (ns / 1e6).toFixed(4) + " ms";

const countText = d3.format(",");
const percentText = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "-");
const plural = (count, word) => countText(count) + " " + word + (count === 1 ? "" : "s");

// Labels of a time axis whose ticks are `step` ns apart.
function tickText(step) {
  const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return (ns) => countText(Math.round(ns / unit)) + " " + name;
}

// An element with attributes and children: texts or elements. Text never becomes markup.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (name === "style") node.style.cssText = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const byId = (id) => document.getElementById(id);
