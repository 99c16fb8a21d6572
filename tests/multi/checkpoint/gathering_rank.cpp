// SPDX-License-Identifier: Apache-2.0

// Programs over ranks that have an array in the memory of one rank, or in files, before the wait where their checkpoint
// is made. The last line is the same on any number of ranks.
//
//   gathering_rank CASE [FOLDER]     FOLDER: where `files` has its files
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <vector>
#include <weir/ranks.hpp>

namespace {

constexpr std::size_t kRows = 70, kCols = 130, kLength = 1000, kTile = 64, kTiles = (kLength + kTile - 1) / kTile;
using Numbers = std::span<long>;
using Vector = weir::Array<long, 1>;
using Matrix = weir::Array<long, 2>;

Vector make_vector(weir::Ranks& ranks) {
  return Vector::distribute(ranks, {kLength}, {kTile}, weir::block_cyclic(ranks.size()), "y");
}
Matrix make_matrix(weir::Ranks& ranks) {
  return Matrix::distribute(ranks, {kRows, kCols}, {32, 50}, weir::block_cyclic_2d(ranks.size(), 1), "x");
}

void begin(weir::Ranks& ranks, const Vector& y) {
  for (std::size_t i = 0; i < kTiles; ++i)
    ranks.spawn(weir::out(y.tile(i)), [i](Numbers v) { std::iota(v.begin(), v.end(), static_cast<long>(i) * 1000); });
}
void add_one(weir::Ranks& ranks, const Vector& y) {
  for (std::size_t i = 0; i < kTiles; ++i) {
    ranks.spawn(weir::inout(y.tile(i)), [](Numbers v) {
      for (long& n : v) ++n;
    });
  }
}
void begin(weir::Ranks& ranks, const Matrix& x) {
  for (std::size_t i = 0; i < x.tiles()[0]; ++i) {
    for (std::size_t j = 0; j < x.tiles()[1]; ++j) {
      const auto extents = x.tile(i, j).extents();
      ranks.spawn(weir::out(x.tile(i, j)), [i, j, extents](weir::View2D<long> v) {
        for (std::size_t row = 0; row < extents[0]; ++row)
          for (std::size_t col = 0; col < extents[1]; ++col)
            v(row, col) = static_cast<long>((i * 7 + j + 1) * 10000 + row * 100 + col);
      });
    }
  }
}

// Memory of the last rank, which gathers.
struct Root {
  explicit Root(const weir::Ranks& ranks, std::size_t count)
      : rank(ranks.size() - 1), is_here(ranks.rank() == rank), memory(is_here ? count : 0) {}

  long sum() const {
    long sum = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) sum += memory[i] * static_cast<long>(i % 97 + 1);
    return sum;
  }

  int rank;
  bool is_here;
  std::vector<long> memory;
};

// Before waits 1 and 4, of which the program uses what it gets; the checkpoint is of wait 3.
void unchanged(weir::Ranks& ranks) {
  const Matrix x = make_matrix(ranks);
  const Vector y = make_vector(ranks);
  Root all(ranks, kRows * kCols), last(ranks, kLength);
  begin(ranks, x);
  begin(ranks, y);
  gather(ranks, x, all.memory.data(), all.rank);
  ranks.wait();
  const long seen = all.sum();
  add_one(ranks, y);
  ranks.wait();
  add_one(ranks, y);
  ranks.checkpoint();
  add_one(ranks, y);
  gather(ranks, y, last.memory.data(), last.rank);
  ranks.barrier();
  if (all.is_here) std::printf("%ld, %ld, %ld\n", seen, all.sum(), last.sum());
}

// What the program gets is of an older time than the checkpoint.
void show_often(weir::Ranks& ranks, bool leaves_out) {
  const Vector y = make_vector(ranks);
  Root all(ranks, kLength);
  begin(ranks, y);
  for (int step = 0; step < 4; ++step) {
    add_one(ranks, y);
    const bool shows = !leaves_out || !ranks.is_restarting();
    if (shows) gather(ranks, y, all.memory.data(), all.rank);
    if (step == 2)
      ranks.checkpoint();
    else
      ranks.barrier();
    if (shows && all.is_here) std::printf("step %d: %ld\n", step, all.sum());
  }
}
void overwritten(weir::Ranks& ranks) { show_often(ranks, false); }
void left_out(weir::Ranks& ranks) { show_often(ranks, true); }

