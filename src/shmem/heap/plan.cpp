// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "shmem/heap/size_text.hpp"

namespace weir::shmem {

namespace {

using base::Code;
using machine::MemoryKind;

constexpr int kPartitions = 15;

base::Status wrong(const std::string& name, std::string_view value, std::string_view what) {
  return {Code::bad_option, fmt::format("{}={}: {}", name, value, what)};
}

// As a heap has it: its books count less than 16 TiB.
std::optional<std::uint64_t> heap_size(std::string_view text) {
  const auto bytes = parse_size(text);
  return bytes && *bytes < std::uint64_t{1} << 44 ? bytes : std::nullopt;
}

std::string wrong_size(std::string_view size) {
  return fmt::format("{} is no size: a number above 0, with K, M, G or T if need be, as 512M; less than 16T", size);
}

std::string lower(std::string_view text) {
  std::string letters(text);
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return letters;
}

// False: it is unknown.
bool read_kind(std::string_view value, PartitionPlan& plan) {
  const std::string kind = lower(value);
  if (kind == "memory") return true;
  if (kind == "f" || kind == "fast") plan.kind = MemoryKind::hbm;
  if (kind == "d") plan.kind = MemoryKind::ddr;
  for (const MemoryKind known :
       {MemoryKind::hbm, MemoryKind::ddr, MemoryKind::cxl, MemoryKind::nvm, MemoryKind::device}) {
    if (kind == machine::to_string(known)) plan.kind = known;
  }
  return plan.kind.has_value();
}

bool read_policy(std::string_view value, PartitionPlan& plan) {
  const std::string policy = lower(value);
  if (policy == "m" || policy == "mandatory") return plan.policy = PlacePolicy::mandatory, true;
  if (policy == "p" || policy == "preferred") return plan.policy = PlacePolicy::preferred, true;
  if (policy == "i" || policy == "interleaved") return plan.policy = PlacePolicy::interleaved, true;
  return false;
}

// Empty: it was understood.
std::string read_field(std::string_view key, std::string_view value, PartitionPlan& plan) {
  if (key == "size") {
    plan.bytes = heap_size(value);
    return plan.bytes ? "" : wrong_size(value);
  }
  if (key == "pgsize") return parse_size(value) ? "" : wrong_size(value);
  if (key == "kind") {
    return read_kind(value, plan) ? "" : fmt::format("kind {} is unknown: hbm, ddr, cxl, nvm, device or memory", value);
  }
  if (key == "policy") {
    return read_policy(value, plan) ? ""
                                    : fmt::format("policy {} is unknown: mandatory, preferred or interleaved", value);
  }
  return fmt::format("{} is unknown: size, kind, policy and pgsize are known", key);
}

base::Result<PartitionPlan> parse_partition(const std::string& name, std::string_view text, int number) {
  PartitionPlan plan{.number = number, .bytes = {}, .kind = {}};
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) return wrong(name, text, fmt::format("{} has no value", field));
    const std::string what = read_field(field.substr(0, equals), field.substr(equals + 1), plan);
    if (!what.empty()) return wrong(name, text, what);
  }
  if (!plan.bytes) return wrong(name, text, "it has no size: size=512M");
  return plan;
}

// The name of the variable that says how large the heap is, and its value; null: none does.
std::pair<std::string, const char*> size_variable(const Variable& variable) {
  for (const char* const name :
       {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "XT_SYMMETRIC_HEAP_SIZE"}) {
    if (const char* const value = variable(name)) return {name, value};
  }
  return {"", nullptr};
}

}  // namespace

base::Result<std::vector<PartitionPlan>> plan_heaps(const Variable& variable) {
  std::vector<PartitionPlan> plans(1);
  const auto [name, value] = size_variable(variable);
  if (value != nullptr) {
    plans[0].bytes = heap_size(value);
    if (!plans[0].bytes) return wrong(name, value, wrong_size(value));
  }
  for (int number = 1; number <= kPartitions; ++number) {
    const std::string partition = fmt::format("SHMEM_SYMMETRIC_PARTITION{}", number);
    const char* const text = variable(partition);
    if (text == nullptr) continue;
    auto plan = parse_partition(partition, text, number);
    if (!plan) return plan.status();
    if (number == 1 && value != nullptr)
      return wrong(partition, text, fmt::format("partition 1 is the heap, whose size {}={} says too", name, value));
    if (number == 1)
      plans[0] = *plan;
    else
      plans.push_back(*plan);
  }
  return plans;
}

std::uint64_t default_heap_bytes(std::uint64_t limit, std::uint64_t pes) {
  constexpr std::uint64_t kDefault = std::uint64_t{1} << 30, kLeast = std::uint64_t{4} << 20;
  const std::uint64_t each = limit / std::max<std::uint64_t>(pes, 1);
  return std::clamp(each - std::min(each, kInternalBytes), kLeast, kDefault);
}

}  // namespace weir::shmem
