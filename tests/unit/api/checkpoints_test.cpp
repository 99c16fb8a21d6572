// SPDX-License-Identifier: Apache-2.0

// Checkpoints of one process: what is written, that a run goes on from it to the same bits, and what is refused.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;
using test::with_workers;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// No file of this process grows beyond that, as on a device that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class Checkpoints : public ::testing::TestWithParam<int> {
 protected:
  Checkpoints() {
    std::string name = ::testing::TempDir() + "weir_checkpoints_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
  }
  ~Checkpoints() override { fs::remove_all(folder_); }

  std::string folder() const { return folder_ + "/c" + std::to_string(folders_); }
  // The next that writes is the first there of its process.
  void change_folder() { ++folders_; }
  Options writing(int every_s = 0) const {
    Options options = with_workers(GetParam());
    options.checkpoint = folder();
    options.checkpoint_every = every_s;
    return options;
  }
  // As another process would: runtimes of one process count by the folder that they go on from, and this is one that
  // none of this process has had.
  Options restarting() {
    Options options = with_workers(GetParam());
    options.restart = folder();
    if (fs::exists(folder())) {
      options.restart = folder_ + "/restart." + std::to_string(++restarts_);
      fs::copy(folder(), options.restart, fs::copy_options::recursive);
    }
    return options;
  }
  // The files of the only whole checkpoint.
  std::string whole() const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (entry.path().filename().string().starts_with("checkpoint.")) {
        EXPECT_EQ(found, "") << "two are whole";
        found = entry.path().string();
      }
    }
    return found;
  }

 private:
  std::string folder_;
  int folders_ = 0, restarts_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, Checkpoints, ::testing::Values(1, 4), test::workers_name);

constexpr std::size_t kTiles = 5, kTileCells = 1000, kLast = 300;

struct Outcome {
  std::vector<std::uint64_t> contents;
  int run = 0;  // tasks of the program whose function was called
  int waits = 0;
  friend bool operator==(const Outcome& one, const Outcome& other) {
    return one.contents == other.contents && one.waits == other.waits;
  }
};

// Tiles that mix with their neighbours until a number that the tasks make is reached; `most_waits`: the run is cut off
// there.
Outcome mix(const Options& options, int most_waits = 1000) {
  Outcome outcome;
  std::atomic<int> run{0};
  Runtime runtime(options);
  Array<std::uint64_t, 1> a(runtime, {kTiles * kTileCells - kTileCells + kLast}, {kTileCells}, "a");
  std::vector<std::uint64_t> own(700, 3);
  std::vector<std::uint32_t> matrix(40 * 64, 1);
  Block<std::uint64_t> adopted = Block<std::uint64_t>::adopt(runtime, own.data(), own.size(), "own");
  Array<std::uint32_t, 2> strided =
      Array<std::uint32_t, 2>::adopt(runtime, matrix.data(), {40, 50}, {64, 1}, {16, 20}, "m");
  std::uint64_t smallest = 0;
  const Keep kept(runtime, "smallest", smallest);
  for (std::size_t i = 0; i < kTiles; ++i) {
    runtime.spawn(name("fill"), out(a.tile(i)), [i, &run](std::span<std::uint64_t> x) {
      ++run;
      std::iota(x.begin(), x.end(), i * 7919);
    });
  }
  while (smallest < 900 && outcome.waits < most_waits) {
    smallest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < kTiles; ++i) {
      runtime.spawn(
          name("mix"), in(a.tile((i + 1) % kTiles)), inout(a.tile(i)), inout(adopted),
          [&run](std::span<const std::uint64_t> from, std::span<std::uint64_t> to, std::span<std::uint64_t> sums) {
            ++run;
            for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k % from.size()] % 13 + 1;
            sums[to[0] % sums.size()] = sums[to[1] % sums.size()] * 31 + to[2];
          });
      runtime.spawn(name("least"), in(a.tile(i)), commutative(smallest),
                    [&run](std::span<const std::uint64_t> x, std::uint64_t& least) {
                      ++run;
                      least = std::min(least, *std::min_element(x.begin(), x.end()) * 20);
                    });
    }
    runtime.spawn(inout(strided.tile(1, 1)), inout(strided.tile(2, 2)),
                  [&run](View2D<std::uint32_t> x, View2D<std::uint32_t> y) {
                    ++run;
                    x(0, 0) += 1;
                    y(7, 9) += x(0, 0) * 3;
                    x(15, 19) ^= y(7, 9);
                  });
    runtime.wait();
    ++outcome.waits;
  }
  outcome.run = run;
  if (outcome.waits == most_waits) return outcome;
  for (std::size_t i = 0; i < kTiles; ++i) {
    runtime.spawn(in(a.tile(i)), [&](std::span<const std::uint64_t> x) {
      outcome.contents.insert(outcome.contents.end(), x.begin(), x.end());
    });
    runtime.wait();
  }
  adopted.flush();
  strided.flush();
  outcome.contents.insert(outcome.contents.end(), own.begin(), own.end());
  outcome.contents.insert(outcome.contents.end(), matrix.begin(), matrix.end());
  return outcome;
}

