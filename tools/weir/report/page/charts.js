// SPDX-License-Identifier: Apache-2.0

// ---- charts.js: where the time went, what each tier held, bytes per second ----

const kParts = [
  ["running_ns", "running"], ["program_ns", "program"], ["analysing_ns", "analysing"], ["scheduling_ns", "scheduling"],
  ["moving_ns", "moving"], ["waiting_for_data_ns", "wait-data"],
  ["waiting_for_others_ns", "wait-others"], ["waiting_for_ranks_ns", "wait-ranks"], ["waiting_for_work_ns", "wait-work"], ["idle_ns", "idle"],
];

// Two to four powers of two, or multiples of one.
function sizeTicks(top) {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(top / 2)));
  return d3.range(step, top, step);
}

const chartGutter = (width) => (width < 560 ? 74 : 132);

// One bar for each worker, of the parts of its time.
function drawBars(model) {
  const holder = byId("bars"), width = holder.clientWidth;
  const { workers } = model.report, left = chartGutter(width), high = workers.length > 24 ? 12 : 22;
  const stack = d3.stack().keys(kParts.map(([key]) => key))(workers);
  const x = d3.scaleLinear([0, model.wall], [left, width - 12]);
  const y = d3.scaleBand(d3.range(workers.length), [0, workers.length * high]).paddingInner(0.22);
  d3.select(holder).selectAll("*").remove();
  const svg = d3.select(holder).append("svg").attr("height", workers.length * high + 26).attr("role", "img")
    .attr("aria-label", "Parts of each worker's time; the table below has the numbers");
  stack.forEach((series, part) => {
    svg.append("g").attr("fill", theme.css(kParts[part][1])).selectAll("rect").data(series).join("rect")
      .attr("x", (d) => x(d[0])).attr("width", (d) => Math.max(0, x(d[1]) - x(d[0])))
      .attr("y", (_, i) => y(i)).attr("height", y.bandwidth())
      .each(function (d, i) {
        const text = workers[i].worker + ": " + kPartNames[part] + " " + timeText(d[1] - d[0]) + ", " + percentText(d[1] - d[0], model.wall);
        d3.select(this).on("pointermove", (first) => showTooltip(d3.event instanceof Event ? d3.event : first, [element("span", {}, text)]))
          .on("pointerleave", hideTooltip);
      });
  });
  svg.append("g").selectAll("text").data(workers).join("text").attr("class", "name").attr("x", 0)
    .attr("y", (_, i) => y(i) + y.bandwidth() / 2).attr("dy", "0.35em").text((worker) => worker.worker);
  const ticks = x.ticks(Math.max(2, Math.floor(width / 130)));
  svg.append("g").attr("transform", "translate(0," + (workers.length * high + 2) + ")")
    .call(d3.axisBottom(x).tickValues(ticks).tickFormat(tickText(ticks[1] - ticks[0])).tickSizeOuter(0));
}

// Charts over time show what the timeline shows.
class TimeCharts {
  constructor(model, timeline) {
    this.model = model;
    this.timeline = timeline;
    timeline.whenView.push(() => this.schedule(80));
    theme.listeners.push(() => this.schedule(0));
    new ResizeObserver(() => this.schedule(0)).observe(byId("time-section"));
  }

