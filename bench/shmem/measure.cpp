// SPDX-License-Identifier: Apache-2.0

#include "bench/shmem/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/report/measure.hpp"
#include "platform/process.hpp"

namespace weir::bench {
namespace {

using base::Code;
using base::Status;
using Json = nlohmann::json;

constexpr double kToStartAndEnd = 20;  // seconds that a launcher gets beyond what its program has

// The benchmarks that one process measures. Those with threads have one of their own.
std::vector<std::string> names_of(const ShmemPlan& plan, int ranks, bool threads) {
  std::vector<std::string> names;
  for (const ShmemBench& bench : plan.benches)
    if (bench.threads == threads && (bench.all_ranks || ranks == 2)) names.push_back(bench.name);
  return names;
}

ShmemRow& row_of(ShmemReport& report, const ShmemPlan& plan, const ShmemBench& bench, std::size_t bytes, int ranks) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(), [&](const ShmemRow& row) {
    return row.bench.name == bench.name && row.bytes == bytes && row.ranks == ranks;
  });
  if (found != report.rows.end()) return *found;
  ShmemRow row{bench, bytes, ranks, {}, {}, {}};
  row.samples.resize(plan.libraries.size());
  row.lines.resize(plan.libraries.size());
  return report.rows.emplace_back(std::move(row));
}

void sort_rows(ShmemReport& report, const ShmemPlan& plan) {
  const auto place = [&](const ShmemRow& row) {
    const auto bench = std::find_if(plan.benches.begin(), plan.benches.end(),
                                    [&](const ShmemBench& b) { return b.name == row.bench.name; });
    return std::tuple(row.ranks, bench - plan.benches.begin(), row.bytes);
  };
  std::sort(report.rows.begin(), report.rows.end(),
            [&](const ShmemRow& a, const ShmemRow& b) { return place(a) < place(b); });
}

void add_line(ShmemReport& report, const ShmemPlan& plan, std::size_t library, int ranks, const Json& line,
              bool& done) {
  if (line.contains("done")) {
    done = true;
    return;
  }
  const auto name = line.at("bench").get<std::string>();
  const auto bench =
      std::find_if(plan.benches.begin(), plan.benches.end(), [&](const ShmemBench& b) { return b.name == name; });
  if (bench == plan.benches.end()) return;
  if (!line.at("right").get<bool>()) {
    report.troubles.push_back({library, ranks, false, fmt::format("{}: its result is wrong", name)});
    return;
  }
  ShmemRow& row = row_of(report, plan, *bench, line.at("bytes").get<std::size_t>(), ranks);
  row.unit = line.at("unit").get<std::string>();
  row.samples[library].push_back(line.at("value").get<double>());
  const auto lines = line.value("line", std::vector<double>{});
  row.lines[library].push_back(lines.size() == 2 ? Lines{lines[0], lines[1]} : Lines{});
}

class Measuring {
 public:
  Measuring(const ShmemPlan& plan, const OnProgress& progress) : plan_(plan), progress_(progress) {}

  ShmemReport all() {
    for (std::size_t i = 0; i < plan_.libraries.size(); ++i)
      if (!plan_.libraries[i].missing.empty()) report_.troubles.push_back({i, 0, false, plan_.libraries[i].missing});
    for (int round = 0; round < plan_.amount.rounds; ++round)
      for (const int ranks : plan_.ranks)
        for (const bool threads : {false, true}) measure_turn(round, ranks, names_of(plan_, ranks, threads));
    sort_rows(report_, plan_);
    return std::move(report_);
  }

 private:
  void measure_turn(int round, int ranks, const std::vector<std::string>& names) {
    if (names.empty()) return;
    for (std::size_t i = 0; i < plan_.libraries.size(); ++i) {
      const Library& library = plan_.libraries[i];
      progress_({done_++, plan_.run_count(),
                 fmt::format("round {} of {}: {}, {} PEs", round + 1, plan_.amount.rounds, library.name, ranks)});
      if (library.missing.empty() && !has_failed(i, ranks)) measure_one(i, ranks, names);
    }
  }

  void measure_one(std::size_t library, int ranks, const std::vector<std::string>& names) {
    const double seconds = plan_.amount.timeout_s + kToStartAndEnd;
    const std::string& name = plan_.libraries[library].name;
    const auto ran = platform::run({command_of(plan_.libraries[library], ranks, names, plan_.amount)}, seconds);
    if (!ran) return add(library, ranks, false, ran.status().message);
    bool done = false;
    const Status good = add_shmem_output(report_, plan_, library, ranks, ran->out, done);
    if (!good) return add(library, ranks, false, good.message);
    const Status ended = platform::failure_of(name, *ran, seconds);
    if (!ended) return add(library, ranks, done, ended.message);
    if (!done) add(library, ranks, false, fmt::format("{} ended before it had measured everything", name));
  }

  void add(std::size_t library, int ranks, bool after_all, std::string text) {
    const bool known = std::any_of(report_.troubles.begin(), report_.troubles.end(), [&](const ShmemTrouble& t) {
      return t.library == library && t.ranks == ranks && t.after_all == after_all;
    });
    if (!known) report_.troubles.push_back({library, ranks, after_all, std::move(text)});
  }

  // A library that has failed once with so many ranks is not asked again: it may have taken all of its time.
  bool has_failed(std::size_t library, int ranks) const {
    return std::any_of(report_.troubles.begin(), report_.troubles.end(),
                       [&](const ShmemTrouble& t) { return t.library == library && t.ranks == ranks && !t.after_all; });
  }

