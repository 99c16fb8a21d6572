// SPDX-License-Identifier: Apache-2.0

#include "bench/tiers/slow_bandwidth.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "apps/common/stopwatch.hpp"
#include "memory/copy.hpp"

namespace weir::bench {
namespace {

using base::Code;
using base::Status;

constexpr std::size_t kPiece = std::size_t{2} << 20;  // bytes of a request, as large as a block
constexpr std::size_t kAlignment = 4096;
constexpr int kInFlight = 8;  // requests at a time

// A file without a name, read and written past the page cache.
class Probe {
 public:
  static base::Result<std::unique_ptr<Probe>> create(const std::string& folder, std::uint64_t bytes) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    if (file < 0) return failure(folder, errno);
    auto probe = std::make_unique<Probe>(folder, file, bytes);
    if (const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
      return failure(folder, error);
    }
    return probe;
  }
  Probe(std::string folder, int file, std::uint64_t bytes)
      : folder_(std::move(folder)), file_(file), pieces_(bytes / kPiece) {}
  ~Probe() { ::close(file_); }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Every piece once: `writes` says which are written; the others are read.
  template <class Writes>
  base::Result<double> bytes_per_second(Writes writes) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<int> error{0};
    const apps::Stopwatch watch;
    std::vector<std::thread> threads;
    for (int i = 0; i < kInFlight; ++i) threads.emplace_back([&] { work(next, error, writes); });
    for (std::thread& thread : threads) thread.join();
    if (error != 0) return failure(folder_, error);
    return static_cast<double>(pieces_ * kPiece) / watch.seconds();
  }

 private:
  static Status failure(const std::string& folder, int error) {
    return {error == ENOSPC ? Code::no_space : Code::io_error,
            fmt::format("--slow: {}: {}", folder, std::strerror(error))};
  }

  template <class Writes>
  void work(std::atomic<std::uint64_t>& next, std::atomic<int>& error, Writes writes) {
    const std::unique_ptr<void, void (*)(void*)> buffer(std::aligned_alloc(kAlignment, kPiece), std::free);
    std::memset(buffer.get(), 1, kPiece);
    for (std::uint64_t piece; (piece = next++) < pieces_ && error == 0;) {
      const auto at = static_cast<off_t>(piece * kPiece);
      const ssize_t done =
          writes(piece) ? ::pwrite(file_, buffer.get(), kPiece, at) : ::pread(file_, buffer.get(), kPiece, at);
      if (done != static_cast<ssize_t>(kPiece)) error = done < 0 ? errno : EIO;
    }
  }

  std::string folder_;
  int file_;
  std::uint64_t pieces_;
};

}  // namespace

base::Result<SlowBandwidth> measure_slow_bandwidth(const apps::SlowTier& slow, int threads, std::uint64_t bytes) {
  if (slow.emulated()) {
    const double all = slow.fraction * memory::copy_bandwidth(static_cast<unsigned>(threads));
    return SlowBandwidth{all, all, all};
  }
  auto probe = Probe::create(slow.folder, bytes);
  if (!probe) return probe.status();
  const auto write = (*probe)->bytes_per_second([](std::uint64_t) { return true; });
  if (!write) return write.status();
  const auto read = (*probe)->bytes_per_second([](std::uint64_t) { return false; });
  if (!read) return read.status();
  const auto mixed = (*probe)->bytes_per_second([](std::uint64_t piece) { return piece % 2 == 0; });
  if (!mixed) return mixed.status();
  return SlowBandwidth{*read, *write, *mixed};
}

}  // namespace weir::bench
