// SPDX-License-Identifier: Apache-2.0

// docs/protocols/shmem-trace.md: threads of a PE call, traced and checked, while the trace is closed. The file is
// whole, each thread's calls are in it in order, all that ended before the close or were counted as lost, and none
// twice.
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "shmem/observe/recording.hpp"
#include "shmem/shmem.h"
#include "stress.hpp"
#include "trace/pe_events.hpp"
#include "trace/reader.hpp"
#include "trace/records.hpp"

namespace {

using weir::stress::Stress;

long words[16];  // symmetric

// Calls that each thread has ended, and how many of them before the close.
struct Caller {
  std::atomic<std::uint64_t> ended{0};
  std::uint64_t before_close = 0;
};

void call(std::uint64_t n, std::size_t thread) {
  long* const word = &words[thread % 16];
  switch (n % 4) {
    case 0: shmem_long_p(word, 1, 0); return;
    case 1: shmem_long_atomic_add(word, 1, 0); return;
    case 2: shmem_long_g(word, 0); return;
    default: shmem_quiet(); return;
  }
}

class Counting final : public weir::trace::RecordVisitor {
 public:
  explicit Counting(Stress& stress) : stress_(stress) {}
  std::map<std::uint32_t, std::uint64_t> calls;  // by track

 private:
  void event(std::uint32_t track, const weir::trace::Event& event) override {
    const auto kind = event.kind();
    if (kind < weir::trace::Kind::put || kind > weir::trace::Kind::order) return;
    stress_.check(event.start >= last_[track], "calls of a thread are out of order");
    last_[track] = event.end();
    if (kind != weir::trace::Kind::meet) ++calls[track];  // the first thread's barriers
  }
  Stress& stress_;
  std::map<std::uint32_t, std::uint64_t> last_;
};

void check_file(Stress& stress, const std::string& path, const std::vector<Caller>& callers) {
  const auto reader = weir::trace::TraceReader::open(path);
  stress.check(reader && !reader->ends_early(), "the file is not whole");
  const weir::trace::RuntimeInfo& info = reader->runtimes().back();
  stress.check(info.ended, "the recording has no end");
  Counting counting(stress);
  stress.check(static_cast<bool>(weir::trace::read_records(*reader, info, counting)), "the file cannot be read");
  std::uint64_t recorded = 0, ended = 0, before = 0;
  for (const auto& [track, calls] : counting.calls) recorded += calls;
  for (const Caller& caller : callers) {
    ended += caller.ended;
    before += caller.before_close;
  }
  stress.check(recorded + info.lost >= before, "a call that ended before the close is neither there nor counted");
  stress.check(recorded <= ended, "there are calls that no thread made");
  stress.check(counting.calls.size() <= callers.size(), "a thread has more than one track");
}

void round(Stress& stress, long number) {
  stress.doing("closing a trace", number);
  const std::string path =
      "/tmp/weir-shmem-trace-stress-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".weir";
  setenv("WEIR_TRACE", path.c_str(), 1);
  int given = 0;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &given);
  shmem_barrier_all();
  std::vector<Caller> callers(1 + stress.below(4));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    threads.emplace_back([&, i] {
      for (std::uint64_t n = 0; !stop; ++n) {
        call(n, i);
        ++callers[i].ended;
      }
    });
  }
  const unsigned calls = stress.below(3000);
  while (callers.front().ended < calls) std::this_thread::yield();
  for (Caller& caller : callers) caller.before_close = caller.ended;
  weir::shmem::close_recording();
  while (callers.front().ended < calls + 20) std::this_thread::yield();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  shmem_barrier_all();
  shmem_finalize();
  check_file(stress, path, callers);
  unlink(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  setenv("WEIR_CHECK", "1", 1);
  for (long number = 0; stress.goes_on(); ++number) round(stress, number);
  return 0;
}
