// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/joined.hpp"
#include "ocr/blocks/block.hpp"
#include "ocr/graph/params.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

constexpr int kSizeShift = REDOP_EIDX(DATUM_SIZE), kOperatorShift = REDOP_EIDX(OPERATOR);

template <class T>
T apply(unsigned op, T a, T b) noexcept {
  // Integers wrap around: computed without a sign.
  if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
    if (op == 0) return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    if (op == 1) return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    if (op == 4) return static_cast<T>(a & b);
    if (op == 5) return static_cast<T>(a | b);
    if (op == 6) return static_cast<T>(a ^ b);
  } else {
    if (op == 0) return a + b;
    if (op == 1) return a * b;
  }
  return op == 2 ? std::min(a, b) : std::max(a, b);
}

template <class T>
void combine_as(unsigned op, void* out, const void* in, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    T a, b;
    std::memcpy(&a, static_cast<std::byte*>(out) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<const std::byte*>(in) + i * sizeof(T), sizeof(T));
    a = apply(op, a, b);
    std::memcpy(static_cast<std::byte*>(out) + i * sizeof(T), &a, sizeof(T));
  }
}

unsigned size_of(std::uint16_t operation) noexcept { return ((operation >> kSizeShift) & 7u) + 1; }
unsigned operator_of(std::uint16_t operation) noexcept { return (operation >> kOperatorShift) & 7u; }

bool is_possible(std::uint16_t operation) noexcept {
  const unsigned size = size_of(operation), op = operator_of(operation);
  if ((size & (size - 1)) != 0 || op > 6) return false;
  return (operation & REDOP_REAL) == 0 || (size >= 4 && op <= 3);
}

// What all have contributed, in `out`.
void reduce(const Collective& collective, const Generation& generation, std::byte* out) noexcept {
  const std::size_t bytes = collective.bytes();
  std::memcpy(out, generation.values.data(), bytes);
  if (collective.type == COL_BROADCAST) return;
  for (std::uint32_t i = 1; i < collective.contributors; ++i) {
    combine(collective.operation, out, generation.values.data() + i * bytes, collective.values);
  }
}

// The block for a result, filled.
u8 make_result(BlockLocal& local, const Collective& collective, Generation& generation) {
  Block* block = collective.reuse ? lock_object(blocks(), Kind::block, generation.result) : nullptr;
  if (block == nullptr) {
    std::byte* data = nullptr;
    generation.result = {};
    const BlockRequest request{collective.bytes(), DB_PROP_NO_ACQUIRE, nullptr, false, true};
    if (const u8 code = create_block(local, generation.result, request, data)) return code;
    block = lock_object(blocks(), Kind::block, generation.result);
  }
  reduce(collective, generation, block->fixed());
  block->word.unlock();
  return 0;
}

// The generation with that number. It is kept, or the next after those: then it begins, in the place of one that no
// contributor can ask for any more. All contributors count from 0, so none is left out.
Generation& at(Collective& collective, std::uint64_t number) {
  std::deque<Generation>& kept = collective.generations;
  if (number - collective.first < kept.size()) return kept[number - collective.first];
  if (kept.size() < 2 * collective.in_flight) return kept.emplace_back();
  const Guid result = kept.front().result;
  kept.pop_front();
  ++collective.first;
  Generation& generation = kept.emplace_back();
  generation.result = result;
  return generation;
}

// The values of a contributor to a generation, which has room for those of all.
void keep(Collective& collective, Generation& generation, std::uint32_t contributor, const void* values) {
  const std::size_t bytes = collective.bytes();
  if (generation.values.empty()) {
    generation.values = collective.spare.empty() ? ZeroedArray<std::byte>(bytes * collective.contributors)
                                                 : std::move(collective.spare);
  }
  std::byte* const own = generation.values.data() + contributor * bytes;
  if (values != nullptr)
    std::memcpy(own, values, bytes);
  else
    std::memset(own, 0, bytes);
}

}  // namespace

std::uint32_t Collective::value_bytes() const noexcept { return size_of(operation); }

