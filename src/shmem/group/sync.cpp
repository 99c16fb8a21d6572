// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/collective.hpp"

namespace weir::shmem {

void sync_unrecorded(Group& group) {
  Near& near = group.near();
  if (!group.has_far()) {
    near.sync();
    return;
  }
  near.gather(nullptr, 0);
  if (group.is_leader()) group.far().sync();
  near.release(nullptr, 0);
  near.end();
}

void sync(Group& group) {
  const Meeting meeting(group.gathering(), trace::PeMeet::sync, 0);
  sync_unrecorded(group);
}

}  // namespace weir::shmem