// A run is cut off after that many waits, and another one goes on.
void cut_and_go_on(const Outcome& straight, int cut, const Options& first, const std::function<Options()>& second) {
  mix(first, cut);
  const Outcome went_on = mix(second());
  EXPECT_EQ(went_on, straight) << "cut off after wait " << cut;
  EXPECT_EQ(went_on.run, straight.run - static_cast<int>(kTiles) - cut * (2 * static_cast<int>(kTiles) + 1));
}

TEST_P(Checkpoints, A_run_goes_on_from_any_wait_to_the_same_bits) {
  const Outcome straight = mix(with_workers(GetParam()));
  ASSERT_GE(straight.waits, 3);
  for (int cut = 1; cut < straight.waits; ++cut) {
    change_folder();
    cut_and_go_on(straight, cut, writing(), [this] { return restarting(); });
    EXPECT_FALSE(whole().empty());
  }
}

TEST_P(Checkpoints, Blocks_in_other_tiers_come_back_as_well) {
  const char* const tiers = "memory=64KiB,file=/tmp:64MiB";
  Options first = writing();
  first.tiers = tiers;
  cut_and_go_on(mix(with_workers(GetParam())), 2, first, [this] { return restarting(); });
  Options second = restarting();
  second.tiers = tiers;
  second.checkpoint = folder();  // and writes there again
  second.checkpoint_every = 0;
  const Outcome went_on = mix(second);
  EXPECT_EQ(went_on, mix(with_workers(GetParam())));
}

TEST_P(Checkpoints, A_run_that_went_on_can_be_cut_off_again) {
  const Outcome straight = mix(with_workers(GetParam()));
  mix(writing(), 1);
  for (int cut = 2; cut < straight.waits; ++cut) {
    Options options = restarting();
    options.checkpoint = folder();
    options.checkpoint_every = 0;
    mix(options, cut);
  }
  EXPECT_EQ(mix(restarting()), straight);
}

// One block of a few numbers, written by as many tasks as are asked for between two waits.
void count_up(Runtime& runtime, Block<int>& x, int tasks, const char* task = "add") {
  for (int i = 0; i < tasks; ++i) {
    runtime.spawn(name(task), inout(x), [](std::span<int> v) {
      for (int& value : v) ++value;
    });
  }
  runtime.wait();
}
void clear(Runtime& runtime, Block<int>& x) {
  runtime.spawn(out(x), [](std::span<int> v) { std::fill(v.begin(), v.end(), 0); });
}
int first_of(Runtime& runtime, Block<int>& x) {
  int first = -1;
  runtime.spawn(in(x), [&](std::span<const int> v) { first = v[0]; });
  runtime.wait();
  return first;
}

