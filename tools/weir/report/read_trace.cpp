// SPDX-License-Identifier: Apache-2.0

#include "read_trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "nesting.hpp"
#include "platform/file_io.hpp"
#include "resolver.hpp"

namespace weir::tool::report {

namespace {

using convert::Kind;
using convert::Line;
using convert::Name;
using weir::trace::RuntimeInfo;
using weir::trace::Summary;

// One runtime's lines, as the report computes with them.
class Builder {
 public:
  void take(const Line& line) {
    switch (line.kind) {
      case Kind::task: return take_task(line);
      case Kind::spawn:
        task(line.task).spawned = ns(line.start_ns);
        if (line.small != 0) {  // an EDT's has nothing
          take_footprint(line);
          task(line.task).waited = true;
        }
        return take_span(line, Doing::spawn);
      case Kind::footprint:
        trace_.edts = true;
        if (line.small != 0) take_footprint(line);
        return take_span(line, Doing::ready);
      case Kind::edge:
        task(static_cast<std::uint64_t>(line.value)).comes_after.push_back(static_cast<std::uint32_t>(line.task));
        return;
      case Kind::wait:
        return take_span(
            line, line.small == static_cast<std::uint8_t>(weir::trace::WaitFor::room) ? Doing::throttled : Doing::wait);
      case Kind::search: return take_span(line, Doing::search);
      case Kind::park: return take_span(line, Doing::park);
      case Kind::stage: return take_span(line, Doing::stage);
      default: return take_other(line);
    }
  }

  Trace finish(const RuntimeInfo& runtime, const convert::TimeScale& scale);

 private:
  static Ns ns(std::uint64_t ns) noexcept { return static_cast<Ns>(ns); }

  Task& task(std::uint64_t number) {
    std::vector<Task>& tasks = trace_.tasks;
    if (tasks.size() <= number) tasks.resize(number + 1);
    return tasks[number];
  }
  int name(const Name* name) {
    const auto [place, is_new] = names_.try_emplace(name, static_cast<int>(trace_.names.size()));
    if (is_new) trace_.names.push_back(name->text);
    return place->second;
  }

  void take_span(const Line& line, Doing doing) {
    const Ns start = ns(line.start_ns);
    trace_.spans.push_back(
        {start, std::max(ns(line.end_ns), start), line.track, doing, static_cast<std::uint32_t>(line.task)});
  }

  // Halves of fork_join() have the number 0 until all tasks have theirs.
  void take_task(const Line& line) {
    take_span(line, Doing::task);
    if (line.task == 0) {
      halves_.push_back(trace_.spans.size() - 1);
      return;
    }
    const convert::TaskSmall small(line.small);
    Task& ran = task(line.task);
    ran.name = name(line.name);
    ran.ran = true;
    ran.start = trace_.spans.back().start;
    ran.end = trace_.spans.back().end;
    ran.cancelled = small.cancelled();
    ran.wanted = static_cast<std::int16_t>(small.wanted());
  }

  void take_footprint(const Line& line) {
    Task& of = task(line.task);
    of.bytes = line.value;
    of.items = line.small;
  }

  void take_other(const Line& line) {
    switch (line.kind) {
      case Kind::move:
        trace_.moves.push_back(
            {ns(line.start_ns), ns(line.end_ns), line.task, line.value, line.from->text, line.to->text});
        return;
      case Kind::data_wait:
        if (line.small == static_cast<std::uint8_t>(weir::trace::DataWait::completion)) {
          task(line.task);
          trace_.late_ends.push_back({static_cast<std::uint32_t>(line.task), ns(line.end_ns)});
          return;
        }
        trace_.data_waits.push_back({ns(line.start_ns), ns(line.end_ns), static_cast<std::uint32_t>(line.task),
                                     static_cast<For>(line.small & 3), line.name == nullptr ? -1 : name(line.name)});
        return;
      case Kind::steal:
        trace_.steals.push_back({ns(line.start_ns), line.track, static_cast<std::uint32_t>(line.id),
                                 static_cast<std::uint32_t>(line.value), line.small});
        return;
      case Kind::resident: trace_.residency[line.from->text].push_back({ns(line.start_ns), line.id}); return;
      case Kind::evict: ++trace_.evictions; return;
      case Kind::sent:
      case Kind::received: return take_message(line);
      default: return;
    }
  }

  void take_message(const Line& line) {
    trace_.messages.push_back({line.kind == Kind::sent, static_cast<weir::trace::RankMessage>(line.small),
                               line.note.name, line.note.other, ns(line.start_ns), ns(line.end_ns),
                               static_cast<std::uint32_t>(line.task), line.value, line.name->text});
    if (line.task != 0) task(line.task);
  }

  void describe(const Summary& summary, const convert::TimeScale& scale);
  void guess();
  void number_halves();

