// SPDX-License-Identifier: Apache-2.0

// ---- model.js: what the columns mean ----
//
// A strip is what one line of the timeline shows: pieces that follow each other without gaps. Every kPieces pieces it
// knows how much of each category lies before, so that what a pixel holds is found without going through its pieces.

const kPieces = 64;
const kWaits = ["waited for room", "waited for blocks", "waited for commutative data", "waited for a data block",
  "waited for another rank"];

const distanceText = (distance) => (distance === 0 ? "of its domain" : plural(distance, "domain") + " away");

class Strip {
  constructor(starts, items) {
    this.starts = starts;  // of piece i; the last one is the end of all
    this.items = items;    // a task, or a move, or 0
    this.category = new Uint8Array(items.length);
    this.before = new Float64Array((Math.floor(items.length / kPieces) + 1) * kCategories);
  }

  get length() { return this.items.length; }

  // The piece at this time.
  at(time) {
    let low = 0, high = this.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  categorise(categoryOf) {
    const { starts, category, before } = this;
    const sums = new Float64Array(kCategories);
    for (let i = 0; i < category.length; i++) {
      if (i % kPieces === 0) before.set(sums, i / kPieces * kCategories);
      const c = category[i] = categoryOf(i);
      sums[c] += starts[i + 1] - starts[i];
    }
    if (category.length % kPieces === 0) before.set(sums, category.length / kPieces * kCategories);
  }

  // Adds to `sums`, times `sign`, what of each category lies before `time`, which is in piece i.
  addBefore(time, i, sums, sign) {
    const block = Math.floor(i / kPieces);
    for (let c = 0; c < kCategories; c++) sums[c] += sign * this.before[block * kCategories + c];
    for (let j = block * kPieces; j < i; j++) sums[this.category[j]] += sign * (this.starts[j + 1] - this.starts[j]);
    sums[this.category[i]] += sign * (time - this.starts[i]);
  }
}

class Model {
  constructor(data) {
    const { about } = data;
    this.about = about;
    this.report = about.report;
    this.wall = about.report.wall_ns;
    this.taskCount = about.tasks;
    this.number = data.column("task.number", Uint32Array);
    this.start = data.column("task.start");
    this.ns = data.column("task.ns");
    this.name = data.column("task.name");
    this.track = data.column("task.track");
    this.parent = data.column("task.parent");
    this.bytes = data.column("task.bytes");
    this.items = data.column("task.items");
    this.age = data.column("task.age");
    this.flags = data.column("task.flags");
    this.blockName = data.column("block.name");
    this.blockBytes = data.column("block.bytes");
    const lateEnds = data.column("late.end");
    this.lateEnds = new Map(Array.from(data.column("late.task"), (task, i) => [task, lateEnds[i]]));
    this.waits = {
      task: data.column("wait.task"), start: data.column("wait.start"), ns: data.column("wait.ns"),
      what: data.column("wait.what"), holder: data.column("wait.holder"),
    };
    this.steals = {
      at: data.column("steal.at"), track: data.column("steal.track"), victim: data.column("steal.victim"),
      tasks: data.column("steal.tasks"), distance: data.column("steal.distance"),
    };
    this.path = { task: data.column("path.task", Uint32Array), ns: data.column("path.ns") };
    this.colourNames();
    this.readEdges(data);
    this.readWorkers(data);
    this.readPath();
    this.readMoves(data);
    this.readTiers(data);
    this.highlight(null);
  }

  // The names that cost most have a colour of their own.
  colourNames() {
    const index = new Map(this.about.names.map((name, i) => [name, i]));
    this.slotOfName = new Uint8Array(this.about.names.length).fill(kOtherName);
    this.report.names.slice(0, kTaskColours.length).forEach((cost, i) => {
      this.slotOfName[index.get(cost.name)] = kFirstName + i;
    });
  }

  readEdges(data) {
    const counts = data.column("edge.count"), distances = data.column("edge.distance");
    this.firstEdge = new Uint32Array(counts.length + 1);
    for (let i = 0; i < counts.length; i++) this.firstEdge[i + 1] = this.firstEdge[i] + counts[i];
    this.distances = distances;
  }

  readWorkers(data) {
    const ns = data.column("piece.ns"), part = data.column("piece.part"), task = data.column("piece.task", Uint32Array);
    let first = 0;
    this.rowOfTrack = new Map();
    this.workers = this.about.rows.map((row, index) => {
      const count = row.pieces;
      const starts = new Float64Array(count + 1);
      for (let i = 0; i < count; i++) starts[i + 1] = starts[i] + ns[first + i];
      const strip = new Strip(starts, task.subarray(first, first + count));
      strip.part = part.subarray(first, first + count);
      first += count;
      this.rowOfTrack.set(row.track, index);
      return { name: row.name, domain: row.domain, strip };
    });
  }

