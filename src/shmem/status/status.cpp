// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "platform/clock.hpp"
#include "platform/symbol_names.hpp"
#include "platform/thread_state.hpp"
#include "shmem/rma/rma.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/routine.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

template <std::size_t n>
void copy(const std::string& text, char (&to)[n]) noexcept {
  to[text.copy(to, n - 1)] = '\0';
}

// Also of a PE of this host that is kept apart (WEIR_SHMEM_REMOTE); null: it is on another one.
const StatusPage* page_of(int pe) noexcept {
  const World& w = world();
  return reinterpret_cast<const StatusPage*>(w.transport->mapped(static_cast<Rank>(pe), w.segments[0].region));
}

bool has_left(int pe) noexcept {
  const StatusPage* const page = pe == world().my_pe ? nullptr : page_of(pe);
  if (page == nullptr) return false;
  const Phase phase = page->phase.load();
  return phase == Phase::finishing || phase == Phase::left;
}

std::string object_at(const void* address) {
  const Segment* const segment = segment_of(address);
  if (segment == nullptr) return {};
  const bool is_heap = segment == &world().segments[0];
  const std::string name = is_heap ? "" : platform::variable_name(address);
  return name.empty() ? place_text(address) : name;
}

void show_word(const Awaited& what, ShownWait& shown) {
  copy(object_at(what.word), shown.object);
  shown.file = -1;
  const Segment* const segment = segment_of(what.word);
  if (segment == nullptr) return;
  const auto descriptor = world().transport->descriptor(segment->region);
  shown.file = descriptor.number;
  shown.place =
      descriptor.offset + segment->region_offset + reinterpret_cast<std::uintptr_t>(what.word) - segment->start;
}

void show_crew(const Awaited& what, ShownWait& shown) noexcept {
  shown.members = 0;
  if (what.crew == nullptr) return;
  const auto& members = what.crew->members;
  const std::size_t n = std::min<std::size_t>(members.size(), kMostShown);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [pe, ended] = members[i];
    const auto* const part = reinterpret_cast<const std::byte*>(page_of(pe));
    shown.member[i] = {pe, ended == nullptr || part == nullptr
                               ? kNotHere
                               : static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(ended) - part)};
  }
  shown.members = static_cast<std::uint32_t>(n);
  shown.more_members = static_cast<std::uint32_t>(members.size() - n);
}

void show(const Awaited& what, ShownWait& shown) {
  shown.since_ns = platform::now_ns();
  copy(routine_of_caller(), shown.routine);
  shown.kind = static_cast<std::uint32_t>(what.kind);
  shown.comparison = what.comparison;
  shown.bytes = what.bytes;
  shown.is_signed = what.is_signed ? 1 : 0;
  shown.pe = what.pe;
  shown.words = static_cast<std::uint32_t>(std::min<std::size_t>(what.words, UINT32_MAX));
  shown.wanted = what.wanted;
  shown.step = what.step;
  show_word(what, shown);
  show_crew(what, shown);
}

// Whether this process has no thread but the one that asks: then nobody but other PEs writes what it waits for.
bool is_single_threaded() noexcept {
  std::error_code failed;
  std::size_t n = 0;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed))
    ++n;
  return !failed && n == 1;
}

// A word can be changed by any other PE: the first of them, when all have left.
int left_of_all() noexcept {
  const World& w = world();
  if (w.n_pes < 2) return -1;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (pe != w.my_pe && !has_left(pe)) return -1;
  }
  return is_single_threaded() ? (w.my_pe == 0 ? 1 : 0) : -1;
}

constinit Status* opened = nullptr;

}  // namespace

