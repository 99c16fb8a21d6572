// SPDX-License-Identifier: Apache-2.0

#include "data/engine/replica.hpp"

#include "base/check.hpp"

namespace weir::data::engine {

void change_state(Replica& replica, ReplicaState to) noexcept {
  WEIR_CHECK(may_follow(replica.state, to), "a replica takes a step that its state machine does not have");
  replica.state = to;
}

}  // namespace weir::data::engine
