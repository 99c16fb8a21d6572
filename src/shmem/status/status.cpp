// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/status.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "shmem/status/pages.hpp"
#include "shmem/status/wait_text.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/routine.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

template <std::size_t n>
void copy(const std::string& text, char (&to)[n]) noexcept {
  to[text.copy(to, n - 1)] = '\0';
}

void show_word(const Awaited& what, ShownWait& shown) {
  copy(object_text(what.word), shown.object);
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
    const auto* const part = reinterpret_cast<const std::byte*>(Pages::here(pe));
    shown.member[i] = {pe, ended == nullptr || part == nullptr
                               ? kNotHere
                               : static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(ended) - part)};
  }
  shown.members = static_cast<std::uint32_t>(n);
  shown.more_members = static_cast<std::uint32_t>(members.size() - n);
}

void show(const Awaited& what, const std::string& routine, ShownWait& shown) {
  shown.since_ns = platform::now_ns();
  copy(routine, shown.routine);
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

std::uint32_t this_thread() noexcept { return static_cast<std::uint32_t>(platform::this_thread_number()); }

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

void Status::watch_for_deadlock(Outside outside) {
  outside.note_own();
  opened->deadlock_ = std::make_unique<Deadlock>(opened->page_, std::move(outside));
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

void Status::show_wait(const Awaited& what, const std::string& routine) noexcept {
  for (ShownWait& shown : page_.waits) {
    std::uint32_t free = 0;
    if (!shown.thread.compare_exchange_strong(free, this_thread())) continue;
    shown.sequence.fetch_add(1);
    try {
      show(what, routine, shown);
    } catch (const std::exception&) {  // no memory: it is told with what is known
    }
    shown.sequence.fetch_add(1);
    return;
  }
}

int Status::begin(const Awaited& what) noexcept {
  try {
    const std::string routine = routine_of_caller();
    const int number = deadlock_ == nullptr ? 0 : deadlock_->begin(what, routine);
    show_wait(what, routine);
    return number;
  } catch (const std::exception&) {  // no memory: nobody is told of it
    return -1;
  }
}

void Status::end(int number) noexcept {
  for (ShownWait& shown : page_.waits) {
    if (shown.thread.load() == this_thread()) shown.thread.store(0);
  }
  if (deadlock_ != nullptr) deadlock_->end(number);
}

int Status::left_without(const Awaited& what) noexcept {
  Pages pages(page_);
  if (what.kind == Awaited::Kind::lock || what.kind == Awaited::Kind::pe)
    return what.pe >= 0 && pages.has_left(what.pe) ? what.pe : -1;
  if (what.kind != Awaited::Kind::collective) return -1;
  for (const auto& [pe, ended] : what.crew->members) {
    if (ended != nullptr && what.step != 0 && pages.has_left(pe) && ended->load() < what.step) return pe;
  }
  if (what.far_step == 0) return -1;
  for (const auto& [pe, ended] : what.crew->far_leaders) {
    if (pages.has_left(pe) && pages.read(pe, *ended) < what.far_step) return pe;
  }
  return -1;
}

bool Status::go_on(int number, const Awaited& what, std::uint64_t waited_ns) noexcept {
  if (deadlock_ == nullptr || number < 0) return false;
  try {
    return deadlock_->go_on(number, what, waited_ns);
  } catch (const std::exception&) {  // no memory: the wait goes on
    return false;
  }
}

}  // namespace weir::shmem
