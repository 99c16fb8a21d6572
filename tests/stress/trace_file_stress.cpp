// SPDX-License-Identifier: Apache-2.0

// docs/protocols/trace.md, the file: what several threads push into rings goes through a drainer into a file, which is
// read meanwhile. Whatever is in it is whole and in order, behind what it means by number, and what is missing has been
// counted. The same with several recorders in one file, with one that is killed, and on a disk that is full.
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "stress.hpp"
#include "trace/details.hpp"
#include "trace/recorder.hpp"
#include "trace/records.hpp"
#include "unit/trace/temporary_path.hpp"

namespace {

using weir::stress::Stress;
using weir::trace::AccessRecord;
using weir::trace::Details;
using weir::trace::Event;
using weir::trace::Kind;
using weir::trace::Recorder;
using weir::trace::RecordVisitor;
using weir::trace::RuntimeInfo;
using weir::trace::TemporaryPath;
using weir::trace::TraceReader;
using weir::trace::Track;

constexpr std::size_t kMostNames = 64;

std::unique_ptr<Recorder> open(const std::string& path) {
  auto recorder = Recorder::open(path);
  if (recorder) return std::move(*recorder);
  std::fprintf(stderr, "%s\n", recorder.status().message.c_str());
  std::abort();
}

// Texts that are made while others are recorded: as a program's own, not atomic.
struct Names {
  std::array<std::string, kMostNames> texts;
  const char* make(std::size_t i) {
    texts[i] = "name " + std::to_string(i);
    return texts[i].c_str();
  }
};

// Ids of tasks say on which track they are.
constexpr std::uint64_t kTracks = 4;

// The n-th task of a track, from 1 on: with n % 7 accesses to the blocks n, n + 1, ... and the name n % kMostNames.
void record(Recorder& recorder, Track& track, Names& names, std::uint64_t count) {
  const auto place = static_cast<std::uint64_t>(track.info().worker);
  std::array<const char*, kMostNames> known{};
  for (std::uint64_t n = 1; n <= count; ++n) {
    {
      Details details(track, Track::spawned(Track::now(), n * kTracks + place, n, n % 7), n / 10);
      for (std::uint64_t i = 0; i < n % 7; ++i) details.block({1, false}, n + i);
      if (n % 3 == 0) details.after(n - 1);
    }
    const char*& name = known[n % kMostNames];
    if (name == nullptr) name = names.make(n % kMostNames);
    if (n % 5000 == 0) static_cast<void>(recorder.add_block("block", n));
    track.task(Track::now(), Track::now(), n * kTracks + place, name, false);
  }
}

// Goes through what one runtime has recorded: each track by itself in order, and nothing in pieces.
class Check final : public RecordVisitor {
 public:
  Check(Stress& stress, const RuntimeInfo& runtime)
      : stress_(stress), runtime_(runtime), last_(runtime.tracks.size()) {}

 private:
  struct Last {
    std::uint64_t spawned = 0, ran = 0, open = 0, accesses = 0;
  };
  void spawn(std::uint32_t track, const Event& event, std::uint64_t parent) override {
    const std::uint64_t n = event.id / kTracks;
    Last& last = last_[track];
    finish_spawn(last);
    stress_.check(n > last.spawned && event.id % kTracks == track, "spawns out of order");
    stress_.check(event.value() == n && event.small() == n % 7, "a spawn is in pieces");
    stress_.check(parent == n / 10, "a spawn by another parent");
    last.spawned = last.open = n;
    last.accesses = 0;
  }
  void access(std::uint64_t task, const AccessRecord& access) override {
    Last& last = last_[task % kTracks];
    const std::uint64_t n = task / kTracks;
    stress_.check(n == last.open && access.block == n + last.accesses && access.mode.mode == 1, "an access in pieces");
    ++last.accesses;
  }
  void after(std::uint64_t task, std::uint64_t before) override {
    const std::uint64_t n = task / kTracks;
    stress_.check(n == last_[task % kTracks].open && n % 3 == 0 && before == n - 1, "a predecessor that is none");
  }
  void event(std::uint32_t track, const Event& event) override {
    if (event.kind() != Kind::task) return;
    const std::uint64_t n = event.id / kTracks;
    Last& last = last_[track];
    finish_spawn(last);
    stress_.check(n > last.ran, "tasks out of order");
    last.ran = n;
    const std::string* const name = runtime_.name_in(event);
    stress_.check(name != nullptr && *name == "name " + std::to_string(n % kMostNames), "a name that is not there");
  }
  // But for the last one of a file that ends early.
  void finish_spawn(Last& last) {
    stress_.check(last.open == 0 || last.accesses == last.open % 7, "a spawn without its accesses");
    last.open = 0;
  }

