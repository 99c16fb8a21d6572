// SPDX-License-Identifier: Apache-2.0

#include "sim/read_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "sim/track_code.hpp"
#include "trace/made_small.hpp"
#include "trace/records.hpp"

namespace weir::sim {

namespace {

using base::Code;
using base::Status;

using trace::Kind;

constexpr std::uint64_t kUnitsOfTask = 8;                // in the trace of small ones: what room is made for at first
constexpr std::uint64_t kGuid = std::uint64_t{1} << 63;  // in the number of a block that has no definition

class Collector final : public trace::RecordVisitor {
 public:
  Collector(const trace::RuntimeInfo& runtime, const trace::TimeScale& scale, Program& program)
      : runtime_(runtime), scale_(scale), program_(program), tracks_(runtime.tracks.size()) {
    for (const trace::Definition& block : runtime.blocks)
      program.blocks.push_back({block.name, block.first, false, false, false, false});
    const std::size_t tiers = runtime.tiers.size() + 1;
    program.real.moved.assign(tiers, std::vector<std::uint64_t>(tiers));
    program.real.moving_ns = program.real.moved;
    program.real.page_times.resize(tiers);
    moves_.resize(tiers * tiers);
    const auto tasks = static_cast<std::size_t>(runtime.units / kUnitsOfTask);
    tasks_.reserve(tasks);
    program.tasks.reserve(tasks);
  }

  Status finish(const std::string& file);

 private:
  struct Owned {
    std::uint32_t task;
    Item item;
  };
  struct Pending {
    std::uint32_t from, to, block;
    trace::EdgeBy by;
  };
  struct TrackEvents {
    std::vector<Interval> intervals;
    std::vector<Pending> satisfied;  // since the last interval
    std::uint64_t last_end = 0;
  };

  void spawn(std::uint32_t track, const trace::Event& event, std::uint64_t parent) override;
  void access(std::uint64_t task, const trace::AccessRecord& access) override;
  void after(std::uint64_t task, std::uint64_t before) override;
  void satisfied(std::uint32_t track, const trace::Satisfied& slot) override;
  void event(std::uint32_t track, const trace::Event& event) override;

  std::uint64_t ns(std::uint64_t ticks) const { return scale_.ns(ticks); }
  std::uint32_t task_of(std::uint64_t id);
  std::uint32_t block_of(trace::BlockKind kind, std::uint64_t number);
  std::uint32_t name_of(const trace::Event& event);
  void add(std::uint32_t track, const trace::Event& event, Interval interval);
  void place_satisfied(TrackEvents& of, const Interval& next);
  void add_task(std::uint32_t track, const trace::Event& event);
  void add_block_event(std::uint32_t track, const trace::Event& event);
  void add_move(const trace::Event& event);
  void add_late_end(const trace::Event& event);
  void add_growth(const trace::Event& event);
  void gather_items();
  void gather_after();
  void gather_late_ends();
  void measure_moves();
  void list_code();
  void add_starts_of_guests();
  void add_copying(TrackCode& code) const;
  int worker_of(std::size_t track) const {
    return static_cast<int>(static_cast<std::int64_t>(runtime_.tracks[track].first));
  }
  bool is_guest(std::size_t track) const { return worker_of(track) >= std::max(runtime_.summary.workers, 1); }
  Status refusal(const std::string& file) const;

