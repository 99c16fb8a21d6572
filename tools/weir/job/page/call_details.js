// SPDX-License-Identifier: Apache-2.0

// ---- call_details.js: what is said of a call, when it is pointed at and when it is selected ----

const kMostListed = 7;

function callRows(model, call) {
  return [["from", momentText(model.start[call])], ["took", timeText(model.ns[call])],
    ...(model.peer[call] ? [["memory of", "PE " + (model.peer[call] - 1)]] : []),
    ...(model.bytes[call] ? [["bytes", countText(model.bytes[call])]] : []),
    ...model.before(call).map((by) => ["waited for", model.titleOf(by) + " of " + model.rowName(by)])];
}

// Of what the pointer is on, in the timeline.
function hoverText(model, { line, index, task }) {
  if (task) return [element("strong", {}, model.titleOf(task) + " of " + line.label), twoColumns(callRows(model, task))];
  const { starts } = line.strip;
  return [element("strong", {}, kComputing), twoColumns([["from", momentText(starts[index])],
    ["for", timeText(starts[index + 1] - starts[index])]])];
}

// The panel beside the timeline.
class CallDetails {
  constructor(model, timeline) {
    this.model = model;
    this.timeline = timeline;
    this.panel = byId("details");
    timeline.whenSelected.push((call) => this.show(call));
    this.show(0);
  }

  show(call) {
    if (!call) {
      this.panel.replaceChildren(element("h3", {}, "No call selected"),
        element("p", { class: "none" }, "Click a call, or press n with the timeline in focus. An arrow goes from the put that " +
          "ended a wait to its end, and from who came last to a collective to the others."));
      return;
    }
    const { model } = this;
    const rows = callRows(model, call).filter(([name]) => name !== "waited for");
    this.panel.replaceChildren(element("h3", {}, model.titleOf(call)),
      element("dl", {}, ...[["on", model.rowName(call)], ...rows].flatMap(([name, value]) =>
        [element("dt", {}, name), element("dd", {}, value)])),
      ...this.others("Waited for", model.before(call)), ...this.others("Was waited for by", model.after(call)));
    byId("status").textContent = model.titleOf(call) + " on " + model.rowName(call) + ", from " + momentText(model.start[call]) +
      ", took " + timeText(model.ns[call]);
  }

  others(title, calls) {
    if (!calls.length) return [];
    const button = (call) => element("button", { type: "button", class: "link",
      onclick: () => this.timeline.select(call, { reveal: true }) }, model.titleOf(call) + " of " + model.rowName(call));
    const { model } = this, left = calls.length - kMostListed;
    return [element("h4", {}, title), element("ul", {}, ...calls.slice(0, kMostListed).map((call) => element("li", {}, button(call)))),
      ...(left > 0 ? [element("p", { class: "none" }, "and " + countText(left) + " more")] : [])];
  }
}
