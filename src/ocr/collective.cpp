#include "ocr/collective.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ocr/checking.hpp"
#include "ocr/local.hpp"
#include "ocr/params.hpp"

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

// All have contributed: the result, in `out`.
void reduce(const Collective& collective, const Generation& generation, std::byte* out) noexcept {
  const std::size_t bytes = collective.bytes();
  std::memcpy(out, generation.values.data(), bytes);
  if (collective.type == COL_BROADCAST) return;
  for (std::uint32_t i = 1; i < collective.contributors; ++i) {
    combine(collective.operation, out, generation.values.data() + i * bytes, collective.values);
  }
}

// The block for a result, filled.
u8 make_result(Local& local, const Collective& collective, Generation& generation) {
  if (collective.reuse) {
    if (Block* block = lock_object(blocks(), Kind::block, generation.result)) {
      reduce(collective, generation, block->fixed());
      block->word.unlock();
      return 0;
    }
  }
  std::byte* data = nullptr;
  generation.result = {};
  const BlockRequest request{collective.bytes(), DB_PROP_NO_ACQUIRE, nullptr, false, true};
  if (const u8 code = create_block(local, generation.result, request, data)) return code;
  reduce(collective, generation, lock_object(blocks(), Kind::block, generation.result)->fixed());
  blocks().find(generation.result.index())->word.unlock();
  return 0;
}

Guid result_for(const Collective& collective, const Generation& generation, std::uint32_t contributor) noexcept {
  return collective.type == COL_REDUCE && contributor != 0 ? Guid{} : generation.result;
}

// The generation that is the `number`-th begins, in the place of one that is done.
void begin(Generation& generation, std::uint64_t number) {
  generation.number = number;
  generation.contributed = 0;
  generation.done = false;
  std::fill(generation.dependents.begin(), generation.dependents.end(), NodeList{});
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
  collective->operation = given.op;
  collective->type = static_cast<std::uint8_t>(given.type);
  collective->reuse = *reinterpret_cast<const unsigned char*>(&given.reuseDbPerGen) != 0;  // any byte, in C
  collective->satisfied.resize(given.nbContribs);
  collective->dependent.resize(given.nbContribs);
  collective->generations.resize(std::size_t{2} * given.maxGen);
  for (std::size_t i = 0; i < collective->generations.size(); ++i) {
    Generation& generation = collective->generations[i];
    generation.dependents.resize(given.nbContribs);
    begin(generation, i);
  }
  return collective;
}

u8 contribute(Local& local, Guid guid, const void* values, std::uint32_t contributor) {
  Event* const event = lock_object(events(), Kind::event, guid);
  if (event == nullptr) return OCR_EINVAL;
  const auto done = [&](u8 code) {
    event->word.unlock();
    return code;
  };
  if (event->type != EventType::collective || contributor >= event->collective->contributors) return done(OCR_EINVAL);
  Collective& collective = *event->collective;
  const std::uint64_t in_flight = collective.generations.size() / 2;
  const std::uint64_t number = collective.satisfied[contributor];
  if (number >= collective.completed + in_flight) return done(OCR_EPERM);
  if (checking::active()) checking::satisfied(guid, number);
  Generation& generation = collective.at(number);
  if (generation.number != number) begin(generation, number);
  generation.values.resize(collective.bytes() * collective.contributors);
  std::memcpy(generation.values.data() + contributor * collective.bytes(), values, collective.bytes());
  ++collective.satisfied[contributor];
  if (++generation.contributed < collective.contributors) return done(0);
  {
    const checking::Unseen unseen;  // the result's block is no EDT's
    if (const u8 code = make_result(local, collective, generation)) return done(code);
  }
  generation.done = true;
  ++collective.completed;
  const std::vector<NodeList> dependents =
      std::exchange(generation.dependents, std::vector<NodeList>(collective.contributors));
  const Guid full = generation.result;
  const bool only_first = collective.type == COL_REDUCE;
  event->word.unlock();
  const checking::Because cause(guid, number);
  for (std::size_t i = 0; i < dependents.size(); ++i) tell(local, dependents[i], only_first && i != 0 ? Guid{} : full);
  return 0;
}

u8 collective_dependent(Event& event, Node node, std::uint32_t contributor, bool& ready, Guid& block) {
  Collective& collective = *event.collective;
  if (contributor >= collective.contributors) return OCR_EINVAL;
  const std::uint64_t size = collective.generations.size();
  const std::uint64_t number = collective.dependent[contributor];
  if (number >= collective.completed + size / 2 || number + size / 2 < collective.completed) return OCR_EPERM;
  Generation& generation = collective.at(number);
  if (generation.number != number) begin(generation, number);
  ++collective.dependent[contributor];
  if (generation.done) {
    ready = true;
    block = result_for(collective, generation, contributor);
  } else {
    append(generation.dependents[contributor], node);
  }
  return 0;
}

}  // namespace weir::ocr