  const trace::RuntimeInfo& runtime_;
  const trace::TimeScale& scale_;
  Program& program_;
  std::vector<TrackEvents> tracks_;
  std::vector<Owned> items_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> after_;  // task, id of the one before
  std::unordered_map<std::uint64_t, std::uint32_t> tasks_, guids_, names_;
  std::vector<bool> spawned_, ran_;
  std::unordered_map<std::uint32_t, std::uint64_t> ended_late_;  // when, by task
  std::vector<std::vector<Copying>> moves_;                      // [from][to]
  std::vector<Growth> growths_;
  std::uint64_t halves_ = 0;
  std::uint64_t named_ = 0;  // items of footprints, as spawns say
};

std::uint32_t Collector::task_of(std::uint64_t id) {
  const auto [at, fresh] = tasks_.try_emplace(id, static_cast<std::uint32_t>(program_.tasks.size()));
  if (fresh) {
    program_.tasks.emplace_back().id = id;
    spawned_.push_back(false);
    ran_.push_back(false);
  }
  return at->second;
}

std::uint32_t Collector::block_of(trace::BlockKind kind, std::uint64_t number) {
  if (kind == trace::BlockKind::numbered && number < runtime_.blocks.size()) return static_cast<std::uint32_t>(number);
  const auto [at, fresh] = guids_.try_emplace(number | kGuid, static_cast<std::uint32_t>(program_.blocks.size()));
  if (fresh) program_.blocks.push_back({fmt::format("block {:#x}", number), 0, false, false, false, true});
  return at->second;
}

std::uint32_t Collector::name_of(const trace::Event& event) {
  const std::string* const text = runtime_.name_in(event);
  if (text == nullptr) return 0;
  const auto [at, fresh] = names_.try_emplace(event.value(), static_cast<std::uint32_t>(program_.names.size()));
  if (fresh) program_.names.push_back(*text);
  return at->second;
}

// ---- Records ----

void Collector::spawn(std::uint32_t track, const trace::Event& event, std::uint64_t) {
  const std::uint32_t task = task_of(event.id);
  spawned_[task] = true;
  named_ += event.small();
  add(track, event, {.kind = Kind::spawn, .subject = task});
}

void Collector::access(std::uint64_t task, const trace::AccessRecord& access) {
  Item item;
  item.mode = static_cast<Mode>(access.mode.mode);
  item.ordered = access.mode.ordered;
  item.is_block = access.is_block;
  if (access.is_block) {
    item.block = block_of(access.block_kind, access.block);
  } else {
    item.region = {reinterpret_cast<const void*>(access.address), access.row_bytes, access.rows, access.stride};
    if (const trace::WatchedArray* const array = access.watched) {
      item.watched = array->number;
      if (program_.watched_array(array->number) == nullptr) {
        const Partition whole{
            {reinterpret_cast<const void*>(array->address), array->row_bytes, array->rows, array->stride},
            array->part_row_bytes,
            array->part_rows,
            array->number};
        const auto at = std::lower_bound(program_.watched.begin(), program_.watched.end(), whole,
                                         [](const Partition& a, const Partition& b) { return a.id < b.id; });
        program_.watched.insert(at, whole);
      }
    }
  }
  items_.push_back({task_of(task), item});
}

void Collector::after(std::uint64_t task, std::uint64_t before) { after_.emplace_back(task_of(task), before); }

void Collector::satisfied(std::uint32_t track, const trace::Satisfied& slot) {
  const std::uint32_t with = slot.block.is_none() ? Action::kNoBlock : block_of(slot.block.kind(), slot.block.number);
  tracks_[track].satisfied.push_back({task_of(slot.before), task_of(slot.task), with, slot.by});
}

void Collector::event(std::uint32_t track, const trace::Event& event) {
  switch (event.kind()) {
    case Kind::task: return add_task(track, event);
    case Kind::wait: return add(track, event, {.kind = Kind::wait, .what = event.small(), .id = event.id});
    case Kind::search:
    case Kind::park:
    case Kind::stage: return add(track, event, {.kind = event.kind()});
    case Kind::footprint: program_.edts = true; return add(track, event, {.kind = Kind::footprint});
    case Kind::made:
    case Kind::gone: return add_block_event(track, event);
    case Kind::move: return add_move(event);
    case Kind::data_wait: return add_late_end(event);
    case Kind::grow: return add_growth(event);
    default: return;
  }
}

void Collector::add(std::uint32_t track, const trace::Event& event, Interval interval) {
  TrackEvents& of = tracks_[track];
  interval.start = ns(event.start);
  interval.end = std::max(interval.start, ns(event.end()));
  if (!of.satisfied.empty()) place_satisfied(of, interval);
  if (interval.kind != Kind::footprint) of.intervals.push_back(interval);
  of.last_end = std::max(of.last_end, interval.end);
}

// Recorded without a time, between what ended before and `next`: no later than that begins, or, of what it lies in,
// ends.
void Collector::place_satisfied(TrackEvents& of, const Interval& next) {
  const bool around = next.kind == Kind::task || next.start < of.last_end;
  const std::uint64_t at = around ? next.end : next.start;
  for (const Pending& pending : of.satisfied) {
    ++program_.tasks[pending.to].slots;
    of.intervals.push_back({.start = at,
                            .end = at,
                            .kind = Kind::edge,
                            .subject = pending.to,
                            .from = pending.from,
                            .block = pending.block,
                            .by = pending.by});
  }
  of.satisfied.clear();
}

void Collector::add_task(std::uint32_t track, const trace::Event& event) {
  if (event.id == 0) {
    ++halves_;
    return;
  }
  const std::uint32_t index = task_of(event.id);
  ProgramTask& task = program_.tasks[index];
  const trace::TaskSmall small(event.small());
  task.cancelled = small.cancelled();
  task.domain = small.wanted();
  task.name = name_of(event);
  ran_[index] = true;
  add(track, event, {.kind = Kind::task, .subject = index});
}

// The data layer records on a track of its own: by its time it belongs to the thread that made the runtime.
void Collector::add_block_event(std::uint32_t track, const trace::Event& event) {
  const auto kind = static_cast<trace::BlockKind>(event.duration);
  const std::uint32_t block = block_of(kind, event.id);
  if (event.kind() == Kind::made) {
    program_.blocks[block].bytes = event.value();
    const trace::MadeSmall how(event.small());
    program_.blocks[block].adopted = kind == trace::BlockKind::numbered && how.home() == trace::kNoTier;
    program_.blocks[block].hint = {static_cast<data::engine::PlacementHint::Tier>(how.tier()), how.near_domain(),
                                   how.pinned(), false};
  } else {
    program_.blocks[block].gone = true;
  }
  std::uint32_t to = track;
  for (std::uint32_t t = 0; worker_of(track) < 0 && t < tracks_.size(); ++t)
    if (worker_of(t) == 0) to = t;
  trace::Event at = event;
  at.duration = 0;
  const std::uint64_t last_end = tracks_[to].last_end;
  const std::vector<Pending> satisfied = std::exchange(tracks_[to].satisfied, {});
  add(to, at, {.kind = event.kind(), .subject = block});
  tracks_[to].satisfied = satisfied;
  if (to != track) tracks_[to].last_end = last_end;
}

void Collector::add_move(const trace::Event& event) {
  const std::size_t tiers = program_.real.moved.size();
  const auto index = [&](int tier) { return std::min<std::size_t>(static_cast<std::size_t>(tier), tiers - 1); };
  const std::size_t from = index(event.small() >> 4), to = index(event.small() & 15);
  program_.real.moved[from][to] += event.value();
  moves_[from * tiers + to].push_back({ns(event.start), ns(event.end()), event.value()});
}

void Collector::add_late_end(const trace::Event& event) {
  if (event.small() != static_cast<std::uint8_t>(trace::DataWait::completion)) return;
  std::uint64_t& at = ended_late_[task_of(event.id)];
  at = std::max(at, ns(event.end()));
}

void Collector::add_growth(const trace::Event& event) {
  const Growth growth{ns(event.start), ns(event.end())};
  const std::size_t tier = std::min<std::size_t>(event.small(), program_.real.page_times.size() - 1);
  program_.real.page_times[tier].add(event.value(), growth.end - growth.start);
  growths_.push_back(growth);
}

// ---- Afterwards ----

void Collector::gather_items() {
  std::stable_sort(items_.begin(), items_.end(), [](const Owned& a, const Owned& b) { return a.task < b.task; });
  program_.items.reserve(items_.size());
  for (const Owned& owned : items_) {
    Span& span = program_.tasks[owned.task].items;
    if (span.count++ == 0) span.first = static_cast<std::uint32_t>(program_.items.size());
    program_.items.push_back(owned.item);
  }
  items_ = {};
}

void Collector::gather_after() {
  std::stable_sort(after_.begin(), after_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [task, before] : after_) {
    const auto found = tasks_.find(before);
    if (found == tasks_.end() || !spawned_[found->second]) continue;
    Span& span = program_.tasks[task].after;
    if (span.count++ == 0) span.first = static_cast<std::uint32_t>(program_.after.size());
    program_.after.push_back(found->second);
  }
}

void Collector::gather_late_ends() {
  for (const TrackEvents& track : tracks_)
    for (const Interval& interval : track.intervals) {
      if (interval.kind != Kind::task) continue;
      const auto late = ended_late_.find(interval.subject);
      if (late != ended_late_.end() && late->second > interval.end)
        program_.tasks[interval.subject].late_ns = late->second - interval.end;
    }
}

void Collector::measure_moves() {
  const std::size_t tiers = program_.real.moved.size();
  for (std::size_t link = 0; link < moves_.size(); ++link) {
    std::sort(moves_[link].begin(), moves_[link].end(),
              [](const Copying& a, const Copying& b) { return std::pair(a.start, a.end) < std::pair(b.start, b.end); });
    std::uint64_t busy = 0, until = 0;
    for (const Copying& move : moves_[link]) {
      busy += move.end > until ? move.end - std::max(move.start, until) : 0;
      until = std::max(until, move.end);
    }
    program_.real.moving_ns[link / tiers][link % tiers] = busy;
  }
}

void Collector::list_code() {
  TrackCode code(program_, ns(runtime_.summary.start), ns(runtime_.summary.end), std::move(growths_));
  add_starts_of_guests();
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const int worker = worker_of(t);
    if (worker < 0) continue;
    is_guest(t) ? code.add_guest(worker, std::move(tracks_[t].intervals))
                : code.add(worker, std::move(tracks_[t].intervals));
  }
  add_copying(code);
  code.finish(spawned_);
}

// A thread of the program comes when it has its first interval: in the simulation where the first thread was in its
// work at that moment.
void Collector::add_starts_of_guests() {
  const auto first = std::find_if(runtime_.tracks.begin(), runtime_.tracks.end(),
                                  [](const trace::Definition& track) { return track.first == 0; });
  if (first == runtime_.tracks.end()) return;
  std::vector<Interval>& of_first = tracks_[static_cast<std::size_t>(first - runtime_.tracks.begin())].intervals;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const std::vector<Interval>& own = tracks_[t].intervals;
    if (!is_guest(t) || own.empty()) continue;
    const auto begin = std::min_element(own.begin(), own.end(),
                                        [](const Interval& a, const Interval& b) { return a.start < b.start; });
    of_first.push_back({.start = begin->start,
                        .end = begin->start,
                        .subject = static_cast<std::uint32_t>(worker_of(t)),
                        .starts_guest = true});
  }
}

