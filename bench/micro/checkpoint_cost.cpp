// SPDX-License-Identifier: Apache-2.0

// What checkpoints cost: how fast one is written, beside as many bytes that as many threads write past the page cache
// (O_DIRECT) to a file in the same folder; and how much slower tasks are between checkpoints.
//
//   checkpoint_cost FOLDER [MiB [ROUNDS]]     default 1024, 5; medians
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "weir/weir.hpp"

namespace {

using Numbers = std::span<double>;
constexpr std::size_t kTileBytes = std::size_t{4} << 20, kTile = kTileBytes / sizeof(double);
constexpr int kThreads = 2;

double seconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

// What the device takes: pieces of 4 MiB, from the same memory again and again, then fsync.
void write_raw(const std::string& path, std::size_t pieces) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0666);
  if (file < 0) fail(path);
  if (::posix_fallocate(file, 0, static_cast<off_t>(pieces * kTileBytes)) != 0) fail(path);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::unique_ptr<void, void (*)(void*)> piece(std::aligned_alloc(4096, kTileBytes), std::free);
      std::memset(piece.get(), 7, kTileBytes);
      for (std::size_t i = static_cast<std::size_t>(thread); i < pieces; i += kThreads) {
        const auto place = static_cast<off_t>(i * kTileBytes);
        if (::pwrite(file, piece.get(), kTileBytes, place) != static_cast<ssize_t>(kTileBytes)) fail(path);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (::fsync(file) != 0) fail(path);
  ::close(file);
}

weir::Options options_for(const std::string& folder) {
  weir::Options options;
  options.workers = kThreads;
  options.checkpoint = folder;
  options.checkpoint_every = 1'000'000;
  return options;
}

void measure_writing(const std::string& folder, std::size_t mib, int rounds) {
  std::vector<double> raw, checkpoint;
  const std::size_t tiles = (mib << 20) / kTileBytes;
  weir::Runtime runtime(options_for(folder + "/checkpoint_cost"));
  weir::Array<double, 1> a(runtime, {tiles * kTile}, {kTile}, "a");
  for (std::size_t i = 0; i < tiles; ++i)
    runtime.spawn(weir::out(a.tile(i)), [](Numbers x) { std::fill(x.begin(), x.end(), 2.5); });
  runtime.wait();
  for (int round = 0; round <= rounds; ++round) {  // the first warms up
    const std::string file = folder + "/checkpoint_cost.raw";
    const double one = seconds([&] { write_raw(file, tiles); });
    std::filesystem::remove(file);
    const double other = seconds([&] { runtime.checkpoint(); });
    if (round == 0) continue;
    raw.push_back(one);
    checkpoint.push_back(other);
  }
  const double gb = static_cast<double>(mib << 20) / 1e9;
  std::printf("%zu MiB: raw %.2f GB/s, checkpoint %.2f GB/s, %.0f %%\n", mib, gb / median(raw), gb / median(checkpoint),
              100 * median(raw) / median(checkpoint));
}

// Sweeps of tasks of about that long over 64 tiles, waited for one by one.
double sweeps(const weir::Options& options, std::size_t elements, int count) {
  weir::Runtime runtime(options);
  constexpr std::size_t kTiles = 64;
  weir::Array<double, 1> a(runtime, {kTiles * elements}, {elements}, "a");
  for (std::size_t i = 0; i < kTiles; ++i)
    runtime.spawn(weir::out(a.tile(i)), [](Numbers x) { std::fill(x.begin(), x.end(), 1.0); });
  runtime.wait();
  return seconds([&] {
    for (int sweep = 0; sweep < count; ++sweep) {
      for (std::size_t i = 0; i < kTiles; ++i) {
        runtime.spawn(weir::in(a.tile((i + 1) % kTiles)), weir::inout(a.tile(i)),
                      [](std::span<const double> from, Numbers to) {
                        for (std::size_t k = 0; k < to.size(); ++k) to[k] = to[k] * 0.5 + from[k] / (to[k] + 1);
                      });
      }
      runtime.wait();
    }
  });
}

void measure_between(const std::string& folder, std::size_t elements, int count, int rounds) {
  weir::Options without;
  without.workers = kThreads;
  std::vector<double> plain, checkpointing;
  for (int round = 0; round <= rounds; ++round) {
    const double one = sweeps(without, elements, count);
    const double other = sweeps(options_for(folder + "/checkpoint_cost"), elements, count);
    if (round == 0) continue;
    plain.push_back(one);
    checkpointing.push_back(other);
  }
  const double tasks = 64.0 * count;
  std::printf("tasks of %zu elements: %.2f us each without, %.2f with checkpoints on, %+.1f %%\n", elements,
              median(plain) / tasks * 1e6, median(checkpointing) / tasks * 1e6,
              100 * (median(checkpointing) / median(plain) - 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: checkpoint_cost FOLDER [MiB [ROUNDS]]\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  const std::size_t mib = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1024;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  try {
    for (const std::size_t elements : {std::size_t{200}, std::size_t{2000}, std::size_t{20'000}})
      measure_between(folder, elements, static_cast<int>(4'000'000 / elements / 4), rounds);
    if (mib != 0) measure_writing(folder, mib, rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "checkpoint_cost: %s\n", error.what());
    return 1;
  }
  std::filesystem::remove_all(folder + "/checkpoint_cost");
  return 0;
}
