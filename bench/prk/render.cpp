// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/render.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<PrkRow> measured_of(std::span<const PrkRow> rows, const std::string& bench) {
  std::vector<PrkRow> some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some),
               [&](const PrkRow& row) { return row.bench == bench && row.has_value(); });
  return some;
}

// A line for each way, a column for each place; gnuplot refuses a column without a number.
std::string panel_data(std::span<const PrkRow> rows, const std::vector<std::string>& places) {
  std::string text = "way";
  for (const std::string& place : places) text += fmt::format(" \"{}\"", place);
  for (const std::string& way : each(rows, [](const PrkRow& row) { return row.contender.name(); })) {
    text += fmt::format("\n\"{}\"", way);
    for (const std::string& place : places) {
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const PrkRow& r) { return place_of(r) == place && r.contender.name() == way; });
      text += row == rows.end() ? " NaN" : fmt::format(" {:.4f}", row->median());
    }
  }
  return text + "\n";
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

std::string prk_plot(std::span<const PrkRow> rows, const std::string& terminal, const std::string& file) {
  const auto benches = each(rows, [](const PrkRow& row) { return row.bench; });
  const int down = (int(benches.size()) + kColumns - 1) / kColumns;
  std::string data, plots;
  for (std::size_t i = 0; i < benches.size(); ++i) {
    const std::vector<PrkRow> measured = measured_of(rows, benches[i]);
    if (measured.empty()) continue;
    const auto places = each(measured, place_of);
    data += fmt::format("$p{} << EOD\n{}EOD\n", i, panel_data(measured, places));
    plots += fmt::format(
        "set title '{}' noenhanced\nset ylabel '{}'\nplot for [i=2:{}] $p{} using i:xtic(1) title columnheader(i)\n",
        benches[i], measured.front().unit, places.size() + 1, i);
  }
  return data + fmt::format(
                    "set terminal {} size {},{} {}\nset output '{}'\nset style data histograms\n"
                    "set style histogram clustered gap 1\nset style fill solid 0.9\nset yrange [0:*]\nset grid ytics\n"
                    "set xtics rotate by -60 noenhanced\nset key outside top center horizontal noenhanced\nset "
                    "multiplot layout {},{}\n{}unset multiplot\n",
                    terminal, kWidth * kColumns, kHeight * down, terminal == "svg" ? "background 'white'" : "", file,
                    down, kColumns, plots);
}

}  // namespace weir::bench