void combine(std::uint16_t operation, void* out, const void* in, std::size_t count) noexcept {
  const unsigned op = operator_of(operation), size = size_of(operation);
  const bool is_signed = (operation & REDOP_SIGNED) != 0;
  if ((operation & REDOP_REAL) != 0)
    return size == 8 ? combine_as<double>(op, out, in, count) : combine_as<float>(op, out, in, count);
  switch (size) {
    case 1:
      return is_signed ? combine_as<std::int8_t>(op, out, in, count) : combine_as<std::uint8_t>(op, out, in, count);
    case 2:
      return is_signed ? combine_as<std::int16_t>(op, out, in, count) : combine_as<std::uint16_t>(op, out, in, count);
    case 4:
      return is_signed ? combine_as<std::int32_t>(op, out, in, count) : combine_as<std::uint32_t>(op, out, in, count);
    default:
      return is_signed ? combine_as<std::int64_t>(op, out, in, count) : combine_as<std::uint64_t>(op, out, in, count);
  }
}

std::unique_ptr<Collective> make_collective(const void* params) {
  if (params == nullptr) return nullptr;
  const auto& given = *static_cast<const ocrEventCollectiveParams_t*>(params);
  if (given.nbContribs == 0 || given.maxGen == 0 || !is_possible(given.op)) return nullptr;
  if (given.type < COL_REDUCE || given.type > COL_BROADCAST) return nullptr;
  auto collective = std::make_unique<Collective>();
  collective->contributors = given.nbContribs;
  collective->values = given.nbDatum == 0 ? 1 : given.nbDatum;
  collective->in_flight = given.maxGen;
  collective->operation = given.op;
  collective->type = static_cast<std::uint8_t>(given.type);
  collective->reuse = *reinterpret_cast<const unsigned char*>(&given.reuseDbPerGen) != 0;  // any byte, in C
  collective->satisfied = ZeroedArray<std::uint64_t>(given.nbContribs);
  collective->dependent = ZeroedArray<std::uint64_t>(given.nbContribs);
  return collective;
}

bool is_idle(const Collective& collective) noexcept {
  return std::all_of(collective.satisfied.begin(), collective.satisfied.end(),
                     [&](std::uint64_t n) { return n == collective.completed; }) &&
         std::all_of(collective.generations.begin(), collective.generations.end(),
                     [](const Generation& g) { return g.dependents.empty(); });
}

std::string missing_text(const Collective& collective) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::size_t> named;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < collective.contributors; ++i) {
    if (collective.satisfied[i] != collective.completed) continue;
    if (++missing <= kNamed) named.push_back(i);
  }
  std::string text = fmt::format("{} {}", missing == 1 ? "contributor" : "contributors", base::joined(named, ", "));
  if (named.size() < missing) text += fmt::format(" and {} more", missing - named.size());
  return text + (missing == 1 ? " is missing" : " are missing");
}

Guid result_for(std::uint8_t type, Guid result, std::size_t contributor) noexcept {
  return type == COL_REDUCE && contributor != 0 ? Guid{} : result;
}

bool needs_values(const Collective& collective, std::uint32_t contributor) noexcept {
  return collective.type != COL_BROADCAST || contributor == 0;
}

u8 contribute(BlockLocal& local, Collective& collective, const void* values, std::uint32_t contributor,
              Completed& completed) {
  Generation& generation = at(collective, collective.satisfied[contributor]);
  keep(collective, generation, contributor, values);
  const bool last = generation.contributed + 1 == collective.contributors;
  if (last) {
    const checking::Unseen unseen;  // the result's block is no EDT's
    // No memory: it has not contributed, and may try again.
    if (const u8 code = make_result(local, collective, generation)) return code;
  }
  ++collective.satisfied[contributor];
  ++generation.contributed;
  if (!last) return 0;
  generation.done = true;
  ++collective.completed;
  collective.spare = std::exchange(generation.values, {});
  completed = {std::exchange(generation.dependents, {}), generation.result, collective.type};
  return 0;
}

u8 collective_dependent(Event& event, Node node, std::uint32_t contributor, bool& ready, Guid& block) {
  Collective& collective = *event.collective;
  if (contributor >= collective.contributors) return OCR_EINVAL;
  const std::uint64_t number = collective.dependent[contributor];
  if (number >= collective.completed + collective.in_flight || number + collective.in_flight < collective.completed)
    return OCR_EPERM;
  Generation& generation = at(collective, number);
  if (generation.done) {
    ready = true;
    block = result_for(collective.type, generation.result, contributor);
  } else {
    if (generation.dependents.empty()) generation.dependents = ZeroedArray<NodeList>(collective.contributors);
    append(generation.dependents[contributor], node);
  }
  ++collective.dependent[contributor];
  return 0;
}

}  // namespace weir::ocr
