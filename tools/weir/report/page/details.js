// SPDX-License-Identifier: Apache-2.0

// ---- details.js: what is said of a task, when it is pointed at and when it is selected ----

const kMostListed = 7;

function partRows(model, task) {
  const parts = model.parts(task);
  return [["own code", parts.own], ["spawning", parts.spawning], ["bringing blocks", parts.moving],
    ["other tasks on top", parts.others], ["scheduler", parts.scheduling], ["nothing to run", parts.nothing]]
    .filter(([, ns]) => ns > 0).map(([name, ns]) => [name, timeText(ns)]);
}

function footprintText(model, task) {
  const items = model.items[task];
  return items ? sizeText(model.bytes[task]) + " in " + plural(items, "item") : "none declared";
}

// Of what the pointer is on, in the timeline.
function hoverText(model, { line, index, task, move, steal }) {
  const { strip } = line;
  if (steal !== undefined) {
    return [element("strong", {}, model.stealText(steal)), twoColumns([["by", line.label], ["at", momentText(model.steals.at[steal])]])];
  }
  const from = strip.starts[index], ns = strip.starts[index + 1] - from;
  if (move) {
    const i = move - 1, { moves } = model;
    const name = model.about.blockNames[model.blockName[moves.block[i]]] || "block";
    return [element("strong", {}, name), twoColumns([["block", String(moves.block[i])], ["bytes", sizeText(moves.bytes[i])],
      ["took", timeText(moves.ns[i])], ["rate", (moves.bytes[i] / Math.max(moves.ns[i], 1)).toFixed(2) + " GB/s"],
      ["link", line.link.name]])];
  }
  if (task) {
    return [element("strong", {}, model.titleOf(task)), twoColumns([["from", momentText(model.start[task])],
      ["took", timeText(model.ns[task])], ...partRows(model, task), ["footprint", footprintText(model, task)],
      ...(model.isCritical(task) ? [["critical path", "yes"]] : [])])];
  }
  const part = strip.part ? strip.part[index] : kIdle;
  const name = line.kind === "worker" ? kPartNames[part & kPartBits] + (part & kAsleep ? ", asleep" : "")
    : strip.outside && strip.outside[index] ? "outside of tasks" : "nothing";
  const about = strip.items[index];
  return [element("strong", {}, name), twoColumns([["from", momentText(from)], ["for", timeText(ns)],
    ...(about ? [["of task", model.titleOf(about)]] : [])])];
}

// The panel beside the timeline.
class Details {
  constructor(model, timeline) {
    this.model = model;
    this.timeline = timeline;
    this.panel = byId("details");
    timeline.whenSelected.push((task) => this.show(task));
    this.show(0);
  }

  show(task) {
    if (!task && this.timeline.steal >= 0) return this.showSteal(this.timeline.steal);
    if (!task) {
      this.panel.replaceChildren(element("h3", {}, "No task selected"),
        element("p", { class: "none" }, "Click a task, or press n with the timeline in focus."));
      return;
    }
    const { model } = this;
    const row = model.workers[model.rowOf(task)];
    const facts = [["started", momentText(model.start[task])], ["took", timeText(model.ns[task])], ...partRows(model, task),
      ["on", row.name + (row.domain >= 0 ? ", domain " + row.domain : "")], ["footprint", footprintText(model, task)]];
    this.panel.replaceChildren(
      element("h3", {}, model.titleOf(task)),
      element("span", { class: model.isCritical(task) ? "badge" : "badge off" }, model.isCritical(task) ? "on the critical path" : "not critical"),
      ...(model.isCancelled(task) ? [" ", element("span", { class: "badge" }, "cancelled")] : []),
      this.list(facts),
      ...this.phases(task),
      ...(model.parent[task] ? [element("h4", {}, "Spawned by"), this.tasks([model.parent[task]])] : []),
      ...this.neighbours("Comes after", model.before(task)),
      ...this.neighbours("Then come", model.after(task)));
    byId("status").textContent = model.titleOf(task) + " on " + row.name + ", from " + momentText(model.start[task]) +
      ", took " + timeText(model.ns[task]) + (model.isCritical(task) ? ", on the critical path" : "");
  }

  showSteal(steal) {
    const { model } = this, { steals } = model;
    const row = model.rowOfTrack.get(steals.track[steal]);
    const next = model.neighbour(row, steals.at[steal], 1, 0);
    this.panel.replaceChildren(element("h3", {}, "Steal"),
      this.list([["by", model.workers[row].name], ["at", momentText(steals.at[steal])], ["tasks", countText(steals.tasks[steal])],
        ["from", "worker " + steals.victim[steal] + ", " + distanceText(steals.distance[steal])]]),
      ...(next ? [element("h4", {}, "Then it ran"), this.tasks([next])] : []));
  }

  list(rows) {
    return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  // From its spawn to its start.
  phases(task) {
    const phases = this.model.phases(task);
    if (!phases.length) return [];
    const whole = d3.sum(phases, (phase) => phase.ns);
    const colour = { "waited for": "scheduling", queued: "wait-work", [kWaits[0]]: "wait-data", [kWaits[1]]: "wait-data",
      [kWaits[2]]: "wait-others", [kWaits[3]]: "wait-others", [kWaits[4]]: "wait-ranks" };
    const bar = element("div", { class: "phases", "aria-hidden": "true" }, ...phases.map((phase) =>
      element("i", { style: "width:" + 100 * phase.ns / whole + "%;background:var(--" + colour[phase.what] + ")" })));
    return [element("h4", {}, timeText(whole) + " from its spawn to its start"), bar, this.list(phases.map((phase) =>
      [phase.task ? element("span", {}, phase.what + " ", this.button(phase.task))
        : phase.holder && phase.what === kWaits[4] ? phase.what + ", for what " + phase.holder + " made"
        : phase.holder ? phase.what + " that " + phase.holder + " had" : phase.what, timeText(phase.ns)]))];
  }

  button(task) {
    return element("button", { type: "button", class: "link", onclick: () => this.timeline.select(task, { reveal: true }) },
      this.model.titleOf(task));
  }

  tasks(tasks) {
    return element("ul", {}, ...tasks.map((task) => element("li", {}, this.button(task))));
  }

  neighbours(title, tasks) {
    if (!tasks.length) return [];
    const left = tasks.length - kMostListed;
    return [element("h4", {}, title + " " + plural(tasks.length, "task")), this.tasks(tasks.slice(0, kMostListed)),
      ...(left > 0 ? [element("p", { class: "none" }, "and " + countText(left) + " more")] : [])];
  }
}
