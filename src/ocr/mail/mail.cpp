// SPDX-License-Identifier: Apache-2.0

#include "ocr/mail/mail.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "check/hooks.hpp"
#include "platform/clock.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

// How long a thread looks for its answer before it sleeps, and how much of that without letting others have its core.
constexpr std::uint64_t kLookForNs = 50'000, kSpinForNs = 10'000;

// Null: the calling thread runs none.
const void* running_task() noexcept {
  sched::Worker* const worker = sched::Worker::current();
  return worker == nullptr ? nullptr : worker->frame().task;
}

}  // namespace

constinit std::atomic<Mail*> Mail::running_{nullptr};
thread_local constinit bool Mail::performing_ = false;

Mail::Mail(transport::Transport& transport) : transport_(transport) {
  transport_.set_handler(
      kMailHandler,
      [](void* context, Rank from, std::span<const std::byte> bytes) {
        static_cast<Mail*>(context)->on_part(from, bytes);
      },
      this);
}

// What is not sent was to a lost rank, which ends the program on all ranks (ranks/postman.cpp).
void Mail::send(Rank to, const Head& head, Say about, std::span<const std::byte> body) {
  const Outgoing message{std::as_bytes(std::span(&head, 1)), body};
  const std::uint64_t number = messages_.fetch_add(1);
  if (observer_ != nullptr) [[unlikely]]
    observer_->sends({to, about, head.what == Say::answer, number, message.size()});
  for_each_part(number, message,
                [&](std::span<const std::byte> part) { static_cast<void>(transport_.send(to, kMailHandler, part)); });
}

// ---- Asking ----

std::uint64_t Mail::enter(Asking& asking) {
  const base::Lock lock(asking_mutex_);
  asking.ticket = ++last_ticket_;
  asking_.push_back(&asking);
  return asking.ticket;
}

// ANSWER-1: release by the thread that has received the answer, acquire by the one that waits for it.
bool Mail::is_over(const Asking& asking) const noexcept {
  return asking.is_done.load(std::memory_order_acquire) || is_given_up_.load(std::memory_order_acquire);
}

Answer Mail::ask(Rank to, Say what, const Writer& body) {
  if (is_given_up_.load(std::memory_order_acquire)) return {OCR_ECANCELED};
  const std::uint64_t since = observer_ == nullptr ? 0 : platform::ticks();
  Asking asking;
  asking.asked = {to, what, running_task()};
  const std::uint64_t ticket = enter(asking);
  count_sent(what);
  send(to, {what, 0, ticket}, what, body.bytes());
  wait_for(asking);
  static_cast<void>(messages_.load());
  Answer answer = take_answer(asking);
  if (observer_ != nullptr && asking.is_done.load(std::memory_order_relaxed)) [[unlikely]]
    observer_->answered({to, what, true, asking.number, sizeof(Head) + answer.body.size()}, since);
  return answer;
}

Answer Mail::take_answer(Asking& asking) {
  const base::Lock lock(asking_mutex_);
  asking_.erase(std::find(asking_.begin(), asking_.end(), &asking));
  return asking.is_done.load(std::memory_order_relaxed) ? std::move(asking.answer) : Answer{OCR_ECANCELED};
}

// While `weir check` watches, others of this rank may run during that time: the other rank may need them to answer.
void Mail::wait_for(Asking& asking) {
  std::optional<check::WaitPause> pause;
  if (check::active()) [[unlikely]]
    pause.emplace();
  look_for(asking);
  if (!is_over(asking)) sleep_until_answered(asking);
}

// Another rank that looks as well answers within a microsecond or two. What the thread has received, and may not
// perform, another thread has to.
void Mail::look_for(const Asking& asking) {
  const Performer* const performer = performer_.load(std::memory_order_acquire);
  const bool performs = performer != nullptr && performer->may_perform();
  const std::uint64_t start = platform::now_ns();
  begin_looking();
  for (std::uint64_t looked = 0; !is_over(asking) && looked < kLookForNs; looked = platform::now_ns() - start) {
    if (performs ? perform_arrived() : transport_.progress()) continue;
    if (looked < kSpinForNs)
      platform::spin_pause();
    else
      sched_yield();
  }
  const bool has_arrived = end_looking();
  if (has_arrived && performs)
    perform_arrived();
  else if (has_arrived || (!performs && waiting_.load() != 0))
    transport_.wake_waiting();
}