// By threads that need cores: workers that move blocks themselves do so in their own time, and files need none.
void Collector::add_copying(TrackCode& code) const {
  const std::string* const strategy = program_.real.setting("strategy");
  if (strategy == nullptr || *strategy == "off" || *strategy == "inline") return;
  const std::size_t tiers = program_.real.moved.size();
  const auto is_file = [&](std::size_t tier) {
    return tier < program_.real.tiers.size() && program_.real.tiers[tier] == "file";
  };
  for (std::size_t link = 0; link < moves_.size(); ++link) {
    if (is_file(link / tiers) || is_file(link % tiers)) continue;
    for (const Copying& move : moves_[link]) code.add(move);
  }
}

Status Collector::refusal(const std::string& file) const {
  if (runtime_.summary.policy.starts_with("islands")) {
    return {Code::bad_input,
            fmt::format("{}: cannot be simulated: its tasks ran on islands, whose master, messages and copies are not "
                        "simulated; weir report says where its time went",
                        file)};
  }
  if (halves_ != 0) {
    return {Code::bad_input,
            fmt::format("{}: cannot be simulated: {} halves of fork_join(), parallel_for() or parallel_reduce() ran on "
                        "other workers, and a trace does not say whose they are; trace a run with one worker",
                        file, halves_)};
  }
  if (named_ != 0 && items_.empty()) {
    return {Code::bad_input,
            fmt::format("{}: cannot be simulated: its tasks name {} things in their footprints, and it does not say "
                        "which; trace the program again with this Weir",
                        file, named_)};
  }
  if (program_.tasks.empty())
    return {Code::bad_input, fmt::format("{}: cannot be simulated: no task ran in this runtime", file)};
  const auto ran = static_cast<std::size_t>(std::count(ran_.begin(), ran_.end(), true));
  const auto spawned = static_cast<std::size_t>(std::count(spawned_.begin(), spawned_.end(), true));
  if (spawned == 0) {
    return {Code::bad_input,
            fmt::format("{}: cannot be simulated: it has {} tasks and no spawns, so that who made them "
                        "and on which memory is not known; trace the program again with this Weir",
                        file, ran)};
  }
  return Status::success();
}

