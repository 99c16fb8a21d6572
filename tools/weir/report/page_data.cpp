// SPDX-License-Identifier: Apache-2.0

#include "page_data.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "nesting.hpp"
#include "render.hpp"
#include "timeline.hpp"

namespace weir::tool::report {

namespace {

using Values = std::vector<std::uint64_t>;
using Signed = std::vector<std::int64_t>;

// Texts, each once.
class Texts {
 public:
  std::uint64_t operator[](const std::string& text) {
    const auto [place, is_new] = index_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return place->second;
  }
  const Json& list() const { return list_; }

 private:
  std::map<std::string, std::uint64_t> index_;
  Json list_ = Json::array();
};

enum Flag : std::uint8_t { kRan = 1, kCancelled = 2, kCritical = 4 };

class Packer {
 public:
  Packer(const Trace& trace, const Report& report) : trace_(trace), report_(report) {}

  PageData pack() {
    number_tasks();
    add_tasks();
    add_edges();
    add_path();
    add_rows();
    add_moves();
    add_data_waits();
    add_steals();
    add_residency();
    describe();
    return std::move(data_);
  }

 private:
  std::int64_t since_start(Ns ns) const { return ns - trace_.start; }

  // Those that ran, others have no place on a timeline; the first stands for none.
  void number_tasks() {
    order_.push_back(0);
    for (std::uint32_t i = 1; i < trace_.tasks.size(); ++i) {
      if (trace_.tasks[i].ran) order_.push_back(i);
    }
    std::stable_sort(order_.begin() + 1, order_.end(), [this](std::uint32_t a, std::uint32_t b) {
      return trace_.tasks[a].start < trace_.tasks[b].start;
    });
    index_.assign(trace_.tasks.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) index_[order_[i]] = static_cast<std::uint32_t>(i);
  }

  // By number: the track on which it ran, and the task whose code spawned it.
  void find_tracks_and_parents(Values& tracks, Values& parents) const {
    const SpanRows rows(trace_);
    for (const std::span<const Span> row : rows) {
      std::vector<const Span*> open;  // tasks
      for (const Span& span : row) {
        while (!open.empty() && open.back()->end <= span.start) open.pop_back();
        if (span.doing == Doing::spawn) parents[span.task] = open.empty() ? 0 : index_[open.back()->task];
        if (span.doing != Doing::task) continue;
        tracks[span.task] = span.track;
        open.push_back(&span);
      }
    }
  }

  template <class F>
  void add_column(const char* name, F&& value) {
    Values values;
    values.reserve(order_.size());
    for (const std::uint32_t number : order_) values.push_back(value(number));
    data_.columns.add(name, values);
  }

  void add_tasks() {
    Values tracks(trace_.tasks.size()), parents(trace_.tasks.size());
    find_tracks_and_parents(tracks, parents);
    std::vector<bool> critical(trace_.tasks.size());
    for (const PathStep& step : report_.path.steps) critical[step.task] = true;
    Signed numbers, starts;
    for (const std::uint32_t number : order_) {
      numbers.push_back(number);
      starts.push_back(number == 0 ? 0 : since_start(trace_.tasks[number].start));
    }
    const auto& tasks = trace_.tasks;
    data_.columns.add_differences("task.number", numbers);
    data_.columns.add_differences("task.start", starts);
    add_column("task.ns", [&](std::uint32_t i) { return static_cast<std::uint64_t>(tasks[i].end - tasks[i].start); });
    add_column("task.name", [&](std::uint32_t i) { return static_cast<std::uint64_t>(tasks[i].name); });
    add_column("task.track", [&](std::uint32_t i) { return tracks[i]; });
    add_column("task.parent", [&](std::uint32_t i) { return parents[i]; });
    add_column("task.bytes", [&](std::uint32_t i) { return tasks[i].bytes; });
    add_column("task.items", [&](std::uint32_t i) { return tasks[i].items; });
    // From spawn to start, and 1; 0: not known.
    add_column("task.age", [&](std::uint32_t i) {
      return tasks[i].spawned < 0 ? 0
                                  : static_cast<std::uint64_t>(std::max<Ns>(tasks[i].start - tasks[i].spawned, 0)) + 1;
    });
    add_column("task.flags", [&](std::uint32_t i) {
      return static_cast<std::uint64_t>((tasks[i].ran ? kRan : 0) | (tasks[i].cancelled ? kCancelled : 0) |
                                        (critical[i] ? kCritical : 0));
    });
  }

  // Of each task how many it comes after, and how far before it they are in the order of starts.
  void add_edges() {
    Values counts, distances;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::uint64_t count = 0;
      for (const std::uint32_t before : trace_.tasks[order_[i]].comes_after) {
        if (index_[before] == 0 || index_[before] >= i) continue;  // lost, or its clock differs by an instant
        distances.push_back(i - index_[before]);
        ++count;
      }
      counts.push_back(count);
    }
    data_.columns.add("edge.count", counts);
    data_.columns.add("edge.distance", distances);
  }

  void add_path() {
    Signed tasks;
    Values times;
    for (const PathStep& step : report_.path.steps) {
      tasks.push_back(step.elsewhere ? 0 : index_[step.task]);
      times.push_back(static_cast<std::uint64_t>(step.ns));
    }
    data_.columns.add_differences("path.task", tasks);
    data_.columns.add("path.ns", times);
  }

