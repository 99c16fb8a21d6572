// SPDX-License-Identifier: Apache-2.0

// ---- search.js: tasks by name or number ----

class Search {
  constructor(model, timeline) {
    this.model = model;
    this.timeline = timeline;
    this.input = byId("search-text");
    this.matches = null;  // a Set of names, or null
    byId("task-names").replaceChildren(...model.about.names.map((name) => element("option", { value: name })));
    byId("search").addEventListener("submit", (event) => { event.preventDefault(); this.next(1); });
    byId("search-back").addEventListener("click", () => this.next(-1));
    this.input.addEventListener("input", () => this.look());
  }

  // All tasks of a name.
  find(name) {
    this.input.value = name;
    this.look();
    this.next(1);
    byId("timeline-section").scrollIntoView({ block: "start" });
  }

  clear() {
    this.input.value = "";
    this.look();
  }

  look() {
    const text = this.input.value.trim().toLowerCase();
    const { names } = this.model.about;
    this.text = text;
    this.asNumber = /^#?\d+$/.test(text) ? this.model.indexOfNumber(Number(text.replace("#", ""))) : 0;
    if (!text) this.matches = null;
    else this.matches = new Set(names.keys());
    if (text) for (const i of this.matches) if (!names[i].toLowerCase().includes(text)) this.matches.delete(i);
    if (this.matches && this.matches.size === 0 && this.asNumber) this.matches = null;
    this.timeline.highlight(this.matches);
    byId("search-count").textContent = this.says();
  }

  says() {
    if (!this.text) return "";
    if (this.asNumber && !this.matches) return "1 " + this.model.noun;
    const { model, matches } = this;
    let count = 0;
    for (let task = 1; task <= model.taskCount; task++) if (matches.has(model.name[task])) count++;
    return count ? plural(count, model.noun) : "no such " + model.noun;
  }

  // In the order of their starts, from the selected one on, around the end.
  next(direction) {
    if (this.input.value.trim().toLowerCase() !== (this.text || "")) this.look();
    if (this.asNumber && !this.matches) return this.timeline.select(this.asNumber, { reveal: true });
    if (!this.matches || this.matches.size === 0) return;
    const { model, timeline } = this, count = model.taskCount;
    for (let step = 1, task = timeline.selected; step <= count; step++) {
      task += direction;
      if (task < 1) task = count; else if (task > count) task = 1;
      if (this.matches.has(model.name[task])) return timeline.select(task, { reveal: true });
    }
  }
}
