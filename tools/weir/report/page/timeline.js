// SPDX-License-Identifier: Apache-2.0

// ---- timeline.js: the timeline, drawn on a canvas; what is seen, hovered and selected ----

const kWorkerHeight = 24, kFewWorkersHeight = 36, kPathHeight = 16, kLaneHeight = 9, kGap = 3;  // CSS pixels
const kMostLanes = 8, kMostEdges = 300;

class Timeline {
  constructor(model) {
    this.model = model;
    this.canvas = byId("timeline");
    this.context = this.canvas.getContext("2d");
    this.scroller = byId("scroller");
    this.raster = new Raster();
    this.view = { start: 0, end: model.wall };
    this.selected = 0;
    this.hovered = null;
    this.steal = -1;            // that is pointed out
    this.searching = false;
    this.frames = [];           // what each of the last draws took, ms
    this.whenView = [];         // called after the view has changed
    this.whenSelected = [];
    this.layOut();
    this.setUpZoom();
    this.setUpPointer();
    this.scroller.addEventListener("scroll", () => this.schedule());
    new ResizeObserver(() => this.resize()).observe(byId("axis").parentElement);
    theme.listeners.push(() => { this.readColours(); this.schedule(); });
    this.readColours();
    this.resize();
  }

  // ---- Lines ----

  layOut() {
    this.lines = [];
    let y = kGap;
    const add = (line, height) => { this.lines.push({ ...line, y, height }); y += height + kGap; };
    if (this.model.pathTasks.length) add({ label: "critical path", strip: this.model.pathStrip, kind: "path" }, kPathHeight);
    const height = this.model.workers.length > 8 ? kWorkerHeight : kFewWorkersHeight;
    this.model.workers.forEach((worker, row) =>
      add({ label: worker.name, strip: worker.strip, kind: "worker", row }, height));
    for (const link of this.model.links) {
      link.lanes.slice(0, kMostLanes).forEach((strip, lane) => {
        add({ label: lane === 0 ? link.name.replace(" to ", " → ") : "", strip, kind: "move", link }, lane === 0 ? kLaneHeight + 5 : kLaneHeight);
      });
    }
    this.contentHeight = y;
  }

  lineOfRow(row) { return this.lines.find((line) => line.kind === "worker" && line.row === row); }

  readColours() {
    this.palette = theme.palette(this.searching);
    this.pixels = Uint32Array.from(this.palette, pixelOf);
    this.names = this.palette.map((rgb) => (isLight(rgb) ? "#14181d" : "#ffffff"));
    this.colours = { card: theme.css("card"), text: theme.css("text"), faint: theme.css("faint"), line: theme.css("line"),
      accent: theme.css("accent"), mark: theme.css("mark"), data: theme.css("wait-data") };
  }

  highlight(names) {
    this.searching = names !== null;
    this.model.highlight(names);
    this.readColours();
    this.schedule();
  }

  resize() {
    const box = byId("axis").parentElement.clientWidth, sizes = [box, innerHeight, devicePixelRatio].join();
    if (sizes === this.sizes) return;
    this.sizes = sizes;
    this.gutter = box < 560 ? 74 : 132;
    this.width = Math.max(box - 2, 120);
    this.inner = Math.max(this.width - this.gutter - 8, 40);
    const limit = Math.min(0.62 * innerHeight, 640);
    this.height = Math.max(60, Math.min(this.contentHeight, limit));
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    byId("rows").style.height = this.contentHeight + "px";
    this.image = null;
    const extent = [[0, 0], [this.inner, 1]];
    this.zoom.extent(extent).translateExtent(extent).scaleExtent([1, Math.max(1, this.model.wall / 50)]);
    this.showView(this.view.start, this.view.end);
    // At once: a canvas is empty when its size has changed, and would be seen so for a frame.
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw();
  }

  // ---- What is seen ----