  void add_rows() {
    rows_ = Json::array();
    Signed tasks;
    Values times, parts;
    for (const TimelineRow& row : timeline(trace_)) {
      const TrackRow& track = trace_.tracks[row.track];
      rows_.push_back(
          {{"name", track.name}, {"track", row.track}, {"domain", track.domain}, {"pieces", row.pieces.size()}});
      for (const Piece& piece : row.pieces) {
        times.push_back(static_cast<std::uint64_t>(piece.ns));
        parts.push_back(static_cast<std::uint64_t>(piece.part) | (piece.asleep ? 16U : 0U));
        tasks.push_back(index_[piece.task]);
      }
    }
    data_.columns.add("piece.ns", times);
    data_.columns.add("piece.part", parts);
    data_.columns.add_differences("piece.task", tasks);
  }

  // Those of a link that overlap lie in lanes, each in the lowest that is free.
  void add_moves() {
    std::vector<const Move*> moves;
    for (const Move& move : trace_.moves) moves.push_back(&move);
    std::stable_sort(moves.begin(), moves.end(), [](const Move* a, const Move* b) { return a->start < b->start; });
    Signed starts;
    Values times, blocks, bytes, links, lanes;
    std::map<std::uint64_t, std::vector<Ns>> free_from;  // by link
    for (const Move* const move : moves) {
      const std::uint64_t link = links_[move->from + " to " + move->to];
      std::vector<Ns>& of_link = free_from[link];
      auto lane = std::find_if(of_link.begin(), of_link.end(), [&](Ns at) { return at <= move->start; });
      if (lane == of_link.end()) lane = of_link.insert(lane, 0);
      *lane = move->end;
      starts.push_back(since_start(move->start));
      times.push_back(static_cast<std::uint64_t>(move->end - move->start));
      blocks.push_back(move->block);
      bytes.push_back(move->bytes);
      links.push_back(link);
      lanes.push_back(static_cast<std::uint64_t>(lane - of_link.begin()));
    }
    data_.columns.add_differences("move.start", starts);
    data_.columns.add("move.ns", times);
    data_.columns.add("move.block", blocks);
    data_.columns.add("move.bytes", bytes);
    data_.columns.add("move.link", links);
    data_.columns.add("move.lane", lanes);
  }

  void add_data_waits() {
    Values tasks, times, what, holders;
    Signed starts;
    for (const DataWait& wait : trace_.data_waits) {
      tasks.push_back(wait.task < index_.size() ? index_[wait.task] : 0);
      starts.push_back(since_start(wait.start));
      times.push_back(static_cast<std::uint64_t>(wait.end - wait.start));
      what.push_back(static_cast<std::uint64_t>(wait.what));
      holders.push_back(static_cast<std::uint64_t>(wait.had_by + 1));  // 0: not known
    }
    data_.columns.add("wait.task", tasks);
    data_.columns.add_differences("wait.start", starts);
    data_.columns.add("wait.ns", times);
    data_.columns.add("wait.what", what);
    data_.columns.add("wait.holder", holders);
    add_late_ends();
  }

  void add_late_ends() {
    Values tasks;
    Signed ends;
    for (const LateEnd& late : trace_.late_ends) {
      tasks.push_back(late.task < index_.size() ? index_[late.task] : 0);
      ends.push_back(since_start(late.at));
    }
    data_.columns.add("late.task", tasks);
    data_.columns.add_differences("late.end", ends);
  }

  void add_steals() {
    std::vector<const Steal*> steals;
    for (const Steal& steal : trace_.steals) steals.push_back(&steal);
    std::stable_sort(steals.begin(), steals.end(), [](const Steal* a, const Steal* b) { return a->at < b->at; });
    Signed at;
    Values tracks, victims, tasks, distances;
    for (const Steal* const steal : steals) {
      at.push_back(since_start(steal->at));
      tracks.push_back(steal->track);
      victims.push_back(steal->victim);
      tasks.push_back(steal->tasks);
      distances.push_back(steal->distance);
    }
    data_.columns.add_differences("steal.at", at);
    data_.columns.add("steal.track", tracks);
    data_.columns.add("steal.victim", victims);
    data_.columns.add("steal.tasks", tasks);
    data_.columns.add("steal.distance", distances);
  }

  void add_residency() {
    tiers_ = Json::array();
    Signed at;
    Values bytes;
    for (const Tier& tier : trace_.tiers) {
      const auto found = trace_.residency.find(tier.name);
      const std::size_t count = found == trace_.residency.end() ? 0 : found->second.size();
      tiers_.push_back({{"name", tier.name}, {"budget_bytes", tier.budget}, {"changes", count}});
      if (count == 0) continue;
      for (const Resident& change : found->second) {
        at.push_back(since_start(change.at));
        bytes.push_back(change.bytes);
      }
    }
    data_.columns.add_differences("resident.at", at);
    data_.columns.add("resident.bytes", bytes);
  }

  void describe() {
    Texts block_names;
    Values names, bytes;
    for (const Block& block : trace_.blocks) {
      names.push_back(block_names[block.name]);
      bytes.push_back(block.bytes);
    }
    data_.columns.add("block.name", names);
    data_.columns.add("block.bytes", bytes);
    data_.about = {
        {"format", "weir-page-1"},    {"tasks", order_.size() - 1},       {"names", trace_.names},
        {"workers", trace_.workers},  {"rows", std::move(rows_)},         {"links", links_.list()},
        {"tiers", std::move(tiers_)}, {"blockNames", block_names.list()}, {"report", to_json(trace_, report_)}};
  }

  const Trace& trace_;
  const Report& report_;
  PageData data_;
  std::vector<std::uint32_t> order_;  // numbers, by index
  std::vector<std::uint32_t> index_;  // by number; 0: did not run
  Texts links_;
  Json rows_, tiers_;
};

}  // namespace

PageData page_data(const Trace& trace, const Report& report) { return Packer(trace, report).pack(); }

}  // namespace weir::tool::report
