// SPDX-License-Identifier: Apache-2.0

// ---- pictures.js: from PE to PE as squares of colour, and where the time of each PE went ----

const kPartColours = ["#4e79a7", "#59a14f", "#edc948", "#e5534b", "#8c6bb1", "#f28e2b", "#9c755f"];  // in the order of parts
const kMostNumbers = 12;  // PEs whose squares have their value in them

// By what is chosen: the number of an entry.
const kTrafficChoices = [["puts, gets and atomics", (t) => t.bytes], ["puts", (t) => t.put_bytes], ["gets", (t) => t.get_bytes],
  ["atomics", (t) => t.atomic_bytes]];

function waitEntries(report, what) {
  const sums = new Map();
  const add = (pe, whom, ns, times) => {
    if (whom === null) return;
    const key = pe + " " + whom, sum = sums.get(key) || { from: pe, to: whom, value: 0, times: 0 };
    sum.value += ns;
    sum.times += times;
    sums.set(key, sum);
  };
  if (what !== "wait_until") for (const w of report.waits_for_last) add(w.pe, w.for, w.ns, w.times);
  if (what !== "collectives") for (const w of report.waits_until) add(w.pe, w.ended_by, w.ns, w.times);
  return [...sums.values()];
}

// Squares for `entries` ({from, to, value}), darker for more: the root of the value, so that little is seen beside much.
class Picture {
  constructor(id, pes, format, says) {
    this.holder = byId(id);
    this.pes = pes;
    this.format = format;
    this.says = says;  // (entry) => text
    this.entries = [];
    theme.listeners.push(() => this.draw());
    new ResizeObserver(() => { if (this.holder.clientWidth !== this.drawnFor) this.draw(); }).observe(this.holder);
  }

  show(entries) {
    this.entries = entries.filter((entry) => entry.value > 0);
    this.draw();
  }

  draw() {
    const { pes, holder } = this, left = 52, top = 36;
    this.drawnFor = holder.clientWidth;
    const side = Math.max(2, Math.min(64, Math.floor((Math.min(holder.clientWidth, 640) - left) / pes)));
    const most = d3.max(this.entries, (entry) => entry.value) || 0;
    const colour = d3.scaleSqrt([0, most || 1], [theme.css("track"), theme.css("accent")]).interpolate(d3.interpolateRgb);
    d3.select(holder).selectAll("*").remove();
    const svg = d3.select(holder).append("svg").attr("width", left + side * pes + 2).attr("height", top + side * pes + 2)
      .attr("viewBox", [0, 0, left + side * pes + 2, top + side * pes + 2].join(" ")).attr("role", "img")
      .attr("aria-label", "At most " + this.format(most) + "; the tables below have the numbers");
    svg.append("rect").attr("x", left).attr("y", top).attr("width", side * pes).attr("height", side * pes)
      .attr("fill", theme.css("track"));
    this.label(svg, left, top, side);
    const cells = svg.append("g").selectAll("g").data(this.entries).join("g")
      .attr("transform", (entry) => "translate(" + (left + entry.to * side) + "," + (top + entry.from * side) + ")");
    cells.append("rect").attr("class", "cell").attr("width", Math.max(1, side - (side > 6 ? 1 : 0)))
      .attr("height", Math.max(1, side - (side > 6 ? 1 : 0))).attr("fill", (entry) => colour(entry.value));
    if (pes <= kMostNumbers && side >= 40) {
      cells.append("text").attr("x", side / 2).attr("y", side / 2).attr("dy", "0.35em").attr("text-anchor", "middle")
        .style("font-size", "11px").style("fill", (entry) => (isLight(d3.rgb(colour(entry.value))) ? "#14181d" : "#ffffff"))
        .text((entry) => this.format(entry.value));
    }
    const { says } = this;
    cells.each(function (entry) {
      this.addEventListener("pointermove", (event) => showTooltip(event, says(entry)));
      this.addEventListener("pointerleave", hideTooltip);
    });
    holder.append(element("div", { class: "scale" }, "nothing",
      element("i", { style: "background:linear-gradient(to right," + theme.css("track") + "," + theme.css("accent") + ")" }), this.format(most)));
  }

