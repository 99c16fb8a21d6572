// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "shmem/group/blocks.hpp"
#include "shmem/group/collective.hpp"
#include "shmem/group/exchange.hpp"

namespace weir::shmem {
namespace {

// Where each member's part begins in the dests, and at the end their size.
using Offsets = std::vector<std::size_t>;

struct CollectJob {
  Group& group;
  std::byte* dest;
  const std::byte* source;
};

// What each member brings: bytes, and the name of its source where it has any.
using Brought = std::vector<WordPair>;

// All have begun when it returns.
Brought exchange_sizes(const CollectJob& job, std::size_t bytes) {
  return exchange_words(job.group, {bytes, bytes == 0 ? 0 : job.group.reach().name_of(job.source)});
}

Offsets offsets_of(const Brought& brought) {
  Offsets offsets{0};
  for (const auto& [bytes, source] : brought) offsets.push_back(offsets.back() + bytes);
  return offsets;
}

// What another member brings, where it lies on this node.
const std::byte* source_of(const CollectJob& job, unsigned member, const WordPair& brought) {
  Group& group = job.group;
  return group.source_at(group.reach().named(brought.second, group.pe(member)), brought.first, member);
}

// The parts of this node's members, from their sources. Each begins with its own, so that not all read one at once.
// `brought`: null where all give the same source.
void read_near(const CollectJob& job, const Offsets& offsets, const Brought* brought) {
  Group& group = job.group;
  for (unsigned k = 0; k < group.near().size(); ++k) {
    const unsigned member = group.member_at((group.near().me() + k) % group.near().size());
    const std::size_t bytes = offsets[member + 1] - offsets[member];
    if (bytes == 0) continue;
    const bool is_named = brought != nullptr && member != group.me();
    const std::byte* const from =
        is_named ? source_of(job, member, (*brought)[member]) : group.source_at(job.source, bytes, member);
    std::memcpy(job.dest + offsets[member], from, bytes);
  }
}

// Calls f(offset, bytes) for each stretch of parts of members that are on this node, or that are not.
template <class F>
void for_stretches(const CollectJob& job, const Offsets& offsets, bool of_this_node, F f) {
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
void exchange_far(const CollectJob& job, const Offsets& offsets) {
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

// After all have begun. Where nobody brings anything, dest may be null.
void read_parts(const CollectJob& job, const Offsets& offsets, const Brought* brought = nullptr) {
  if (offsets.back() != 0) {
    read_near(job, offsets, brought);
    if (job.group.has_far()) exchange_far(job, offsets);
  }
  sync(job.group);  // nobody reads this member's source, its leader's dest or its offer any more
}

bool says_all_by_letter(Group& group) { return group.near().is_small() && !group.has_far(); }

// A letter of a collect has the size, and the part if there is room for it, else the source's name.
struct Told {
  static constexpr std::size_t kRoom = kLetterBytes - sizeof(std::uint64_t);

  explicit Told(const std::byte* letter) : part(letter + sizeof(bytes)) { std::memcpy(&bytes, letter, sizeof(bytes)); }
  bool is_whole() const noexcept { return bytes <= kRoom; }
  WordPair brought() const noexcept {
    WordPair words{bytes, 0};
    std::memcpy(&words.second, part, sizeof(words.second));
    return words;
  }

  std::uint64_t bytes;
  const std::byte* part;
};

void tell(const CollectJob& job, std::uint64_t bytes, std::byte* text) {
  std::memcpy(text, &bytes, sizeof(bytes));
  std::size_t more = bytes;
  if (bytes > Told::kRoom) {
    const std::uint64_t name = job.group.reach().name_of(job.source);
    more = sizeof(name);
    std::memcpy(text + sizeof(bytes), &name, more);
  } else if (bytes != 0) {
    std::memcpy(text + sizeof(bytes), job.source, bytes);
  }
  job.group.near().post(text, sizeof(bytes) + more);
}

// Few members of one node.
void collect_letters(const CollectJob& job, std::size_t bytes) {
  Near& near = job.group.near();
  std::byte text[kLetterBytes];
  near.begin();
  tell(job, bytes, text);
  const auto told = [&](unsigned member) { return Told(member == near.me() ? text : near.hear(member)); };
  std::size_t all = 0;
  for (unsigned member = 0; member < near.size(); ++member) all += told(member).bytes;
  job.group.reach().check_end(job.dest, all);
  std::size_t offset = 0;
  bool have_all_said_all = true;
  for (unsigned member = 0; member < near.size(); ++member) {
    const Told part = told(member);
    have_all_said_all = have_all_said_all && part.is_whole();
    const std::byte* from = part.part;
    if (!part.is_whole()) from = member == near.me() ? job.source : source_of(job, member, part.brought());
    if (part.bytes != 0) std::memcpy(job.dest + offset, from, part.bytes);
    offset += part.bytes;
  }
  near.all_have_begun();
  near.end();
  if (!have_all_said_all) near.sync();  // nobody reads this member's source any more
}

}  // namespace

void collect(Group& group, void* dest, const void* source, std::size_t bytes) {
  const Meeting meeting(group.gathering(), trace::PeMeet::collect, bytes);
  const CollectJob job{group, static_cast<std::byte*>(dest), static_cast<const std::byte*>(source)};
  if (says_all_by_letter(group)) {
    collect_letters(job, bytes);
  } else {
    const Brought brought = exchange_sizes(job, bytes);
    const Offsets offsets = offsets_of(brought);
    group.reach().check_end(dest, offsets.back());
    read_parts(job, offsets, &brought);
  }
}

void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  const Meeting meeting(group.gathering(), trace::PeMeet::fcollect, bytes);
  const CollectJob job{group, static_cast<std::byte*>(dest), static_cast<const std::byte*>(source)};
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