void Mail::sleep_until_answered(Asking& asking) {
  base::Lock lock(asking_mutex_);
  asking.sleeps = true;
  while (!is_over(asking)) lock.wait(answered_);
}

void Mail::post(Rank to, Say what, const Writer& body) {
  count_sent(what);
  send(to, {what, 0, 0}, what, body.bytes());
}

void Mail::post_to_others(Say what, const Writer& body) {
  for_each_other([&](Rank rank) { post(rank, what, body); });
}

// ---- What arrives ----

// On whichever thread makes progress.
void Mail::on_part(Rank from, std::span<const std::byte> bytes) {
  assembly_.add(from, bytes, [&](std::uint64_t number, std::span<const std::byte> message) {
    Reader reader(message);
    const Head head = reader.get<Head>();
    if (head.what == Say::answer) return on_answer(head, number, reader.rest());
    const base::Lock lock(inbox_mutex_);
    inbox_.push_back({from, number, {message.begin(), message.end()}});
    waiting_.fetch_add(1);
  });
}

// Under the lock: the thread that waits takes it, too, before the Asking goes.
void Mail::on_answer(const Head& head, std::uint64_t number, std::span<const std::byte> body) {
  const base::Lock lock(asking_mutex_);
  const auto found =
      std::find_if(asking_.begin(), asking_.end(), [&](const Asking* each) { return each->ticket == head.ticket; });
  if (found == asking_.end()) return;  // it has given up
  Asking& asking = **found;
  asking.answer = {head.code, {body.begin(), body.end()}};
  asking.number = number;
  asking.is_done.store(true, std::memory_order_release);  // ANSWER-1
  if (asking.sleeps) answered_.notify_all();
}

// TURN-1: a thread that finds it another's turn goes on; what it has received before is in the inbox then, and the
// other looks there once more after its turn. Both change one word, each by an exchange, so one sees the other.
bool Mail::perform_arrived() {
  bool any = false;
  while (transport_.progress()) any = true;
  Performer* const performer = performer_.load(std::memory_order_acquire);
  while (performer != nullptr && waiting_.load() != 0) {
    if (is_being_performed_.exchange(true, std::memory_order_acq_rel)) return any;  // TURN-1
    any |= perform_batch(*performer);
    is_being_performed_.exchange(false, std::memory_order_acq_rel);  // TURN-1
  }
  return any;
}

bool Mail::perform_batch(Performer& performer) {
  static_cast<void>(messages_.load());
  {
    const base::Lock lock(inbox_mutex_);
    batch_.swap(inbox_);
    waiting_.store(0);
  }
  performing_ = true;
  for (const Arrived& each : batch_) perform(performer, each);
  performing_ = false;
  const bool any = !batch_.empty();
  batch_.clear();
  return any;
}

void Mail::perform(Performer& performer, const Arrived& arrived) {
  Reader reader(arrived.message);
  const Head head = reader.get<Head>();
  if (observer_ != nullptr) [[unlikely]]
    observer_->begins({arrived.from, head.what, false, arrived.number, arrived.message.size()});
  const Answer answer = performer.perform(arrived.from, head.what, reader);
  if (head.ticket != 0) send(arrived.from, {Say::answer, answer.code, head.ticket}, head.what, answer.body);
  if (observer_ != nullptr) [[unlikely]]
    observer_->has_performed();
  if (!is_control(head.what)) performed_.fetch_add(1);
}

std::vector<Mail::Asked> Mail::asked() {
  std::vector<Asked> all;
  const base::Lock lock(asking_mutex_);
  for (const Asking* const asking : asking_) all.push_back(asking->asked);
  return all;
}

void Mail::give_up() {
  const base::Lock lock(asking_mutex_);
  is_given_up_.store(true, std::memory_order_release);
  answered_.notify_all();
}

}  // namespace weir::ocr
