// SPDX-License-Identifier: Apache-2.0

#include "decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "report/units.hpp"

namespace weir::tool::advise {

namespace {

using report::measured_size;

using ValueOf = std::function<std::string(const Setting&)>;

// For each value of that part the least time of these settings, the best first; those that cannot be run last.
std::vector<Row> rows_by(const ValueOf& value_of, const std::vector<Predicted>& predicted) {
  std::map<std::string, Row> by_value;
  for (const Predicted& each : predicted) {
    const std::string value = value_of(each.setting);
    Row& row = by_value.try_emplace(value, Row{value, 0, each.failure}).first->second;
    if (!each.failure.empty() || (row.seconds > 0 && row.seconds <= each.seconds)) continue;
    row.seconds = each.seconds;
    row.failure.clear();
  }
  std::vector<Row> rows;
  for (auto& [value, row] : by_value) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.seconds == 0, a.seconds) < std::tuple(b.seconds == 0, b.seconds);
  });
  return rows;
}

// "off would take 1.53 times as long", of the slowest of the others.
std::string compared(const std::string& value, const std::vector<Row>& rows) {
  const auto own = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.value == value; });
  if (own == rows.end()) return "";
  const Row* other = nullptr;
  for (const Row& row : rows)
    if (row.value != value && row.seconds > 0 && (other == nullptr || row.seconds > other->seconds)) other = &row;
  if (other == nullptr) return "nothing else can be run";
  const double times = other->seconds / own->seconds;
  const std::string name = other->value.empty() ? "all memory" : other->value;
  if (times < 1 + kTie) return "no other is better or worse by more than 2 %, and this one is the plainest";
  return fmt::format("{} would take {:.2f} times as long", name, times);
}

class Decision {
 public:
  Decision(const MachineFacts& machine, const ProgramFacts& program, const Fixed& fixed, Advice& advice)
      : machine_(machine), program_(program), fixed_(fixed), advice_(advice) {}

  void explain() {
    add(
        "tiers", fixed_.tiers.has_value(), [](const Setting& s) { return s.tiers; }, tiers_reason());
    add(
        "allocation", fixed_.allocation.has_value(), [](const Setting& s) { return text_of(s.allocation); },
        machine_.domains < 2 ? "one domain: every place is as near" : "");
    add(
        "strategy", fixed_.strategy.has_value(), [](const Setting& s) { return text_of(s.strategy); },
        strategy_reason());
    add(
        "policy", fixed_.policy.has_value(), [](const Setting& s) { return text_of(s.policy); },
        machine_.domains < 2 ? "one domain: all workers are near" : "");
    add(
        "workers", fixed_.workers > 0, [](const Setting& s) { return std::to_string(s.workers); }, "");
    advice_.choices.push_back(
        {"bind", text_of(advice_.setting.bind), binding_for(machine_, advice_.setting.workers, fixed_).why, {}});
  }

 private:
  // Of the rest of the advised setting only what this part does not decide is held fixed: workers, and memory's parts.
  std::vector<Predicted> comparable(const std::string& part) const {
    std::vector<Predicted> result;
    const Setting& best = advice_.setting;
    for (const Predicted& each : advice_.ranked) {
      const Setting& s = each.setting;
      if (part != "workers" && s.workers != best.workers) continue;
      if (part == "workers" && s.strategy != best.strategy) continue;
      if (part != "tiers" && s.tiers != best.tiers) continue;
      if (part == "strategy" && s.allocation != best.allocation) continue;
      if (part == "allocation" && s.strategy != best.strategy) continue;
      result.push_back(each);
    }
    return result;
  }

  void add(const std::string& part, bool fixed, const ValueOf& value_of, const std::string& reason) {
    Choice choice{part, value_of(advice_.setting), "as asked for", {}};
    if (!fixed) {
      choice.rows = rows_by(value_of, comparable(part));
      const bool has_choice = choice.rows.size() > 1;
      choice.why = has_choice ? compared(choice.value, choice.rows) : reason;
      if (has_choice && !reason.empty()) choice.why += "; " + reason;
      if (!has_choice) choice.rows.clear();
      if (choice.why.empty()) choice.why = "there is no other";
    }
    advice_.choices.push_back(std::move(choice));
  }

  std::string tiers_reason() const {
    if (machine_.kinds.size() < 2) return "one kind of memory";
    const KindFacts* kind = &machine_.kinds.front();  // of several tiers the first one
    for (const KindFacts& each : machine_.kinds)
      if (advice_.setting.tiers == machine::to_string(each.kind)) kind = &each;
    const bool fits = program_.working_set() <= kind->capacity.count;
    return fmt::format("the program's {} {} in {} of {}", measured_size(program_.working_set()),
                       fits ? "fit" : "do not fit", measured_size(kind->capacity.count),
                       machine::to_string(kind->kind));
  }

  std::string strategy_reason() const {
    if (program_.block_bytes == 0) return "the program has no blocks that could be moved";
    const Predicted& best = advice_.ranked.front();
    return best.moved == 0 ? "nothing has to be moved" : fmt::format("moves {}", measured_size(best.moved));
  }

  const MachineFacts& machine_;
  const ProgramFacts& program_;
  const Fixed& fixed_;
  Advice& advice_;
};

}  // namespace

Advice decide(const MachineFacts& machine, const ProgramFacts& program, std::vector<Predicted> predicted,
              const Fixed& fixed) {
  std::stable_sort(predicted.begin(), predicted.end(), [](const Predicted& a, const Predicted& b) {
    return std::tuple(!a.failure.empty(), a.seconds) < std::tuple(!b.failure.empty(), b.seconds);
  });
  Advice advice;
  advice.setting.workers = 0;
  if (!predicted.empty() && predicted.front().failure.empty()) {
    const double limit = predicted.front().seconds * (1 + kTie);
    const auto key = [&](const Predicted& p) {
      return std::tuple(unusual_parts(p.setting, machine), p.moved, p.seconds);
    };
    auto best = predicted.begin();
    for (auto each = predicted.begin(); each != predicted.end(); ++each)
      if (each->failure.empty() && each->seconds <= limit && key(*each) < key(*best)) best = each;
    std::rotate(predicted.begin(), best, best + 1);
    advice.setting = predicted.front().setting;
    advice.seconds = predicted.front().seconds;
  }
  advice.ranked = std::move(predicted);
  if (advice.setting.workers > 0) Decision(machine, program, fixed, advice).explain();
  return advice;
}

std::vector<Setting> worth_trying(const Advice& advice, std::size_t most) {
  std::vector<Setting> chosen;
  const auto add = [&](const Predicted& each) {
    if (!each.failure.empty() || each.setting.cache_mode || chosen.size() >= most) return;
    if (std::find(chosen.begin(), chosen.end(), each.setting) == chosen.end()) chosen.push_back(each.setting);
  };
  std::set<Strategy> seen;
  for (const Predicted& each : advice.ranked)
    if (each.failure.empty() && seen.insert(each.setting.strategy).second) add(each);
  for (const Predicted& each : advice.ranked) add(each);
  return chosen;
}

}  // namespace weir::tool::advise