TEST_P(Checkpoints, The_program_asks_for_one_whatever_the_time) {
  {
    Runtime runtime(writing(1'000'000));
    Block<int> x(runtime, 10, "x");
    clear(runtime, x);
    count_up(runtime, x, 3);
    EXPECT_EQ(whole(), "");
    runtime.checkpoint();
    EXPECT_NE(whole(), "");
    count_up(runtime, x, 3);
  }
  Runtime runtime(restarting());
  Block<int> x(runtime, 10, "x");
  clear(runtime, x);
  count_up(runtime, x, 3);
  EXPECT_TRUE(runtime.is_restarting());
  runtime.checkpoint();
  EXPECT_FALSE(runtime.is_restarting());
  EXPECT_EQ(first_of(runtime, x), 3);
}

TEST_P(Checkpoints, Without_the_options_a_checkpoint_is_a_wait) {
  Runtime runtime(with_workers(GetParam()));
  std::atomic<int> run{0};
  int variable = 0;
  const Keep kept(runtime, "variable", variable);
  runtime.spawn([&] { ++run; });
  runtime.checkpoint();
  EXPECT_EQ(run, 1);
  EXPECT_FALSE(runtime.is_restarting());
}

// ---- Several runtimes, one after the other ----

constexpr int kSteps = 6;

// A problem, solved by a runtime of its own: input + kSteps. `most_steps`: the run is cut off there. `run`: how many
// tasks there were.
int solve(const Options& options, int input, int& run, int most_steps = kSteps) {
  Runtime runtime(options);
  Block<int> x(runtime, 1, "x");
  int result = 0;
  const Keep kept(runtime, "result", result);
  std::atomic<int> tasks{0};
  runtime.spawn(name("begin"), out(x), [input, &tasks](std::span<int> v) {
    ++tasks;
    v[0] = input;
  });
  for (int i = 0; i < most_steps; ++i) {
    runtime.spawn(name("step"), inout(x), [&tasks](std::span<int> v) {
      ++tasks;
      ++v[0];
    });
    runtime.wait();
  }
  run = tasks;
  if (most_steps < kSteps) return -1;
  runtime.spawn(in(x), out(result), [](std::span<const int> v, int& to) { to = v[0]; });
  runtime.wait();
  return result;
}

TEST_P(Checkpoints, Of_several_runtimes_the_one_goes_on_that_was_cut_off) {
  int ignored = 0;
  Options first = writing();
  first.checkpoint += "/";
  solve(first, 100, ignored);
  solve(first, 200, ignored, 4);
  Options options = restarting();
  std::vector<int> run(3);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(solve(options, 100, run[0]), 100 + kSteps);
  EXPECT_EQ(solve(options, 200, run[1]), 200 + kSteps);
  EXPECT_EQ(solve(options, 300, run[2]), 300 + kSteps);
  EXPECT_EQ(run, (std::vector<int>{1 + kSteps, kSteps - 4, 1 + kSteps}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("is of runtime 2 that the program makes: those before it run from their beginning"));
}

TEST_P(Checkpoints, Runtimes_before_the_one_that_goes_on_leave_its_checkpoint_alone) {
  int ignored = 0;
  solve(writing(), 100, ignored);
  solve(writing(), 200, ignored, 4);
  const std::string before = whole();
  Options options = restarting();
  options.checkpoint = folder();
  options.checkpoint_every = 0;
  solve(options, 100, ignored);
  EXPECT_EQ(whole(), before);
  solve(options, 200, ignored, 5);
  EXPECT_NE(whole(), before);
  options.restart = restarting().restart;
  std::vector<int> run(2);
  EXPECT_EQ(solve(options, 100, run[0]), 100 + kSteps);
  EXPECT_EQ(solve(options, 200, run[1]), 200 + kSteps);
  EXPECT_EQ(run, (std::vector<int>{1 + kSteps, kSteps - 5}));
}

// ---- What is there already ----

class CheckpointOfThree : public Checkpoints {
 protected:
  void SetUp() override {
    Runtime runtime(writing());
    Block<int> x(runtime, 5000, "x");
    clear(runtime, x);
    count_up(runtime, x, 2);
    count_up(runtime, x, 1);
  }
  // What a run says that does other things than the one above.
  std::string go_on(const std::function<void(Runtime&)>& program) {
    return error_of([&] {
      Runtime runtime(restarting());
      program(runtime);
    });
  }
  std::string go_on_alike() {
    return go_on([](Runtime& runtime) {
      Block<int> x(runtime, 5000, "x");
      clear(runtime, x);
      count_up(runtime, x, 2);
      count_up(runtime, x, 1);
      EXPECT_EQ(first_of(runtime, x), 3);
    });
  }
  static void flip(const std::string& path, std::streamoff place) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char found = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(found ^ 0x10));
    ASSERT_TRUE(file.good());
  }
};
INSTANTIATE_TEST_SUITE_P(, CheckpointOfThree, ::testing::Values(2), test::workers_name);

