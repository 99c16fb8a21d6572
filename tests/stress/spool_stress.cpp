// SPDX-License-Identifier: Apache-2.0

// docs/protocols/trace.md, the spool: what several threads push into rings goes through a slow drainer into a file,
// which another thread reads meanwhile. Whatever comes out is whole and in order, behind its definitions, and what is
// missing has been counted. Then the same with whole recorders, killed in the middle, and on a disk that is full.
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "stress.hpp"
#include "trace/recorder.hpp"
#include "trace/spool.hpp"
#include "unit/trace/temporary_path.hpp"

namespace {

using weir::stress::Stress;
using weir::trace::Definition;
using weir::trace::Event;
using weir::trace::Kind;
using weir::trace::Named;
using weir::trace::Recorder;
using weir::trace::Ring;
using weir::trace::Spool;
using weir::trace::TemporaryPath;
using weir::trace::Track;

constexpr std::size_t kMostProducers = 4;
constexpr std::uint64_t kEventsPerName = 100, kMostEvents = 30000;

// The id is the number of a name, which has been defined before.
Event numbered(std::uint64_t n) { return {n, n * 3, n / kEventsPerName, Event::pack(Kind::evict, n)}; }
bool is_whole(const Event& e) {
  return e.duration == e.start * 3 && e.id == e.start / kEventsPerName && e.value() == e.start &&
         e.kind() == Kind::evict;
}

struct Producer {
  explicit Producer(std::size_t capacity) : ring(capacity) {}
  Ring ring;
  std::array<std::uint64_t, kMostEvents / kEventsPerName>
      said{};                           // by number of a name: as the program's own texts, not atomic
  std::atomic<std::uint64_t> named{0};  // names that it has asked for; the drainer defines them before its events
  std::atomic<bool> done{false};
  std::uint64_t defined = 0, unwritten = 0;     // the drainer
  std::uint64_t next = 0, read = 0, known = 0;  // the reader
};

// As Recorder::drain(): rings are looked at, then what is new is defined, then events are written.
bool drain(Spool& spool, std::vector<std::unique_ptr<Producer>>& producers, std::uint64_t pass) {
  std::vector<std::span<const Event>> readable;
  for (const auto& producer : producers) readable.push_back(producer->ring.readable());
  bool any = false;
  for (std::size_t i = 0; i < producers.size(); ++i) {
    Producer& producer = *producers[i];
    for (const std::uint64_t named = producer.named.load(std::memory_order_acquire); producer.defined < named;
         ++producer.defined) {
      static_cast<void>(
          spool.append(Definition{Named::block, producer.defined, std::string(producer.defined % 70, 'n'), i, 0}));
    }
    if (readable[i].empty()) continue;
    any = true;
    if (!spool.append(i, pass, readable[i])) producer.unwritten += readable[i].size();
    producer.ring.consume(readable[i].size());
  }
  return any;
}

// Goes on from `at` to what can be read now. The units of a chunk are all there, or none.
std::uint64_t read(Stress& stress, const Spool& spool, std::uint64_t at,
                   std::vector<std::unique_ptr<Producer>>& producers) {
  std::vector<Event> units(spool.readable() - at);
  if (units.empty()) return at;
  stress.check(static_cast<bool>(spool.read(at, units)), "what is readable cannot be read");
  for (std::size_t i = 0; i < units.size();) {
    const Event& head = units[i++];
    if (head.kind() == Kind::text) {
      stress.check(head.id == producers[head.start]->known++, "a definition is missing, or there twice");
      const std::size_t length = head.value(), taken = (length + sizeof(Event) - 1) / sizeof(Event);
      stress.check(i + taken <= units.size(), "a definition is in pieces");
      const std::string_view text(reinterpret_cast<const char*>(units.data() + i), length);
      stress.check(text.find_first_not_of('n') == std::string_view::npos, "a name is not what was defined");
      i += taken;
      continue;
    }
    stress.check(head.kind() == Kind::chunk && head.id < producers.size(), "a unit is neither chunk nor definition");
    stress.check(i + head.value() <= units.size(), "a chunk is in pieces");
    Producer& producer = *producers[head.id];
    for (const std::size_t end = i + head.value(); i < end; ++i) {
      stress.check(is_whole(units[i]), "an event is in pieces");
      stress.check(units[i].start >= producer.next, "events out of order");
      stress.check(units[i].id < producer.known, "an event comes before what it means is defined");
      stress.check(producer.said[units[i].id] == units[i].id * kEventsPerName, "what an event points to is not there");
      producer.next = units[i].start + 1;
      ++producer.read;
    }
  }
  const std::uint64_t end = at + units.size();
  if (stress.below(4) == 0) spool.forget(end);
  return end;
}

void round(Stress& stress, long number, const std::string& folder) {
  stress.doing("spool", number);
  auto file = weir::platform::ScratchFile::create_for(folder + "/spool");
  stress.check(static_cast<bool>(file), "no file for the spool");
  Spool spool(std::move(*file));
  std::vector<std::unique_ptr<Producer>> producers;
  std::vector<std::uint64_t> emitted;
  for (std::size_t i = 0, count = 1 + stress.below(kMostProducers); i < count; ++i) {
    producers.push_back(std::make_unique<Producer>(std::size_t{1} << (1 + stress.below(10))));
    emitted.push_back(1 + stress.below(kMostEvents));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < producers.size(); ++i) {
    threads.emplace_back([&producer = *producers[i], count = emitted[i]] {
      for (std::uint64_t n = 0; n < count; ++n) {
        if (n % kEventsPerName == 0) producer.said[n / kEventsPerName] = n;
        if (n % kEventsPerName == 0) producer.named.store(n / kEventsPerName + 1, std::memory_order_release);
        producer.ring.push(numbered(n));
      }
      producer.done.store(true, std::memory_order_release);
    });
  }
  std::atomic<bool> drained{false};
  const unsigned pause_us = stress.below(3) == 0 ? stress.below(300) : 0;
  std::thread drainer([&] {
    for (std::uint64_t pass = 1;; ++pass) {
      bool last = true;
      for (const auto& producer : producers) last = last && producer->done.load(std::memory_order_acquire);
      if (!drain(spool, producers, pass) && last) break;
      if (pause_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    }
    drained.store(true, std::memory_order_release);
  });
  for (std::uint64_t at = 0;;) {
    const bool last = drained.load(std::memory_order_acquire);
    const std::uint64_t before = at;
    at = read(stress, spool, at, producers);
    if (last && at == before) break;
  }
  for (std::thread& thread : threads) thread.join();
  drainer.join();
  for (std::size_t i = 0; i < producers.size(); ++i) {
    const Producer& p = *producers[i];
    stress.check(p.read + p.unwritten + p.ring.dropped() == emitted[i], "an event is neither there nor counted");
  }
}

// ---- Whole recorders ----

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return (std::stringstream() << file.rdbuf()).str();
}

std::uint64_t count_of(std::string_view text, std::string_view what) {
  std::uint64_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

std::unique_ptr<Recorder> open(const std::string& path) {
  auto recorder = Recorder::open(path);
  if (recorder) return std::move(*recorder);
  std::fprintf(stderr, "%s\n", recorder.status().message.c_str());
  std::abort();
}

// Each thread on a track of its own, faster than the rings are emptied.
void record(Recorder& recorder, int threads, std::uint64_t events) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([track = recorder.add_track({"t", i, 0}), events] {
      for (std::uint64_t n = 0; n < events; ++n) track->search(Track::now());
    });
  }
  for (std::thread& thread : all) thread.join();
}

