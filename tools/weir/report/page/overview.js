// SPDX-License-Identifier: Apache-2.0

// ---- overview.js: the whole run above the timeline: how many workers ran tasks, and which part is seen ----

class Overview {
  constructor(model, timeline) {
    this.model = model;
    this.timeline = timeline;
    this.svg = d3.select("#overview").append("svg");
    this.area = this.svg.append("path");
    this.brush = d3.brushX().on("brush", (first) => this.brushed(d3.event || first));
    this.holder = this.svg.append("g");
    timeline.whenView.push(() => this.showView());
    theme.listeners.push(() => this.colour());
    new ResizeObserver(() => this.resize()).observe(byId("overview"));
    this.resize();
  }

  resize() {
    const { timeline, model } = this, height = 44;
    const left = timeline.gutter + 1;
    this.range = [left, left + timeline.inner];
    this.scale = d3.scaleLinear([0, model.wall], this.range);
    const shares = this.shares(Math.max(10, Math.floor((this.range[1] - this.range[0]) / 2)));
    const x = (i) => this.range[0] + i * (this.range[1] - this.range[0]) / (shares.length - 1);
    this.area.attr("d", d3.area().x((_, i) => x(i)).y0(height - 2).y1((share) => height - 2 - share * (height - 6))(shares));
    this.brush.extent([[this.range[0], 1], [this.range[1], height - 1]]);
    this.holder.call(this.brush);
    this.holder.selectAll(".handle").attr("opacity", 0);
    this.colour();
    this.showView();
  }

  // Of the workers' time in each bin, that in which they ran tasks.
  shares(bins) {
    const { workers, wall } = this.model;
    const shares = new Float64Array(bins), sums = new Float64Array(kCategories);
    for (const { strip } of workers) {
      let before = 0;
      for (let bin = 0; bin < bins; bin++) {
        const time = wall * (bin + 1) / bins;
        sums.fill(0);
        strip.addBefore(time, strip.at(time), sums, 1);
        let running = 0;
        for (let c = kFirstName; c < kCategories; c++) running += sums[c];
        shares[bin] += (running - before) / (wall / bins) / workers.length;
        before = running;
      }
    }
    return shares.map((share) => Math.max(0, Math.min(1, share)));
  }

  colour() {
    this.area.attr("fill", theme.css("running")).attr("fill-opacity", 0.75);
    this.svg.style("background", theme.css("track")).style("border-radius", "6px");
    this.holder.select(".selection").attr("fill", theme.css("accent")).attr("fill-opacity", 0.18).attr("stroke", theme.css("accent"));
  }

  showView() {
    const { start, end } = this.timeline.view;
    this.moving = true;
    const from = this.scale(start);
    this.holder.call(this.brush.move, [from, Math.max(this.scale(end), from + 1)]);
    this.moving = false;
  }

  brushed(event) {
    if (this.moving || !event.selection || !event.sourceEvent) return;
    const [from, to] = event.selection.map((x) => this.scale.invert(x));
    this.timeline.showView(from, to);
  }
}
