// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "shmem/group/blocks.hpp"
#include "shmem/group/collective.hpp"
#include "shmem/group/exchange.hpp"

namespace weir::shmem {
namespace {

// Where each member's part begins in the dests, and at the end their size.
using Offsets = std::vector<std::size_t>;

struct Job {
  Group& group;
  std::byte* dest;
  const std::byte* source;
};

// Each member says how many bytes it brings; all have begun when it returns.
Offsets exchange_sizes(Group& group, std::size_t bytes) {
  Offsets offsets;
  std::size_t offset = 0;
  for (const WordPair& words : exchange_words(group, {bytes, 0})) {
    offsets.push_back(offset);
    offset += words.first;
  }
  offsets.push_back(offset);
  return offsets;
}

// The parts of this node's members, from their sources. Each begins with its own, so that not all read one at once.
void read_near(const Job& job, const Offsets& offsets) {
  Group& group = job.group;
  for (unsigned k = 0; k < group.near().size(); ++k) {
    const unsigned member = group.member_at((group.near().me() + k) % group.near().size());
    const std::size_t bytes = offsets[member + 1] - offsets[member];
    if (bytes != 0) std::memcpy(job.dest + offsets[member], group.source_at(job.source, bytes, member), bytes);
  }
}

// Calls f(offset, bytes) for each stretch of parts of members that are on this node, or that are not.
template <class F>
void for_stretches(const Job& job, const Offsets& offsets, bool of_this_node, F f) {
  const Group& group = job.group;
  for (unsigned member = 0; member < group.size();) {
    unsigned end = member + 1;
    const bool is_here = group.node_of(member) == group.my_node();
    while (end < group.size() && (group.node_of(end) == group.my_node()) == is_here) ++end;
    const std::size_t bytes = offsets[end] - offsets[member];
    if (is_here == of_this_node && bytes != 0) f(offsets[member], bytes);
    member = end;
  }
}

// The leaders put what their nodes have in the other leaders' dests, from which their members copy it.
void exchange_far(const Job& job, const Offsets& offsets) {
  Group& group = job.group;
  Near& near = group.near();
  if (group.is_leader()) {
    Far& far = group.far();
    for_stretches(job, offsets, true, [&](std::size_t offset, std::size_t bytes) {
      for (unsigned node = 0; node < far.nodes(); ++node) {
        if (node == far.me()) continue;
        group.reach().put_nbi(job.dest + offset, job.dest + offset, bytes, far.pe(node));
      }
    });
    group.reach().quiet();
    far.sync();
    near.begin();
    near.post(nullptr, 0);
  } else {
    near.begin();
    near.hear(0);
    const std::byte* const from = group.at(job.dest, group.member_at(0));
    for_stretches(job, offsets, false,
                  [&](std::size_t offset, std::size_t bytes) { std::memcpy(job.dest + offset, from + offset, bytes); });
  }
  near.end();
}

// After all have begun.
void read_parts(const Job& job, const Offsets& offsets) {
  read_near(job, offsets);
  if (job.group.has_far()) exchange_far(job, offsets);
  sync(job.group);  // nobody reads this member's source, its leader's dest or its offer any more
}

bool says_all_by_letter(Group& group) { return group.near().is_small() && !group.has_far(); }

// Few members of one node: a letter has the size, and the part if there is room for it.
void collect_letters(const Job& job, std::size_t bytes) {
  constexpr std::size_t kRoom = kLetterBytes - sizeof(std::size_t);
  Near& near = job.group.near();
  std::byte text[kLetterBytes];
  std::memcpy(text, &bytes, sizeof(bytes));
  if (bytes <= kRoom && bytes != 0) std::memcpy(text + sizeof(bytes), job.source, bytes);
  near.begin();
  near.post(text, sizeof(bytes) + (bytes <= kRoom ? bytes : 0));
  std::size_t offset = 0;
  bool have_all_said_all = true;
  for (unsigned member = 0; member < near.size(); ++member) {
    const std::byte* const said = member == near.me() ? text : near.hear(member);
    std::size_t size;
    std::memcpy(&size, said, sizeof(size));
    const bool is_said = size <= kRoom;
    have_all_said_all = have_all_said_all && is_said;
    if (size != 0)
      std::memcpy(job.dest + offset, is_said ? said + sizeof(size) : job.group.source_at(job.source, size, member),
                  size);
    offset += size;
  }
  near.all_have_begun();
  near.end();
  if (!have_all_said_all) near.sync();  // nobody reads this member's source any more
}

}  // namespace

void collect(Group& group, void* dest, const void* source, std::size_t bytes) {
  const Meeting meeting(group.gathering(), trace::PeMeet::collect, bytes);
  const Job job{group, static_cast<std::byte*>(dest), static_cast<const std::byte*>(source)};
  if (says_all_by_letter(group)) {
    collect_letters(job, bytes);
  } else {
    read_parts(job, exchange_sizes(group, bytes));
  }
}

void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  const Meeting meeting(group.gathering(), trace::PeMeet::fcollect, bytes);
  const Job job{group, static_cast<std::byte*>(dest), static_cast<const std::byte*>(source)};
  Near& near = group.near();
  if (bytes <= kLetterBytes && says_all_by_letter(group)) {
    near.begin();
    near.post(source, bytes);
    for (unsigned member = 0; member < near.size(); ++member) {
      copy_small(job.dest + member * bytes, member == near.me() ? job.source : near.hear(member), bytes);
    }
    near.all_have_begun();
    near.end();
    return;
  }
  Offsets offsets(group.size() + 1);
  for (unsigned member = 0; member <= group.size(); ++member) offsets[member] = member * bytes;
  sync(group);
  read_parts(job, offsets);
}

}  // namespace weir::shmem