void record_all(Stress& stress, long number) {
  stress.doing("recorder", number);
  const TemporaryPath path;
  const int threads = 1 + static_cast<int>(stress.below(3));
  const std::uint64_t events = 1 + stress.below(150000);
  const std::unique_ptr<Recorder> recorder = open(path.file());
  record(*recorder, threads, events);
  stress.check(static_cast<bool>(recorder->close({})), "the file was not written");
  const std::string text = contents(path.file());
  const std::size_t lost = text.find("\"lost_events\":");
  stress.check(lost != std::string::npos, "the file does not say what was lost");
  const std::uint64_t dropped = std::strtoull(text.c_str() + lost + 14, nullptr, 10);
  stress.check(count_of(text, "\"cat\":\"search\"") + dropped == events * static_cast<std::uint64_t>(threads),
               "an event is neither in the file nor counted");
}

// ---- In a process of its own: PROGRAM --killed FILE, --full FILE BYTES SEED ----

constexpr const char* kEarlier = "an earlier trace";

int be_killed(const std::string& path) {
  const std::unique_ptr<Recorder> recorder = open(path);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([track = recorder->add_track({"t", i, 0})] {
      for (;;) {
        for (int n = 0; n < 100; ++n) track->search(Track::now());
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  }
  for (int tries = 0; tries < 2000; ++tries) {  // a busy machine may write nothing until then, which is right, too
    std::error_code none;
    if (std::filesystem::file_size(path + ".part", none) > 100'000 && !none) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return raise(SIGKILL);
}

// Nothing can be longer than so many bytes.
void limit_files(const char* bytes) {
  const rlim_t most = std::strtoull(bytes, nullptr, 10);
  const rlimit limit{most, most};
  std::signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::abort();
}

int fill_the_disk(const std::string& path, char** argv) {
  limit_files(argv[3]);
  std::array<char*, 3> own{argv[0], argv[3], argv[4]};
  own[1] = const_cast<char*>("60");
  Stress stress(3, own.data());
  for (long number = 0; number < 4; ++number) round(stress, number, std::filesystem::path(path).parent_path());
  stress.doing("traced runtime on a full disk");
  weir::Options options = weir::stress::with_workers(2);
  options.trace = path;
  long values[8] = {};
  {
    weir::Runtime runtime(options);
    for (int i = 0; i < 8000; ++i) runtime.spawn(weir::inout(values[i % 8]), [](long& v) { ++v; });
    runtime.wait();
  }
  for (const long value : values) stress.check(value == 1000, "the program's own result is wrong");
  return 0;
}

struct Ended {
  int status;
  std::string said;
};
Ended run_self(const std::string& arguments) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  FILE* const output = popen(("exec '" + self + "' " + arguments + " 2>&1").c_str(), "r");
  std::string said;
  std::array<char, 4096> piece{};
  for (std::size_t got; (got = fread(piece.data(), 1, piece.size(), output)) != 0;) said.append(piece.data(), got);
  return {pclose(output), said};
}

void check_killed(Stress& stress, long number) {
  stress.doing("killed", number);
  const TemporaryPath path;
  std::ofstream(path.file()) << kEarlier;
  const Ended ended = run_self("--killed '" + path.file() + "'");
  stress.check(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGKILL, "it was not killed");
  stress.check(contents(path.file()) == kEarlier, "the earlier file is not what it was");
  stress.check(path.files() == 2, "more than the part was left behind");
  std::istringstream part(contents(path.file() + ".part"));
  std::string line, next;
  std::getline(part, line);
  stress.check(line == "{\"traceEvents\":[", "the part does not begin as a trace");
  std::getline(part, line);
  while (std::getline(part, next)) {  // but for the last, which may be cut
    stress.check(line.front() == '{' && line.ends_with("},"), "a line of the part is in pieces");
    line = next;
  }
}

void check_full(Stress& stress, long number) {
  stress.doing("full", number);
  const TemporaryPath path;
  std::ofstream(path.file()) << kEarlier;
  const unsigned bytes = 1000 + stress.below(1000000), seed = stress.below(1u << 30);
  const Ended ended = run_self("--full '" + path.file() + "' " + std::to_string(bytes) + " " + std::to_string(seed));
  if (ended.status != 0) std::fprintf(stderr, "%s", ended.said.c_str());
  stress.check(ended.status == 0, "a full disk took more than the trace");
  stress.check(ended.said.find("weir: trace " + path.file()) != std::string::npos &&
                   ended.said.find("File too large") != std::string::npos,
               "nothing was said of the full disk");
  // Either all that was recorded found its way into the file, and what did not is counted there, or it is as it was.
  const std::string text = contents(path.file());
  if (text == kEarlier) {
    stress.check(contents(path.file() + ".part").starts_with("{\"traceEvents\":["), "what was written is gone");
  } else {
    stress.check(text.ends_with("}}\n") && text.find("\"lost_events\":0,") == std::string::npos,
                 "a file of which some was lost, and it does not say so");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "--killed" && argc == 3) return be_killed(argv[2]);
  if (mode == "--full" && argc == 5) return fill_the_disk(argv[2], argv);
  Stress stress(argc, argv);
  const TemporaryPath path;
  for (long number = 0; stress.goes_on(); ++number) {
    round(stress, number, path.folder());
    if (number % 8 == 0) record_all(stress, number);
    if (number % 16 == 0) check_killed(stress, number);
    if (number % 16 == 8) check_full(stress, number);
  }
}
