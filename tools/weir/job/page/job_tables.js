// SPDX-License-Identifier: Apache-2.0

// ---- job_tables.js: the numbers of a job's report ----

const legendEntry = ([colour, text]) =>
  element("li", {}, element("i", { style: "background:" + colour }), element("span", { title: text }, text));

function showJobFacts(model) {
  const { report } = model, { times } = report, facts = byId("facts");
  const fact = (title, value, ...more) => facts.append(element("div", {}, element("dt", {}, title),
    element("dd", {}, value, ...more.map((text) => element("small", {}, text)))));
  const life = d3.sum(times, (t) => t.life_ns), computing = d3.sum(times, (t) => t.computing_ns);
  fact("the run took", timeText(report.wall_ns), plural(report.pes, "PE"));
  fact("computing", percentText(computing, life), "of the PEs' time");
  report.parts.forEach((part) => {
    const ns = d3.sum(times, (t) => t.in_ns[part]), calls = d3.sum(times, (t) => t.calls[part]);
    if (calls) fact(part, percentText(ns, life), plural(calls, "call"));
  });
  const moved = d3.sum(report.traffic, (t) => t.bytes);
  if (moved) fact("moved", sizeText(moved), "by puts, gets and atomics");
  if (report.lost_events) fact("lost", countText(report.lost_events), "events: all adds up to too little");
  byId("advice").replaceChildren(...report.remarks.map((line) => element("li", {}, line)));
  const hosts = new Set(times.map((t) => t.host)).size;
  byId("machine").textContent = plural(report.pes, "PE") + " on " + plural(hosts, "host");
}

function showJobLegend(model) {
  const { names } = model.report;
  const entries = names.slice(0, kTaskColours.length).map((cost, i) => [kTaskColours[i], cost.name]);
  if (names.length > kTaskColours.length) entries.push([theme.css("other"), "other calls"]);
  byId("legend").replaceChildren(...[...entries, [theme.css("program"), kComputing]].map(legendEntry));
  byId("parts-legend").replaceChildren(...[[theme.css("program"), kComputing],
    ...model.report.parts.map((part, i) => [kPartColours[i], part])].map(legendEntry));
}

function showJobTables(model, find) {
  const { report } = model, { times, parts } = report, name = (pe) => (pe === null ? "not known" : "PE " + pe);
  const sorted = (list, value) => [...list].sort((a, b) => value(b) - value(a)).slice(0, 100);
  fillTable("bars-table", ["PE", kComputing, ...parts], times.map((t) => ["PE " + t.pe, percentText(t.computing_ns, t.life_ns),
    ...parts.map((part) => percentText(t.in_ns[part], t.life_ns))]));
  fillTable("collectives-table", ["collective", "calls", "bytes", "waited for the last"], Object.entries(report.collectives).map(([what, m]) =>
    [what, countText(m.calls), sizeText(m.bytes), timeText(m.waited_ns)]));
  fillTable("last-table", ["PE", "came last", "of collectives", "others waited for it"], sorted(times, (t) => t.others_waited_ns)
    .filter((t) => t.came_last > 0).map((t) => ["PE " + t.pe, countText(t.came_last), countText(t.collectives), timeText(t.others_waited_ns)]));
  fillTable("waits-table", ["wait_until of", "ended by", "times", "waited"], sorted(report.waits_until, (w) => w.ns).map((w) =>
    ["PE " + w.pe, name(w.ended_by), countText(w.times), timeText(w.ns)]));
  fillTable("traffic-table", ["from, to", "puts", "bytes", "gets", "bytes", "atomics", "bytes"], sorted(report.traffic, (t) => t.bytes).map((t) =>
    ["PE " + t.from + " to " + t.to, countText(t.puts), sizeText(t.put_bytes), countText(t.gets), sizeText(t.get_bytes),
      countText(t.atomics), sizeText(t.atomic_bytes)]));
  const all = d3.sum(report.names, (cost) => cost.ns);
  fillTable("names-table", ["call", "calls", "time", "each", "bytes", ""], report.names.map((cost) =>
    [element("button", { type: "button", class: "link", onclick: () => find(cost.name) }, cost.name), countText(cost.calls),
      timeText(cost.ns), timeText(cost.ns / cost.calls), sizeText(cost.bytes), barCell(cost.ns / all)]));
}
