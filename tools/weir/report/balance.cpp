// SPDX-License-Identifier: Apache-2.0

#include "balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interval.hpp"
#include "nesting.hpp"

namespace weir::tool::report {

namespace {

// A task that starts this soon was not kept from anybody.
constexpr Ns kSoon = 2000;

// Moments without order or overlap, of which the length within others is asked for.
class Times {
 public:
  explicit Times(std::vector<Interval> intervals) : union_(joined(std::move(intervals))) {
    Ns sum = 0;
    for (const Interval& i : union_) {
      before_.push_back(sum);
      sum += i.end - i.start;
    }
  }
  // How much of [from, to) they are.
  Ns within(Ns from, Ns to) const { return to <= from ? 0 : until(to) - until(from); }

 private:
  Ns until(Ns at) const {
    const auto after =
        std::upper_bound(union_.begin(), union_.end(), at, [](Ns m, const Interval& i) { return m < i.start; });
    if (after == union_.begin()) return 0;
    const auto i = static_cast<std::size_t>(after - union_.begin()) - 1;
    return before_[i] + std::min(at, union_[i].end) - union_[i].start;
  }

  std::vector<Interval> union_;
  std::vector<Ns> before_;
};

// When each task was ready and did not run: from its spawn, the tasks it comes after and the waits for its data.
std::vector<Interval> ready_times(const Trace& trace) {
  std::vector<Ns> had_data(trace.data_waits.empty() ? 0 : trace.tasks.size(), 0);
  for (const DataWait& wait : trace.data_waits) {
    if (wait.task < had_data.size()) had_data[wait.task] = std::max(had_data[wait.task], wait.end);
  }
  const std::vector<Ns> ends = trace.ends();
  std::vector<Interval> result;
  for (std::size_t i = 1; i < trace.tasks.size(); ++i) {
    const Task& task = trace.tasks[i];
    if (!task.ran || task.spawned < 0) continue;
    Ns ready = std::max(task.spawned, had_data.empty() ? 0 : had_data[i]);
    for (const std::uint32_t before : task.comes_after) ready = std::max(ready, ends[before]);
    if (ready + kSoon < task.start) result.push_back({ready, task.start});
  }
  return result;
}

class Weighing {
 public:
  explicit Weighing(const Trace& trace) : trace_(trace), rows_(trace) {}

  Balance weigh(const std::vector<TimeParts>& workers) {
    Balance result;
    result.by_domain = has_domains(workers);
    std::map<int, Sum> sums;  // by domain, or worker
    double work = 0;
    for (const TimeParts& row : workers) work += row.running;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (workers[i].is_guest || workers[i].left_early) continue;  // nobody is to give it work
      Sum& sum = sums[result.by_domain ? workers[i].domain : static_cast<int>(i)];
      sum.name = result.by_domain ? fmt::format("domain {}", workers[i].domain) : workers[i].worker;
      sum.domain = workers[i].domain;
      sum.parts += workers[i].sum();
      sum.waiting += workers[i].waiting_for_work;
      sum.work += workers[i].running;
    }
    if (result.by_domain) add_guests(sums, workers);
    add_placed(sums, result.by_domain);
    const auto less = [](const auto& a, const auto& b) { return a.second.share() < b.second.share(); };
    result.idlest = side(std::max_element(sums.begin(), sums.end(), less)->second, work);
    result.busiest = side(std::min_element(sums.begin(), sums.end(), less)->second, work);
    find_cause(result);
    return result;
  }

 private:
  struct Sum {
    std::string name;
    int domain = -1;
    double parts = 0, waiting = 0, work = 0, placed = 0;
    double share() const { return parts > 0 ? waiting / parts : 0; }
  };

  static Side side(const Sum& sum, double work) {
    return {sum.name, sum.share(), work > 0 ? sum.work / work : 0, sum.work > 0 ? sum.placed / sum.work : 0,
            sum.domain};
  }

  static bool has_domains(const std::vector<TimeParts>& workers) {
    std::set<int> domains;
    for (const TimeParts& worker : workers) domains.insert(worker.domain);
    return domains.size() > 1;
  }

  template <class F>
  void for_each_piece_of_tasks(F&& piece) const {
    for (std::size_t track = 0; track < rows_.size(); ++track) {
      for_each_piece(rows_[track], trace_.start, trace_.end, [&](const Span* innermost, Ns from, Ns to) {
        if (innermost != nullptr && innermost->doing == Doing::task)
          piece(track, trace_.tasks[innermost->task], from, to);
      });
    }
  }

  // What guests ran ran in their domains.
  static void add_guests(std::map<int, Sum>& sums, const std::vector<TimeParts>& workers) {
    for (const TimeParts& row : workers) {
      const auto domain = sums.find(row.domain);
      if (row.is_guest && domain != sums.end()) domain->second.work += row.running;
    }
  }

  void add_placed(std::map<int, Sum>& sums, bool by_domain) const {
    if (!by_domain) return;
    for_each_piece_of_tasks([&](std::size_t track, const Task& task, Ns from, Ns to) {
      const int domain = trace_.tracks[track].domain;
      const auto of = sums.find(domain);
      if (task.wanted == domain && of != sums.end()) of->second.placed += static_cast<double>(to - from);
    });
  }

  // Where the idlest side had nothing to run.
  std::vector<Interval> gaps_of(const Balance& balance) const {
    std::vector<Interval> gaps;
    for (std::size_t track = 0; track < rows_.size(); ++track) {
      const TrackRow& row = trace_.tracks[track];
      if (balance.by_domain ? row.domain != balance.idlest.domain : row.name != balance.idlest.name) continue;
      for (const Span& span : rows_[track]) {
        if (span.doing == Doing::search) gaps.push_back({span.start, span.end});
      }
    }
    return gaps;
  }

  void find_cause(Balance& result) const {
    const std::vector<Interval> gaps = gaps_of(result);
    const Times ready(ready_times(trace_)), without(gaps);
    double all = 0, with_ready = 0;
    for (const Interval& gap : gaps) {
      all += static_cast<double>(gap.end - gap.start);
      with_ready += static_cast<double>(ready.within(gap.start, gap.end));
    }
    result.ready = all > 0 ? with_ready / all : 0;
    std::map<int, double> ran;  // by name
    double sum = 0;
    for_each_piece_of_tasks([&](std::size_t, const Task& task, Ns from, Ns to) {
      const auto ns = static_cast<double>(without.within(from, to));
      ran[task.name] += ns;
      sum += ns;
    });
    const auto most =
        std::max_element(ran.begin(), ran.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (sum <= 0) return;
    result.meanwhile = trace_.names[static_cast<std::size_t>(most->first)];
    result.meanwhile_share = most->second / sum;
    result.meanwhile_each = mean_of(most->first);
  }

  double mean_of(int name) const {
    const std::vector<Ns> own = own_times(trace_);
    double ns = 0, tasks = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Task& task = trace_.tasks[i];
      if (!task.ran || task.name != name) continue;
      ns += static_cast<double>(own[i]);
      ++tasks;
    }
    return tasks > 0 ? ns / tasks : 0;
  }

  const Trace& trace_;
  const SpanRows rows_;
};

}  // namespace

Balance balance(const Trace& trace, const std::vector<TimeParts>& workers) { return Weighing(trace).weigh(workers); }

}  // namespace weir::tool::report
