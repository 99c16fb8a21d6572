// SPDX-License-Identifier: Apache-2.0

#include "pe_lines.hpp"

#include <iterator>
#include <span>

#include "trace/pe_events.hpp"

namespace weir::tool::convert {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kPuts[] = {"put", "put_nbi", "strided put", "put with signal", "put_nbi with signal"};
constexpr std::string_view kGets[] = {"get", "get_nbi", "strided get"};
constexpr std::string_view kAtomics[] = {"set",          "add",   "and",       "or",        "xor",      "swap",
                                         "compare_swap", "fetch", "fetch_add", "fetch_and", "fetch_or", "fetch_xor"};
constexpr std::string_view kWaits[] = {"wait_until", "wait_until_all", "wait_until_any", "wait_until_some"};
constexpr std::string_view kLocks[] = {"set_lock", "clear_lock", "test_lock"};
constexpr std::string_view kOrders[] = {"fence", "quiet"};

struct Group {
  std::string_view category;
  Names names;
};
// In the order of kinds, from put on.
constexpr Group kGroups[] = {{"put", kPuts},         {"get", kGets},   {"atomic", kAtomics},
                             {"wait_until", kWaits}, {"lock", kLocks}, {"collective", trace::kPeMeetNames},
                             {"order", kOrders}};

std::size_t number(Kind kind) noexcept { return static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::put); }

}  // namespace

bool is_pe_call(Kind kind) noexcept { return kind >= Kind::put && kind <= Kind::order; }

PeCall pe_call(Kind kind, std::uint8_t small, std::uint64_t id, std::uint64_t bytes) noexcept {
  const Group& group = kGroups[number(kind)];
  PeCall call{group.category, small < group.names.size() ? group.names[small] : group.category, std::nullopt, bytes};
  if (kind == Kind::put || kind == Kind::get || kind == Kind::atomic) call.pe = trace::PePlace::of(id).pe;
  return call;
}

}  // namespace weir::tool::convert
