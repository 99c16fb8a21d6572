// SPDX-License-Identifier: Apache-2.0

// ---- theme.js: colours, light and dark ----

const kTaskColours = ["#4e79a7", "#f28e2b", "#59a14f", "#8c6bb1", "#edc948", "#9c755f", "#76b7b2", "#ff9da7"];
const kPartNames = ["running", "program", "analyse", "sched", "moving", "waits for data", "waits for others", "waits for ranks",
  "waits for work", "idle", "not there"];
const kPartVariables = ["running", "program", "analysing", "scheduling", "moving", "wait-data", "wait-others",
  "wait-ranks", "wait-work", "idle", "track"];
const kRunning = 0, kProgram = 1, kAnalysing = 2, kMoving = 4, kWaitData = 5, kWaitRanks = 7, kIdle = 9;
const kPartBits = 15, kAsleep = 16;  // of a piece

// What a pixel can show: the parts of a worker's time, then the tasks, by name.
const kFirstName = kPartNames.length;                   // the names that take most time have a colour each,
const kOtherName = kFirstName + kTaskColours.length;    // the rest this one; while something is searched, what matches
const kDimmed = kOtherName + 1;                         // while something is searched: tasks that do not match
const kCategories = kDimmed + 1;

const theme = {
  listeners: [],
  choice: "auto",

  css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  },

  // The colour of each category; `searching`: all but what matches is faded.
  palette(searching) {
    const back = this.css("card");
    const fade = (colour, amount) => (searching ? d3.interpolateRgb(colour, back)(amount) : colour);
    const colours = kPartVariables.map((name) => fade(this.css(name), 0.6));
    for (const colour of kTaskColours) colours.push(fade(colour, 0.6));
    colours.push(searching ? this.css("accent") : this.css("other"));
    colours.push(d3.interpolateRgb(this.css("other"), back)(0.65));
    return colours.map((colour) => d3.rgb(colour));
  },

  set(choice) {
    this.choice = choice;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.dataset.theme = choice === "auto" ? system : choice;
    const button = document.getElementById("theme");
    const words = { auto: "automatic", light: "light", dark: "dark" }[choice];
    button.textContent = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" }[choice];
    button.setAttribute("aria-label", "Colours: " + words);
    for (const listener of this.listeners) listener();
  },

  next() {
    this.set({ auto: "light", light: "dark", dark: "auto" }[this.choice]);
  },

  start() {
    this.set("auto");
    document.getElementById("theme").addEventListener("click", () => this.next());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.set(this.choice));
  },
};

// As a pixel of an ImageData.
const pixelOf = (rgb) => ((255 << 24) | (rgb.b << 16) | (rgb.g << 8) | rgb.r) >>> 0;
const isLight = (rgb) => 0.299 * rgb.r + 0.587 * rgb.g + 0.114 * rgb.b > 140;
const moveCalmly = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
