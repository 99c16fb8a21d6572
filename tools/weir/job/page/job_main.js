// SPDX-License-Identifier: Apache-2.0

// ---- job_main.js: puts the page of a job together ----

async function start() {
  theme.start();
  const model = new CallModel(await readData()), { report } = model;
  for (const id of ["summary", "pictures-section", "time-section", "timeline-section"]) byId(id).hidden = false;
  byId("traffic-part").hidden = byId("traffic-section").hidden = report.traffic.length === 0;
  byId("waits-section").hidden = report.waits_until.length === 0;
  byId("collectives-section").hidden = Object.keys(report.collectives).length === 0;
  byId("names-section").hidden = model.taskCount === 0;
  byId("loading").hidden = true;
  showJobFacts(model);
  const colour = () => { showJobLegend(model); drawParts(model); };
  colour();
  theme.listeners.push(colour);
  new ResizeObserver(() => drawParts(model)).observe(byId("time-section"));
  const pictures = showPictures(model);
  const timeline = new Timeline(model);
  const overview = new Overview(model, timeline);
  const details = new CallDetails(model, timeline);
  const search = new Search(model, timeline);
  showJobTables(model, (name) => search.find(name));
  setUpKeys(timeline, search);
  // For the browser's console, and for tests of this page.
  window.weirReport = { model, timeline, overview, details, search, pictures, openMs: 0 };
  requestAnimationFrame(() => requestAnimationFrame(() => { window.weirReport.openMs = performance.now(); }));
}

start().catch((error) => {
  byId("loading").textContent = "This page cannot be shown: " + error.message;
  throw error;
});
