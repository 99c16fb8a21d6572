// SPDX-License-Identifier: Apache-2.0

// ---- raster.js: a strip as pixels ----
//
// A pixel that lies within one piece has its colour; one that holds several shows them stacked, each as high as its
// share of the pixel's time. Costs one search for each pixel, however many pieces there are.

class Raster {
  constructor() {
    this.sums = new Float64Array(kCategories);
    this.wide = [];  // of the last draw(): {item, from, to}, pixels, of pieces that have room for a name
  }

  // Into `pixels` (width to a line): the times from `start` on, `perPixel` ns each, in lines [top, top + height).
  draw(strip, start, perPixel, pixels, width, top, height, colours, leastName) {
    const { starts, category, items } = strip;
    this.wide.length = 0;
    let x = 0, i = strip.at(start);
    while (x < width) {
      const time = start + x * perPixel;
      i = this.advance(strip, i, time);
      const to = Math.min(width, Math.floor((starts[i + 1] - start) / perPixel));
      if (to > x) {
        this.fill(pixels, width, x, to, top, height, colours[category[i]]);
        if (to - x > 3 && items[i] !== 0) this.edge(pixels, width, x, top, height);
        if (to - x >= leastName && items[i] !== 0) this.wide.push({ item: items[i], index: i, from: x, to });
        x = to;
      } else {
        const next = this.advance(strip, i, time + perPixel);
        this.stack(strip, time, i, time + perPixel, next, pixels, width, x, top, height, colours);
        i = next;
        x++;
      }
      if (i >= strip.length - 1 && starts[strip.length] <= start + x * perPixel) return;
    }
  }

  advance({ starts, length }, i, time) {
    let step = 1;
    while (i + step < length && starts[i + step] <= time) step *= 2;  // near ones are found at once
    let low = i + (step >> 1), high = Math.min(i + step, length);
    if (step === 1) return i;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  fill(pixels, width, from, to, top, height, colour) {
    for (let y = top; y < top + height; y++) pixels.fill(colour, y * width + from, y * width + to);
  }

  // A darker line where a piece begins.
  edge(pixels, width, x, top, height) {
    for (let y = top; y < top + height; y++) {
      const p = pixels[y * width + x];
      pixels[y * width + x] = (p & 0xff000000) | ((p >>> 1) & 0x7f7f7f);
    }
  }

  stack(strip, from, first, to, last, pixels, width, x, top, height, colours) {
    const { sums } = this;
    sums.fill(0);
    strip.addBefore(to, last, sums, 1);
    strip.addBefore(from, first, sums, -1);
    let whole = 0, most = 0;
    for (let c = 0; c < kCategories; c++) {
      if (sums[c] < 0) sums[c] = 0;  // rounding
      whole += sums[c];
      if (sums[c] > sums[most]) most = c;
    }
    let y = top + height, done = 0;
    for (let k = 0; k < kCategories; k++) {
      const c = kStacking[k];
      if (sums[c] === 0) continue;
      done += sums[c];
      const until = top + height - Math.round(height * done / whole);
      for (; y > until; y--) pixels[(y - 1) * width + x] = colours[c];
    }
    for (; y > top; y--) pixels[(y - 1) * width + x] = colours[most];
  }
}

// From the bottom: tasks, then what is beside them, then waits.
const kStacking = [];
for (let c = kFirstName; c < kCategories; c++) kStacking.push(c);
for (let c = 0; c < kFirstName; c++) kStacking.push(c);
