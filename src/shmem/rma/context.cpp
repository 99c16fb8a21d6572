// SPDX-License-Identifier: Apache-2.0

#include "shmem/rma/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "shmem/world/in_library.hpp"

namespace weir::shmem {

namespace {

// All contexts but the default one. Never destroyed: at exit other threads may still run.
struct Contexts {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> all;
  std::array<std::unique_ptr<Context>, 64> destroyed;  // the last ones: who uses one still is told so
  std::size_t next_destroyed = 0;
  unsigned made = 0;
};
Contexts& contexts() {
  static auto* const made = new Contexts;
  return *made;
}

bool is_shared_by_threads(long options) noexcept {
  return world().is_threaded && (options & (Context::kSerialized | Context::kPrivate)) == 0;
}

// Done with all that was issued on it; null pointers of lost PEs do not matter at the end.
void end_context(Context& context) {
  quiet(context);
  close_channel(context);
}

void keep_destroyed(std::unique_ptr<Context> context) {
  context->mark_destroyed();
  Contexts& kept = contexts();
  const std::lock_guard lock(kept.mutex);
  kept.destroyed[kept.next_destroyed++ % kept.destroyed.size()] = std::move(context);
}

}  // namespace

Context::Use::Use(Context& context) : lock_(context.mutex_, std::defer_lock) {
  if (is_shared_by_threads(context.options_)) lock_.lock();
  channel_ = context.channel_.load(std::memory_order_acquire);  // ORDER-3
  if (channel_ != nullptr) return;
  const InLibrary inside;
  if (world().transport == nullptr) fail_not_started();
  channel_ = world().transport->open_channel().release();
  context.channel_.store(channel_, std::memory_order_release);  // ORDER-3: pairs with has_channel()
}

void Context::fail_pe(int pe) const noexcept {
  if (pes_.size == kDestroyed) fail(fmt::format("the context {} was destroyed before", fmt::ptr(this)));
  fail(fmt::format("PE {} does not exist: the context's team has {}, from 0 to {}", pe, pes_.size, pes_.size - 1));
}

void close_channel(Context& context) noexcept {
  const std::unique_ptr<transport::Channel> closed(context.channel_.exchange(nullptr));
}

Context* create_context(long options, PeMap pes, void* team) {
  const InLibrary inside;
  if ((options & ~long{Context::kSerialized | Context::kPrivate | Context::kNostore}) != 0) return nullptr;
  const std::lock_guard lock(contexts().mutex);
  auto made = std::make_unique<Context>(options, pes, team, ++contexts().made);
  Context* const context = made.get();
  contexts().all.push_back(std::move(made));
  return context;
}

void destroy_context(Context* context) {
  const InLibrary inside;
  if (context == &default_context()) fail("the default context cannot be destroyed");
  std::unique_ptr<Context> ended;
  {
    const std::lock_guard lock(contexts().mutex);
    auto& all = contexts().all;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.get() == context; });
    if (found == all.end())
      fail(fmt::format("{} is no context: it was destroyed before, or never made", fmt::ptr(context)));
    ended = std::move(*found);
    all.erase(found);
  }
  end_context(*ended);
  keep_destroyed(std::move(ended));
}

void destroy_contexts_of(void* team) {
  const InLibrary inside;
  std::vector<std::unique_ptr<Context>> ended;
  {
    const std::lock_guard lock(contexts().mutex);
    auto& all = contexts().all;
    const auto first =
        std::stable_partition(all.begin(), all.end(), [&](const auto& one) { return one->team() != team; });
    std::move(first, all.end(), std::back_inserter(ended));
    all.erase(first, all.end());
  }
  for (auto& context : ended) {
    end_context(*context);
    keep_destroyed(std::move(context));
  }
}

std::vector<LeftContext> contexts_left() {
  std::vector<LeftContext> left;
  const std::lock_guard lock(contexts().mutex);
  for (const auto& context : contexts().all) left.push_back({context->number(), context->options(), context->n_pes()});
  return left;
}

void quiet_all_contexts() {
  quiet(default_context());
  const std::lock_guard lock(contexts().mutex);
  for (const auto& context : contexts().all) quiet(*context);
}

void destroy_all_contexts() {
  std::vector<std::unique_ptr<Context>> ended;
  {
    const std::lock_guard lock(contexts().mutex);
    ended.swap(contexts().all);
  }
  for (const auto& context : ended) end_context(*context);
  end_context(default_context());
}

void fence_slow(Context& context) {
  const Context::Use use(context);
  check(use->fence());
}

void quiet_slow(Context& context) {
  const Context::Use use(context);
  check(use->quiet());
}

void quiet(Context& context, const int* pes, std::size_t n) {
  const InLibrary inside;
  platform::memory_barrier();
  std::vector<Rank> ranks;
  for (std::size_t i = 0; i < n; ++i) {
    if (static_cast<unsigned>(pes[i]) >= static_cast<unsigned>(world().n_pes))
      fail(fmt::format("PE {} does not exist: there are {}, from 0 to {}", pes[i], world().n_pes, world().n_pes - 1));
    ranks.push_back(static_cast<Rank>(pes[i]));
  }
  if (!context.has_channel() || n == 0) return;
  const Context::Use use(context);
  check(use->quiet(ranks));
}

}  // namespace weir::shmem
