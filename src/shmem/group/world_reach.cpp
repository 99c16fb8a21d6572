// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/world_reach.hpp"

#include <fmt/format.h>
#include <sched.h>

#include "shmem/rma/rma.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem {

namespace {

static_assert(offsetof(Area, done) == 0 && offsetof(Ends, step) == 0, "where a member's steps are, is its area");
Step last_step_of(const Crew::Member& member) noexcept {
  return last_step(*reinterpret_cast<const Area*>(member.ended));
}

}  // namespace

WorldReach::WorldReach(const std::vector<Member>& members, unsigned me)
    : context_(Context::kPrivate, {}, nullptr), own_area_(members[me].area) {
  crew_.last_step = last_step_of;
  for (const auto& [pe, area, is_leader] : members) {
    const std::byte* const there = shmem::mapped(area, pe);
    if (there == nullptr && is_leader) crew_.far_leaders.push_back({pe, &area->done.far_step});
    crew_.members.push_back({pe, there == nullptr ? nullptr : &reinterpret_cast<const Area*>(there)->done.step});
  }
}

WorldReach::~WorldReach() {
  shmem::quiet(context_);
  close_channel(context_);
}

std::byte* WorldReach::mapped(const void* symmetric, int pe) { return shmem::mapped(symmetric, pe); }

const std::byte* WorldReach::mapped_source(const void* symmetric, std::size_t bytes, int pe) {
  return shmem::mapped_source(symmetric, bytes, pe);
}

std::uint64_t WorldReach::name_of(const void* object) { return shmem::name_of(object); }

const std::byte* WorldReach::named(std::uint64_t name, int pe) {
  if (name == 0) {
    fail(
        fmt::format("the source of PE {} is not symmetric, so that other PEs cannot read it: use memory of "
                    "shmem_malloc, or a global or static variable",
                    pe));
  }
  return static_cast<const std::byte*>(shmem::named(name));
}

void WorldReach::check_end(const void* symmetric, std::size_t bytes) { shmem::check_end(symmetric, bytes); }

void WorldReach::put_nbi(void* symmetric, const void* from, std::size_t bytes, int pe) {
  shmem::put_nbi(context_, symmetric, from, bytes, pe);
}

void WorldReach::get_nbi(void* to, const void* symmetric, std::size_t bytes, int pe) {
  shmem::get_nbi(context_, to, symmetric, bytes, pe);
}

void WorldReach::quiet() { shmem::quiet(context_); }

void WorldReach::set_flag(std::atomic<Step>* symmetric, Step value, int pe) {
  fence(context_);
  send_signal(context_, {reinterpret_cast<std::uint64_t*>(symmetric), value, SignalOp::set}, pe);
}

// Leaders of nodes count steps of their own, and wait for those in their own areas' last lines.
Awaited WorldReach::awaited(const std::atomic<Step>& word, Step step) const noexcept {
  const auto* const at = reinterpret_cast<const std::byte*>(&word);
  const bool is_far = own_area_ != nullptr && at >= reinterpret_cast<const std::byte*>(own_area_->far_letters) &&
                      at < reinterpret_cast<const std::byte*>(own_area_ + 1);
  return {.kind = Awaited::Kind::collective, .crew = &crew_, .step = is_far ? 0 : step, .far_step = is_far ? step : 0};
}

void WorldReach::wait(const std::atomic<Step>& word, Step step) {
  // FAR-1, LETTER-1, LETTER-2, ROUND-1: the other end of whoever waits here. Where PEs share processors the others of a
  // collective need a turn each, and no spinning helps them.
  constexpr int kTurns = 64;
  const World& w = world();
  for (int turn = 0; turn < kTurns && w.is_oversubscribed && !w.needs_progress; ++turn) {
    sched_yield();
    if (word.load(std::memory_order_acquire) >= step) return;
  }
  for (Waiting waiting; word.load(std::memory_order_acquire) < step;) waiting.pause(awaited(word, step));
}

}  // namespace weir::shmem
