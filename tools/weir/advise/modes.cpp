// SPDX-License-Identifier: Apache-2.0

#include "modes.hpp"

#include <fmt/format.h>

#include <functional>

#include "report/units.hpp"

namespace weir::tool::advise {

namespace {

using machine::MemoryKind;

bool holds_several(const std::string& tiers) { return tiers.find(',') != std::string::npos; }

std::optional<double> best_of(const std::vector<Predicted>& predicted, const std::function<bool(const Setting&)>& in) {
  std::optional<double> best;
  for (const Predicted& each : predicted)
    if (each.failure.empty() && in(each.setting) && (!best || each.seconds < *best)) best = each.seconds;
  return best;
}

class Table {
 public:
  Table(const MachineFacts& machine, const ProgramFacts& program, const std::vector<Predicted>& predicted)
      : machine_(machine), program_(program), predicted_(predicted) {
    fast_ = machine.kind(MemoryKind::hbm);
    ordinary_ = machine.kind(MemoryKind::ddr);
    if (ordinary_ == nullptr) ordinary_ = fast_;
  }

  std::vector<ModeRow> rows() const { return {ddr_only(), lean(), cache(), flat()}; }

 private:
  std::string fits(Bytes capacity) const {
    if (program_.working_set() == 0) return "";
    const bool there = program_.working_set() <= capacity.count;
    return fmt::format(", {} {}", report::measured_size(program_.working_set()), there ? "fit" : "do not fit");
  }
  bool in_cache_mode() const { return ordinary_ != nullptr && ordinary_->side_cache.count > 0; }

  static ModeRow row(const char* mode, const char* changes, const KindFacts* kind) {
    ModeRow row{.mode = mode, .changes = changes, .capacity = {}, .seconds = {}, .here = ""};
    if (kind == nullptr) return row;
    row.capacity = kind->capacity;
    row.gb_per_s = kind->read_gb_per_s;
    row.latency_ns = kind->latency_ns;
    return row;
  }

  ModeRow ddr_only() const {
    ModeRow result = row("DDR only", "none", ordinary_);
    result.is_there = !in_cache_mode();
    if (machine_.kinds.size() < 2 && !in_cache_mode()) {
      result.here = "all that this machine has" + fits(result.capacity);
      result.seconds = best_of(predicted_, [](const Setting& s) { return !s.cache_mode; });
      return result;
    }
    result.here = in_cache_mode() ? "boot without the cache" : "--tiers ddr, or --memory ddr" + fits(result.capacity);
    result.seconds = best_of(predicted_, [](const Setting& s) { return s.tiers == "ddr" && !s.cache_mode; });
    return result;
  }

  ModeRow lean() const {
    ModeRow result = row("lean", "none", fast_);
    result.is_there = fast_ != nullptr;
    result.here = fast_ == nullptr ? "no memory faster than the ordinary one"
                                   : "--tiers hbm, or --memory fast" + fits(result.capacity);
    if (fast_ == nullptr && machine_.kinds.size() < 2 && !in_cache_mode())
      result.here = "the same, if its only memory is HBM";
    result.seconds = best_of(predicted_, [](const Setting& s) { return s.tiers == "hbm"; });
    return result;
  }

  ModeRow cache() const {
    ModeRow result = row("cache", "none", ordinary_);
    if (in_cache_mode()) {
      result.is_there = true;
      result.here = fmt::format("booted so: {} in front of {}{}", report::measured_size(ordinary_->side_cache.count),
                                report::measured_size(ordinary_->capacity.count), fits(ordinary_->side_cache));
      result.seconds = best_of(predicted_, [](const Setting&) { return true; });
      return result;
    }
    if (fast_ == nullptr) {
      result = row("cache", "none", nullptr);
      result.here = "no memory that could be a cache of the other";
      return result;
    }
    result.gb_per_s = 0;  // of what is found in it, and of what is not: no one figure
    result.here = "boot it so" + fits(fast_->capacity) + " in the cache";
    if (program_.working_set() == 0) result.here = "boot it so";
    result.seconds = best_of(predicted_, [](const Setting& s) { return s.cache_mode; });
    return result;
  }

  ModeRow flat() const {
    ModeRow result = row("flat", "footprints, or allocation", nullptr);
    if (machine_.kinds.size() < 2) {
      result.here = in_cache_mode() ? "boot it so" : "one kind of memory";
      return result;
    }
    result.is_there = true;
    std::string list;
    for (const KindFacts& kind : machine_.kinds) {
      result.capacity.count += kind.capacity.count;
      list += fmt::format("{}{}", list.empty() ? "" : ",", machine::to_string(kind.kind));
    }
    result.gb_per_s = machine_.kinds.front().read_gb_per_s;
    result.latency_ns = machine_.kinds.front().latency_ns;
    result.here = fmt::format("--tiers {}{}", list, fits(result.capacity));
    result.seconds = best_of(predicted_, [](const Setting& s) { return holds_several(s.tiers) && !s.cache_mode; });
    return result;
  }

  const MachineFacts& machine_;
  const ProgramFacts& program_;
  const std::vector<Predicted>& predicted_;
  const KindFacts* fast_ = nullptr;
  const KindFacts* ordinary_ = nullptr;
};

}  // namespace

std::vector<ModeRow> mode_rows(const MachineFacts& machine, const ProgramFacts& program,
                               const std::vector<Predicted>& predicted) {
  return Table(machine, program, predicted).rows();
}

}  // namespace weir::tool::advise
