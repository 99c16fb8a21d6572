// SPDX-License-Identifier: Apache-2.0

#include "data/replica.hpp"

#include "base/check.hpp"

namespace weir::data {

void change_state(Replica& replica, ReplicaState to) noexcept {
  WEIR_CHECK(may_follow(replica.state, to), "a replica takes a step that its state machine does not have");
  replica.state = to;
}

}  // namespace weir::data