TEST_P(CheckpointOfThree, One_that_is_being_written_does_not_count) {
  fs::create_directory(folder() + "/next");
  std::ofstream(folder() + "/next/image.0") << "half";
  EXPECT_EQ(go_on_alike(), "no error");
}

TEST_P(CheckpointOfThree, Damage_is_named) {
  const std::string folder = whole();
  flip(folder + "/image.0", 4096 + 777);
  EXPECT_THAT(go_on_alike(),
              ::testing::HasSubstr("image.0: the checksum of block \"x\", 20000 bytes at 4096, does not fit"));
  flip(folder + "/image.0", 4096 + 777);
  flip(folder + "/image.0", 20);
  EXPECT_THAT(go_on_alike(), ::testing::HasSubstr("image.0: the checksum of its head does not fit"));
  flip(folder + "/image.0", 20);
  flip(folder + "/image.0", static_cast<std::streamoff>(fs::file_size(folder + "/image.0")) - 3);
  EXPECT_THAT(go_on_alike(), ::testing::HasSubstr("image.0: the checksum of its index does not fit"));
  fs::resize_file(folder + "/image.0", 9000);
  EXPECT_THAT(go_on_alike(), ::testing::HasSubstr("image.0: it has 9000 bytes, and its index ends at"));
  fs::remove(folder + "/image.0");
  EXPECT_THAT(go_on_alike(), ::testing::HasSubstr("image.0: cannot be read: No such file"));
  flip(folder + "/whole", 9);
  EXPECT_THAT(go_on_alike(), ::testing::HasSubstr("whole: the checksum does not fit: the checkpoint is damaged"));
}

TEST_P(CheckpointOfThree, Another_course_is_named) {
  EXPECT_THAT(go_on([](Runtime& runtime) {
                Block<int> x(runtime, 5000, "x");
                clear(runtime, x);
                count_up(runtime, x, 2);
                count_up(runtime, x, 3);
              }),
              ::testing::HasSubstr("up to wait 1 this run does what the one did that wrote it, and before wait 2 no "
                                   "more: this run has spawned 3 tasks there, and that one 1"));
  EXPECT_THAT(go_on([](Runtime& runtime) {
                Block<int> x(runtime, 5000, "x");
                clear(runtime, x);
                count_up(runtime, x, 2, "subtract");
              }),
              ::testing::HasSubstr("up to wait 0 this run does what the one did that wrote it, and before wait 1 no "
                                   "more: both have spawned 3 tasks there, of other names or footprints"));
  EXPECT_THAT(go_on([](Runtime& runtime) {
                Block<int> x(runtime, 5001, "x");
                clear(runtime, x);
                count_up(runtime, x, 2);
                count_up(runtime, x, 1);
              }),
              ::testing::HasSubstr("it has block \"x\" of 20000 bytes where this run has block \"x\" of 20004 bytes"));
  EXPECT_THAT(go_on([](Runtime& runtime) {
                Block<int> x(runtime, 5000, "x");
                clear(runtime, x);
                count_up(runtime, x, 2);
                const Block<int> y(runtime, 10, "y");
                count_up(runtime, x, 1);
              }),
              ::testing::HasSubstr("it has no block \"y\" of 40 bytes"));
}

