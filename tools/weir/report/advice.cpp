// SPDX-License-Identifier: Apache-2.0

#include "advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "balance.hpp"
#include "units.hpp"

namespace weir::tool::report {

namespace {

constexpr double kMuch = 0.05;                    // a share of all workers' time that is worth a word
constexpr double kWorthwhile = 0.1;               // of a task's length: what the runtime may take for it
constexpr double kNoTaskCosts = 10000;            // ns: workers were kept from running, it is not the runtime's work
constexpr double kEnough = 0.9;                   // work for so many times the workers is not what is missing
constexpr std::uint64_t kBeyondCaches = 1 << 18;  // bytes of a task's footprint
constexpr double kGoodPart = 0.4;  // of memory's bandwidth: a footprint that is written counts once and moves twice
constexpr double kUneven = 0.2;    // of a worker's time: more than the others waited
constexpr double kNearTheBound = 1.15;  // times the bound

class Adviser {
 public:
  Adviser(const Trace& trace, const Report& report) : trace_(trace), report_(report) {}

  std::vector<std::string> all() {
    find_tiny();
    lost();
    data();
    others();
    tiny();
    parallelism();
    bandwidth();
    streaming();
    alone();
    if (report_.tasks == 0) lines_.emplace_back("no task has run");
    if (lines_.empty()) near_the_bound();
    return std::move(lines_);
  }

 private:
  double share(double ns) const { return report_.sum.sum() > 0 ? ns / report_.sum.sum() : 0; }
  static double percent(double share) { return 100 * share; }

  void lost() {
    if (trace_.cut) {
      lines_.emplace_back(
          "the trace ends early: its program had not ended, or was killed; this is what was written until then, "
          "without "
          "what ran at the end, and tiers without their sizes");
    }
    if (const std::uint64_t died = trace_.counter("workers_died"); died != 0) {
      const std::uint64_t again = trace_.counter("tasks_rerun");
      const std::string then = again != 0
                                   ? fmt::format("{} task{} given to others", again, again == 1 ? " was" : "s were")
                                   : std::string("no task was given to another one");
      lines_.push_back(fmt::format(
          "{} of {} worker processes died, and {}: a row ends where its worker did, and what follows is of those that "
          "lived",
          died, trace_.workers - 1, then));
    }
    if (trace_.lost_events == 0) return;
    lines_.push_back(fmt::format("{} events were lost: what follows adds up to too little; trace a shorter run",
                                 trace_.lost_events));
  }

  // How much larger the fast tier would have to be to hold every block.
  std::uint64_t missing_bytes() const {
    std::uint64_t all = 0;
    for (const Block& block : trace_.blocks) all += block.bytes;
    const std::uint64_t fast = trace_.tiers.empty() ? 0 : trace_.tiers.front().budget;
    return fast != 0 && all > fast ? all - fast : 0;  // 0: not known
  }

  std::string more_of_the_fast_tier() const {
    const std::uint64_t bytes = missing_bytes();
    return bytes == 0 ? "a larger fast tier"
                      : fmt::format("{} more of tier {}", measured_size(bytes), trace_.tiers.front().name);
  }

  void data() {
    const double waits = share(report_.sum.waiting_for_data + report_.sum.moving);
    if (waits < kMuch) return;
    const auto hits = static_cast<double>(trace_.counter("hits")),
               misses = static_cast<double>(trace_.counter("misses"));
    std::string line = fmt::format("waiting for data {:.0f} %", percent(waits));
    if (trace_.on_islands()) {
      lines_.push_back(line +
                       ": making footprints fresh and writing them back; name fewer bytes, or do more with them");
      return;
    }
    if (hits + misses > 0) {
      line += fmt::format(": tier {} held {:.0f} % of the blocks when their tasks were ready",
                          trace_.tiers.empty() ? "1" : trace_.tiers.front().name, percent(hits / (hits + misses)));
    }
    if (hits + misses == 0 && report_.sum.waiting_for_data > 0) {
      line += fmt::format(": {:.0f} % of it for room, the rest for blocks on their way",
                          percent(report_.sum.waiting_for_room / report_.sum.waiting_for_data));
    }
    if (const std::uint64_t bytes = missing_bytes(); bytes != 0) {
      line += fmt::format("; {} more of it would hold them all", measured_size(bytes));
    }
    if (report_.sum.moving > report_.sum.waiting_for_data)
      line += "; --strategy ahead lets workers run tasks during that time";
    lines_.push_back(std::move(line));
  }

