// SPDX-License-Identifier: Apache-2.0

// How fast this machine copies, in the time that a start-up can spare.
#include <algorithm>
#include <barrier>
#include <cstring>
#include <thread>
#include <vector>

#include "base/check.hpp"
#include "memory/copy.hpp"
#include "platform/clock.hpp"
#include "platform/pages.hpp"

namespace weir::memory {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 20;  // of each: more than most last-level caches
constexpr std::size_t kLeastBytes = std::size_t{1} << 18;
constexpr int kPasses = 3;

// Two halves, as large as the memory's limits allow.
platform::Pages buffers() {
  for (std::size_t bytes = 2 * kBufferBytes; bytes >= 2 * kLeastBytes; bytes /= 2) {
    if (auto pages = platform::Pages::map({bytes}, std::nullopt)) return std::move(*pages);
  }
  base::check_failed(__FILE__, __LINE__, "buffers()", "half a mebibyte of memory to measure the copy bandwidth with");
}

}  // namespace

double copy_bandwidth(unsigned threads) noexcept {
  WEIR_CHECK(threads > 0, "at least one thread copies");
  const platform::Pages pages = buffers();
  const std::size_t half = pages.size().count / 2, part = half / threads;
  auto* const from = static_cast<std::byte*>(pages.data());
  std::vector<std::uint64_t> ends;
  std::barrier together(threads, [&]() noexcept { ends.push_back(platform::now_ns()); });
  ends.reserve(kPasses + 1);
  const auto copy_part = [&](unsigned thread) {
    std::byte* const source = from + thread * part;
    std::memset(source, 1, part);
    std::memset(source + half, 1, part);
    together.arrive_and_wait();
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::size_t at = 0; at < part; at += kStreamingBytes) {
        copy_bytes(source + half + at, source + at, std::min(kStreamingBytes, part - at));
      }
      together.arrive_and_wait();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(copy_part, i);
    copy_part(0);
  }
  std::uint64_t best_ns = ~std::uint64_t{0};
  for (int pass = 0; pass < kPasses; ++pass) best_ns = std::min(best_ns, ends[pass + 1] - ends[pass]);
  return static_cast<double>(part * threads) / static_cast<double>(std::max<std::uint64_t>(best_ns, 1)) * 1e9;
}

}  // namespace weir::memory