// The tile is written once more before the wait that ends the gather().
void overwritten_at_once(weir::Ranks& ranks) {
  const Vector y = make_vector(ranks);
  Root all(ranks, kLength);
  begin(ranks, y);
  gather(ranks, y, all.memory.data(), all.rank);
  add_one(ranks, y);
  ranks.checkpoint();
  if (all.is_here) std::printf("%ld\n", all.sum());
}

// What each rank gets says when the loop ends.
void kept(weir::Ranks& ranks) {
  const Vector y = make_vector(ranks);
  std::vector<long> all(kLength);
  const weir::Keep is_kept(ranks, "all", std::span(all));
  begin(ranks, y);
  int steps = 0;
  for (; all[0] < 6; ++steps) {
    add_one(ranks, y);
    for (int rank = 0; rank < ranks.size(); ++rank) gather(ranks, y, all.data(), rank);
    if (steps == 3)
      ranks.checkpoint();
    else
      ranks.wait();
  }
  if (ranks.rank() == 0) std::printf("%d steps, %ld\n", steps, std::accumulate(all.begin(), all.end(), 0L));
}

void gone(weir::Ranks& ranks) {
  Root all(ranks, kLength);
  {
    const Vector y = make_vector(ranks);
    begin(ranks, y);
    gather(ranks, y, all.memory.data(), all.rank);
    ranks.wait();
  }
  ranks.checkpoint();
  if (all.is_here) std::printf("%ld\n", all.sum());
}

// scatter() and read_file() make tiles, which are in the checkpoint.
void files(weir::Ranks& ranks, const std::string& folder) {
  const Matrix x = make_matrix(ranks);
  const Vector y = make_vector(ranks);
  Root all(ranks, kRows * kCols), last(ranks, kLength);
  if (all.is_here) std::iota(all.memory.begin(), all.memory.end(), 5);
  scatter(ranks, x, all.memory.data(), all.rank);
  read_file(ranks, y, folder + "/in");
  write_file(ranks, x, folder + "/out");
  write_tiles(ranks, y, folder + "/part");
  ranks.wait();
  std::fill(all.memory.begin(), all.memory.end(), 0);
  add_one(ranks, y);
  ranks.checkpoint();
  gather(ranks, x, all.memory.data(), all.rank);
  gather(ranks, y, last.memory.data(), last.rank);
  ranks.barrier();
  if (all.is_here) std::printf("%ld, %ld\n", all.sum(), last.sum());
}

// A block that is no more when the checkpoint is made.
void own_block(weir::Ranks& ranks) {
  const Vector y = make_vector(ranks);
  begin(ranks, y);
  {
    const weir::Block<long> first(ranks.runtime(), 1, "first");
    ranks.spawn(weir::on_rank(0), weir::in(y.tile(0)), weir::out(first),
                [](std::span<const long> from, Numbers to) { to[0] = from[0]; });
    ranks.wait();
  }
  ranks.checkpoint();
}
void own_array(weir::Ranks& ranks) {
  Root all(ranks, kLength);
  {
    const Vector y(ranks.runtime(), {kLength}, {kTile}, "y");
    gather(ranks, y, all.memory.data(), all.rank);
    ranks.wait();
  }
  ranks.checkpoint();
}

struct Case {
  const char* name;
  void (*run)(weir::Ranks& ranks);
};
constexpr Case kCases[] = {{"unchanged", unchanged}, {"overwritten", overwritten},
                           {"left_out", left_out},   {"overwritten_at_once", overwritten_at_once},
                           {"kept", kept},           {"gone", gone},
                           {"own_block", own_block}, {"own_array", own_array}};

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  try {
    weir::Ranks ranks;
    if (wanted == "files" && argc > 2) {
      files(ranks, argv[2]);
      return 0;
    }
    for (const Case& each : kCases) {
      if (wanted != each.name) continue;
      each.run(ranks);
      return 0;
    }
    std::fprintf(stderr, "gathering_rank: there is no case %s\n", wanted.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gathering_rank: %s\n", error.what());
  }
  return 1;
}