  Stress& stress_;
  const RuntimeInfo& runtime_;
  std::vector<Last> last_;
};

// Units that are in the file and units that it says were lost.
std::uint64_t check_file(Stress& stress, const TraceReader& reader) {
  std::uint64_t units = 0;
  for (const RuntimeInfo& runtime : reader.runtimes()) {
    Check check(stress, runtime);
    const weir::base::Status status = read_records(reader, runtime, check);
    stress.check(static_cast<bool>(status), status.message.c_str());
    units += runtime.units + runtime.lost;
  }
  return units;
}

// One runtime, with a thread for each track; what was pushed, lost or not.
std::uint64_t run_recorder(const std::string& path, const std::vector<std::uint64_t>& counts) {
  const std::unique_ptr<Recorder> recorder = open(path);
  std::deque<Names> names(counts.size());
  std::vector<Track*> tracks;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    tracks.push_back(recorder->add_track({"t", static_cast<int>(i), 0}));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    threads.emplace_back([&, i] { record(*recorder, *tracks[i], names[i], counts[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  const weir::base::Status closed = recorder->close({});
  if (!closed) std::fprintf(stderr, "weir: trace %s\n", closed.message.c_str());
  std::uint64_t pushed = 0;
  for (Track* const track : tracks) pushed += track->ring().pushed() + track->ring().dropped();
  return pushed;
}

void record_all(Stress& stress, long number) {
  stress.doing("recorders", number);
  const TemporaryPath path;
  const std::size_t recorders = 1 + stress.below(3);
  std::vector<std::vector<std::uint64_t>> counts(recorders);
  for (auto& count : counts) {
    for (std::size_t i = 0, tracks = 1 + stress.below(3); i < tracks; ++i) count.push_back(1 + stress.below(30000));
  }
  std::atomic<std::uint64_t> pushed{0};
  std::atomic<std::size_t> running{recorders};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < recorders; ++i) {
    threads.emplace_back([&, i] {
      pushed += run_recorder(path.file(), counts[i]);
      --running;
    });
  }
  while (running > 0) {  // it is read while it grows, under whichever name it has
    for (const std::string& name : {path.file() + ".part", path.file()}) {
      const auto reader = TraceReader::open(name);
      if (reader) {
        static_cast<void>(check_file(stress, *reader));
      } else {
        const std::string& said = reader.status().message;
        const bool expected =
            said.find("No such file") != std::string::npos || said.find("it is empty") != std::string::npos ||
            said.find("has become shorter") != std::string::npos || said.find("it ends before") != std::string::npos;
        stress.check(expected, said.c_str());
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(stress.below(20)));
  }
  for (std::thread& thread : threads) thread.join();
  const auto reader = TraceReader::open(path.file());
  stress.check(static_cast<bool>(reader), "the file was not written");
  stress.check(!reader->ends_early(), "the file has no end");
  stress.check(check_file(stress, *reader) == pushed, "an event is neither in the file nor counted");
}

// ---- In a process of its own: PROGRAM --killed FILE, --full FILE BYTES ----

constexpr const char* kEarlier = "an earlier trace";

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return (std::stringstream() << file.rdbuf()).str();
}

int be_killed(const std::string& path) {
  const std::unique_ptr<Recorder> recorder = open(path);
  std::deque<Names> names(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back(
        [&recorder, &own = names[static_cast<std::size_t>(i)], track = recorder->add_track({"t", i, 0})] {
          record(*recorder, *track, own, ~std::uint64_t{0} / kTracks);
        });
  }
  for (int tries = 0; tries < 2000; ++tries) {
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

int fill_the_disk(const std::string& path, const char* bytes) {
  limit_files(bytes);
  weir::Options options = weir::stress::with_workers(2);
  options.trace = path;
  long values[8] = {};
  {
    weir::Runtime runtime(options);
    for (int i = 0; i < 8000; ++i) runtime.spawn(weir::inout(values[i % 8]), [](long& v) { ++v; });
    runtime.wait();
  }
  for (const long value : values)
    if (value != 1000) return 1;  // the program's own result is wrong
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
  const auto reader = TraceReader::open(path.file() + ".part");
  stress.check(static_cast<bool>(reader), reader ? "" : reader.status().message.c_str());
  stress.check(reader->ends_early(), "a file without its end says that it is whole");
  static_cast<void>(check_file(stress, *reader));
}

void check_full(Stress& stress, long number) {
  stress.doing("full", number);
  const TemporaryPath path;
  std::ofstream(path.file()) << kEarlier;
  const unsigned bytes = 4000 + stress.below(200000);
  const Ended ended = run_self("--full '" + path.file() + "' " + std::to_string(bytes));
  if (ended.status != 0) std::fprintf(stderr, "%s", ended.said.c_str());
  stress.check(ended.status == 0, "a full disk took more than the trace");
  stress.check(ended.said.find("weir: trace " + path.file()) != std::string::npos &&
                   ended.said.find("File too large") != std::string::npos,
               "nothing was said of the full disk");
  stress.check(contents(path.file()) == kEarlier, "a file of which some was lost took the place of the earlier one");
  const auto reader = TraceReader::open(path.file() + ".part");
  stress.check(static_cast<bool>(reader), reader ? "" : reader.status().message.c_str());
  stress.check(reader->ends_early(), "a file of which some was lost says that it is whole");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "--killed" && argc == 3) return be_killed(argv[2]);
  if (mode == "--full" && argc == 4) return fill_the_disk(argv[2], argv[3]);
  Stress stress(argc, argv);
  for (long number = 0; stress.goes_on(); ++number) {
    record_all(stress, number);
    if (number % 4 == 0) check_killed(stress, number);
    if (number % 4 == 2) check_full(stress, number);
  }
}