TEST_P(CheckpointOfThree, A_program_that_ends_too_early_says_so) {
  ::testing::internal::CaptureStderr();
  { const Runtime runtime(restarting()); }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(::testing::HasSubstr("weir: the program has ended before wait 2, where "),
                               ::testing::HasSubstr(fs::path(whole()).filename().string() + " goes on")));
}

// As a program does that catches what wait() throws of its tasks.
TEST_P(CheckpointOfThree, A_run_that_cannot_go_on_fails_at_each_wait) {
  flip(whole() + "/image.0", 4096 + 777);
  const auto go_on_and_on = [this](int tasks, const std::string& why) {
    ::testing::internal::CaptureStderr();
    std::string first;
    {
      Runtime runtime(restarting());
      Block<int> x(runtime, 5000, "x");
      clear(runtime, x);
      for (int wait = 1; wait <= 2 && (first.empty() || first == "no error"); ++wait)
        first = error_of([&] { count_up(runtime, x, tasks - wait); });
      EXPECT_THAT(first, ::testing::HasSubstr(why));
      EXPECT_EQ(error_of([&] { count_up(runtime, x, 1); }), first);
      EXPECT_EQ(error_of([&] { runtime.wait(); }), first);
      EXPECT_EQ(error_of([&] { runtime.checkpoint(); }), first);
      EXPECT_TRUE(runtime.is_restarting());
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "weir: the program has ended without going on from the checkpoint, and its tasks were skipped: " + first +
                  "\n");
  };
  go_on_and_on(3, "image.0: the checksum of block \"x\", 20000 bytes at 4096, does not fit");
  go_on_and_on(4, "before wait 1 no more: this run has spawned 4 tasks there, and that one 3");
}

TEST_P(CheckpointOfThree, A_program_that_an_exception_ends_too_early_says_nothing_more) {
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(
      {
        const Runtime runtime(restarting());
        throw std::runtime_error("of the program");
      },
      std::runtime_error);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(CheckpointOfThree, What_is_not_in_it_cannot_be_asked_for) {
  std::vector<int> own(5000);
  EXPECT_THAT(go_on([&](Runtime& runtime) {
                Block<int> x = Block<int>::adopt(runtime, own.data(), own.size(), "x");
                clear(runtime, x);
                count_up(runtime, x, 2);
                x.flush();
              }),
              ::testing::HasSubstr("flush() of block \"x\" before the checkpoint that this run goes on from"));
  EXPECT_THAT(go_on([&](Runtime& runtime) {
                Block<int> x(runtime, 5000, "x");
                const Block<int> moved = std::move(x);
                clear(runtime, x);
              }),
              ::testing::HasSubstr("item 1 of a footprint is a block or an array that was moved from"));
  EXPECT_THAT(go_on([&](Runtime& runtime) { runtime.spawn([] { return 7; }).get(); }),
              ::testing::HasSubstr("or it was skipped, since the run goes on from a later checkpoint"));
  EXPECT_EQ(go_on_alike(), "no error");
}

// Such a task may have written memory by a pointer that it captures.
TEST_P(CheckpointOfThree, What_is_skipped_and_names_nothing_that_it_writes_is_counted) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(go_on_alike(), "no error");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  const auto shows = [](Runtime& runtime) {
    Block<int> x(runtime, 10, "x");
    clear(runtime, x);
    int last = 0;
    for (int i = 0; i < 3; ++i) {
      runtime.spawn(name("show"), in(x), [&last](std::span<const int> v) { last = v[0]; });
      runtime.spawn([] {});
    }
    runtime.checkpoint();
  };
  {
    change_folder();
    Runtime runtime(writing(1'000'000));
    shows(runtime);
  }
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(go_on(shows), "no error");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("weir: of the tasks that were skipped 6 name nothing that they write, the first is "
                                   "task \"show\": what they have printed"));
}

