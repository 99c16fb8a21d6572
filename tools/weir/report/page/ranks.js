// SPDX-License-Identifier: Apache-2.0

// ---- ranks.js: of the ranks of a job: where the time of each went, bytes from rank to rank, who waited for whom ----

// Squares with the bytes from the rank of the row to that of the column, darker for more.
function drawTraffic(report) {
  const { ranks, traffic } = report, left = 60, top = 26, holder = byId("traffic");
  const side = Math.max(4, Math.min(64, Math.floor((holder.clientWidth - left) / ranks)));
  const most = d3.max(traffic, (entry) => entry.bytes) || 1;
  const colour = d3.scaleSqrt([0, most], [theme.css("track"), theme.css("accent")]).interpolate(d3.interpolateRgb);
  d3.select(holder).selectAll("*").remove();
  const svg = d3.select(holder).append("svg").attr("height", top + side * ranks + 2).attr("role", "img")
    .attr("aria-label", "Bytes from rank to rank; the table below has the numbers");
  svg.append("rect").attr("x", left).attr("y", top).attr("width", side * ranks).attr("height", side * ranks)
    .attr("fill", theme.css("track"));
  if (side >= 12) {
    svg.append("g").selectAll("text").data(d3.range(ranks)).join("text").attr("class", "name").attr("x", 0)
      .attr("y", (rank) => top + (rank + 0.5) * side).attr("dy", "0.35em").text((rank) => "from " + rank);
    svg.append("g").selectAll("text").data(d3.range(ranks)).join("text").attr("class", "name").attr("text-anchor", "middle")
      .attr("x", (rank) => left + (rank + 0.5) * side).attr("y", top - 8).text((rank) => (rank === 0 ? "to 0" : rank));
  }
  const cells = svg.append("g").selectAll("g").data(traffic).join("g")
    .attr("transform", (entry) => "translate(" + (left + entry.to * side) + "," + (top + entry.from * side) + ")");
  cells.append("rect").attr("width", side - 1).attr("height", side - 1).attr("fill", (entry) => colour(entry.bytes));
  cells.append("title").text((entry) => "rank " + entry.from + " to " + entry.to + ": " + sizeText(entry.bytes) + " in " +
    plural(entry.messages, "message"));
}

function showRanks(model) {
  const { report } = model;
  if (report.ranks === undefined) return;
  byId("ranks-section").hidden = false;
  const whole = (rank) => d3.sum(kParts, ([key]) => rank[key] || 0);
  const share = (rank, key) => percentText(rank[key], whole(rank));
  fillTable("ranks-table", ["rank", "host", "workers", ...shownParts(report).map((part) => kPartNames[part]), "tasks", "of the critical path"],
    report.times.map((rank) => ["rank " + rank.rank, rank.host, countText(rank.workers),
      ...shownParts(report).map((part) => share(rank, kParts[part][0])), countText(rank.tasks),
      percentText(rank.path_ns, report.critical_path_ns)]));
  byId("ranks-text").replaceChildren(...report.remarks.map((line) => element("li", {}, line)));
  fillTable("traffic-table", ["from", "to", "messages", "bytes"], report.traffic.map((entry) =>
    ["rank " + entry.from, "rank " + entry.to, countText(entry.messages), sizeText(entry.bytes)]));
  fillTable("rank-waits-table", ["waited", "tasks", "for", "data", "made by", "times", "time", "longest"],
    report.top_waits.slice(0, 20).map((wait) => ["rank " + wait.rank, nameCell(wait.tasks), "rank " + wait.for, wait.data,
      nameCell(wait.made_by), countText(wait.times), timeText(wait.ns), timeText(wait.longest_ns) + " " + wait.longest]));
  drawTraffic(report);
  theme.listeners.push(() => drawTraffic(report));
}
