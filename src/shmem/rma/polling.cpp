// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/polling.hpp"

#include <cstdint>
#include <cstring>

#include "platform/clock.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem::detail {

namespace {

constexpr std::uint32_t kQuickPolls = 40;  // an answer of a PE that runs comes meanwhile
constexpr std::uint64_t kCloseNs = 5'000;  // a program that computes longer than that between two polls uses its turn

struct Polls {
  std::uint32_t vain = 0;      // close to each other
  int pe = -1;                 // the last read's
  const void* word = nullptr;  // the last read's
  std::uint64_t value = 0;
  std::uint64_t last_ns = 0;
};
thread_local constinit Polls polls;

}  // namespace

void count_vain() noexcept {
  std::uint64_t now = platform::now_ns();
  if (now - polls.last_ns > kCloseNs) polls.vain = 0;
  if (polls.vain < kQuickPolls) {
    ++polls.vain;
  } else {
    give_turn();
    now = platform::now_ns();
  }
  polls.last_ns = now;
}

void note_read_slow(const void* word, int pe, const void* value, std::size_t bytes) noexcept {
  std::uint64_t read = 0;
  std::memcpy(&read, value, bytes);
  if (polls.word == word && polls.pe == pe && polls.value == read) return count_vain();
  polls.word = word;
  polls.pe = pe;
  polls.value = read;
  polls.vain = 0;
}

}  // namespace weir::shmem::detail