// ---- What cannot be ----

TEST_P(Checkpoints, Memory_that_would_be_lost_is_named) {
  Runtime runtime(writing());
  double sum = 0, kept_sum = 0;
  const Keep kept(runtime, "kept_sum", kept_sum);
  runtime.spawn(name("fine"), out(kept_sum), [](double& to) { to = 1; });
  runtime.wait();
  EXPECT_NE(whole(), "");
  runtime.spawn(name("lost"), out(sum), [](double& to) { to = 1; });
  EXPECT_THAT(error_of([&] { runtime.wait(); }),
              ::testing::AllOf(::testing::HasSubstr("task \"lost\" writes 8 bytes of the program at"),
                               ::testing::HasSubstr("neither in a block nor kept")));
}

TEST_P(Checkpoints, Adopted_memory_whose_block_has_ended_is_named) {
  std::vector<int> own(100);
  const auto error_after = [&](const std::function<void(Runtime&, Block<int>&)>& use) {
    Runtime runtime(writing(1'000'000));
    {
      Block<int> block = Block<int>::adopt(runtime, own.data(), own.size(), "adopted");
      use(runtime, block);
      runtime.wait();
    }
    return error_of([&] { runtime.checkpoint(); });
  };
  EXPECT_THAT(error_after(&clear),
              ::testing::AllOf(::testing::HasSubstr("block \"adopted\" has ended, which had adopted 400 bytes"),
                               ::testing::HasSubstr("and tasks have written it")));
  EXPECT_EQ(error_after([](Runtime& runtime, Block<int>& block) { first_of(runtime, block); }), "no error")
      << "the program has its contents without tasks";
  EXPECT_THAT(error_after([](Runtime& runtime, Block<int>& block) {
                clear(runtime, block);
                runtime.spawn([ends = std::move(block)] {});
              }),
              ::testing::HasSubstr("a block of adopted memory has ended in a task"));
}

TEST_P(Checkpoints, Adopted_memory_of_tiles_counts_from_its_first_byte_to_its_last) {
  std::vector<std::uint32_t> matrix(40 * 64);
  Runtime runtime(writing(1'000'000));
  {
    auto tiles = Array<std::uint32_t, 2>::adopt(runtime, matrix.data(), {40, 50}, {64, 1}, {16, 20}, "m");
    runtime.spawn(out(tiles.tile(2, 2)), [](View2D<std::uint32_t>) {});
    runtime.wait();
  }
  EXPECT_THAT(error_of([&] { runtime.checkpoint(); }),
              ::testing::HasSubstr("which had adopted " + std::to_string((7 * 64 + 10) * 4) + " bytes"));
}

// Steps that each adopt the same memory for as long as they take.
std::vector<int> count_in_steps(const Options& options, int steps, int& run) {
  std::vector<int> own(100);
  Runtime runtime(options);
  const Keep kept(runtime, "own", std::span(own));
  for (int i = 0; i < steps; ++i) {
    Block<int> block = Block<int>::adopt(runtime, own.data(), own.size(), "adopted");
    runtime.spawn(inout(block), [&run](std::span<int> v) {
      ++run;
      for (int& value : v) value = value * 3 + 1;
    });
    runtime.wait();
  }
  return own;
}

TEST_P(Checkpoints, Adopted_memory_that_is_kept_goes_on_when_its_block_has_ended) {
  int run = 0;
  const std::vector<int> right = count_in_steps(with_workers(GetParam()), 7, run);
  count_in_steps(writing(), 4, run);
  run = 0;
  EXPECT_EQ(count_in_steps(restarting(), 7, run), right);
  EXPECT_EQ(run, 3);
}