  setUpZoom() {
    // Only Ctrl and the wheel zoom: the wheel alone scrolls the page.
    this.zoom = d3.zoom()
      .filter(function (first) {
        const event = d3.event || first;
        return event.type === "wheel" ? event.ctrlKey || event.metaKey : !event.button;
      })
      .on("zoom", (first) => this.zoomed((d3.event || first).transform));
    d3.select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("wheel", (event) => {
      if (event.ctrlKey || event.metaKey || Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      this.pan(event.deltaX / this.inner);
    }, { passive: false });
  }

  zoomed(transform) {
    const { wall } = this.model;
    const span = wall / transform.k;
    const start = Math.max(0, Math.min(wall - span, -transform.x / (this.inner * transform.k) * wall));
    this.view = { start, end: start + span };
    this.schedule();
    for (const listener of this.whenView) listener(this.view);
  }

  // `calmly`: with a short movement, where people have nothing against it.
  showView(start, end, calmly = false) {
    const { wall } = this.model;
    const span = Math.min(wall, Math.max(end - start, Math.min(wall, 50)));
    const from = Math.max(0, Math.min(wall - span, start));
    const k = wall / span;
    const transform = d3.zoomIdentity.translate(-from / wall * this.inner * k, 0).scale(k);
    const canvas = d3.select(this.canvas);
    if (calmly && !moveCalmly()) canvas.transition().duration(220).call(this.zoom.transform, transform);
    else canvas.interrupt().call(this.zoom.transform, transform);
  }

  // By shares of what is seen.
  pan(share) {
    const span = this.view.end - this.view.start;
    this.showView(this.view.start + share * span, this.view.end + share * span);
  }

  // Around the selected task when it is seen, else around the middle.
  magnify(factor) {
    const { start, end } = this.view;
    const task = this.selected;
    const middle = task ? this.model.start[task] + this.model.ns[task] / 2 : -1;
    const at = middle > start && middle < end ? middle : (start + end) / 2;
    this.showView(at - (at - start) / factor, at + (end - at) / factor);
  }

  fit() { this.showView(0, this.model.wall, true); }

  xOf(time) { return this.gutter + (time - this.view.start) / (this.view.end - this.view.start) * this.inner; }

  // ---- Drawing ----

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const begun = performance.now();
      this.draw();
      this.frames.push(performance.now() - begun);
      if (this.frames.length > 1000) this.frames.shift();
    });
  }

  draw() {
    const { context, ratio } = this;
    const left = Math.round(this.gutter * ratio), width = Math.round(this.inner * ratio), height = this.canvas.height;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.buffer = new Uint32Array(this.image.data.buffer);
    }
    const back = pixelOf(d3.rgb(this.colours.card));
    this.buffer.fill(back);
    this.top = this.scroller.scrollTop;
    const perPixel = (this.view.end - this.view.start) / width;
    const texts = [];
    for (const line of this.seenLines()) {
      const top = Math.max(0, Math.round((line.y - this.top) * ratio));
      const bottom = Math.min(height, Math.round((line.y + line.height - this.top) * ratio));
      if (bottom <= top) continue;
      this.raster.draw(line.strip, this.view.start, perPixel, this.buffer, width, top, bottom - top, this.pixels, 46 * ratio);
      if (line.kind !== "move" && line.height >= 16) {
        for (const wide of this.raster.wide) texts.push({ ...wide, line });
      }
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.card;
    context.fillRect(0, 0, this.canvas.width, height);
    context.putImageData(this.image, left, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.writeNames(texts);
    this.clipped(() => { this.drawSteals(); this.drawSelection(); });
    this.writeLabels();
    this.drawAxis();
  }

  seenLines() {
    return this.lines.filter((line) => line.y + line.height >= this.top && line.y <= this.top + this.height);
  }

  clipped(drawing) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(this.gutter, 0, this.inner, this.height);
    context.clip();
    drawing();
    context.restore();
  }

  writeNames(texts) {
    const { context, ratio, model } = this;
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    for (const { item, index, from, to, line } of texts) {
      const category = line.strip.category[index];
      if (category < kFirstName) continue;
      const room = (to - from) / ratio - 8;
      const text = shorten(context, model.nameOf(item), room);
      if (!text) continue;
      context.fillStyle = this.names[category];
      context.fillText(text, this.gutter + from / ratio + 5, line.y - this.top + line.height / 2 + 0.5);
    }
  }

  writeLabels() {
    const { context } = this;
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    const selectedRow = this.selected ? this.model.rowOf(this.selected) : -1;
    for (const line of this.seenLines()) {
      if (!line.label) continue;
      context.fillStyle = line.kind === "worker" && line.row === selectedRow ? this.colours.text : this.colours.faint;
      context.fillText(shorten(context, line.label, this.gutter - 12), 6, line.y - this.top + line.height / 2 + 0.5);
    }
  }

  // The box of a task on its line; at least 2 pixels wide.
  boxOf(task) {
    const line = this.lineOfRow(this.model.rowOf(task));
    if (!line) return null;
    const x = this.xOf(this.model.start[task]);
    const right = this.xOf(this.model.endOf(task));
    return { x, width: Math.max(right - x, 2), y: line.y - this.top, height: line.height, right: Math.max(right, x + 2) };
  }

  // A mark above the row of who took tasks: at most one in 4 pixels.
  drawSteals() {
    const { model, context, view } = this;
    const apart = 4 * (view.end - view.start) / this.inner;
    for (const line of this.seenLines()) {
      if (line.kind !== "worker") continue;
      const steals = model.stealsOf(line.row);
      for (let i = model.stealAt(line.row, view.start); i < steals.length;) {
        const at = model.steals.at[steals[i]];
        if (at > view.end) break;
        this.drawSteal(line, steals[i], 3);
        i = model.stealAt(line.row, at + Math.max(apart, 1));
      }
    }
    if (this.steal < 0) return;
    const line = this.lineOfRow(model.rowOfTrack.get(model.steals.track[this.steal]));
    if (!line) return;
    this.drawSteal(line, this.steal, 6);
    this.outline({ x: this.xOf(model.steals.at[this.steal]) - 1, width: 2, y: line.y - this.top, height: line.height }, this.colours.accent, 1);
    context.lineWidth = 1;
  }

  drawSteal(line, steal, size) {
    const { context, model } = this;
    const x = this.xOf(model.steals.at[steal]), y = line.y - this.top - kGap;
    context.fillStyle = size > 3 ? this.colours.accent : model.steals.distance[steal] > 0 ? this.colours.mark : this.colours.faint;
    context.beginPath();
    context.moveTo(x, y + size + 2);
    context.lineTo(x - size, y);
    context.lineTo(x + size, y);
    context.fill();
  }

  // The mark there, -1 when there is none.
  stealUnder(line, x, y) {
    if (line.kind !== "worker" || y > line.y + 5) return -1;
    const { model } = this, steals = model.stealsOf(line.row);
    const timeOf = (px) => this.view.start + (px - this.gutter) / this.inner * (this.view.end - this.view.start);
    const first = steals[model.stealAt(line.row, timeOf(x - 4))];
    return first !== undefined && model.steals.at[first] <= timeOf(x + 4) ? first : -1;
  }

  // Goes to the next one, of any worker.
  selectSteal(direction) {
    const { at } = this.model.steals, { start, end } = this.view;
    if (!at.length) return this.say("No tasks were taken from other workers");
    let next = this.steal + direction;
    if (this.steal < 0) next = direction > 0 ? d3.bisectLeft(at, start) : d3.bisectRight(at, end) - 1;
    this.steal = Math.max(0, Math.min(at.length - 1, next));
    this.select(0, { keepSteal: true });
    const time = at[this.steal];
    if (time < start || time > end) this.showView(time - (end - start) / 2, time + (end - start) / 2, true);
    const line = this.lineOfRow(this.model.rowOfTrack.get(this.model.steals.track[this.steal]));
    if (line) this.scrollTo(line);
    this.say((line ? line.label + ": " : "") + this.model.stealText(this.steal) + ", at " + momentText(time));
  }

  say(text) { byId("status").textContent = text; }

  drawSelection() {
    const { context } = this;
    if (this.hovered && this.hovered.box) this.outline(this.hovered.box, this.colours.text, 1);
    if (!this.selected) return;
    const box = this.boxOf(this.selected);
    if (!box) return;
    this.drawEdges(box);
    this.outline(box, this.colours.card, 5);
    this.outline(box, this.colours.accent, 2.5);
    context.fillStyle = this.colours.accent;  // to be found when it is a pixel wide
    context.beginPath();
    const middle = box.x + box.width / 2;
    context.moveTo(middle, box.y + 1);
    context.lineTo(middle - 5, box.y - 6);
    context.lineTo(middle + 5, box.y - 6);
    context.fill();
  }

  outline({ x, y, width, height }, colour, thickness) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = thickness;
    context.strokeRect(x, y, width, height);
  }

  drawEdges(box) {
    const { model } = this;
    for (const task of model.before(this.selected).slice(0, kMostEdges)) {
      const from = this.boxOf(task);
      if (from) this.edge(from, box,
        model.isCritical(task) && model.isCritical(this.selected));
    }
    for (const task of model.after(this.selected).slice(0, kMostEdges)) {
      const to = this.boxOf(task);
      if (to) this.edge(box, to,
        model.isCritical(task) && model.isCritical(this.selected));
    }
  }

  edge(from, to, critical) {
    const { context } = this, [x1, x2] = this.model.arrow(from, to);
    const y1 = from.y + from.height / 2, y2 = to.y + to.height / 2;
    const bend = Math.min(60, Math.max(12, Math.abs(x2 - x1) / 2));
    for (const [colour, thickness] of [[this.colours.card, 4.5], [critical ? this.colours.mark : this.colours.text, 1.7]]) {
      context.strokeStyle = colour;
      context.lineWidth = thickness;
      context.beginPath();
      context.moveTo(x1, y1);
      context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 5, y2);
      context.stroke();
    }
    context.fillStyle = critical ? this.colours.mark : this.colours.text;
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 7, y2 - 4);
    context.lineTo(x2 - 7, y2 + 4);
    context.fill();
  }

  drawAxis() {
    const scale = d3.scaleLinear([this.view.start, this.view.end], [this.gutter, this.gutter + this.inner]);
    const ticks = scale.ticks(Math.max(2, Math.floor(this.inner / 110)));
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    d3.select("#axis").attr("viewBox", null).call(d3.axisTop(scale).tickValues(ticks).tickFormat(tickText(step)).tickSizeOuter(0))
      .attr("fill", null).selectAll(".tick, .domain").attr("transform", function () {
        const x = /translate\(([^,)]+)/.exec(this.getAttribute("transform") || "");
        return "translate(" + (x ? x[1] : 0) + ",23)";
      });
  }

  // ---- The pointer ----

  setUpPointer() {
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.pointAway());
    this.canvas.addEventListener("click", (event) => {
      const hit = this.hit(event);
      this.canvas.focus({ preventScroll: true });
      this.select(hit && hit.task ? hit.task : 0);
    });
    this.canvas.addEventListener("dblclick", () => this.zoomToSelected());
  }

  // What is drawn there: {line, index, task?, move?, box}.
  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top + this.top;
    const line = this.lines.find((one) => y >= one.y - 1 && y <= one.y + one.height + 1);
    if (!line || x < this.gutter || x > this.gutter + this.inner) return null;
    const time = this.view.start + (x - this.gutter) / this.inner * (this.view.end - this.view.start);
    const index = line.strip.at(time), item = line.strip.items[index];
    const found = { line, index, time };
    const steal = this.stealUnder(line, x, y);
    if (steal >= 0) return { ...found, steal };
    if (line.kind === "move") found.move = item;
    else if (line.kind === "path" || (line.strip.part[index] & kPartBits) === kRunning) found.task = item;
    const left = Math.max(this.xOf(line.strip.starts[index]), this.gutter);
    const right = Math.min(this.xOf(line.strip.starts[index + 1]), this.gutter + this.inner);
    if (item) found.box = { x: left, width: Math.max(right - left, 1), y: line.y - this.top, height: line.height };
    return found;
  }

  point(event) {
    if (event.buttons) return this.pointAway();
    this.hovered = this.hit(event);
    this.schedule();
    if (!this.hovered) return hideTooltip();
    showTooltip(event, hoverText(this.model, this.hovered));
  }

  pointAway() {
    hideTooltip();
    if (!this.hovered) return;
    this.hovered = null;
    this.schedule();
  }

  // ---- The selection ----

  select(task, { reveal = false, keepSteal = false } = {}) {
    this.selected = task;
    if (!keepSteal) this.steal = -1;
    if (task && reveal) this.reveal(task);
    this.schedule();
    for (const listener of this.whenSelected) listener(task);
  }

  // Moves the view so that the task is in it.
  reveal(task) {
    const { start, end } = this.view, { model } = this;
    const from = model.start[task], to = model.endOf(task);
    if (from < start || to > end) {
      const span = Math.max(end - start, Math.min(model.wall, (to - from) * 1.2));
      this.showView((from + to) / 2 - span / 2, (from + to) / 2 + span / 2, true);
    }
    const line = this.lineOfRow(model.rowOf(task));
    if (line) this.scrollTo(line);
  }

  scrollTo(line) {
    if (line.y < this.scroller.scrollTop) this.scroller.scrollTop = line.y - kGap;
    else if (line.y + line.height > this.scroller.scrollTop + this.height) {
      this.scroller.scrollTop = line.y + line.height - this.height + kGap;
    }
  }

  zoomToSelected() {
    const task = this.selected;
    if (!task) return;
    const span = Math.max(this.model.ns[task] * 4, 50);
    const middle = this.model.start[task] + this.model.ns[task] / 2;
    this.showView(middle - span / 2, middle + span / 2, true);
  }

  // The next task of the same worker, or the first one seen when none is selected.
  selectNeighbour(direction) {
    const { model } = this;
    if (!this.selected) return this.selectSeen();
    const row = model.rowOf(this.selected);
    const task = model.neighbour(row, model.start[this.selected], direction, this.selected);
    if (task) this.select(task, { reveal: true });
    else this.say((direction > 0 ? "No later " : "No earlier ") + model.noun + " on " + model.workers[row].name);
  }

  selectSeen() {
    for (let row = 0; row < this.model.workers.length; row++) {
      const task = this.model.neighbour(row, this.view.start, 1, 0);
      if (task && this.model.start[task] <= this.view.end) return this.select(task, { reveal: true });
    }
    this.say("No " + this.model.noun + " starts in what is shown");
  }

  // On another worker, at about the same time.
  selectRow(direction) {
    const { model } = this;
    if (!this.selected) return this.selectSeen();
    const time = model.start[this.selected];
    for (let row = model.rowOf(this.selected) + direction; row >= 0 && row < model.workers.length; row += direction) {
      const task = model.nearest(row, time);
      if (task) return this.select(task, { reveal: true });
    }
  }

  selectOnPath(direction) {
    const { pathTasks } = this.model;
    if (!pathTasks.length) return this.say("No task is on the critical path: it is the program's own code outside of tasks");
    const next = direction > 0 ? d3.bisectRight(pathTasks, this.selected) : d3.bisectLeft(pathTasks, this.selected) - 1;
    const index = (next + pathTasks.length) % pathTasks.length;
    this.select(pathTasks[index], { reveal: true });
  }
}

// The text, or its beginning and dots, or "" where not even that has room.
function shorten(context, text, room) {
  if (room < 14) return "";
  const width = context.measureText(text).width;
  if (width <= room) return text;
  const few = Math.floor(text.length * room / width) - 1;
  return few < 1 ? "" : text.slice(0, few) + "…";
}