void Status::open() {
  World& w = world();
  auto* const page = reinterpret_cast<StatusPage*>(reserve_internal(sizeof(StatusPage)));
  page->version = StatusPage::kVersion;
  page->n_pes = static_cast<std::uint32_t>(w.n_pes);
  page->pe = static_cast<std::uint32_t>(w.my_pe);
  const auto all = w.transport->neighbours();
  page->here = static_cast<std::uint32_t>(all.size());
  page->index = static_cast<std::uint32_t>(std::find(all.begin(), all.end(), w.transport->rank()) - all.begin());
  const transport::RegionId heap = w.segments[0].region;
  if (all.size() > 1)
    page->stride = static_cast<std::uint64_t>(w.transport->mapped(all[1], heap) - w.transport->mapped(all[0], heap));
  page->pid = static_cast<std::uint32_t>(getpid());
  opened = new Status(*page);
  w.watcher = opened;
  enter(Phase::running);
  page->magic.store(StatusPage::kMagic);
}

void Status::enter(Phase phase) noexcept {
  if (opened == nullptr) return;
  StatusPage& page = opened->page_;
  page.phase_since_ns.store(platform::now_ns());
  page.phase.store(phase);
  if (phase == Phase::left) {
    world().watcher = nullptr;
    delete std::exchange(opened, nullptr);
  }
}

void Status::check_all_have_left() noexcept {
  const World& w = world();
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (pe == w.my_pe || page_of(pe) == nullptr || has_left(pe)) continue;
    fail(
        fmt::format("PE {} has not come to it, but to a call of the heap (shmem_malloc, shmem_free or their like) that "
                    "PE {} has not made: all PEs must make the same calls of the heap",
                    pe, w.my_pe));
  }
}

Status::Meeting::Meeting(const char* routine) noexcept {
  if (opened == nullptr) return;
  const World& w = world();
  for (int pe = 0; pe < w.n_pes; ++pe) {
    if (has_left(pe))
      fail(
          fmt::format("waits for PE {}, which has left without it: it has called shmem_finalize, or has returned from "
                      "main. All PEs must make the same calls of the heap",
                      pe));
  }
  StatusPage& page = opened->page_;
  copy(routine, page.meeting);
  page.meeting_since_ns.store(platform::now_ns());
}

Status::Meeting::~Meeting() {
  if (opened != nullptr) opened->page_.meeting_since_ns.store(0);
}

int Status::begin(const Awaited& what) noexcept {
  const auto thread = static_cast<std::uint32_t>(platform::this_thread_number());
  for (std::size_t i = 0; i < StatusPage::kWaits; ++i) {
    ShownWait& shown = page_.waits[i];
    std::uint32_t free = 0;
    if (!shown.thread.compare_exchange_strong(free, thread)) continue;
    shown.sequence.fetch_add(1);
    try {
      show(what, shown);
    } catch (const std::exception&) {  // no memory: it is told with what is known
    }
    shown.sequence.fetch_add(1);
    return static_cast<int>(i);
  }
  return -1;
}

void Status::end(int number) noexcept { page_.waits[static_cast<std::size_t>(number)].thread.store(0); }

int Status::left_without(const Awaited& what) noexcept {
  switch (what.kind) {
    case Awaited::Kind::lock:
    case Awaited::Kind::pe: return what.pe >= 0 && has_left(what.pe) ? what.pe : -1;
    case Awaited::Kind::word:
    case Awaited::Kind::words: return left_of_all();
    case Awaited::Kind::collective: break;
    case Awaited::Kind::unknown: return -1;
  }
  for (const auto& [pe, ended] : what.crew->members) {
    if (ended != nullptr && has_left(pe) && ended->load() < what.step) return pe;
  }
  return what.far_step == 0 ? -1 : far_left_without(what);
}

// They are asked by gets, on a channel that no other thread uses.
int Status::far_left_without(const Awaited& what) const {
  Context context(Context::kPrivate, {}, nullptr);
  int left = -1;
  for (const auto& [pe, ended] : what.crew->far_leaders) {
    Phase phase{};
    std::uint64_t steps = 0;
    get(context, &phase, &page_.phase, sizeof(phase), pe);
    if (phase != Phase::finishing && phase != Phase::left) continue;
    get(context, &steps, ended, sizeof(steps), pe);
    if (steps < what.far_step) left = pe;
  }
  close_channel(context);
  return left;
}

}  // namespace weir::shmem
