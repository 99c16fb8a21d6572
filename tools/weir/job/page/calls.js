// SPDX-License-Identifier: Apache-2.0

// ---- calls.js: the calls of PEs as what the timeline shows ----
//
// A call takes the place of a task, a thread of a PE that of a worker. In place of edges there is what ended a wait: the
// put of a wait_until, the call of who came last to a collective. That one may begin after the wait.

const kComputing = "computing";
kPartNames[kProgram] = kComputing;

class CallModel extends Model {
  constructor(data) {
    super(data);
    this.peer = data.column("call.peer");
    const calls = data.column("end.call", Uint32Array), by = data.column("end.by", Uint32Array);
    this.endedBy = new Map();
    this.ended = new Map();
    calls.forEach((call, i) => {
      this.endedBy.set(call, by[i]);
      const others = this.ended.get(by[i]);
      if (others) others.push(call); else this.ended.set(by[i], [call]);
    });
  }

  get noun() { return "call"; }
  arrow(from, to) { return [from.x, to.right]; }
  before(call) { return this.endedBy.has(call) ? [this.endedBy.get(call)] : []; }
  after(call) { return this.ended.get(call) || []; }
  rowName(call) { return this.workers[this.rowOf(call)].name; }
}
