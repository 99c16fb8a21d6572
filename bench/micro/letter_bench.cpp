// SPDX-License-Identifier: Apache-2.0

// Letters between two processes: what a round trip takes, by kind of memory and length, and what the steps cost by
// themselves.
#include "island/letter.hpp"

#include <benchmark/benchmark.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <memory>

#include "platform/clock.hpp"

namespace {

using weir::IslandMemory;
using weir::island::Letter;
using weir::island::Memory;
using weir::island::SharedMemory;

constexpr std::size_t kBytes = 512;
constexpr std::size_t kEnd = 0;  // the length of the last letter

struct Pair {
  Letter<kBytes> there, back;
};

std::unique_ptr<SharedMemory> map(benchmark::State& state, IslandMemory kind, std::uint64_t bytes) {
  auto memory = SharedMemory::map({{bytes}}, kind, 0);
  if (memory) return std::move(*memory);
  state.SkipWithError(memory.status().message.c_str());
  return nullptr;
}

std::span<const std::byte> wait_for(Memory& memory, Letter<kBytes>& letter, std::uint32_t number) {
  for (int looks = 1;; ++looks) {
    if (const auto found = letter.take(memory, number)) return *found;
    weir::platform::spin_pause();
    if (looks % 1024 == 0) sched_yield();
  }
}

void answer(SharedMemory& memory, Pair& pair) {
  memory.enter_process(1);
  for (std::uint32_t number = 1;; ++number) {
    const auto letter = wait_for(memory, pair.there, number);
    if (letter.size() == kEnd) return;
    std::memcpy(pair.back.payload().data(), letter.data(), letter.size());
    pair.back.post(memory, number, letter.size());
  }
}

void round_trip(benchmark::State& state, IslandMemory kind) {
  const auto memory = map(state, kind, sizeof(Pair));
  if (memory == nullptr) return;
  auto& pair = *new (memory->data()) Pair;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    answer(*memory, pair);
    _exit(0);
  }
  const auto length = static_cast<std::size_t>(state.range(0));
  std::uint32_t number = 0;
  for (auto _ : state) {
    std::memset(pair.there.payload().data(), static_cast<int>(++number), length);
    pair.there.post(*memory, number, length);
    benchmark::DoNotOptimize(wait_for(*memory, pair.back, number).data());
  }
  pair.there.post(*memory, ++number, kEnd);
  waitpid(child, nullptr, 0);
}

// A task's data: lines that this process has written, or will read.
void lines(benchmark::State& state, IslandMemory kind, void (Memory::*step)(const void*, std::size_t) noexcept) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto memory = map(state, kind, bytes);
  if (memory == nullptr) return;
  std::byte* const data = memory->data();
  int value = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::memset(data, ++value, bytes);
    state.ResumeTiming();
    ((*memory).*step)(data, bytes);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

const int kRegistered = [] {
  constexpr std::pair<const char*, IslandMemory> kKinds[] = {
      {"coherent", IslandMemory::coherent}, {"flush", IslandMemory::flush}, {"checked", IslandMemory::checked}};
  for (const auto& [name, kind] : kKinds) {
    const auto title = [&, kName = name](const char* what) { return std::string(what) + "/" + kName; };
    benchmark::RegisterBenchmark(title("round_trip").c_str(), round_trip, kind)->Arg(16)->Arg(504)->UseRealTime();
    benchmark::RegisterBenchmark(title("write_back").c_str(), lines, kind, &Memory::write_back)->Arg(1 << 20);
    benchmark::RegisterBenchmark(title("invalidate").c_str(), lines, kind, &Memory::invalidate)->Arg(1 << 20);
  }
  return 0;
}();

}  // namespace
