// SPDX-License-Identifier: Apache-2.0

// Ranks of which one fails at a call, ends before the others, or was started in another way: what all are told.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

void expect_in(const std::string& text, const std::string& told) {
  expect(told.find(text) != std::string::npos, fmt::format("told '{}', not '{}'", text, told));
}

struct CannotBeCopied {
  CannotBeCopied() = default;
  CannotBeCopied(const CannotBeCopied&) { throw std::runtime_error("no copy of it"); }
  void operator()(std::span<int> v) const { v[0] = 1; }
};

// The rank that runs the task cannot spawn it: no rank goes on with a tile that was never written.
void failing_copy() {
  Ranks ranks;
  const int last = ranks.size() - 1;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {40000}, {10000}, block_cyclic(ranks.size()), "a");
    const CannotBeCopied function;
    ranks.spawn(on_rank(last), out(a.tile(0)), function);
    for (int rank = 0; rank < ranks.size(); ++rank) ranks.spawn(on_rank(rank), in(a.tile(0)), [] {});
    ranks.barrier();
  });
  expect_in("no copy of it", told);
  if (ranks.rank() != last) expect_in(fmt::format("rank {} has failed", last), told);
}

std::string path_of(const char* name) { return std::string(std::getenv("WEIR_TEST_FOLDER")) + "/" + name; }

// The file of one rank is missing: its tasks fail, and not the call, so that all are told.
void missing_file() {
  Ranks ranks;
  const std::string prefix = path_of("tiles");
  const int last = ranks.size() - 1;
  bool has_returned = false;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {400}, {10}, block_cyclic(ranks.size()), "a");
    detail::for_each_tile(a, [&](const ArrayTile<int, 1>& tile, std::size_t) { ranks.spawn(out(tile), [] {}); });
    write_tiles(ranks, a, prefix);
    ranks.barrier();
    if (ranks.rank() == last) std::filesystem::remove(fmt::format("{}.{}", prefix, last));
    read_tiles(ranks, a, prefix);
    has_returned = true;
    ranks.barrier();
  });
  expect_in("tiles cannot be read: No such file", told);
  if (ranks.rank() == last) expect(has_returned, "read_tiles() spawns the tasks, which fail");
}

// Of the last rank no tile is read or written, and it alone has no folder for the file.
void file_of_no_tiles() {
  Ranks ranks;
  const bool is_written = setting("WEIR_WRITTEN", 0) != 0, is_whole = setting("WEIR_WHOLE", 0) != 0;
  const int last = ranks.size() - 1;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {400}, {10}, owned_by([](auto) { return 0; }), "a");
    detail::for_each_tile(a, [&](const ArrayTile<int, 1>& tile, std::size_t) { ranks.spawn(out(tile), [] {}); });
    write_file(ranks, a, path_of("all"));
    write_tiles(ranks, a, path_of("own"));
    ranks.barrier();
    const std::string path = path_of(ranks.rank() == last ? "none/" : "./") + (is_whole ? "all" : "own");
    if (is_whole)
      is_written ? write_file(ranks, a, path) : read_file(ranks, a, path);
    else
      is_written ? write_tiles(ranks, a, path) : read_tiles(ranks, a, path);
    ranks.barrier();
  });
  expect_in(is_written ? "tiles cannot be written: No such file" : "tiles cannot be read: No such file", told);
}

// A file that is not as long as it has to be is named.
void short_file() {
  Ranks ranks;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {400}, {10}, block_cyclic(ranks.size()), "a");
    const auto longer = Array<int, 1>::distribute(ranks, {500}, {10}, block_cyclic(ranks.size()), "longer");
    detail::for_each_tile(a, [&](const ArrayTile<int, 1>& tile, std::size_t) { ranks.spawn(out(tile), [] {}); });
    write_file(ranks, a, path_of("whole"));
    ranks.barrier();
    read_file(ranks, longer, path_of("whole"));
    ranks.barrier();
  });
  expect_in("it has 1600 bytes, and the tiles have 2000", told);
}

// Nobody has the other end of a pipe: who opens it would wait for that.
void pipe_for_file() {
  alarm(20);
  Ranks ranks;
  const bool is_written = setting("WEIR_WRITTEN", 0) != 0;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {400}, {10}, block_cyclic(ranks.size()), "a");
    is_written ? write_file(ranks, a, path_of("pipe")) : read_file(ranks, a, path_of("pipe"));
    ranks.barrier();
  });
  expect_in("it is a pipe or a device, and not a regular file", told);
}

