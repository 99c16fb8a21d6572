// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/bars.hpp"
#include "bench/report/render.hpp"

namespace weir::bench {
namespace {

constexpr int kColumns = 2, kWidth = 640, kHeight = 400;

std::string place_of(const PrkRow& row) {
  return row.memory.empty() ? row.stores : fmt::format("{}, {}", row.memory, row.stores);
}

std::string heading_of(const PrkRow& row) {
  return fmt::format("{}, {} stores{}, {} worker{}", row.bench, row.stores,
                     row.memory.empty() ? "" : " in " + row.memory, row.workers, row.workers == 1 ? "" : "s");
}

std::string line_of(const PrkRow& row) {
  const auto [least, most] = std::minmax_element(row.samples.begin(), row.samples.end());
  const std::string ratio = row.over_best_other > 0 ? fmt::format("{:.2f} of the best other", row.over_best_other) : "";
  return fmt::format("  {:<20} {:>8.2f} ({:.2f}..{:.2f}) {}  {}", row.contender.name(), row.median(), *least, *most,
                     row.unit, ratio);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Rows of serial stand beside those of any number of workers.
bool in_group(const PrkRow& row, const PrkRow& head) {
  return row.beside(head) || (row.contender.runtime == "serial" && row.bench == head.bench &&
                              row.stores == head.stores && row.memory == head.memory);
}

// The first row of each heading.
std::vector<PrkRow> heads_of(std::span<const PrkRow> rows) {
  std::vector<PrkRow> heads;
  for (const PrkRow& row : rows) {
    const auto same = [&](const PrkRow& head) { return in_group(row, head); };
    if (std::none_of(heads.begin(), heads.end(), same)) heads.push_back(row);
  }
  return heads;
}

template <class Chosen>
const PrkRow* best_of(std::span<const PrkRow> rows, const PrkRow& head, Chosen chosen) {
  const PrkRow* best = nullptr;
  for (const PrkRow& row : rows) {
    if (!row.has_value() || !row.beside(head) || !chosen(row)) continue;
    if (best == nullptr || row.median() > best->median()) best = &row;
  }
  return best;
}

bool is_weir(const PrkRow& row) { return row.contender.runtime == "weir" && !row.contender.flows(); }
bool is_plain_loop(const PrkRow& row) { return row.contender.runtime != "weir" && row.contender.way == "loops"; }

template <class Name>
std::vector<std::string> each(std::span<const PrkRow> rows, Name name) {
  std::vector<std::string> names;
  for (const PrkRow& row : rows) {
    const std::string one = name(row);
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  return names;
}

// Serial code has one row whatever the numbers of workers, which stands in the panel of each of them.
struct Panel {
  std::string bench;
  int workers = 0;
  std::vector<PrkRow> rows;
};

// Of what has a value.
std::vector<Panel> panels_of(std::span<const PrkRow> rows) {
  const auto is_serial = [](const PrkRow& row) { return row.contender.runtime == "serial"; };
  std::vector<Panel> panels;
  for (const std::string& bench : each(rows, [](const PrkRow& row) { return row.bench; })) {
    std::set<int> workers;
    for (const PrkRow& row : rows)
      if (row.bench == bench && row.has_value() && !is_serial(row)) workers.insert(row.workers);
    if (workers.empty()) workers.insert(1);
    for (const int count : workers) {
      Panel panel{bench, count, {}};
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(panel.rows), [&](const PrkRow& row) {
        return row.bench == bench && row.has_value() && (is_serial(row) || row.workers == count);
      });
      if (!panel.rows.empty()) panels.push_back(std::move(panel));
    }
  }
  return panels;
}

Bars bars_of(const Panel& panel) {
  const auto places = each(panel.rows, place_of);
  Bars bars(places);
  for (const PrkRow& row : panel.rows) {
    const auto column = std::find(places.begin(), places.end(), place_of(row)) - places.begin();
    bars.add(row.contender.name(), static_cast<std::size_t>(column), row.median());
  }
  return bars;
}

}  // namespace

std::string prk_table(std::span<const PrkRow> rows) {
  std::string text;
  for (const PrkRow& head : heads_of(rows)) {
    text += heading_of(head) + "\n";
    for (const PrkRow& row : rows) {
      if (row.has_value() && in_group(row, head)) text += trimmed(line_of(row));
    }
  }
  for (const PrkRow& row : rows) {
    if (!row.error.empty())
      text += fmt::format("failed: {}, {}: {}\n", heading_of(row), row.contender.name(), row.error);
  }
  return text;
}

std::string prk_verdict(std::span<const PrkRow> rows) {
  std::string text;
  for (const PrkRow& head : heads_of(rows)) {
    const PrkRow* const ours = best_of(rows, head, is_weir);
    const PrkRow* const best = best_other(rows, head);
    if (ours == nullptr || best == nullptr) continue;
    text += fmt::format("{}: {} is {:.2f} of {}", heading_of(head), ours->contender.name(), ours->over_best_other,
                        best->contender.name());
    const PrkRow* const tasks =
        best_of(rows, head, [](const PrkRow& row) { return is_weir(row) && row.contender.way == "tasks"; });
    const PrkRow* const loop = best_of(rows, head, is_plain_loop);
    if (tasks != nullptr && loop != nullptr)
      text += fmt::format("; its tasks {:.2f} of the best plain loop ({})", tasks->median() / loop->median(),
                          loop->contender.runtime);
    text += "\n";
  }
  return text;
}

base::Drawing prk_plot(std::span<const PrkRow> rows) {
  const std::vector<Panel> panels = panels_of(rows);
  if (panels.empty()) return {};
  const int down = (static_cast<int>(panels.size()) + kColumns - 1) / kColumns;
  std::string plots;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    plots += fmt::format("set title '{}, {}' noenhanced\nset ylabel '{}'\n{}", panels[i].bench,
                         workers_text(panels[i].workers), panels[i].rows.front().unit,
                         bars_of(panels[i]).script(fmt::format("p{}", i)));
  }
  return {kWidth * kColumns, kHeight * down,
          fmt::format("set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
                      "set yrange [0:*]\nset grid ytics\nset xtics rotate by -60 noenhanced\n"
                      "set key outside top center horizontal noenhanced\nset multiplot layout {},{}\n{}unset "
                      "multiplot\n",
                      down, kColumns, plots)};
}

}  // namespace weir::bench
