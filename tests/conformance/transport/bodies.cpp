// SPDX-License-Identifier: Apache-2.0

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {

void for_each_body(const std::function<void(const Body&)>& visit) {
  for (const auto bodies : {memory_bodies(), meeting_bodies(), message_bodies(), reach_bodies(), random_bodies()}) {
    for (const Body& body : bodies) visit(body);
  }
}

const Body* find_body(const std::string& name) {
  const Body* found = nullptr;
  const auto look = [&](const Body& body) {
    if (body.name == name) found = &body;
  };
  for_each_body(look);
  for (const Body& body : loss_bodies()) look(body);
  return found;
}

}  // namespace weir::transport::conformance
