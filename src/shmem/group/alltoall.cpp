// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/blocks.hpp"
#include "shmem/group/collective.hpp"

namespace weir::shmem {
namespace {

// Few members of one node: everyone's whole source fits a letter.
void exchange_letters(Group& group, std::byte* dest, const std::byte* source, std::size_t bytes) {
  Near& near = group.near();
  near.begin();
  near.post(source, bytes * group.size());
  for (unsigned member = 0; member < near.size(); ++member) {
    const std::byte* const said = member == near.me() ? source : near.hear(member);
    copy_small(dest + member * bytes, said + near.me() * bytes, bytes);
  }
  near.all_have_begun();
  near.end();
}

// Calls f(receiver, member) for all members, each receiver in an order of its own, so that not all read from one at
// once. All have begun before, and ended after it. The receiver is this PE, or on one node perhaps another one.
template <class F>
void with_all(Group& group, F f) {
  const auto receive = [&](unsigned receiver) {
    for (unsigned k = 0; k < group.size(); ++k) f(receiver, (receiver + k) % group.size());
  };
  sync(group);
  if (group.near().takes_turns() && !group.has_far()) {
    group.near().share_out(group.size(), receive);
    return;
  }
  receive(group.me());
  if (group.has_far()) group.reach().quiet();
  sync(group);
}

template <class Word>
void copy_words(std::byte* to, std::ptrdiff_t to_step, const std::byte* from, std::ptrdiff_t from_step, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i, to += to_step, from += from_step) std::memcpy(to, from, sizeof(Word));
}

struct Steps {
  std::ptrdiff_t to, from;  // bytes
};

void copy_strided(std::byte* to, const std::byte* from, const Steps& steps, std::size_t element, std::size_t n) {
  if (element == sizeof(std::uint64_t)) {
    copy_words<std::uint64_t>(to, steps.to, from, steps.from, n);
  } else if (element == sizeof(std::uint32_t)) {
    copy_words<std::uint32_t>(to, steps.to, from, steps.from, n);
  } else {
    for (std::size_t i = 0; i < n; ++i, to += steps.to, from += steps.from) std::memcpy(to, from, element);
  }
}

// What is not mapped comes in blocks, gaps and all, when the gaps are small; else element by element.
void get_strided(Group& group, unsigned member, std::byte* to, const std::byte* from, const Steps& steps,
                 const Strided& what) {
  constexpr std::ptrdiff_t kFewGaps = 8;
  if (what.source_stride > kFewGaps || what.element * kFewGaps > kBlockBytes) {
    for (std::size_t i = 0; i < what.count; ++i, to += steps.to, from += steps.from) {
      group.reach().get_nbi(to, from, what.element, group.pe(member));
    }
    return;
  }
  Block buffer;
  const auto step = static_cast<std::size_t>(steps.from);
  const std::size_t most = (kBlockBytes - what.element) / step + 1;
  for (std::size_t i = 0; i < what.count; i += most) {
    const std::size_t n = std::min(most, what.count - i);
    group.reach().get_nbi(buffer.bytes, from + i * step, (n - 1) * step + what.element, group.pe(member));
    group.reach().quiet();
    copy_strided(to + static_cast<std::ptrdiff_t>(i) * steps.to, buffer.bytes, steps, what.element, n);
  }
}

}  // namespace

void alltoall(Group& group, void* dest, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  const Meeting meeting(group.gathering(), trace::PeMeet::alltoall, bytes * group.size());
  auto* const to = static_cast<std::byte*>(dest);
  const auto* const from = static_cast<const std::byte*>(source);
  if (bytes <= kLetterBytes / group.size() && group.near().is_small() && !group.has_far()) {
    exchange_letters(group, to, from, bytes);
    return;
  }
  with_all(group, [&](unsigned receiver, unsigned member) {
    const std::byte* const mine = from + receiver * bytes;
    if (const std::byte* const there = group.source_at(mine, bytes, member); there != nullptr) {
      std::memcpy(group.at(to, receiver) + member * bytes, there, bytes);
    } else {
      group.reach().get_nbi(to + member * bytes, mine, bytes, group.pe(member));
    }
  });
}

void alltoalls(Group& group, const Strided& what) {
  if (what.count == 0) return;
  const Meeting meeting(group.gathering(), trace::PeMeet::alltoalls, what.count * what.element * group.size());
  const auto element = static_cast<std::ptrdiff_t>(what.element), count = static_cast<std::ptrdiff_t>(what.count);
  const Steps steps{what.dest_stride * element, what.source_stride * element};
  const std::size_t extent = (what.count - 1) * static_cast<std::size_t>(steps.from) + what.element;
  with_all(group, [&](unsigned receiver, unsigned member) {
    const std::byte* const mine =
        static_cast<const std::byte*>(what.source) + static_cast<std::ptrdiff_t>(receiver) * count * steps.from;
    std::byte* const to = group.at(what.dest, receiver) + static_cast<std::ptrdiff_t>(member) * count * steps.to;
    if (const std::byte* const there = group.source_at(mine, extent, member); there != nullptr) {
      copy_strided(to, there, steps, what.element, what.count);
    } else {
      get_strided(group, member, to, mine, steps, what);
    }
  });
}

}  // namespace weir::shmem