Status Collector::finish(const std::string& file) {
  if (Status status = refusal(file); !status) return status;
  gather_items();
  gather_after();
  gather_late_ends();
  measure_moves();
  list_code();
  return Status::success();
}

// "2 cores in 1 domain". A program that was given another machine ran on that only in its own eyes.
unsigned cores_of(const RealRun& real) {
  const std::string* const given = real.setting("machine");
  unsigned cores = 0;
  const std::string& text = real.machine;
  if (given != nullptr && given->empty()) std::from_chars(text.data(), text.data() + text.size(), cores);
  return cores;
}

Status check_whole(const trace::TraceReader& reader, const trace::RuntimeInfo& runtime) {
  if (!runtime.ended || reader.ends_early()) {
    return {Code::bad_input, fmt::format("{}: cannot be simulated: it ends before its run does, so that what the tasks "
                                         "which had not ended do is not known; let the program end",
                                         reader.name())};
  }
  if (runtime.lost != 0) {
    return {Code::bad_input,
            fmt::format("{}: cannot be simulated: {} events were lost, tasks or what they use among them; trace a "
                        "shorter run, or write the trace to a faster disk",
                        reader.name(), runtime.lost)};
  }
  return Status::success();
}

}  // namespace

base::Result<Program> read_program(const trace::TraceReader& reader, const trace::RuntimeInfo& runtime) {
  if (Status status = check_whole(reader, runtime); !status) return status;
  Program program;
  const trace::TimeScale scale = reader.scale(runtime);
  Collector collector(runtime, scale, program);
  if (Status status = trace::read_records(reader, runtime, collector); !status) return status;
  RealRun& real = program.real;
  real.makespan_ns = scale.ns(runtime.summary.end) - scale.ns(runtime.summary.start);
  real.workers = std::max(runtime.summary.workers, 1);
  real.machine = runtime.summary.machine;
  real.settings = runtime.settings;
  real.cores = cores_of(real);
  for (const trace::TierInfo& tier : runtime.summary.tiers) {
    real.tiers.push_back(tier.name);
    real.budgets.push_back(tier.budget);
  }
  if (Status status = collector.finish(reader.name()); !status) return status;
  return program;
}

}  // namespace weir::sim
