// SPDX-License-Identifier: Apache-2.0

#include "memory/copy.hpp"

#include <cstring>
#include <utility>

#include "platform/stream_kernels.hpp"

namespace weir::memory {
namespace {

using Kernel = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

void copy_small(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

// Short runs gain nothing from going around the caches, however many there are.
// docs/tuning/memory.md#copies-around-the-caches
constexpr std::size_t kStreamingRunBytes = std::size_t{16} << 10;

Kernel copy_for(std::size_t bytes, std::size_t run_bytes) noexcept {
  static const platform::StreamKernels& kernels = platform::stream_kernels();
  const bool streams = bytes >= kStreamingBytes && run_bytes >= kStreamingRunBytes && kernels.has_non_temporal;
  return streams ? kernels.copy_bytes : copy_small;
}

// Calls body(run, offset in the packed bytes) for every run, joined where they lie together.
template <class Body>
void for_each_run(Region region, Body body) {
  if (region.bytes() == 0) return;
  const auto joins = [&](int i) { return region.strides[i] == static_cast<std::ptrdiff_t>(region.run_bytes); };
  if (region.counts[1] == 1 || joins(1)) {
    region.run_bytes *= region.counts[1];
    region.counts[1] = 1;
    if (joins(0)) region.run_bytes *= std::exchange(region.counts[0], 1);
  }
  const Kernel copy = copy_for(region.bytes(), region.run_bytes);
  std::size_t offset = 0;
  for (std::size_t i = 0; i < region.counts[0]; ++i) {
    std::byte* run = region.data + static_cast<std::ptrdiff_t>(i) * region.strides[0];
    for (std::size_t j = 0; j < region.counts[1]; ++j) {
      body(copy, run, offset, region.run_bytes);
      run += region.strides[1];
      offset += region.run_bytes;
    }
  }
}

}  // namespace

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > 0) copy_for(bytes, bytes)(to, from, bytes);
}

void pack(std::byte* packed, const Region& region) noexcept {
  for_each_run(region, [packed](Kernel copy, std::byte* run, std::size_t offset, std::size_t bytes) {
    copy(packed + offset, run, bytes);
  });
}

void unpack(const Region& region, const std::byte* packed) noexcept {
  for_each_run(region, [packed](Kernel copy, std::byte* run, std::size_t offset, std::size_t bytes) {
    copy(run, packed + offset, bytes);
  });
}

}  // namespace weir::memory
