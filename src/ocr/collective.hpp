// Collective: a reduction over contributors, generation after generation: what a collective event has beside an Event.
//
// Contributions are kept until all of a generation are there, then combined in the order of contributors: the result
// does not depend on who came first. Results are kept until as many generations later as may be in flight, for
// dependences that come late. All functions: under the lock of the event, but combine().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ocr/event.hpp"

namespace weir::ocr {

struct Generation {
  std::vector<std::byte> values;  // of contributor i at i * bytes per contribution
  std::uint32_t contributed = 0;
  std::vector<NodeList> dependents;  // of contributor i
  std::uint64_t number = 0;
  bool done = false;
  Guid result;
};

struct Collective {
  std::uint32_t contributors;
  std::uint32_t values;  // in each contribution
  std::uint16_t operation;
  std::uint8_t type;  // collectiveType_t
  bool reuse;
  std::uint64_t completed = 0;           // generations
  std::vector<std::uint64_t> satisfied;  // how often contributor i has contributed
  std::vector<std::uint64_t> dependent;  // and asked for results
  std::vector<Generation> generations;   // number % size; those in flight and as many that are done

  std::uint32_t value_bytes() const noexcept;
  std::size_t bytes() const noexcept { return std::size_t{values} * value_bytes(); }
  Generation& at(std::uint64_t number) noexcept { return generations[number % generations.size()]; }
};

std::unique_ptr<Collective> make_collective(const void* params);  // null for parameters that have no meaning
// Contributor i hands in values, which are copied.
u8 contribute(Local& local, Guid event, const void* values, std::uint32_t contributor);
// The node gets contributor i's next result; `ready` when it is there.
u8 collective_dependent(Event& event, Node node, std::uint32_t contributor, bool& ready, Guid& block);
// out = out (op) in, for `count` values.
void combine(std::uint16_t operation, void* out, const void* in, std::size_t count) noexcept;

}  // namespace weir::ocr