  void others() {
    const double waits = share(report_.sum.waiting_for_others);
    if (waits < kMuch) return;
    std::map<std::string, double> by_holder;
    for (const DataWait& wait : trace_.data_waits) {
      if (wait.had_by < 0) continue;
      by_holder[trace_.names[static_cast<std::size_t>(wait.had_by)]] += static_cast<double>(wait.end - wait.start);
    }
    const auto most = std::max_element(by_holder.begin(), by_holder.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    lines_.push_back(fmt::format(
        "waiting for what others held {:.0f} %{}: {}reduce instead of commutative{} would let more tasks run at once",
        percent(waits), most == by_holder.end() ? "" : fmt::format(", most of it by tasks {:?}", most->first),
        tiny_.empty() ? "smaller pieces of data, or " : "", tiny_.empty() ? "," : ""));
  }

  // Of all workers' time, for one task: made, its edges found, and brought to run.
  double cost_of_a_task() const {
    return (report_.sum.analysing + report_.sum.scheduling) /
           static_cast<double>(std::max<std::uint64_t>(report_.tasks, 1));
  }

  // Tasks so short that the runtime takes a good part of the time.
  bool are_tiny(const NameCost& name) const { return cost_of_a_task() > kWorthwhile * mean(name); }
  static double mean(const NameCost& name) {
    return name.ns / static_cast<double>(std::max<std::uint64_t>(name.tasks, 1));
  }

  void find_tiny() {
    if (share(report_.sum.analysing + report_.sum.scheduling) < kMuch || cost_of_a_task() > kNoTaskCosts) return;
    for (const NameCost& name : report_.names)
      if (are_tiny(name) && name.tasks * 10 >= report_.tasks) tiny_.push_back(&name);
  }

  void tiny() {
    const double cost = cost_of_a_task();
    for (const NameCost* name : tiny_) {
      lines_.push_back(fmt::format(
          "{} tasks {:?} last {} on average, and the runtime's own cost of a task is {}, {:.0f} % of all time: make "
          "them at least {:.0f} times larger, and it is below a tenth of them",
          name->tasks, name->name, time_text(mean(*name)), time_text(cost),
          percent(share(report_.sum.analysing + report_.sum.scheduling)),
          std::ceil(cost / kWorthwhile / std::max(mean(*name), 1.0))));
    }
  }

  void parallelism() {
    const double waits = share(report_.sum.waiting_for_work);
    if (waits < kMuch || report_.path.length <= 0) return;
    const double parallelism = report_.work_ns / static_cast<double>(report_.path.length);
    const NameCost* const longest = report_.path_names.empty() ? nullptr : &report_.path_names.front();
    const bool makes_tasks = longest != nullptr && longest->name == kOutsideOfTasks;
    const bool is_elsewhere = longest != nullptr && longest->name == kElsewhere;
    if (!tiny_.empty() && makes_tasks) return;  // who makes them is busy with that: fewer, larger ones are the remedy
    const Balance sides = balance(trace_, report_.workers);
    std::string line = fmt::format("waiting for work {:.0f} %: ", percent(waits));
    if (sides.ready < 0.5 && parallelism < kEnough * trace_.workers) {
      line += fmt::format("there is work for {:.1f} workers at most, with {}", parallelism, trace_.workers);
      if (longest != nullptr) {
        line += fmt::format("; {:.0f} % of the critical path is {}",
                            percent(longest->path_ns / static_cast<double>(report_.path.length)),
                            makes_tasks
                                ? "the program's own code outside of tasks, which also makes tasks: tasks could do that"
                            : is_elsewhere ? "what tasks had begun elsewhere and ended later for: begin it earlier, or "
                                             "have tasks that need not wait for it"
                                           : longest->name);
      }
    } else if (trace_.on_islands() && sides.ready >= 0.5) {
      line += fmt::format(
          "during {:.0f} % of that time tasks were ready, and the master had not come to give them away: "
          "make them larger, or let it do less between them",
          percent(sides.ready));
    } else {
      line += sides_text(sides) + (sides.ready >= 0.5 ? kept_text(sides) : gap_text(sides));
    }
    lines_.push_back(std::move(line));
  }

  std::string sides_text(const Balance& sides) const {
    if (sides.idlest.waiting - sides.busiest.waiting < kUneven) {
      return fmt::format("all {} workers had nothing to run at times, {} for {:.0f} % of the run", trace_.workers,
                         sides.idlest.name, percent(sides.idlest.waiting));
    }
    return fmt::format("{} had nothing to run for {:.0f} % of the run, {} for {:.0f} %, where {:.0f} % of the work ran",
                       sides.idlest.name, percent(sides.idlest.waiting), sides.busiest.name,
                       percent(sides.busiest.waiting), percent(sides.busiest.work));
  }

  // Tasks were ready: what kept them from those who had none.
  std::string kept_text(const Balance& sides) const {
    std::string text = fmt::format("; during {:.0f} % of that time tasks were ready", percent(sides.ready));
    if (!sides.by_domain) return text + ": too short for others to come and take them; larger ones would be shared";
    if (sides.busiest.placed >= 0.5) {
      text += fmt::format(
          ", but {:.0f} % of that work was bound to {}, by on_domain(), an affinity or where its blocks lie",
          percent(sides.busiest.placed), sides.busiest.name);
      return text + (trace_.policy == "numa" ? ": spread it over the domains, or let --policy near take some of it"
                                             : ": spread it over the domains");
    }
    if (trace_.policy == "numa")
      return text +
             fmt::format(", and policy numa left them to {}: make tasks in {}, too (on_domain()), or use --policy near",
                         sides.busiest.name, sides.idlest.name);
    return text +
           ": too short for another domain to come and take them (--far-after); make them larger, or some of them "
           "in " +
           sides.idlest.name;
  }

  // None was: what the others were busy with.
  std::string gap_text(const Balance& sides) const {
    if (sides.meanwhile.empty()) return "; no task was ready then, and none ran";
    return fmt::format(
        "; no task was ready then, and {:.0f} % of what ran was {:?}, {} each: {}more of them at a time{} would give "
        "all "
        "something to run",
        percent(sides.meanwhile_share), sides.meanwhile, time_text(sides.meanwhile_each),
        tiny_.empty() ? "smaller ones, or " : "", tiny_.empty() ? "," : "");
  }

  void bandwidth() {
    for (const LinkUse& link : report_.links) {
      if (link.busy_ns < kMuch * report_.wall_ns) continue;
      const bool known = link.is_known();
      const double most = link.most_gb_per_s();
      const std::string rate = fmt::format("{} to {} reached {:.2f} of {:.2f} GB/s {}", link.from, link.to,
                                           link.gb_per_s(), most, known ? "measured" : "in its best tenth of the run");
      if (link.gb_per_s() >= 0.5 * most && link.busy_ns >= 0.5 * report_.wall_ns) {
        lines_.push_back(fmt::format(
            "bound by bandwidth: {}, for {:.0f} % of the run, with {}: only to move less "
            "makes this faster, by more work on a block while it is there or {}",
            rate, percent(link.busy_ns / report_.wall_ns), measured_size(link.bytes), more_of_the_fast_tier()));
      } else if (known && link.gb_per_s() < 0.5 * most) {
        lines_.push_back(rate + ": larger blocks, or --strategy ahead or multi, would use more of it");
      }
    }
  }

  // Tasks that go through more than caches hold, at a good part of what memory gives; above that they find it there.
  void streaming() {
    const NameCost* const most = report_.names.empty() ? nullptr : &report_.names.front();
    if (trace_.memory_gb_per_s <= 0 || most == nullptr || report_.sum.running <= 0) return;
    if (most->bytes / most->tasks < kBeyondCaches) return;
    double bytes = 0;
    for (const NameCost& name : report_.names) bytes += static_cast<double>(name.bytes);
    const double rate = bytes / (report_.sum.running / trace_.workers), reached = rate / trace_.memory_gb_per_s;
    if (share(report_.sum.running) < kMuch || reached < kGoodPart || reached > 1.5) return;
    lines_.push_back(
        fmt::format("bound by bandwidth: the tasks' footprints, {}, most of it of {:?}, went by at {:.1f} GB/s, "
                    "and all memory gives {:.1f} GB/s: more workers would not help; more work on a piece "
                    "while it is in a cache would",
                    measured_size(static_cast<std::uint64_t>(bytes)), most->name, rate, trace_.memory_gb_per_s));
  }

  // The others had no task at all, while the program's own code ran.
  void alone() {
    const double idle = share(report_.sum.idle);
    if (idle < kUneven || report_.sum.program < kUneven * report_.wall_ns) return;
    lines_.push_back(
        fmt::format("idle {:.0f} %: there was no task while the program's own code ran, {}: tasks could do that",
                    percent(idle), time_text(report_.sum.program)));
  }

  void near_the_bound() {
    const double over = report_.bound_ns() > 0 ? report_.wall_ns / report_.bound_ns() : 0;
    if (over > 0 && over <= kNearTheBound) {
      lines_.push_back(fmt::format("within {:.0f} % of the bound: only less work in the tasks makes this faster",
                                   percent(std::max(over - 1, 0.0))));
    } else {
      lines_.push_back("nothing stands out");
    }
  }

  const Trace& trace_;
  const Report& report_;
  std::vector<std::string> lines_;
  std::vector<const NameCost*> tiny_;  // that are advised to be larger: nothing else is then advised to be smaller
};

}  // namespace

std::vector<std::string> advise(const Trace& trace, const Report& report) { return Adviser(trace, report).all(); }

}  // namespace weir::tool::report
