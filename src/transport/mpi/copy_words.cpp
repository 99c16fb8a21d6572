// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/copy_words.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace weir::transport::mpi {
namespace {

struct Rest {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};

// As many whole words as there are, when both sides are at a multiple of their size.
template <class Word>
Rest copy_as(Rest rest) noexcept {
  if ((reinterpret_cast<std::uintptr_t>(rest.to) | reinterpret_cast<std::uintptr_t>(rest.from)) % sizeof(Word) != 0)
    return rest;
  for (; rest.bytes >= sizeof(Word); rest.bytes -= sizeof(Word)) {
    // COPY-1: relaxed, as what orders puts comes behind them: the link's mutex, and the atomic that tells of them.
    const std::atomic_ref<Word> from(*reinterpret_cast<Word*>(const_cast<std::byte*>(rest.from)));
    const std::atomic_ref<Word> to(*reinterpret_cast<Word*>(rest.to));
    to.store(from.load(std::memory_order_relaxed), std::memory_order_relaxed);
    rest.to += sizeof(Word);
    rest.from += sizeof(Word);
  }
  return rest;
}

}  // namespace

void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const Rest rest =
      copy_as<std::uint16_t>(copy_as<std::uint32_t>(copy_as<std::uint64_t>({.to = to, .from = from, .bytes = bytes})));
  if (rest.bytes != 0) std::memcpy(rest.to, rest.from, rest.bytes);
}

}  // namespace weir::transport::mpi
