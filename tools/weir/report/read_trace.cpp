#include "read_trace.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace weir::tool::report {

namespace {

using Json = nlohmann::json;

// Events come before what is said of their runtime.
class Reader {
 public:
  void read(const Json& event) {
    const std::string& category = event.at("cat").get_ref<const std::string&>();
    const char phase = event.at("ph").get_ref<const std::string&>()[0];
    part_ = &parts_[event.at("pid").get<int>()];
    switch (phase) {
      case 'X': return read_span(event, category);
      case 's': return read_edge(event.at("args"));
      case 'b':
      case 'e': return read_async(event, category, phase == 'b');
      case 'i': return read_instant(event.at("args"), category);
      case 'C': return read_counter(event, category);
      default: return;
    }
  }

  std::vector<Trace> finish(const Json& runtimes) {
    std::vector<Trace> result;
    for (const Json& about : runtimes) {
      Trace trace = std::move(parts_[about.at("runtime").get<int>()].trace);
      describe(trace, about);
      result.push_back(std::move(trace));
    }
    return result;
  }

 private:
  struct Part {
    Trace trace;
    std::unordered_map<std::string, int> names;
    std::unordered_map<std::string, std::size_t> open_moves, open_waits;
  };

  static Ns ns(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

  Task& task(std::uint32_t number) {
    std::vector<Task>& tasks = part_->trace.tasks;
    if (tasks.size() <= number) tasks.resize(number + 1);
    return tasks[number];
  }

  int name(const std::string& text) {
    const auto [place, is_new] = part_->names.try_emplace(text, static_cast<int>(part_->trace.names.size()));
    if (is_new) part_->trace.names.push_back(text);
    return place->second;
  }

  void read_span(const Json& event, const std::string& category) {
    Span span;
    span.start = ns(event.at("ts"));
    span.end = span.start + ns(event.at("dur"));
    span.track = event.at("tid").get<std::uint32_t>();
    const auto args = event.find("args");
    if (args != event.end()) span.task = args->at("task").get<std::uint32_t>();
    if (category == "task") {
      if (span.task == 0) {
        halves_.emplace_back(part_, span);
        return;
      }
      read_task(event, span);
    } else if (category == "spawn") {
      span.doing = Doing::spawn;
      Task& spawned = task(span.task);
      spawned.spawned = span.start;
      spawned.bytes = args->at("bytes").get<std::uint64_t>();
      spawned.items = args->at("items").get<std::uint32_t>();
    } else if (category == "wait") {
      span.doing = event.at("name") == "throttled" ? Doing::throttled : Doing::wait;
    } else if (category == "search") {
      span.doing = Doing::search;
    } else if (category == "park") {
      span.doing = Doing::park;
    } else {
      span.doing = Doing::stage;
    }
    part_->trace.spans.push_back(span);
  }

  void read_task(const Json& event, const Span& span) {
    Task& ran = task(span.task);
    ran.name = name(event.at("name").get_ref<const std::string&>());
    ran.ran = true;
    ran.start = span.start;
    ran.end = span.end;
    ran.cancelled = event.at("args").contains("cancelled");
  }

  void read_edge(const Json& args) {
    task(args.at("to").get<std::uint32_t>()).comes_after.push_back(args.at("from").get<std::uint32_t>());
  }

  void read_async(const Json& event, const std::string& category, bool begins) {
    Trace& trace = part_->trace;
    const std::string& id = event.at("id").get_ref<const std::string&>();
    const Ns at = ns(event.at("ts"));
    if (category == "move") {
      if (!begins) {
        trace.moves[part_->open_moves.at(id)].end = at;
        return;
      }
      const Json& args = event.at("args");
      part_->open_moves[id] = trace.moves.size();
      trace.moves.push_back({at, at, args.at("block"), args.at("bytes"), args.at("from"), args.at("to")});
    } else if (category != "data wait") {
      return;  // for what other tasks hold
    } else if (begins) {
      part_->open_waits[id] = trace.data_waits.size();
      trace.data_waits.push_back({at, at, event.at("args").at("task"), event.at("name") == "waits for room"});
    } else {
      trace.data_waits[part_->open_waits.at(id)].end = at;
    }
  }

  void read_instant(const Json& args, const std::string& category) {
    if (category == "steal") part_->trace.steals[args.at("distance")] += args.at("tasks").get<std::uint64_t>();
    if (category == "evict") ++part_->trace.evictions;
  }

  void read_counter(const Json& event, const std::string& category) {
    constexpr std::string_view kBefore = "in ";
    if (category != "resident") return;
    const std::string tier = event.at("name").get_ref<const std::string&>().substr(kBefore.size());
    part_->trace.residency[tier].push_back({ns(event.at("ts")), event.at("args").at("bytes").get<std::uint64_t>()});
  }

  void describe(Trace& trace, const Json& about) {
    trace.runtime = about.at("runtime");
    trace.workers = about.at("workers");
    trace.machine = about.at("machine");
    trace.start = ns(about.at("start_us"));
    trace.end = ns(about.at("end_us"));
    trace.lost_events = about.at("lost_events");
    trace.counters = about.at("counters").get<std::map<std::string, std::uint64_t>>();
    for (const Json& t : about.at("tracks")) trace.tracks.push_back({t.at("name"), t.at("worker"), t.at("domain")});
    for (const Json& t : about.at("tiers")) {
      trace.tiers.push_back({t.at("name"), t.at("budget_bytes"), t.at("read_gb_per_s"), t.at("write_gb_per_s")});
    }
    for (const Json& b : about.at("blocks")) trace.blocks.push_back({b.at("name"), b.at("bytes")});
    if (trace.tasks.empty()) trace.tasks.emplace_back();
    number_halves(trace);
  }

  // Halves of fork_join() have the number 0 in the file: each gets one of its own, above those of tasks.
  void number_halves(Trace& trace) {
    trace.names.emplace_back("half of a fork_join");
    for (const auto& [part, span] : halves_) {
      if (part != &parts_[trace.runtime]) continue;
      Span own = span;
      own.task = static_cast<std::uint32_t>(trace.tasks.size());
      Task half;
      half.name = static_cast<int>(trace.names.size()) - 1;
      half.ran = true;
      half.start = span.start;
      half.end = span.end;
      trace.tasks.push_back(std::move(half));
      trace.spans.push_back(own);
    }
  }

  std::map<int, Part> parts_;
  Part* part_ = nullptr;
  std::vector<std::pair<Part*, Span>> halves_;
};

base::Status no_trace(const std::string& name, const std::string& why) {
  return {base::Code::bad_input,
          fmt::format("{}: not a trace of Weir ({}); WEIR_TRACE={} or --trace writes one", name, why, name)};
}

}  // namespace

// Events are taken as they are parsed and then forgotten: what is left is small.
base::Result<std::vector<Trace>> read_traces(std::istream& input, const std::string& name) {
  Reader reader;
  const auto take = [&reader](int depth, Json::parse_event_t what, Json& parsed) {
    if (depth != 2 || what != Json::parse_event_t::object_end || !parsed.contains("ph")) return true;
    reader.read(parsed);
    return false;
  };
  try {
    const Json rest = Json::parse(input, take);
    if (!rest.is_object() || !rest.contains("otherData") || rest["otherData"].value("format", "") != "weir-trace-1") {
      return no_trace(name, "no format weir-trace-1");
    }
    return reader.finish(rest["otherData"].at("runtimes"));
  } catch (const std::exception& error) {
    return no_trace(name, error.what());
  }
}

base::Result<std::vector<Trace>> read_traces(const std::string& path) {
  if (path.ends_with(".otf2")) {
    return base::Status{base::Code::bad_input,
                        fmt::format("{}: an OTF2 archive is for other tools (otf2-print, Vampir); trace to a name that "
                                    "does not end in .otf2 for a report",
                                    path)};
  }
  std::ifstream file(path);
  if (!file)
    return base::Status{base::Code::not_found, fmt::format("{}: cannot be read: {}", path, std::strerror(errno))};
  return read_traces(file, path);
}

}  // namespace weir::tool::report
