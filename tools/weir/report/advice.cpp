#include "advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "units.hpp"

namespace weir::tool::report {

namespace {

constexpr double kMuch = 0.05;          // a share of all workers' time that is worth a word
constexpr double kTinyTaskNs = 1000;    // shorter tasks cost more than they do
constexpr double kNearTheBound = 1.15;  // times the bound

class Adviser {
 public:
  Adviser(const Trace& trace, const Report& report) : trace_(trace), report_(report) {}

  std::vector<std::string> all() {
    lost();
    data();
    others();
    parallelism();
    spawning();
    tiny();
    bandwidth();
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

  void data() {
    const double waits = share(report_.sum.waiting_for_data + report_.sum.moving);
    if (waits < kMuch) return;
    const auto hits = static_cast<double>(trace_.counter("hits")),
               misses = static_cast<double>(trace_.counter("misses"));
    std::string line = fmt::format("waiting for data {:.0f} %", percent(waits));
    if (hits + misses > 0) {
      line += fmt::format(": tier {} held {:.0f} % of the blocks when their tasks were ready",
                          trace_.tiers.empty() ? "1" : trace_.tiers.front().name, percent(hits / (hits + misses)));
    }
    if (const std::uint64_t bytes = missing_bytes(); bytes != 0) {
      line += fmt::format("; {} more of it would hold them all", size_text(bytes));
    }
    if (report_.sum.moving > report_.sum.waiting_for_data) line += "; --strategy ahead lets workers run meanwhile";
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
        "waiting for what others held {:.0f} %{}: smaller pieces of data, or reduce instead of "
        "commutative, would let more tasks run at once",
        percent(waits), most == by_holder.end() ? "" : fmt::format(", most of it by tasks {:?}", most->first)));
  }

  void parallelism() {
    const double waits = share(report_.sum.waiting_for_work);
    if (waits < kMuch || report_.path.length <= 0) return;
    const double parallelism = report_.work_ns / static_cast<double>(report_.path.length);
    std::string line = fmt::format("waiting for work {:.0f} %: ", percent(waits));
    if (parallelism >= 2.0 * trace_.workers) {
      line += fmt::format(
          "there was work for {:.1f} workers on average and {} to do it, but not at every moment: "
          "order or grain of the tasks left gaps",
          parallelism, trace_.workers);
    } else {
      line += fmt::format("there is work for {:.1f} workers at most, with {}", parallelism, trace_.workers);
      const NameCost* const longest = report_.path_names.empty() ? nullptr : &report_.path_names.front();
      if (longest != nullptr) {
        line += fmt::format("; {:.0f} % of the critical path is {}",
                            percent(longest->path_ns / static_cast<double>(report_.path.length)),
                            longest->name == kOutsideOfTasks
                                ? "the program's own code outside of tasks, which also makes tasks: tasks could do that"
                                : longest->name);
      }
    }
    lines_.push_back(std::move(line));
  }

  void spawning() {
    const double analysis = share(report_.sum.analysing);
    if (analysis < kMuch || report_.tasks == 0) return;
    lines_.push_back(fmt::format("analysing {:.0f} %: {} to make a task that runs for {}; larger tasks would help",
                                 percent(analysis),
                                 time_text(report_.sum.analysing / static_cast<double>(report_.tasks)),
                                 time_text(report_.sum.running / static_cast<double>(report_.tasks))));
  }

  void tiny() {
    for (const NameCost& name : report_.names) {
      const double mean = name.ns / static_cast<double>(std::max<std::uint64_t>(name.tasks, 1));
      if (mean >= kTinyTaskNs || share(name.ns) < kMuch) continue;
      lines_.push_back(
          fmt::format("{} tasks {:?} run for {} each: below a microsecond, what is recorded here and the "
                      "scheduler weigh as much as the task",
                      name.tasks, name.name, time_text(mean)));
    }
  }

  void bandwidth() {
    for (const LinkUse& link : report_.links) {
      if (link.known_gb_per_s <= 0 || link.busy_ns < kMuch * report_.wall_ns) continue;
      const double reached = link.gb_per_s() / link.known_gb_per_s;
      if (reached >= 0.5) continue;
      lines_.push_back(
          fmt::format("{} to {} reached {:.1f} of {:.1f} GB/s: larger blocks, or --strategy ahead or "
                      "multi, would use more of it",
                      link.from, link.to, link.gb_per_s(), link.known_gb_per_s));
    }
  }

  void near_the_bound() {
    const double over = report_.bound_ns() > 0 ? report_.wall_ns / report_.bound_ns() : 0;
    if (over > 0 && over <= kNearTheBound) {
      lines_.push_back(fmt::format("within {:.0f} % of the bound: only less work in the tasks makes this faster",
                                   percent(over - 1)));
    } else {
      lines_.push_back("nothing stands out");
    }
  }

  const Trace& trace_;
  const Report& report_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> advise(const Trace& trace, const Report& report) { return Adviser(trace, report).all(); }

}  // namespace weir::tool::report
