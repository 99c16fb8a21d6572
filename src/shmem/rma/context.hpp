// SPDX-License-Identifier: Apache-2.0

// Context: a stream of operations with a completion of its own (shmem_ctx_t), and the order of operations.
//
// To PEs whose memory is mapped all is done when a call returns, and a context costs nothing; the rest goes through a
// channel of the context's own, which is opened at the first use. Any thread with ThreadLevel::multiple; contexts made
// SERIALIZED or PRIVATE are not locked: one thread at a time, as the program has promised.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "platform/barrier.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

// PEs of a context's team as PEs of the world: start + stride * pe, of which there are `size`; or those of a list,
// which lives as long as the team. Size 0: the world.
struct PeMap {
  int start = 0, stride = 1, size = 0;
  const int* list = nullptr;
};

class Context {
 public:
  // Values as in shmem.h.
  enum Options : long { kSerialized = 1, kPrivate = 2, kNostore = 4 };

  constexpr Context() = default;
  Context(long options, PeMap pes, void* team, unsigned number = 0)
      : pes_(pes), team_(team), options_(options), number_(number) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // A PE of the context's team as one of the world; ends the program when the team has no such PE. The default
  // context's are those of the world.
  int world_pe(int pe) const noexcept {
    if (pes_.size == 0) return pe;
    if (pe < 0 || pe >= pes_.size) [[unlikely]]
      fail_pe(pe);
    return pes_.list != nullptr ? pes_.list[pe] : pes_.start + pes_.stride * pe;
  }
  long options() const noexcept { return options_; }
  unsigned number() const noexcept { return number_; }  // of those that create_context() has made, from 1
  int n_pes() const noexcept { return pes_.size == 0 ? world().n_pes : pes_.size; }
  void* team() const noexcept { return team_; }  // what was given; null: the world
  // From now on it has no PEs: a call with it is named for what it is, as long as the object is kept.
  void mark_destroyed() noexcept { pes_.size = kDestroyed; }
  // ORDER-3: acquire, pairs with the store of a channel that another thread has opened.
  bool has_channel() const noexcept { return channel_.load(std::memory_order_acquire) != nullptr; }

  // The channel for one operation, locked when threads may share the context. Opened when there is none.
  class Use {
   public:
    explicit Use(Context& context);
    transport::Channel* operator->() const noexcept { return channel_; }

   private:
    std::unique_lock<std::mutex> lock_;
    transport::Channel* channel_;
  };

 private:
  static constexpr int kDestroyed = -1;  // size of pes_

  [[noreturn]] void fail_pe(int pe) const noexcept;

  PeMap pes_{};
  void* team_ = nullptr;
  long options_ = 0;
  unsigned number_ = 0;
  std::atomic<transport::Channel*> channel_ = nullptr;  // opened once, under mutex_ where threads share the context,
                                                        // and kept until the context ends
  std::mutex mutex_;

  friend void close_channel(Context& context) noexcept;
};

inline constinit Context default_context_state;
inline Context& default_context() noexcept { return default_context_state; }

// shmem_ctx_create and shmem_team_create_ctx; null when `options` has an unknown bit. The contexts that are left are
// destroyed by finish().
Context* create_context(long options, PeMap pes = {}, void* team = nullptr);
// Completes it first. Ends the program for the default context and for one that is none.
void destroy_context(Context* context);
// Quiets and destroys every context that was made for `team`; for shmem_team_destroy.
void destroy_contexts_of(void* team);
// Those that were not destroyed, but the default one.
struct LeftContext {
  unsigned number = 0;
  long options = 0;
  int n_pes = 0;
};
std::vector<LeftContext> contexts_left();
// For finish(): all of them, the default one too.
void quiet_all_contexts();
void destroy_all_contexts();
void close_channel(Context& context) noexcept;

void fence_slow(Context& context);
void quiet_slow(Context& context);

// Puts, atomics, signals and stores to a PE before it are seen there before those after it.
inline void fence(Context& context) {
  platform::store_barrier();
  if (context.has_channel()) [[unlikely]]
    fence_slow(context);
}
// All of the context is done, and stores are seen by every PE.
inline void quiet(Context& context) {
  platform::memory_barrier();
  if (context.has_channel()) [[unlikely]]
    quiet_slow(context);
}
// The same for what goes to these PEs of the world (shmem_pe_quiet).
void quiet(Context& context, const int* pes, std::size_t n);

}  // namespace weir::shmem
