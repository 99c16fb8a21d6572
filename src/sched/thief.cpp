// SPDX-License-Identifier: Apache-2.0

// What a worker takes, and in which order.
#include "sched/thief.hpp"

#include <algorithm>
#include <utility>

#include "platform/clock.hpp"
#include "platform/fresh_stack.hpp"
#include "platform/prefetch.hpp"
#include "sched/current_worker.hpp"
#include "sched/policy/idling.hpp"
#include "sched/policy/victims.hpp"

namespace weir::sched {

namespace {
Task* task_of(StealDeque::Item item) noexcept { return reinterpret_cast<Task*>(item & ~StealDeque::kAlone); }
}  // namespace

Thief::Thief(Worker& worker, Peer& self, Team& team, const Frames& frames) noexcept
    : worker_(worker),
      self_(self),
      own_(self.queues()),
      team_(team),
      frames_(frames),
      random_(static_cast<std::uint32_t>(self.index()) * 0x9e3779b9u + 1) {}

// ---- At hand ----

template <policy::Source kSource>
inline Thief::Item Thief::take(ReadyQueues& own) noexcept {
  if constexpr (kSource == Source::turn) {
    if (--turn_in_ != 0) return 0;
    turn_in_ = policy::kInboxTurn;
    return own.take<Source::inbox>();
  } else if constexpr (kSource == Source::batch) {
    if (stolen_left_ == 0) return 0;
    const Item item = next_stolen();
    if (item == 0) stolen_left_ = 0;
    return item;
  } else if constexpr (kSource == Source::overflow) {
    return own.overflowed().empty() ? 0 : take_overflow();
  } else {
    return own.take<kSource>();
  }
}

// What there is most of the time is found without a call from here, so that no registers are kept.
Thief::Item Thief::next() noexcept {
  if (--special_in_ == 0) [[unlikely]]
    return take_specially(false);
  return take_next<policy::head<policy::is_at_hand>(), policy::Oldness::newest>(own_, 0);
}

Thief::Item Thief::next_in_order(std::uint32_t end) noexcept {
  if (--special_in_ == 0) [[unlikely]]
    return take_specially(own_.deque().end() == end);
  return take_next<policy::head<policy::is_at_hand>(), policy::Oldness::oldest>(own_, end);
}

template <policy::Source kFrom, policy::Oldness kFirst>
[[gnu::always_inline]] inline Thief::Item Thief::take_next(ReadyQueues& own, std::uint32_t end) noexcept {
  if constexpr (kFrom == Source::deque && kFirst == policy::Oldness::oldest) {
    if (const Item item = own.deque().pop_oldest_up_to(end)) return item;
    return take_from<kFrom>();
  } else if constexpr (kFrom == Source::next || kFrom == Source::deque) {
    if (const Item item = take<kFrom>(own)) return item;
  } else {
    if (may_have<kFrom>(own)) [[unlikely]]
      return take_from<kFrom>();
  }
  constexpr Source kLast = Source::overflow;  // hardly ever is it looked that far
  constexpr Source kNext = policy::next_of<policy::is_at_hand>(kFrom);
  if constexpr (kNext == kLast)
    return take_from<kLast>();
  else
    return take_next<kNext, kFirst>(own, end);
}

// The first look at one from which more is taken than a call keeps no registers for.
template <policy::Source kSource>
inline bool Thief::may_have(ReadyQueues& own) noexcept {
  if constexpr (kSource == Source::turn) {
    if (--turn_in_ != 0) [[likely]]
      return false;
    turn_in_ = 1;  // take() counts, too
    return true;
  } else if constexpr (kSource == Source::batch) {
    return stolen_left_ != 0;
  } else if constexpr (kSource == Source::mailbox) {
    return own.has_mail();
  } else {
    static_assert(policy::is_inbox(kSource));
    return !own.domain().inbox(kSource).empty();
  }
}

template <policy::Source kFrom>
Thief::Item Thief::take_from() noexcept {
  ReadyQueues& own = own_;
  return policy::first_of<policy::is_at_hand_from<kFrom>>(
      [this, &own](auto source) { return this->template take<source()>(own); });
}

// Where the oldest come first each task is taken here, so that where they do not no task pays for that.
Thief::Item Thief::take_specially(bool keeps_order) noexcept {
  const bool serves_others = team_.serves_others();
  if (has_left_) [[unlikely]] {
    // From a task that has made a runtime and left it there. One that waits beneath may be about to do so, too: its
    // wait gives it back what the thread was.
    if (CurrentWorker::current() != &worker_) CurrentWorker::set_current(&worker_);
    has_left_ = frames_.is_in_task();
  }
  if (ask_in_ == 0) {
    ask_in_ = policy::kInboxTurn;  // of what it runs while it asks
    ask_in_ = ask_for_pending();
  }
  if (!serves_others && !has_left_) {
    special_in_ = std::exchange(ask_in_, 0);
  } else {
    special_in_ = 1;
    --ask_in_;
  }
  if (policy::which_to_take({serves_others, frames_.is_in_task(), keeps_order}) == policy::Oldness::oldest)
    return take_oldest();
  return take_from<policy::head<policy::is_at_hand>()>();
}

Thief::Item Thief::take_oldest() noexcept {
  return policy::first_of<policy::is_at_hand>([this](auto source) -> Item {
    if constexpr (source() == Source::deque)
      if (const Item item = own_.deque().pop_oldest()) return item;
    return this->template take<source()>(own_);
  });
}

// Others may all be busy, too. Before each task while something is pending, as tasks may be long; before every few of
// those that turn out to be short. After how many tasks it is to be done again.
std::uint32_t Thief::ask_for_pending() noexcept {
  Polls& polls = team_.polls();
  if (!polls.any()) [[likely]]
    return policy::kInboxTurn;
  const std::uint64_t now = platform::now_ns();
  if (now >= ask_at_ns_) {
    if (!polls.ask().pending) return policy::kInboxTurn;
    ask_at_ns_ = now + policy::kAskBetweenTasksNs;
  }
  look_after_ = policy::tasks_to_next_look(look_after_, now - looked_ns_);
  looked_ns_ = now;
  return look_after_;
}

// To be run and ended here: the header, and the line behind it, which most of it is in, where the stolen ones before
// had one.
inline void Thief::prefetch_stolen(Item item) const noexcept {
  const Task* const task = task_of(item);
  platform::prefetch_to_write(task);
  if (size_class_ != 0) platform::prefetch_to_write(task + 1);
}

// One of what it stole. While those are tiny they are taken from the deque a private batch at a time.
inline Thief::Item Thief::next_stolen() noexcept {
  PrivateBatch& batch = own_.batch();
  if (batch.empty() && policy::is_tiny({0, own_.grain_ns()})) static_cast<void>(batch.fill(own_.deque()));
  Item item = batch.take();
  if (item == 0) item = own_.deque().pop();
  const std::uint32_t left = batch.left();
  if (--stolen_left_ < left)
    stolen_left_ = left;
  else if (stolen_left_ >= policy::kPrefetchAhead && item != 0)
    prefetch_stolen(own_.deque().peek(policy::kPrefetchAhead - 1 - left));
  // If there are more in the deque it has made some itself.
  if (stolen_left_ == policy::kStealMoreAt && own_.deque().size() <= policy::kStealMoreAt) [[unlikely]]
    steal_more();
  return item;
}

// The first of them to run, the others are in the deque, where the first comes next: they were made, and lie in memory,
// in that order.
Thief::Item Thief::unpack(const StealDeque::Batch& batch, std::uint32_t count) noexcept {
  for (std::uint32_t i = 0; i < std::min(count, policy::kPrefetchAhead + 1); ++i) prefetch_stolen(batch[i]);
  if (count > 1) own_.push_reversed(&batch[1], count - 1);
  stolen_left_ += count - 1;
  return batch[0];
}

// The same for several, the oldest first. Their lines come from another core all at once, and those of the tasks then
// one after the other without a pause between two batches.
Thief::Item Thief::unpack_all(std::span<Overflow::Batch* const> batches) noexcept {
  for (const Overflow::Batch* batch : batches) platform::prefetch_to_read(batch, sizeof *batch);
  for (std::size_t b = batches.size() - 1; b > 0; --b) {
    Overflow::Batch& batch = *batches[b];
    own_.push_reversed(batch.items.data(), batch.count);
    stolen_left_ += batch.count;
    Overflow::give_back(&batch);
  }
  const Item first = unpack(batches[0]->items, batches[0]->count);
  Overflow::give_back(batches[0]);
  return first;
}

Thief::Item Thief::take_overflow() noexcept {
  Overflow::Batch* const batch = own_.overflowed().take_newest();
  if (batch == nullptr) return 0;
  platform::prefetch_to_write(batch, sizeof *batch);
  victim_ = nullptr;  // its own tasks
  const Item first = unpack(batch->items, batch->count);
  Overflow::give_back(batch);
  return first;
}

// ---- Elsewhere ----

// A waiter runs other tasks on top of its stack, and those may wait in turn. Where tasks block a waiter runs no others.
bool Thief::leaves_to_others(std::uint64_t searched_ns) const noexcept {
  if (searched_ns >= policy::kDeepNs || team_.blocking() != nullptr) return false;
  const platform::StackBounds stack = platform::this_stack();
  const char* const here = platform::stack_pointer();
  const std::size_t left = here < stack.lowest ? 0 : static_cast<std::size_t>(here - stack.lowest);
  return policy::leaves_to_others({left, stack.bytes}, searched_ns);
}

Thief::Item Thief::look_around(std::uint64_t searched_ns) noexcept {
  const bool leaves = leaves_to_others(searched_ns);
  searched_ns_ = searched_ns;
  saw_tiny_ = false;
  return policy::first_of<policy::is_searched>(
      [&](auto source) { return policy::may_look_at(source(), leaves) ? take_elsewhere<source()>(searched_ns) : 0; });
}

template <policy::Source kSource>
Thief::Item Thief::take_elsewhere(std::uint64_t searched_ns) noexcept {
  if constexpr (kSource == Source::mailbox) return own_.take<Source::mailbox>();
  if constexpr (kSource == Source::far) return take_far(searched_ns);
  if constexpr (policy::is_of_domain(kSource)) return take_shared<kSource>(own_.domain(), false);
}

template <policy::Source kSource>
Thief::Item Thief::take_shared(DomainQueues& domain, bool far) noexcept {
  if constexpr (kSource == Source::peers) {
    const std::uint32_t count = domain.victim_count.load(std::memory_order_acquire);  // VICTIM-1
    random_ = policy::next_random(random_);
    return policy::ask_round(random_, count, [&](std::uint32_t at) -> Item {
      Peer* const victim = domain.victims[at].load(std::memory_order_relaxed);
      return victim == &self_ ? 0 : steal_from(*victim, far);
    });
  } else {
    static_assert(policy::is_inbox(kSource));
    return reinterpret_cast<Item>(domain.inbox(kSource).try_pop());
  }
}

Thief::Item Thief::take_far(std::uint64_t searched_ns) noexcept {
  const Options& options = team_.options();
  const policy::Thief thief{options.policy, searched_ns, static_cast<std::uint64_t>(options.far_after) * 1000};
  if (!policy::may_steal_far(thief) && !team_.stopping()) return 0;  // then other domains have no threads
  for (const int number : own_.domain().far) {
    DomainQueues& domain = team_.queues(number);
    const Item item =
        policy::first_of<policy::is_of_domain>([&](auto source) { return take_shared<source()>(domain, true); });
    if (item != 0) return item;
  }
  return 0;
}

// How deep in its stack the thread is makes no difference: it takes them before it sleeps.
bool Thief::sees_tasks() const noexcept {
  if (own_.has_mail() || sees_in_domain(own_.domain(), &self_)) return true;
  if (!policy::reaches_far(team_.options().policy) && !team_.stopping()) return false;
  const auto& far = own_.domain().far;
  return std::any_of(far.begin(), far.end(), [&](int domain) { return sees_in_domain(team_.queues(domain), &self_); });
}

}  // namespace weir::sched
