// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/wait_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "platform/symbol_names.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::array kSigns{"==", "!=", ">", "<=", "<", ">="};  // in the order of shmem.h

const char* sign_of(int comparison) noexcept {
  const auto index = static_cast<std::size_t>(comparison);
  return index < kSigns.size() ? kSigns[index] : "?";
}

// As the type has it. 2 or 4 bytes of a signed one are as `wanted` is: with the sign in all 64.
std::string number_text(std::uint64_t bits, const Awaited& what) {
  return what.is_signed ? fmt::format("{}", static_cast<std::int64_t>(bits)) : fmt::format("{}", bits);
}

template <class Signed, class Unsigned>
std::uint64_t load(const Awaited& what) noexcept {
  const Unsigned bits = __atomic_load_n(static_cast<const Unsigned*>(what.word), __ATOMIC_SEQ_CST);
  return what.is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<Signed>(bits)}) : bits;
}

std::uint64_t value_of(const Awaited& what) noexcept {
  if (what.bytes == sizeof(std::uint16_t)) return load<std::int16_t, std::uint16_t>(what);
  if (what.bytes == sizeof(std::uint32_t)) return load<std::int32_t, std::uint32_t>(what);
  return load<std::int64_t, std::uint64_t>(what);
}

std::uint64_t wanted_of(const Awaited& what) noexcept {
  if (what.is_signed || what.bytes == sizeof(std::uint64_t)) return what.wanted;
  return what.wanted & ((std::uint64_t{1} << (8 * what.bytes)) - 1);
}

// The members that it waits for: of this node by their areas, of others the leaders.
std::string crew_text(const Awaited& what, Pages& pages) {
  std::vector<int> missing;
  for (const Crew::Member& member : what.crew->members) {
    const bool is_here = member.ended != nullptr && member.pe != world().my_pe;
    if (what.step != 0 && is_here && what.crew->last_step(member) < what.step) missing.push_back(member.pe);
  }
  for (const auto& [pe, ended] : what.crew->far_leaders) {
    if (what.far_step != 0 && pages.read(pe, *ended) < what.far_step) missing.push_back(pe);
  }
  return missing.empty() ? "for others of its group" : "for " + pes_text(missing);
}

std::string lock_text(const Awaited& what) {
  const std::string lock = fmt::format("for the lock {}", object_text(what.word));
  return what.pe < 0 ? lock : fmt::format("{}, which PE {} has or gets before it", lock, what.pe);
}

}  // namespace

std::string pes_text(const std::vector<int>& pes) {
  std::string text = pes.size() == 1 ? "PE" : "PEs";
  for (std::size_t i = 0; i < pes.size();) {
    std::size_t last = i;
    while (last + 1 < pes.size() && pes[last + 1] == pes[last] + 1) ++last;
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? " " : ", ", pes[i]);
    if (last > i) fmt::format_to(std::back_inserter(text), "-{}", pes[last]);
    i = last + 1;
  }
  return text;
}

std::string object_text(const void* address) {
  const Segment* const segment = segment_of(address);
  if (segment == nullptr) return {};
  const bool is_heap = segment == &world().segments[0];
  const std::string name = is_heap ? "" : platform::variable_name(address);
  return name.empty() ? place_text(address) : name;
}

std::string wait_text(const Awaited& what, Pages& pages) {
  switch (what.kind) {
    case Awaited::Kind::word:
      return fmt::format("until {}, which is {}, is {} {}", object_text(what.word), number_text(value_of(what), what),
                         sign_of(what.comparison), number_text(wanted_of(what), what));
    case Awaited::Kind::words: return fmt::format("for one of {} words from {} on", what.words, object_text(what.word));
    case Awaited::Kind::lock: return lock_text(what);
    case Awaited::Kind::collective: return crew_text(what, pages);
    case Awaited::Kind::pe: return fmt::format("for PE {}", what.pe);
    case Awaited::Kind::unknown: break;
  }
  return "for another PE";
}

}  // namespace weir::shmem