TEST_P(Checkpoints, Blocks_that_tasks_make_are_refused) {
  Runtime runtime(writing());
  std::optional<Block<int>> made;
  runtime.spawn([&] { made.emplace(runtime, 3, "made"); });
  EXPECT_THAT(error_of([&] { runtime.wait(); }), ::testing::HasSubstr("block \"made\" was made in a task"));
}

TEST_P(Checkpoints, What_a_task_has_thrown_and_the_program_has_caught_is_named) {
  Runtime runtime(writing());
  Block<int> x(runtime, 10, "x");
  clear(runtime, x);
  count_up(runtime, x, 1);
  const std::string before = whole();
  runtime.spawn(inout(x), [](std::span<int>) { throw std::runtime_error("too large"); });
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  EXPECT_EQ(whole(), before) << "from where a run throws it again";
  EXPECT_THAT(error_of([&] { count_up(runtime, x, 1); }),
              ::testing::HasSubstr("before wait 2 a task has thrown \"too large\", and the program has gone on"));
  EXPECT_EQ(whole(), before);
}

TEST_P(Checkpoints, A_run_goes_on_from_before_an_exception) {
  const auto steps = [](const Options& options, int cut, int& caught) {
    Runtime runtime(options);
    Block<int> x(runtime, 10, "x");
    clear(runtime, x);
    count_up(runtime, x, 1);
    if (cut == 1) return;
    runtime.spawn(inout(x), [&caught](std::span<int> v) {
      caught = v[0];
      throw std::runtime_error("too large");
    });
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  };
  int caught = 0;
  steps(writing(), 1, caught);
  steps(restarting(), 2, caught);
  EXPECT_EQ(caught, 1);
}

TEST_P(Checkpoints, Tasks_of_other_threads_are_refused) {
  Runtime runtime(writing());
  std::thread([&] {
    runtime.spawn([] {});
    runtime.wait();
  }).join();
  EXPECT_THAT(error_of([&] { runtime.wait(); }), ::testing::HasSubstr("other threads than the one that made"));
}

TEST_P(Checkpoints, Tasks_of_a_half_that_another_thread_has_taken_are_refused) {
  if (GetParam() == 1) GTEST_SKIP() << "needs a thief";
  const auto spawn_in_halves = [](const Options& options) {
    Runtime runtime(options);
    runtime.spawn(name("before"), [] {});
    runtime.wait();
    std::atomic<bool> is_taken{false};
    fork_join(
        [&] {
          while (!is_taken) std::this_thread::yield();
        },
        [&] {
          runtime.spawn([] {});
          is_taken = true;
        });
    return error_of([&] { runtime.wait(); });
  };
  const auto names_it = ::testing::HasSubstr("tasks are spawned within fork_join() or a loop of weir/parallel.hpp");
  EXPECT_THAT(spawn_in_halves(writing()), names_it);
  EXPECT_EQ(fs::path(whole()).filename(), "checkpoint.1");
  {
    change_folder();
    Runtime runtime(writing());
    for (int wait = 0; wait < 2; ++wait) {
      runtime.spawn(name("before"), [] {});
      runtime.wait();
    }
  }
  EXPECT_THAT(spawn_in_halves(restarting()), names_it);
}

TEST_P(Checkpoints, Tasks_make_none) {
  Runtime runtime(writing());
  std::string said;
  runtime.spawn([&] { said = error_of([&] { runtime.checkpoint(); }); });
  runtime.wait();
  EXPECT_THAT(said, ::testing::HasSubstr("checkpoint() is called in a task"));
}

