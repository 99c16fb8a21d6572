// SPDX-License-Identifier: Apache-2.0

// ---- main.js: puts the page together ----

async function start() {
  theme.start();
  const model = new Model(await readData());
  for (const id of ["summary", "timeline-section", "time-section", "path-section", "names-section"]) byId(id).hidden = false;
  byId("tiers-part").hidden = model.tiers.length === 0;
  byId("links-part").hidden = model.links.length === 0;
  byId("links-section").hidden = model.links.length === 0;
  byId("names-section").hidden = model.taskCount === 0;
  byId("blocks-section").hidden = model.report.blocks.length === 0;
  byId("steals-section").hidden = model.steals.at.length === 0;
  byId("loading").hidden = true;
  showFacts(model);
  showLegend(model);
  theme.listeners.push(() => showLegend(model));
  const timeline = new Timeline(model);
  const overview = new Overview(model, timeline);
  const details = new Details(model, timeline);
  const search = new Search(model, timeline);
  const charts = new TimeCharts(model, timeline);
  showTables(model, (name) => search.find(name));
  showRanks(model);
  setUpKeys(timeline, search);
  // For the browser's console, and for tests of this page.
  window.weirReport = { model, timeline, overview, details, search, charts, openMs: 0 };
  requestAnimationFrame(() => requestAnimationFrame(() => { window.weirReport.openMs = performance.now(); }));
}

start().catch((error) => {
  byId("loading").textContent = "This page cannot be shown: " + error.message;
  throw error;
});