  // A strip of intervals [start, end) that do not overlap, in order; item 0 between them, and where one is outside of
  // tasks.
  static stripOf(intervals, wall) {
    const starts = [0], items = [], outside = [];
    for (const { start, end, item, outside: isOutside } of intervals) {
      const last = starts[starts.length - 1];
      const from = Math.max(start, last);
      if (end <= from) continue;
      if (from > last) { starts.push(from); items.push(0); outside.push(0); }
      starts.push(end);
      items.push(item);
      outside.push(isOutside ? 1 : 0);
    }
    const last = starts[starts.length - 1];
    if (wall > last || items.length === 0) { starts.push(Math.max(wall, last)); items.push(0); outside.push(0); }
    const strip = new Strip(Float64Array.from(starts), Uint32Array.from(items));
    strip.outside = Uint8Array.from(outside);
    return strip;
  }

  readPath() {
    const { task: steps, ns } = this.path;
    this.pathTasks = Array.from(new Set(steps)).filter((task) => task !== 0).sort((a, b) => a - b);
    const intervals = [];
    let end = 0;
    steps.forEach((task, i) => {  // code outside of tasks follows what came before it
      const start = task ? this.start[task] : end;
      end = task ? this.endOf(task) : Math.min(end + ns[i], this.wall);
      intervals.push({ start, end, item: task, outside: task === 0 });
    });
    this.pathStrip = Model.stripOf(intervals, this.wall);
  }

  readMoves(data) {
    const move = this.moves = {
      start: data.column("move.start"), ns: data.column("move.ns"), block: data.column("move.block"),
      bytes: data.column("move.bytes"), link: data.column("move.link"), lane: data.column("move.lane"),
    };
    this.links = this.about.links.map((name, index) => ({ name, index, lanes: [], rate: null }));
    const lanes = this.links.map(() => []);
    for (let i = 0; i < move.start.length; i++) {
      const of_link = lanes[move.link[i]];
      (of_link[move.lane[i]] ??= []).push({ start: move.start[i], end: move.start[i] + move.ns[i], item: i + 1 });
    }
    for (const link of this.links) {
      link.lanes = lanes[link.index].map((moves) => Model.stripOf(moves, this.wall));
      for (const strip of link.lanes) strip.categorise((i) => (strip.items[i] === 0 ? kIdle : kMoving));
      link.rate = this.bytesOverTime(link.index);
    }
  }

  // The bytes that a link has moved until each moment at which its rate changes: between them they grow evenly.
  bytesOverTime(link) {
    const { moves } = this;
    const changes = [];
    for (let i = 0; i < moves.start.length; i++) {
      if (moves.link[i] !== link) continue;
      const ns = Math.max(moves.ns[i], 1);
      changes.push([moves.start[i], moves.bytes[i] / ns], [moves.start[i] + ns, -moves.bytes[i] / ns]);
    }
    changes.sort((a, b) => a[0] - b[0]);
    const at = new Float64Array(changes.length), bytes = new Float64Array(changes.length);
    let rate = 0;
    changes.forEach(([time, change], i) => {
      at[i] = time;
      bytes[i] = i === 0 ? 0 : bytes[i - 1] + rate * (time - at[i - 1]);
      rate += change;
    });
    return { at, bytes };
  }

  readTiers(data) {
    const at = data.column("resident.at"), bytes = data.column("resident.bytes");
    let first = 0;
    this.tiers = this.about.tiers.map((tier) => {
      const range = [first, first += tier.changes];
      return { name: tier.name, budget: tier.budget_bytes, at: at.subarray(...range), bytes: bytes.subarray(...range) };
    }).filter((tier) => tier.at.length !== 0);
  }

  // `names`: a Set of indices of names that stand out, or null.
  highlight(names) {
    const colour = this.slotOfName.slice();
    if (names) for (let i = 0; i < colour.length; i++) colour[i] = names.has(i) ? kOtherName : kDimmed;
    const { name } = this;
    const ofTask = (task) => colour[name[task]];
    for (const { strip } of this.workers) {
      const { part, items } = strip;
      strip.categorise((i) => ((part[i] & kPartBits) === kRunning && items[i] !== 0 ? ofTask(items[i]) : part[i] & kPartBits));
    }
    const { items, outside } = this.pathStrip;
    this.pathStrip.categorise((i) => (items[i] !== 0 ? ofTask(items[i]) : outside[i] ? kProgram : kIdle));
  }

  // What an item of the timeline is called.
  get noun() { return "task"; }
  // From where to where an arrow between the boxes of two items goes.
  arrow(from, to) { return [from.right, to.x]; }

  nameOf(task) { return this.about.names[this.name[task]]; }
  titleOf(task) { return this.nameOf(task) + " #" + this.number[task]; }
  rowOf(task) { return this.rowOfTrack.get(this.track[task]); }
  endOf(task) { return this.start[task] + this.ns[task]; }
  isCritical(task) { return (this.flags[task] & 4) !== 0; }
  isCancelled(task) { return (this.flags[task] & 2) !== 0; }

  // The tasks that this one comes after.
  before(task) {
    const result = [];
    for (let e = this.firstEdge[task]; e < this.firstEdge[task + 1]; e++) result.push(task - this.distances[e]);
    return result;
  }