  const ShmemPlan& plan_;
  const OnProgress& progress_;
  ShmemReport report_;
  std::size_t done_ = 0;
};

const ShmemRow* find_row(const ShmemReport& report, std::string_view bench, std::size_t bytes, int ranks) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(), [&](const ShmemRow& row) {
    return row.bench.name == bench && row.bytes == bytes && row.ranks == ranks;
  });
  return found == report.rows.end() ? nullptr : &*found;
}

std::optional<Reached> over_best(const ShmemRow& row) {
  const auto own = row.median(0);
  std::optional<Reached> result;
  for (std::size_t i = 1; own && i < row.samples.size(); ++i) {
    const auto other = row.median(i);
    if (!other) continue;
    const double ratio = row.more_is_better() ? *other / *own : *own / *other;
    if (!result || ratio > result->value) result = Reached{ratio, i, true, {}};
  }
  return result;
}

// What a library measured in places of this kind. Of one that measures no lines, all.
std::vector<double> samples_at(const ShmemRow& row, std::size_t library, const Places& places, Place place) {
  std::vector<double> result;
  bool has_lines = false;
  for (std::size_t i = 0; i < row.samples[library].size(); ++i) {
    const Lines& lines = row.lines[library][i];
    has_lines = has_lines || lines.before > 0;
    if (places.place_of(lines) == place) result.push_back(row.samples[library][i]);
  }
  return has_lines ? result : row.samples[library];
}

std::optional<AtPlace> over_best_at(const ShmemRow& row, const Places& places, Place place) {
  const std::vector<double> own = samples_at(row, 0, places, place);
  std::optional<AtPlace> result;
  for (std::size_t i = 1; !own.empty() && i < row.samples.size(); ++i) {
    const std::vector<double> other = samples_at(row, i, places, place);
    if (other.empty()) continue;
    const double ratio = summary_of(own).median / summary_of(other).median;
    if (!result || ratio > result->value) result = AtPlace{place, ratio, i, own.size(), other.size()};
  }
  return result;
}

// Of times only: the place of two cores says nothing of a bandwidth.
std::vector<AtPlace> over_best_by_place(const ShmemReport& report, const ShmemRow& row) {
  std::vector<AtPlace> result;
  if (row.samples.empty() || row.more_is_better()) return result;
  const Places places = places_of(report);
  const auto knows = [](const Lines& lines) { return lines.before > 0; };
  if (std::none_of(row.lines[0].begin(), row.lines[0].end(), knows)) return result;
  for (const Place place : kPlaces)
    if (const auto at = over_best_at(row, places, place)) result.push_back(*at);
  return result;
}

}  // namespace

Places places_of(const ShmemReport& report) {
  std::vector<Lines> all;
  for (const ShmemRow& row : report.rows)
    for (const std::vector<Lines>& lines : row.lines) all.insert(all.end(), lines.begin(), lines.end());
  return Places(all);
}

std::size_t ShmemPlan::run_count() const {
  std::size_t turns = 0;
  for (const int count : ranks)
    for (const bool threads : {false, true}) turns += names_of(*this, count, threads).empty() ? 0 : 1;
  return turns * libraries.size() * static_cast<std::size_t>(amount.rounds);
}

std::optional<double> ShmemRow::median(std::size_t library) const {
  if (library >= samples.size() || samples[library].empty()) return std::nullopt;
  return summary_of(samples[library]).median;
}

Status add_shmem_output(ShmemReport& report, const ShmemPlan& plan, std::size_t library, int ranks,
                        const std::string& output, bool& done) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;  // launchers and libraries say things, too
    try {
      add_line(report, plan, library, ranks, Json::parse(line), done);
    } catch (const Json::exception&) {
      return {Code::bad_input,
              fmt::format("{} printed no result: '{}'", plan.libraries[library].name, line.substr(0, 100))};
    }
  }
  return Status::success();
}

std::optional<Reached> reached(const ShmemReport& report, const ShmemRow& row) {
  auto result = over_best(row);
  const std::vector<AtPlace> places = over_best_by_place(report, row);
  if (result && !places.empty()) {
    const auto worst = std::max_element(places.begin(), places.end(),
                                        [](const AtPlace& a, const AtPlace& b) { return a.value < b.value; });
    result = Reached{worst->value, worst->best, true, places};
  }
  if (row.bench.compared == Compared::with_memcpy) {
    const ShmemRow* const memcpy = find_row(report, kMemcpy, row.bytes, row.ranks);
    const auto own = row.median(0), most = memcpy == nullptr ? std::nullopt : memcpy->median(0);
    if (!own || !most) return std::nullopt;
    result = Reached{*own / *most, 0, true, {}};
  }
  if (!result || row.bench.compared == Compared::with_nothing) return result;
  if (row.ranks != 2 || (row.bench.target_bytes != 0 && row.bench.target_bytes != row.bytes)) return result;
  result->enough = row.bench.compared == Compared::with_memcpy ? result->value >= row.bench.target
                                                               : result->value <= row.bench.target;
  return result;
}

std::optional<double> per_rank(const ShmemReport& report, const ShmemRow& row, std::size_t library) {
  if (!row.bench.all_ranks || row.ranks <= 2) return std::nullopt;
  const ShmemRow* const two = find_row(report, row.bench.name, row.bytes, 2);
  const auto many = row.median(library), few = two == nullptr ? std::nullopt : two->median(library);
  if (!many || !few) return std::nullopt;
  return *many / row.ranks / (*few / 2);
}

ShmemReport measure_shmem(const ShmemPlan& plan, const OnProgress& progress) { return Measuring(plan, progress).all(); }

}  // namespace weir::bench
