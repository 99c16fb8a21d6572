// SPDX-License-Identifier: Apache-2.0

// A queue of ready tasks that threads share, and one for each: what putting a task in and taking one out costs.
#include "sched/inbox.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

namespace {

using weir::sched::Inbox;
using weir::sched::Task;

constexpr std::size_t kThreads = 2, kTasks = 4;
std::array<Inbox, kThreads> inboxes;
std::array<std::array<Task, kTasks>, kThreads> tasks;

// What a thread takes out is perhaps what another has put in.
void push_and_pop(benchmark::State& state, Inbox& inbox) {
  std::array<Task*, kTasks> mine;
  std::size_t have = 0;
  for (Task& task : tasks[static_cast<std::size_t>(state.thread_index())]) mine[have++] = &task;
  for (auto _ : state) {
    if (have != 0) inbox.push(mine[--have]);
    if (Task* const task = inbox.try_pop()) mine[have++] = task;
  }
  while (inbox.try_pop() != nullptr) {
  }
}
void shared(benchmark::State& state) { push_and_pop(state, inboxes[0]); }
void own(benchmark::State& state) { push_and_pop(state, inboxes[static_cast<std::size_t>(state.thread_index())]); }

BENCHMARK(shared)->Threads(kThreads)->Threads(1)->UseRealTime();
BENCHMARK(own)->Threads(kThreads)->Threads(1)->UseRealTime();

}  // namespace
