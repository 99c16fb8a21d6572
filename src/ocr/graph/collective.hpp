// SPDX-License-Identifier: Apache-2.0

// Collective: a reduction over contributors, generation after generation: what a collective event has besides an Event.
//
// Contributions are kept until all of a generation are there, then combined in the order of contributors: the result
// does not depend on which came first. Results are kept until as many generations later as may be in flight, for
// dependences that come late. What no generation has asked for takes no memory, nor does a contributor that none has.
// All functions but combine() are called under the lock of the event.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "ocr/blocks/block_local.hpp"
#include "ocr/graph/zeroed_array.hpp"

namespace weir::ocr {

struct Generation {
  ZeroedArray<std::byte> values;     // of contributor i at i * bytes per contribution; empty: none yet, or combined
  ZeroedArray<NodeList> dependents;  // of contributor i; empty: none
  std::uint32_t contributed = 0;
  bool done = false;
  Guid result;
};

struct Collective {
  std::uint32_t contributors;
  std::uint32_t values;     // in each contribution
  std::uint64_t in_flight;  // generations, at most
  std::uint16_t operation;
  std::uint8_t type;  // collectiveType_t
  bool reuse;
  std::uint64_t completed = 0;           // generations
  ZeroedArray<std::uint64_t> satisfied;  // how often contributor i has contributed
  ZeroedArray<std::uint64_t> dependent;  // and asked for results
  std::uint64_t first = 0;               // of those kept
  std::deque<Generation> generations;    // those in flight and as many that are done
  ZeroedArray<std::byte> spare;          // values of a generation that is done

  std::uint32_t value_bytes() const noexcept;
  std::size_t bytes() const noexcept { return std::size_t{values} * value_bytes(); }
};

// Neither a contribution nor a dependent waits for others.
bool is_idle(const Collective& collective) noexcept;
// Which have to contribute before the next generation is complete: "contributors 1 and 3 are missing".
std::string missing_text(const Collective& collective);

std::unique_ptr<Collective> make_collective(const void* params);  // null for parameters that have no meaning
// Whom to notify without the lock, when the event may be gone.
struct Completed {
  ZeroedArray<NodeList> dependents;  // of contributor i
  Guid result;
  std::uint8_t type = 0;  // collectiveType_t
};
// Nothing looks at the values of the others in a broadcast.
bool needs_values(const Collective& collective, std::uint32_t contributor) noexcept;
// The contributor's part in its next generation, which is in flight; values are copied. `completed` is set when it was
// the last. 0 or an error code.
u8 contribute(BlockLocal& local, Collective& collective, const void* values, std::uint32_t contributor,
              Completed& completed);
// Contributor i's part of a result.
Guid result_for(std::uint8_t type, Guid result, std::size_t contributor) noexcept;
// The node gets contributor i's next result; `ready` when it is there.
u8 collective_dependent(Event& event, Node node, std::uint32_t contributor, bool& ready, Guid& block);
// out = out (op) in, for `count` values.
void combine(std::uint16_t operation, void* out, const void* in, std::size_t count) noexcept;

}  // namespace weir::ocr