  Trace trace_;
  std::unordered_map<const Name*, int> names_;
  std::vector<std::size_t> halves_;  // places in trace_.spans
};
static_assert(static_cast<int>(For::block) == static_cast<int>(weir::trace::DataWait::block));

Trace Builder::finish(const RuntimeInfo& runtime, const convert::TimeScale& scale) {
  trace_.runtime = runtime.number;
  trace_.lost_events = runtime.lost;
  for (const convert::Definition& t : runtime.tracks) {
    trace_.tracks.push_back(
        {t.name, static_cast<int>(t.first), static_cast<int>(t.second), 0, t.name.starts_with("spare ")});
  }
  for (const convert::Definition& b : runtime.blocks) trace_.blocks.push_back({b.name, b.first});
  if (runtime.ended) {
    describe(runtime.summary, scale);
  } else {
    for (const convert::Definition& t : runtime.tiers) trace_.tiers.push_back({t.name, 0, 0, 0});
    guess();
  }
  number_halves();
  std::stable_sort(trace_.spans.begin(), trace_.spans.end(), &comes_before);
  return std::move(trace_);
}

void Builder::describe(const Summary& summary, const convert::TimeScale& scale) {
  trace_.workers = summary.workers;
  trace_.machine = summary.machine;
  trace_.policy = summary.policy;
  trace_.memory_gb_per_s = summary.memory_gb_per_s;
  trace_.start = ns(scale.ns(summary.start));
  trace_.end = ns(scale.ns(summary.end));
  for (const auto& [name, value] : summary.counters) trace_.counters[name] = value;
  for (const convert::TierInfo& t : summary.tiers) {
    trace_.tiers.push_back({t.name, t.budget, t.read_gb_per_s, t.write_gb_per_s});
  }
}

// Of a runtime that had not ended: what its events say of it.
void Builder::guess() {
  trace_.cut = true;
  trace_.machine = "a machine that the file does not name";
  for (const TrackRow& track : trace_.tracks) trace_.workers += track.name.starts_with("worker ") ? 1 : 0;
  trace_.start = trace_.spans.empty() ? 0 : trace_.spans.front().start;
  for (const Span& span : trace_.spans) {
    trace_.start = std::min(trace_.start, span.start);
    trace_.end = std::max(trace_.end, span.end);
  }
  for (const Move& move : trace_.moves) trace_.end = std::max(trace_.end, move.end);
}

// Each half of a fork_join() gets a number of its own, above those of tasks.
void Builder::number_halves() {
  if (trace_.tasks.empty()) trace_.tasks.emplace_back();
  trace_.names.emplace_back("half of a fork_join");
  for (const std::size_t place : halves_) {
    Span& span = trace_.spans[place];
    span.task = static_cast<std::uint32_t>(trace_.tasks.size());
    Task half;
    half.name = static_cast<int>(trace_.names.size()) - 1;
    half.ran = true;
    half.start = span.start;
    half.end = span.end;
    trace_.tasks.push_back(std::move(half));
  }
}

}  // namespace

base::Result<weir::trace::TraceReader> open_trace(const std::string& path) {
  if (path.ends_with(".otf2")) {
    return base::Status{base::Code::bad_input,
                        fmt::format("{}: an OTF2 archive is for other tools (otf2-print, Vampir) and cannot be read "
                                    "back; make a trace with weir run --trace FILE.weir PROGRAM",
                                    path)};
  }
  if (platform::kind_of(path) == "a device") {
    return base::Status{base::Code::bad_input, fmt::format("{}: cannot be read: it is a device, no trace", path)};
  }
  base::Result<weir::trace::TraceReader> reader = weir::trace::TraceReader::open(path);
  if (reader || reader.status().code != base::Code::not_found || access((path + ".part").c_str(), R_OK) != 0) {
    return reader;
  }
  return base::Status{base::Code::not_found,
                      fmt::format("{}; {}.part is of a program that has not ended, or was killed: weir report {}.part "
                                  "says what it holds",
                                  reader.status().message, path, path)};
}

namespace {

base::Result<Trace> read_keeping(convert::TaskTable::Keeps keeps, const weir::trace::TraceReader& reader,
                                 const RuntimeInfo& runtime) {
  convert::Resolver resolver(reader, runtime, keeps);
  Builder builder;
  if (base::Status status = resolver.resolve([&](const Line& line) { builder.take(line); }); !status) return status;
  if (resolver.has_forgotten() && keeps == convert::TaskTable::Keeps::recent)
    return read_keeping(convert::TaskTable::Keeps::all, reader, runtime);
  return builder.finish(runtime, resolver.scale());
}

}  // namespace

base::Result<Trace> read_trace(const weir::trace::TraceReader& reader, const RuntimeInfo& runtime) {
  return read_keeping(convert::TaskTable::Keeps::recent, reader, runtime);
}

base::Result<std::vector<Trace>> read_traces(const weir::trace::TraceReader& reader) {
  std::vector<Trace> traces;
  for (const RuntimeInfo& runtime : reader.runtimes()) {
    base::Result<Trace> trace = read_trace(reader, runtime);
    if (!trace) return trace.status();
    traces.push_back(std::move(*trace));
  }
  return traces;
}

base::Result<std::vector<Trace>> read_traces(const std::string& path) {
  const base::Result<weir::trace::TraceReader> reader = open_trace(path);
  if (!reader) return reader.status();
  return read_traces(*reader);
}

}  // namespace weir::tool::report
