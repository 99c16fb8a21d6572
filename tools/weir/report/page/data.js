// SPDX-License-Identifier: Apache-2.0

// ---- data.js: the columns of numbers in this page; columns.hpp writes them ----

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function addUp(small, Sums) {
  const sums = new Sums(small.length);
  let value = 0;
  if (small instanceof Float64Array) {
    for (let i = 0; i < small.length; i++) sums[i] = value += small[i] % 2 === 0 ? small[i] / 2 : -(small[i] + 1) / 2;
  } else {
    for (let i = 0; i < small.length; i++) sums[i] = value += (small[i] >>> 1) ^ -(small[i] & 1);
  }
  return sums;
}

// {about, column(name, Sums)}: Sums is the kind of array that sums of differences are put into.
async function readData() {
  const kinds = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
  const about = JSON.parse(byId("about").textContent);
  const holder = byId("data");
  const buffer = await inflate(fromBase64(holder.textContent));
  holder.remove();
  return {
    about,
    column(name, Sums = Float64Array) {
      const { type, count, offset, differences } = about.columns[name];
      const values = new kinds[type](buffer, offset, count);
      return differences ? addUp(values, Sums) : values;
    },
  };
}
