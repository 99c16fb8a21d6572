// SPDX-License-Identifier: Apache-2.0

// ---- keys.js: the keyboard ----

function setUpKeys(timeline, search) {
  const help = byId("help");
  const showHelp = () => { if (!help.open) help.showModal(); };
  byId("help-button").addEventListener("click", showHelp);
  byId("zoom-in").addEventListener("click", () => timeline.magnify(2));
  byId("zoom-out").addEventListener("click", () => timeline.magnify(0.5));
  byId("zoom-fit").addEventListener("click", () => timeline.fit());
  const path = byId("path-next"), hasSteals = byId("steals-section") !== null;  // a page of calls has neither
  if (path) {
    path.addEventListener("click", () => timeline.selectOnPath(1));
    path.disabled = timeline.model.pathTasks.length === 0;
  }

  // On the timeline.
  const onTimeline = {
    ArrowLeft: () => timeline.pan(-0.15),
    ArrowRight: () => timeline.pan(0.15),
    ArrowUp: () => timeline.selectRow(-1),
    ArrowDown: () => timeline.selectRow(1),
    Home: () => timeline.showView(0, timeline.view.end - timeline.view.start),
    End: () => timeline.showView(timeline.model.wall - (timeline.view.end - timeline.view.start), timeline.model.wall),
    Enter: () => timeline.zoomToSelected(),
  };
  // Everywhere but where text is typed.
  const anywhere = {
    "+": () => timeline.magnify(1.6),
    "=": () => timeline.magnify(1.6),
    "-": () => timeline.magnify(1 / 1.6),
    0: () => timeline.fit(),
    n: () => timeline.selectNeighbour(1),
    p: () => timeline.selectNeighbour(-1),
    ...(path ? { c: () => timeline.selectOnPath(1), C: () => timeline.selectOnPath(-1) } : {}),
    ...(hasSteals ? { s: () => timeline.selectSteal(1), S: () => timeline.selectSteal(-1) } : {}),
    d: () => theme.next(),
    "/": () => { search.input.focus(); search.input.select(); },
    "?": showHelp,
    Escape: () => { search.clear(); timeline.select(0); hideTooltip(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target instanceof HTMLInputElement) {
      if (event.key !== "Escape") return;
      search.clear();
      timeline.canvas.focus();
      return;
    }
    const act = (event.target === timeline.canvas && onTimeline[event.key]) || anywhere[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
