// SPDX-License-Identifier: Apache-2.0

// ---- tables.js: the numbers of the report ----

function showFacts(model) {
  const { report } = model, facts = byId("facts");
  const fact = (title, value, ...more) => facts.append(element("div", {}, element("dt", {}, title),
    element("dd", {}, value, ...more.map((text) => element("small", {}, text)))));
  fact("the run took", timeText(report.wall_ns), report.bound_ns > 0 ? (report.wall_ns / report.bound_ns).toFixed(2) + " times the bound" : "");
  fact("bound", timeText(report.bound_ns), "no schedule is faster");
  fact("critical path", timeText(report.critical_path_ns), plural(model.pathTasks.length, "task"));
  fact("work / workers", timeText(report.work_bound_ns), timeText(report.work_ns) + " of work");
  if (report.bytes_bound_ns) fact("bytes / bandwidth", timeText(report.bytes_bound_ns), "over the busiest link");
  fact("tasks", countText(report.tasks), plural(model.distances.length, "edge"));
  const moved = d3.sum(report.links, (link) => link.bytes);
  if (moved) fact("moved", sizeText(moved), plural(d3.sum(report.links, (link) => link.moves), "move"));
  if (report.lost_events) fact("lost", countText(report.lost_events), "events: all adds up to too little");
  byId("advice").replaceChildren(...report.advice.map((line) => element("li", {}, line)));
  byId("machine").textContent = plural(model.about.workers, "worker") + " on " + report.machine;
}

// Which of kParts there are: a program of one rank waits for no other.
function shownParts(report) {
  return d3.range(kParts.length).filter((part) => part !== kWaitRanks || report.workers.some((worker) => worker[kParts[part][0]] > 0));
}

function showTables(model, find) {
  const { report, wall } = model, parts = shownParts(report);
  const nameButton = (name) => element("button", { type: "button", class: "link", onclick: () => find(name) }, name);
  fillTable("bars-table", ["worker", ...parts.map((part) => kPartNames[part]), "tasks"], report.workers.map((worker) =>
    [worker.worker, ...parts.map((part) => percentText(worker[kParts[part][0]], wall)), countText(worker.tasks)]));
  byId("path-text").textContent = "The longest chain of code that had to run one after the other: " +
    timeText(report.critical_path_ns) + ", " + percentText(report.critical_path_ns, wall) + " of the run.";
  fillTable("path-table", ["what", "tasks", "time", "of the path", ""], report.critical_path.slice(0, 20).map((cost) =>
    [cost.tasks ? nameButton(cost.name) : cost.name, cost.tasks ? countText(cost.tasks) : "", timeText(cost.path_ns),
      percentText(cost.path_ns, report.critical_path_ns), barCell(cost.path_ns / report.critical_path_ns)]));
  fillTable("names-table", ["name", "tasks", "time", "of work", "each", "footprint", ""], report.names.map((cost) =>
    [nameButton(cost.name), countText(cost.tasks), timeText(cost.own_ns), percentText(cost.own_ns, report.work_ns),
      timeText(cost.own_ns / cost.tasks), sizeText(cost.footprint_bytes / cost.tasks), barCell(cost.own_ns / report.work_ns)]));
  const moved = d3.sum(report.blocks, (block) => block.moved_bytes);
  fillTable("blocks-table", ["name", "blocks", "size", "moves", "moved", ""], report.blocks.slice(0, 100).map((block) =>
    [block.name, countText(block.blocks), sizeText(block.bytes), countText(block.moves), sizeText(block.moved_bytes),
      barCell(block.moved_bytes / moved)]));
  showSteals(model);
  fillTable("links-table", ["link", "bytes", "moves", "busy", "reached", "measured, ~ seen"], report.links.map((link) =>
    [link.from + " to " + link.to, sizeText(link.bytes), countText(link.moves), percentText(link.busy_ns, wall),
      link.gb_per_s.toFixed(2) + " GB/s", (link.measured_gb_per_s ? "" : "~") + link.most_gb_per_s.toFixed(2) + " GB/s"]));
}

// How many tasks each worker took, by how far away they were.
function showSteals(model) {
  const { steals } = model, most = d3.max(steals.distance) || 0;
  const distances = d3.range(most + 1);
  fillTable("steals-table", ["worker", "steals", "tasks", ...distances.map(distanceText)], model.workers.map((worker, row) => {
    const sums = distances.map(() => 0), own = model.stealsOf(row);
    for (const steal of own) sums[steals.distance[steal]] += steals.tasks[steal];
    return [worker.name, countText(own.length), countText(d3.sum(sums)), ...sums.map(countText)];
  }));
}

function showLegend(model) {
  const entries = model.report.names.slice(0, kTaskColours.length).map((cost, i) => [kTaskColours[i], cost.name]);
  if (model.report.names.length > kTaskColours.length) entries.push([theme.css("other"), "other tasks"]);
  for (const part of shownParts(model.report)) {
    if (part !== kRunning) entries.push([theme.css(kPartVariables[part]), kPartNames[part]]);
  }
  byId("legend").replaceChildren(...entries.map(([colour, text]) =>
    element("li", {}, element("i", { style: "background:" + colour }), element("span", { title: text }, text))));
}