TEST_P(Checkpoints, Names_of_variables_are_theirs_alone) {
  Runtime runtime(writing());
  int one = 0, other = 0;
  std::vector<char> large(kMostKeptBytes);
  {
    const Keep kept(runtime, "one", one);
    EXPECT_THAT(error_of([&] { const Keep again(runtime, "one", other); }),
                ::testing::HasSubstr("weir::Keep \"one\": another variable of this name is kept"));
    EXPECT_THAT(error_of([&] { const Keep all(runtime, "large", std::span(large)); }),
                ::testing::HasSubstr("weir::Keep \"large\" has 1048576 bytes"));
    EXPECT_THAT(error_of([&] { const Keep nameless(runtime, "", other); }), ::testing::HasSubstr("needs a name"));
  }
  EXPECT_EQ(error_of([&] { const Keep again(runtime, "one", other); }), "no error");
}

static_assert(detail::has_addresses<const char*>() && detail::has_addresses<int* const>());
static_assert(detail::has_addresses<void (*)()>() && detail::has_addresses<int* [2]>());
static_assert(detail::has_addresses<std::string_view>() && detail::has_addresses<std::span<int>>());
static_assert(detail::has_addresses<std::array<int*, 2>>() && detail::has_addresses<std::optional<std::string_view>>());
static_assert(!detail::has_addresses<double>() && !detail::has_addresses<char[8]>());
static_assert(!detail::has_addresses<std::array<int, 2>>() && !detail::has_addresses<std::optional<int>>());

// Its address is another object's.
struct Elsewhere {
  int value = 0;
  int* operator&() { return nullptr; }  // NOLINT(google-runtime-operator): what the test is of
};

TEST_P(Checkpoints, A_variable_is_kept_whatever_its_type_takes_for_its_address) {
  Elsewhere variable;
  const auto go_on = [&variable](const Options& options) {
    Runtime runtime(options);
    const Keep kept(runtime, "variable", variable);
    runtime.spawn(out(variable), [](Elsewhere& to) { to.value = 7; });
    runtime.wait();
  };
  go_on(writing());
  variable.value = 0;
  go_on(restarting());
  EXPECT_EQ(variable.value, 7);
}

TEST_P(Checkpoints, A_part_of_a_variable_is_kept_for_itself) {
  struct Both {
    double first, second;
  };
  Runtime runtime(writing(1'000'000));
  Both both{};
  const Keep kept(runtime, "both", both);
  { const Keep part(runtime, "first", both.first); }
  runtime.spawn(out(both), [](Both& to) { to = {3, 4}; });
  EXPECT_EQ(error_of([&] { runtime.checkpoint(); }), "no error");
  EXPECT_NE(whole(), "");
}

TEST_P(Checkpoints, Folders_are_made_and_locked) {
  Options nowhere = writing();
  nowhere.checkpoint = folder() + "/not/there";
  EXPECT_THAT(error_of([&] { Runtime runtime(nowhere); }),
              ::testing::HasSubstr("/not/there: the folder cannot be made: No such file or directory"));
  EXPECT_THAT(error_of([&] { Runtime runtime(restarting()); }), ::testing::HasSubstr("there is no such folder"));
  const Runtime runtime(writing());
  EXPECT_THAT(error_of([&] { Runtime another(writing()); }),
              ::testing::HasSubstr("another run writes its checkpoints there"));
  EXPECT_THAT(error_of([&] { Runtime another(restarting()); }), ::testing::HasSubstr("there is no whole checkpoint"));
}

TEST_P(Checkpoints, A_run_without_room_for_one_says_so_and_goes_on) {
  Runtime runtime(writing());
  Block<int> x(runtime, 5000, "x");
  clear(runtime, x);
  count_up(runtime, x, 1);
  const std::string before = whole();
  const FileSizeLimit limit(4096);
  ::testing::internal::CaptureStderr();
  count_up(runtime, x, 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::AllOf(::testing::HasSubstr("weir: no checkpoint was written: "),
                               ::testing::HasSubstr("cannot be written: File too large"),
                               ::testing::HasSubstr("the run goes on, and the last checkpoint stays")));
  EXPECT_EQ(whole(), before);
  EXPECT_FALSE(fs::exists(folder() + "/next"));
  EXPECT_EQ(first_of(runtime, x), 2);
}

}  // namespace
}  // namespace weir