  // Not at every frame while the view moves.
  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), delay);
  }

  draw() {
    drawBars(this.model);
    const { tiers, links } = this.model;
    if (tiers.length) this.drawAll("tiers", tiers.map((tier, i) => this.tierChart(tier, i)));
    if (links.length) this.drawAll("links", links.map((link) => this.linkChart(link)));
  }

  // The most that a tier held in each bin.
  tierChart(tier, index) {
    const values = (bins) => {
      const { start, end } = this.timeline.view, result = new Float64Array(bins);
      let i = d3.bisectRight(tier.at, start) - 1;
      for (let bin = 0; bin < bins; bin++) {
        const until = start + (end - start) * (bin + 1) / bins;
        let most = i >= 0 ? tier.bytes[i] : 0;
        while (i + 1 < tier.at.length && tier.at[i + 1] < until) most = Math.max(most, tier.bytes[++i]);
        result[bin] = most;
      }
      return result;
    };
    const most = d3.max(tier.bytes);
    const near = tier.budget > 0 && tier.budget < 4 * most;
    return { name: tier.name, values, format: sizeText, ticks: sizeTicks, colour: kTaskColours[index % kTaskColours.length], step: true,
      top: near ? Math.max(most, tier.budget) : most, limit: near ? { value: tier.budget, text: "budget " + sizeText(tier.budget) } : null };
  }

  linkChart(link) {
    const { at, bytes } = link.rate;
    const until = (time) => {
      const i = d3.bisectRight(at, time) - 1;
      if (i < 0) return 0;
      if (i + 1 >= at.length) return bytes[i];
      return bytes[i] + (bytes[i + 1] - bytes[i]) * (time - at[i]) / Math.max(at[i + 1] - at[i], 1);
    };
    const values = (bins) => {
      const { start, end } = this.timeline.view, result = new Float64Array(bins);
      let before = until(start);
      for (let bin = 0; bin < bins; bin++) {
        const now = until(start + (end - start) * (bin + 1) / bins);
        result[bin] = (now - before) / ((end - start) / bins);
        before = now;
      }
      return result;
    };
    const use = this.model.report.links.find((one) => one.from + " to " + one.to === link.name);
    const known = use && use.measured_gb_per_s;
    return { name: link.name, values, format: (rate) => rate.toFixed(rate < 1 ? 2 : 1) + " GB/s", ticks: (top) => d3.ticks(0, top, 3).slice(1), colour: theme.css("moving"),
      top: known || 0, limit: known ? { value: known, text: "measured " + known.toFixed(1) + " GB/s" } : null };
  }

  drawAll(id, charts) {
    const holder = byId(id), high = 92;
    const left = this.timeline.gutter + 1, right = left + this.timeline.inner;  // below the timeline
    const { start, end } = this.timeline.view;
    const x = d3.scaleLinear([start, end], [left, right]);
    const bins = Math.max(20, Math.floor((right - left) / 2));
    d3.select(holder).selectAll("*").remove();
    charts.forEach((chart, index) => {
      const last = index === charts.length - 1;
      const values = chart.values(bins), seen = d3.max(values) || 0;
      const y = d3.scaleLinear([0, Math.max(chart.top, seen) * 1.04 || 1], [high - 4, 26]);
      const svg = d3.select(holder).append("svg").attr("height", high + (last ? 24 : 6)).attr("role", "img")
        .attr("aria-label", chart.name + ": at most " + chart.format(seen) + " from " + timeText(start) + " to " + timeText(end));
      const place = (_, i) => x(start + (end - start) * (i + 0.5) / bins);
      svg.append("path").attr("fill", chart.colour).attr("fill-opacity", 0.75).attr("d",
        d3.area().curve(chart.step ? d3.curveStep : d3.curveLinear).x(place).y0(y(0)).y1((value) => y(value))(values));
      if (chart.limit) {
        svg.append("line").attr("class", "limit").attr("x1", left).attr("x2", right).attr("y1", y(chart.limit.value)).attr("y2", y(chart.limit.value));
        svg.append("text").attr("class", "limit-text").attr("x", right - 4).attr("y", y(chart.limit.value) - 4)
          .attr("text-anchor", "end").text(chart.limit.text);
      }
      svg.append("g").attr("transform", "translate(" + left + ",0)")
        .call(d3.axisLeft(y).tickValues(chart.ticks(y.domain()[1])).tickFormat(chart.format).tickSizeOuter(0));
      svg.append("text").attr("class", "name").attr("x", 0).attr("y", 14).text(chart.name);
      const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 110)));
      const axis = d3.axisBottom(x).tickValues(ticks).tickSizeOuter(0);
      if (last) axis.tickFormat(tickText(ticks[1] - ticks[0])); else axis.tickFormat("").tickSize(3);
      svg.append("g").attr("transform", "translate(0," + (high - 4) + ")").call(axis);
      this.addCursor(svg, chart, values, x, high);
    });
  }

  addCursor(svg, chart, values, x, high) {
    const cursor = svg.append("line").attr("class", "cursor").attr("y1", 22).attr("y2", high - 4).attr("visibility", "hidden");
    const node = svg.node();
    node.addEventListener("pointermove", (event) => {
      const at = event.clientX - node.getBoundingClientRect().left;
      const [left, right] = x.range();
      if (at < left || at > right) return;
      const bin = Math.max(0, Math.min(values.length - 1, Math.floor((at - left) / (right - left) * values.length)));
      cursor.attr("x1", at).attr("x2", at).attr("visibility", "visible");
      showTooltip(event, [element("span", {}, timeText(x.invert(at)) + ": " + chart.format(values[bin]))]);
    });
    node.addEventListener("pointerleave", () => { cursor.attr("visibility", "hidden"); hideTooltip(); });
  }
}
