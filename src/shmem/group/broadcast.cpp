// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/collective.hpp"

namespace weir::shmem {
namespace {

void move(void* to, const void* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) return copy_small(to, from, bytes);  // one word, read before it is written
  if (to != from) std::memmove(to, from, bytes);
}

// From one member of this node, where it lies at `from`, to the dests of the others.
void spread(Group& group, unsigned root_place, const void* from, const Broadcast& what) {
  Near& near = group.near();
  const bool is_root = near.me() == root_place;
  near.begin();
  if (what.bytes <= kLetterBytes) {
    if (is_root) {
      near.post(from, what.bytes);
      if (what.write_root) move(what.dest, from, what.bytes);
    } else {
      copy_small(what.dest, near.hear(root_place), what.bytes);
    }
    near.end();
    return;
  }
  if (is_root) {
    near.post(nullptr, 0);
    if (what.write_root) move(what.dest, from, what.bytes);
    near.wait_for_end();  // nobody reads it any more
    near.end();
  } else {
    near.hear(root_place);
    move(what.dest, group.source_at(from, what.bytes, group.member_at(root_place)), what.bytes);
    near.end();
  }
}

// From the leader of the root's node, where it lies at `from`, to the dests of the other leaders.
void spread_far(Group& group, const void* from, const Broadcast& what) {
  Far& far = group.far();
  const unsigned root_node = group.node_of(what.root);
  const bool is_root = far.me() == root_node;
  if (what.bytes <= kLetterBytes) {
    std::byte text[kLetterBytes];
    if (is_root) std::memcpy(text, from, what.bytes);
    far.tell(root_node, text, what.bytes);
    if (!is_root) std::memcpy(what.dest, text, what.bytes);
    return;
  }
  far.sync();  // their dests are ready
  for (unsigned node = 0; is_root && node < far.nodes(); ++node) {
    if (node != root_node) group.reach().put_nbi(what.dest, from, what.bytes, far.pe(node));
  }
  if (is_root) group.reach().quiet();
  far.sync();  // and written
}

}  // namespace

void broadcast(Group& group, const Broadcast& what) {
  if (what.bytes == 0) return;
  const Meeting meeting(group.gathering(), trace::PeMeet::broadcast, what.bytes);
  const bool is_root = group.me() == what.root;
  const bool is_here = group.my_node() == group.node_of(what.root);
  if (is_here) spread(group, group.place_of(what.root), what.source, what);
  if (group.has_far()) {
    if (group.is_leader()) spread_far(group, is_root ? what.source : what.dest, what);
    if (!is_here) spread(group, 0, what.dest, what);
  }
}

}  // namespace weir::shmem