// Of a long text all ranks but one are told the beginning, and that there is more.
void long_text() {
  Ranks ranks;
  const int last = ranks.size() - 1;
  const std::string told = told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {10}, {10}, block_cyclic(1), "a");
    ranks.spawn(on_rank(last), out(a.tile(0)), [](std::span<int>) {
      std::string text;
      while (text.size() < 100'000) text += "\xc3\xa4";  // characters of two bytes
      throw std::runtime_error(text);
    });
    ranks.barrier();
  });
  if (ranks.rank() == last) return expect(told.size() >= 100'000, "the rank itself has all of it");
  expect(told.ends_with("\xa4..."), "its end is marked: " + told);
}

// The last rank waits once more than others, where each wait is one for a checkpoint.
void extra_wait() {
  alarm(20);
  Ranks ranks;
  const std::string told = told_by([&] {
    if (ranks.rank() + 1 == ranks.size()) ranks.wait();
    ranks.barrier();
  });
  if (ranks.rank() + 1 == ranks.size()) expect_in("waits for the word whether a checkpoint is written", told);
}

// The last rank does without the barrier.
void left_early() {
  const auto told = [] {
    Ranks ranks;
    if (ranks.rank() == ranks.size() - 1) return std::string();
    return told_by([&] { ranks.barrier(); });
  };
  if (const std::string text = told(); !text.empty()) expect_in("has ended its Ranks", text);
}

// With one worker tasks run on the thread that has made the ranks.
void in_task() {
  Ranks ranks;
  const auto a = Array<int, 1>::distribute(ranks, {100}, {10}, block_cyclic(ranks.size()), "a");
  const std::vector<std::function<void()>> calls{
      [&] { ranks.spawn(in(a.tile(0)), [] {}); },
      [&] { ranks.wait(); },
      [&] { ranks.barrier(); },
      [&] { ranks.checkpoint(); },
      [&] { ranks.drop_copies(a); },
      [&] { Array<int, 1>::distribute(ranks, {100}, {10}, block_cyclic(ranks.size()), "b"); }};
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ranks.spawn(on_rank(rank), inout(a.tile(static_cast<std::size_t>(rank))), [&calls] {
      for (const auto& call : calls) expect_in("Ranks is used in a task", told_by(call));
    });
  }
  ranks.barrier();
}

// The last rank owns no tile, and asks for one that there is not.
void no_such_tile() {
  Ranks ranks;
  static_cast<void>(told_by([&] {
    const auto a = Array<int, 1>::distribute(ranks, {4}, {4}, block_cyclic(ranks.size()), "a");
    if (ranks.rank() + 1 == ranks.size()) static_cast<void>(a.tile(1));
    ranks.barrier();
  }));
}

// A variable that one rank alone has.
void settings_differ() {
  const std::string variable = std::getenv("WEIR_TEST_VARIABLE"), mine = std::getenv("WEIR_RANK");
  if (mine == "1") setenv(variable.c_str(), "/no/where", 1);
  expect_in(variable + " is not the same on ranks 0 and 1", told_by([] { Ranks ranks; }));
}

// A program that the last rank starts has the variables of its job. Without a word it would wait until SIGALRM, which a
// program keeps over exec().
void nested() {
  Ranks ranks;
  if (ranks.rank() + 1 == ranks.size()) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      execl("/proc/self/exe", "cluster_rank", "sent-once", nullptr);
      _exit(127);
    }
    int status = 0;
    expect(waitpid(child, &status, 0) == child, "the child ends");
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 3, fmt::format("it is refused, and ends with {}", status));
  }
  ranks.barrier();
}

// The last rank opens its own descriptors again, as what lists them does, and closes what it has opened: its lock is
// gone with them. Then it computes for longer than it takes until the others would name it as lost.
void closes_descriptors() {
  Ranks ranks;
  const bool is_last = ranks.rank() + 1 == ranks.size();
  if (is_last) {
    for (int number = 3; number < 64; ++number) {
      const int again = open(fmt::format("/proc/self/fd/{}", number).c_str(), O_RDWR);
      if (again >= 0) close(again);
    }
    usleep(600'000);
  }
  ranks.barrier();
}

const Named kMisused[] = {{"failing-copy", failing_copy},
                          {"missing-file", missing_file},
                          {"file-of-no-tiles", file_of_no_tiles},
                          {"short-file", short_file},
                          {"left-early", left_early},
                          {"in-task", in_task},
                          {"settings-differ", settings_differ},
                          {"no-such-tile", no_such_tile},
                          {"nested", nested},
                          {"pipe-for-file", pipe_for_file},
                          {"long-text", long_text},
                          {"extra-wait", extra_wait},
                          {"closes-descriptors", closes_descriptors}};

}  // namespace
}  // namespace weir::cluster::multi
