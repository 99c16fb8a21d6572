// SPDX-License-Identifier: Apache-2.0

// What the disk gives through each engine, by size of the pieces and how many are in flight.
// docs/tuning/memory.md#files
//
// A file of 1 GiB in the folder named by WEIR_BENCH_FOLDER (default: the current one), without the page cache, in
// blocks of 16 MiB: `blocks` of them are asked for at once, from and to memory that is registered or not, of large
// pages or not. CPU: of all threads, for 1 GiB.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <semaphore>
#include <vector>

#include "memory/file_store.hpp"
#include "platform/async_io.hpp"
#include "platform/pages.hpp"

namespace {

using weir::memory::FileStore;
using weir::memory::FileTransfer;
using weir::platform::AsyncIo;
using weir::platform::IoBackend;
using weir::platform::Pages;
using weir::platform::PageSize;

constexpr std::size_t kFileBytes = std::size_t{1} << 30;
constexpr std::size_t kBlockBytes = std::size_t{16} << 20;
constexpr std::size_t kBlocks = kFileBytes / kBlockBytes;
constexpr std::size_t kMostInFlight = 8;

std::byte* memory(bool large_pages) {
  const auto made = [](PageSize size) {
    auto pages = Pages::map({kMostInFlight * kBlockBytes}, std::nullopt, size).value();
    std::memset(pages.data(), 1, pages.size().count);
    return pages;
  };
  static const Pages large = made(PageSize::large), small = made(PageSize::small);
  return static_cast<std::byte*>((large_pages ? large : small).data());
}

// A window of blocks that are on their way; one that is over goes on with the next block.
class Window {
 public:
  Window(AsyncIo& io, std::size_t blocks, std::byte* memory) : store_(open(io)), transfers_(blocks) {
    for (std::size_t i = 0; i < kBlocks; ++i) extents_.push_back(store_->reserve(kBlockBytes, "block").value());
    for (std::size_t i = 0; i < blocks; ++i) {
      transfers_[i].memory = memory + i * kBlockBytes;
      transfers_[i].bytes = kBlockBytes;
      transfers_[i].block = "block";
      transfers_[i].user = this;
      transfers_[i].done = ended;
    }
    pass(true);  // the first writes go to blocks that the file system has only promised
  }

  void pass(bool write) {
    next_ = 0;
    left_ = kBlocks;
    for (auto& transfer : transfers_) {
      transfer.write = write;
      start_next(transfer);
    }
    over_.acquire();
  }

 private:
  static std::unique_ptr<FileStore> open(AsyncIo& io) {
    const char* folder = std::getenv("WEIR_BENCH_FOLDER");
    auto store = FileStore::open({folder != nullptr ? folder : ".", {kFileBytes}}, io);
    if (store) return std::move(*store);
    std::fprintf(stderr, "file_io_bench: %s\n", store.status().message.c_str());
    std::exit(1);
  }

  // Of one thread at a time per transfer; the engine answers on several.
  void start_next(FileTransfer& transfer) {
    const std::size_t block = next_.fetch_add(1);
    if (block >= kBlocks) return;
    transfer.range = extents_[block];
    store_->start(transfer);
  }

  static void ended(FileTransfer& transfer, const weir::base::Status& status) noexcept {
    if (!status) {
      std::fprintf(stderr, "file_io_bench: %s\n", status.message.c_str());
      std::_Exit(1);
    }
    auto& self = *static_cast<Window*>(transfer.user);
    self.start_next(transfer);
    if (self.left_.fetch_sub(1) == 1) self.over_.release();
  }

  const std::unique_ptr<FileStore> store_;
  std::vector<FileTransfer> transfers_;
  std::vector<weir::memory::Range> extents_;
  std::atomic<std::size_t> next_{0}, left_{0};
  std::binary_semaphore over_{0};
};

void transfer_file(benchmark::State& state, IoBackend backend, bool write) {
  const auto depth = static_cast<unsigned>(state.range(0));
  const auto piece_bytes = static_cast<std::size_t>(state.range(1)) << 10;
  auto io = weir::platform::open_async_io({.backend = backend, .depth = depth, .piece_bytes = piece_bytes});
  if (!io) {
    state.SkipWithError(io.status().message.c_str());
    return;
  }
  std::byte* const blocks = memory(state.range(4) != 0);
  if (state.range(3) != 0) (*io)->register_memory({blocks, kMostInFlight * kBlockBytes});
  {
    Window window(**io, static_cast<std::size_t>(state.range(2)), blocks);
    for (auto _ : state) window.pass(write);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kFileBytes));
}

void BM_UringRead(benchmark::State& state) { transfer_file(state, IoBackend::uring, false); }
void BM_UringWrite(benchmark::State& state) { transfer_file(state, IoBackend::uring, true); }
void BM_ThreadsRead(benchmark::State& state) { transfer_file(state, IoBackend::threads, false); }
void BM_ThreadsWrite(benchmark::State& state) { transfer_file(state, IoBackend::threads, true); }

void shapes(benchmark::internal::Benchmark* rows) {
  rows->ArgNames({"depth", "piece_KiB", "blocks", "registered", "large_pages"});
  rows->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
}
void uring_shapes(benchmark::internal::Benchmark* rows) {
  shapes(rows);
  for (const int depth : {1, 2, 4, 8, 16, 32}) rows->Args({depth, 1024, 4, 1, 1});
  for (const int piece : {128, 512, 2048, 4096}) rows->Args({16, piece, 4, 1, 1});
  for (const int blocks : {1, 2, 8}) rows->Args({16, 1024, blocks, 1, 1});
  rows->Args({16, 1024, 4, 0, 1})->Args({16, 1024, 4, 1, 0})->Args({16, 1024, 4, 0, 0});
}
void thread_shapes(benchmark::internal::Benchmark* rows) {
  shapes(rows);
  for (const int depth : {1, 2, 4, 8}) rows->Args({depth, 1024, 4, 0, 1});
  rows->Args({4, 4096, 4, 0, 1})->Args({4, 1024, 1, 0, 1})->Args({4, 1024, 4, 0, 0});
}
BENCHMARK(BM_UringRead)->Apply(uring_shapes);
BENCHMARK(BM_UringWrite)->Apply(uring_shapes);
BENCHMARK(BM_ThreadsRead)->Apply(thread_shapes);
BENCHMARK(BM_ThreadsWrite)->Apply(thread_shapes);

}  // namespace
