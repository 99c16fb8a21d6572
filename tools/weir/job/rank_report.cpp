// SPDX-License-Identifier: Apache-2.0

#include "rank_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "report/units.hpp"

namespace weir::tool::job {

namespace {

using report::PathStep;
using report::TimeParts;

constexpr double kMuch = 0.05;  // a share of all workers' time that is worth a word

// Tiles of an array are called "a[2,0]".
std::string array_of(const std::string& tile) { return tile.substr(0, tile.find('[')); }

class Maker {
 public:
  Maker(const JobFiles& job, const RankTrace& trace) : job_(job), trace_(trace) {}

  RankReport make() {
    made_.ranks = job_.pes;
    made_.all = report::analyse(trace_.trace);
    add_times();
    add_path();
    for (const Crossing& crossing : trace_.crossings) add(crossing);
    sort_waits();
    advise();
    return std::move(made_);
  }

 private:
  void add_times() {
    for (const PeFile& file : job_.files) made_.times.push_back({file.pe, file.host, 0, {}, 0});
    std::vector<std::vector<TimeParts>> workers(job_.files.size());
    for (const TimeParts& worker : made_.all.workers) workers[worker.process].push_back(worker);
    for (std::size_t i = 0; i < workers.size(); ++i) {
      made_.times[i].workers = trace_.trace.processes[i].workers;
      made_.times[i].parts = report::total(workers[i]);
      made_.times[i].parts.tasks = tasks_of(trace_.trace.processes[i]);
    }
  }

  // Those that threads of the library have run for other ranks, too.
  std::uint64_t tasks_of(const report::Process& process) const {
    const auto& tasks = trace_.trace.tasks;
    return static_cast<std::uint64_t>(std::count_if(tasks.begin() + process.first_task,
                                                    tasks.begin() + process.end_task,
                                                    [](const report::Task& task) { return task.ran; }));
  }

  // In which of the files a task is.
  std::size_t process_of(std::uint32_t task) const {
    const auto& all = trace_.trace.processes;
    const auto after = std::upper_bound(all.begin(), all.end(), task,
                                        [](std::uint32_t t, const report::Process& p) { return t < p.first_task; });
    return static_cast<std::size_t>(after - all.begin()) - 1;
  }

  void add_path() {
    std::size_t last = ~std::size_t{0};
    for (const PathStep& step : made_.all.path.steps) {
      if (step.task == 0) continue;
      const std::size_t process = process_of(step.task);
      made_.times[process].path_ns += static_cast<double>(step.ns);
      made_.path_crossings += last != ~std::size_t{0} && process != last ? 1 : 0;
      last = process;
    }
  }

  std::string name_of(std::uint32_t task) const {
    if (task == 0 || !trace_.trace.tasks[task].ran) return "";
    return trace_.trace.names[static_cast<std::size_t>(trace_.trace.tasks[task].name)];
  }

  void add(const Crossing& crossing) {
    RankTraffic& traffic = made_.traffic[{crossing.from, crossing.to}];
    ++traffic.messages;
    traffic.bytes += crossing.bytes;
    made_.before_sent += crossing.is_sent && crossing.is_received && crossing.came < crossing.sent ? 1 : 0;
    made_.one_ended +=
        crossing.is_sent != crossing.is_received && is_there(crossing.from) && is_there(crossing.to) ? 1 : 0;
    if (crossing.waited <= 0) return;
    const auto ns = static_cast<double>(crossing.waited);
    auto& [times, sum] = made_.waits[{crossing.to, crossing.from}];
    ++times;
    sum += ns;
    const std::string what = array_of(crossing.block), reader = name_of(crossing.reader),
                      maker = name_of(crossing.maker);
    RankWait& wait = tops_[{crossing.to, crossing.from, what, reader, maker}];
    if (wait.times++ == 0) wait = {crossing.to, crossing.from, what, reader, maker, 1, 0, "", 0};
    wait.ns += ns;
    if (ns <= wait.longest_ns) return;
    wait.longest_ns = ns;
    wait.longest = crossing.block;
  }

  bool is_there(int rank) const {
    return std::any_of(job_.files.begin(), job_.files.end(), [rank](const PeFile& file) { return file.pe == rank; });
  }

  void sort_waits() {
    for (auto& [key, wait] : tops_) made_.top.push_back(std::move(wait));
    std::stable_sort(made_.top.begin(), made_.top.end(),
                     [](const RankWait& a, const RankWait& b) { return a.ns > b.ns; });
  }

  bool is_of_ocr() const {
    return std::any_of(trace_.crossings.begin(), trace_.crossings.end(),
                       [](const Crossing& crossing) { return crossing.is_of_ocr(); });
  }

  void advise() {
    for (const RankTimes& rank : made_.times) {
      if (rank.parts.waiting_for_ranks < kMuch * rank.parts.sum()) continue;
      std::string line = fmt::format(
          "rank {}: {:.0f} % of its workers' time they had nothing to run while tasks waited for what other ranks send",
          rank.rank, 100 * rank.parts.waiting_for_ranks / rank.parts.sum());
      const auto top = std::find_if(made_.top.begin(), made_.top.end(),
                                    [&](const RankWait& wait) { return wait.rank == rank.rank; });
      if (top != made_.top.end())
        line += fmt::format("; most for {:?} from rank {}{}", top->what, top->whose,
                            top->maker.empty() ? "" : fmt::format(", by {:?}", top->maker));
      line += is_of_ocr() ? ": run there first what others wait for (OCR_HINT_EDT_PRIORITY), or let EDTs run where "
                            "their data blocks are (OCR_HINT_EDT_AFFINITY)"
                          : ": run there first what others wait for (weir::Priority), or give each rank more tiles";
      made_.all.advice.push_back(std::move(line));
    }
  }

  const JobFiles& job_;
  const RankTrace& trace_;
  RankReport made_;
  std::map<std::tuple<int, int, std::string, std::string, std::string>, RankWait> tops_;
};

}  // namespace

RankReport report_ranks(const JobFiles& job, const RankTrace& trace) { return Maker(job, trace).make(); }

}  // namespace weir::tool::job
