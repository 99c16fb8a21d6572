// SPDX-License-Identifier: Apache-2.0

// What every backend of the transport must do, as functions that each rank of a job runs: as a process of its own
// (rank_main.cpp) or as a thread (loopback). They keep nothing in static variables, and say by an exception what is
// wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "transport/transport.hpp"

namespace weir::transport::conformance {

struct Body {
  const char* name;
  void (*run)(Transport&);
};
std::span<const Body> memory_bodies();
std::span<const Body> meeting_bodies();
std::span<const Body> reach_bodies();
std::span<const Body> message_bodies();
std::span<const Body> random_bodies();
// In which a rank is killed, ends all, or makes a mistake: none of these comes to a good end.
std::span<const Body> loss_bodies();

// Collective: each rank's random operations, as the seed says, against a model of what may be seen.
void random_operations(Transport& transport, std::uint64_t seed);

// For each of them, but for those of loss_bodies().
void for_each_body(const std::function<void(const Body&)>& visit);
// Null: there is none of this name.
const Body* find_body(const std::string& name);

inline void require(bool right, const char* what, int line = __builtin_LINE()) {
  if (!right) throw std::runtime_error("line " + std::to_string(line) + ": " + what);
}
inline void require(const base::Status& status, int line = __builtin_LINE()) {
  if (!status) throw std::runtime_error("line " + std::to_string(line) + ": " + status.message);
}
template <class T>
T required(base::Result<T> result, int line = __builtin_LINE()) {
  require(result.status(), line);
  return std::move(*result);
}

// Ranks as numbers.
inline std::uint32_t me(const Transport& transport) { return static_cast<std::uint32_t>(transport.rank()); }
inline Rank next(const Transport& transport) { return Rank{(me(transport) + 1) % transport.ranks()}; }
inline Rank previous(const Transport& transport) {
  return Rank{(me(transport) + transport.ranks() - 1) % transport.ranks()};
}

}  // namespace weir::transport::conformance