  // The tasks that come after this one. The first call turns all edges around.
  after(task) {
    if (!this.later) this.turnEdges();
    return Array.from(this.later.subarray(this.firstLater[task], this.firstLater[task + 1]));
  }

  turnEdges() {
    const { firstEdge, distances } = this, tasks = this.taskCount + 1;
    const first = new Uint32Array(tasks + 1);
    for (let t = 0; t < tasks; t++) for (let e = firstEdge[t]; e < firstEdge[t + 1]; e++) first[t - distances[e] + 1]++;
    for (let t = 0; t < tasks; t++) first[t + 1] += first[t];
    const next = first.slice(), later = new Uint32Array(distances.length);
    for (let t = 0; t < tasks; t++) for (let e = firstEdge[t]; e < firstEdge[t + 1]; e++) later[next[t - distances[e]]++] = t;
    this.firstLater = first;
    this.later = later;
  }

  // How the time from a task's start to its end was spent, ns.
  parts(task) {
    const row = this.workers[this.rowOf(task)];
    const parts = { own: 0, others: 0, spawning: 0, scheduling: 0, moving: 0, nothing: 0 };
    if (!row) return parts;
    const { strip } = row, end = this.endOf(task);
    for (let i = strip.at(this.start[task]); i < strip.length && strip.starts[i] < end; i++) {
      const ns = Math.min(strip.starts[i + 1], end) - Math.max(strip.starts[i], this.start[task]);
      const part = strip.part[i] & kPartBits;
      if (part === kRunning) parts[strip.items[i] === task ? "own" : "others"] += ns;
      else if (part === kAnalysing) parts.spawning += ns;
      else if (part === kMoving) parts.moving += ns;
      else if (part >= kWaitData) parts.nothing += ns;
      else parts.scheduling += ns;
    }
    return parts;
  }

  // With what it had begun elsewhere.
  endedAt(task) { return Math.max(this.endOf(task), this.lateEnds.get(task) ?? 0); }

  // What a task went through before it started, in order: {what, ns, task?, holder?}. Empty when its spawn is not known.
  phases(task) {
    if (this.age[task] === 0) return [];
    const spawned = this.start[task] - (this.age[task] - 1);
    const phases = [];
    let now = spawned;
    const until = (what, time, extra) => {
      const to = Math.min(time, this.start[task]);
      if (to > now) { phases.push({ what, ns: to - now, ...extra }); now = to; }
    };
    const last = this.before(task).reduce((a, b) => (a === 0 || this.endedAt(b) > this.endedAt(a) ? b : a), 0);
    if (last) until("waited for", this.endedAt(last), { task: last });
    for (const wait of this.waitsOf(task)) {
      until("queued", wait.start);
      until(kWaits[wait.what], wait.start + wait.ns, wait.holder ? { holder: this.about.names[wait.holder - 1] } : {});
    }
    until("queued", this.start[task]);
    return phases;
  }

  waitsOf(task) {
    const { waits } = this, found = [];
    for (let i = waits.task.indexOf(task); i >= 0; i = waits.task.indexOf(task, i + 1)) {
      found.push({ start: waits.start[i], ns: waits.ns[i], what: waits.what[i], holder: waits.holder[i] });
    }
    return found.sort((a, b) => a.start - b.start);
  }

  // The first task on this worker whose start is after (direction 1) or before (-1) a time; 0: none.
  neighbour(row, time, direction, not) {
    const { strip } = this.workers[row];
    for (let i = strip.at(time); i >= 0 && i < strip.length; i += direction) {
      const task = strip.items[i];
      if ((strip.part[i] & kPartBits) !== kRunning || task === 0 || task === not) continue;
      if (direction > 0 ? this.start[task] >= time : this.start[task] <= time) return task;
    }
    return 0;
  }

  // The task that ran on this worker at a time, or the nearest one.
  nearest(row, time) {
    const next = this.neighbour(row, time, 1, 0), last = this.neighbour(row, time, -1, 0);
    if (!next || !last) return next || last;
    return this.start[next] - time < time - this.start[last] ? next : last;
  }

  // Indices of the steals that this row's worker made, in the order of time.
  stealsOf(row) {
    if (!this.stealsByRow) {
      this.stealsByRow = this.workers.map(() => []);
      this.steals.track.forEach((track, i) => {
        const of_row = this.stealsByRow[this.rowOfTrack.get(track)];
        if (of_row) of_row.push(i);
      });
    }
    return this.stealsByRow[row];
  }

  // The first of them at `time` or later, as an index into stealsOf(row).
  stealAt(row, time) { return d3.bisector((i) => this.steals.at[i]).left(this.stealsOf(row), time); }

  stealText(steal) {
    const { steals } = this;
    return plural(steals.tasks[steal], "task") + " taken from worker " + steals.victim[steal] + ", " +
      distanceText(steals.distance[steal]);
  }

  indexOfNumber(number) {
    const index = this.number.indexOf(number, 1);
    return index < 0 ? 0 : index;
  }
}