  // As many PEs as have room.
  label(svg, left, top, side) {
    const step = Math.max(1, Math.ceil(20 / side)), shown = d3.range(0, this.pes, step);
    svg.append("g").selectAll("text").data(shown).join("text").attr("x", left - 6).attr("text-anchor", "end").attr("dy", "0.35em")
      .attr("y", (pe) => top + (pe + 0.5) * side).text((pe) => (side >= 20 ? "PE " + pe : pe));
    svg.append("g").selectAll("text").data(shown).join("text").attr("text-anchor", "middle").attr("y", top - 7)
      .attr("x", (pe) => left + (pe + 0.5) * side).text((pe) => (side >= 40 ? "PE " + pe : pe));
  }
}

function fillChoices(id, texts, show) {
  const select = byId(id);
  select.replaceChildren(...texts.map((text, i) => element("option", { value: String(i) }, text)));
  select.addEventListener("change", () => show(Number(select.value)));
  show(0);
}

function showPictures(model) {
  const { report } = model, { pes } = report;
  const traffic = new Picture("traffic", pes, sizeText, (entry) => [element("strong", {}, "PE " + entry.from + ", memory of PE " + entry.to),
    twoColumns([["puts", countText(entry.of.puts) + ", " + sizeText(entry.of.put_bytes)],
      ["gets", countText(entry.of.gets) + ", " + sizeText(entry.of.get_bytes)],
      ["atomics", countText(entry.of.atomics) + ", " + sizeText(entry.of.atomic_bytes)]])]);
  fillChoices("traffic-what", kTrafficChoices.map(([text]) => text), (choice) =>
    traffic.show(report.traffic.map((t) => ({ from: t.from, to: t.to, value: kTrafficChoices[choice][1](t), of: t }))));
  const waits = new Picture("waits", pes, timeText, (entry) => [element("strong", {}, "PE " + entry.from + " waited for PE " + entry.to),
    twoColumns([["together", timeText(entry.value)], ["times", countText(entry.times)]])]);
  const kinds = ["collectives and wait_until", "collectives", "wait_until"];
  fillChoices("waits-what", kinds, (choice) => waits.show(waitEntries(report, kinds[choice])));
  return { traffic, waits };
}

// One bar for each PE, of the parts of its time; a PE with several threads has their time together.
function drawParts(model) {
  const holder = byId("bars"), width = holder.clientWidth, { times, parts } = model.report;
  const left = width < 560 ? 74 : 132, high = times.length > 24 ? 12 : 22;
  const x = d3.scaleLinear([0, 1], [left, width - 12]);
  d3.select(holder).selectAll("*").remove();
  const svg = d3.select(holder).append("svg").attr("height", times.length * high + 26).attr("role", "img")
    .attr("aria-label", "Parts of each PE's time; the table below has the numbers");
  times.forEach((time, row) => {
    let at = 0;
    const whole = Math.max(time.life_ns, 1), y = row * high;
    [[kComputing, time.computing_ns, theme.css("program")], ...parts.map((part, i) => [part, time.in_ns[part], kPartColours[i]])]
      .forEach(([name, ns, colour]) => {
        const rect = svg.append("rect").attr("x", x(at)).attr("width", Math.max(0, x(at + ns / whole) - x(at))).attr("y", y)
          .attr("height", high * 0.78).attr("fill", colour).node();
        rect.addEventListener("pointermove", (event) => showTooltip(event, [element("span", {}, "PE " + time.pe + ": " + name + " " +
          timeText(ns) + ", " + percentText(ns, whole))]));
        rect.addEventListener("pointerleave", hideTooltip);
        at += ns / whole;
      });
    svg.append("text").attr("class", "name").attr("x", 0).attr("y", y + high * 0.39).attr("dy", "0.35em").text("PE " + time.pe);
  });
  svg.append("g").attr("transform", "translate(0," + (times.length * high + 2) + ")")
    .call(d3.axisBottom(x).ticks(Math.max(2, Math.floor(width / 130))).tickFormat(d3.format(".0%")).tickSizeOuter(0));
}
