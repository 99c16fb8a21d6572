// SPDX-License-Identifier: Apache-2.0

// Mail: what ranks of an OCR program ask of one another: the protocol of docs/protocols/ocr-ranks.md.
//
// ask() returns when the other rank has done it, so what a thread does next comes after it on every rank, without
// anything that counts causes. post() does not wait. What has arrived is performed by one thread of a rank at a time,
// in the order in which each sender has sent it, by a Performer, which never waits for another rank: so no ranks wait
// in a circle. Any thread, unless a function says otherwise.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "ocr/mail/bytes.hpp"
#include "ocr/mail/parts.hpp"
#include "ocr/mail/say.hpp"
#include "ocr/ocr.h"
#include "transport/transport.hpp"

namespace weir::ocr {

struct Answer {
  u8 code = 0;
  std::vector<std::byte> body{};
};

// How many messages a rank has sent, without answers, and how many it has performed; without those that change nothing
// of the program.
struct Traffic {
  std::uint64_t sent = 0, performed = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// One message, as a trace has it.
struct Passing {
  Rank other{};  // to whom, or from whom
  Say what{};    // of an answer: what was asked
  bool is_answer = false;
  std::uint64_t number = 0;  // of all that its sender has sent
  std::size_t bytes = 0;
};

// Notes what goes between ranks. On the thread that does it.
class MailObserver {
 public:
  // Before it goes.
  virtual void sends(const Passing& message) noexcept = 0;
  // The thread performs it from now on, until it says that it has.
  virtual void begins(const Passing& message) noexcept = 0;
  virtual void has_performed() noexcept = 0;
  // The thread has waited for it since then, by platform::ticks().
  virtual void answered(const Passing& answer, std::uint64_t since) noexcept = 0;

 protected:
  ~MailObserver() = default;
};

class Performer {
 public:
  // On a thread that calls Mail::perform_arrived(), or that waits in Mail::ask() and may. It never waits for another
  // rank. The answer of what was posted is dropped.
  virtual Answer perform(Rank from, Say what, Reader body) = 0;
  // Whether the calling thread may perform while it waits for an answer.
  virtual bool may_perform() const noexcept { return false; }

 protected:
  ~Performer() = default;
};

inline constexpr std::uint16_t kMailHandler = 0;  // the transport's

class Mail {
 public:
  // Sets the transport's handler: before its first collective call after that.
  explicit Mail(transport::Transport& transport);
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  // That of the running program; null while it runs on one rank.
  static Mail* running() noexcept { return running_.load(std::memory_order_acquire); }
  static void set_running(Mail* mail) noexcept { running_.store(mail, std::memory_order_release); }

  // Whether this thread performs what other ranks ask: it does not wait for them.
  static bool is_performing() noexcept { return performing_; }

  // Who performs, from now on; it outlives all calls. Null: none.
  void set_performer(Performer* performer) noexcept { performer_.store(performer, std::memory_order_release); }

  // Before the first message; it outlives all. Null, as at first: none.
  void set_observer(MailObserver* observer) noexcept { observer_ = observer; }

  // Waits for the answer, and performs what it may while it does: OCR_ECANCELED when a rank was lost. Not on a thread
  // that performs.
  Answer ask(Rank to, Say what, const Writer& body);
  void post(Rank to, Say what, const Writer& body);
  void post_to_others(Say what, const Writer& body);
  // Calls f(Rank) for those that are not this one.
  template <class F>
  void for_each_other(F&& f) const {
    for (std::uint32_t rank = 0; rank < transport_.ranks(); ++rank)
      if (Rank{rank} != transport_.rank()) f(Rank{rank});
  }

  // What the other ranks have sent is received and performed, unless another thread does so now. False: there was
  // nothing.
  bool perform_arrived();
  // The calling thread performs what arrives again and again: others need not be woken for that. In pairs.
  void begin_looking() noexcept { transport_.begin_polling(); }
  // True: something has arrived, which the caller performs, or wakes the thread that waits for arrivals.
  [[nodiscard]] bool end_looking() noexcept { return transport_.end_polling(); }
  // No rank answers any more.
  void give_up();

  // A message counts as sent before it is, and as performed when that is over; so does work that it has begun
  // elsewhere, and that ends with a message.
  void begin_work() noexcept { sent_.fetch_add(1); }
  void end_work() noexcept { performed_.fetch_add(1); }
  Traffic traffic() const noexcept { return {sent_.load(), performed_.load()}; }

  // What the calling thread has done comes before what is performed from now on, as if it had sent a message: it tells
  // other ranks by another way.
  void publish_work() noexcept { messages_.fetch_add(1); }

  // Threads that wait for answers now. For a report.
  struct Asked {
    Rank to{};
    Say what{};
    const void* task = nullptr;  // that the thread runs; null: none
  };
  std::vector<Asked> asked();

  transport::Transport& transport() noexcept { return transport_; }

 private:
  struct Head {
    Say what{};
    u8 code = 0;               // of an answer
    std::uint64_t ticket = 0;  // of the thread that waits for the answer; 0: none does
  };
  struct Arrived {
    Rank from;
    std::uint64_t number;  // of all that the sender has sent
    std::vector<std::byte> message;
  };
  // A thread that waits.
  struct Asking {
    std::uint64_t ticket = 0;
    Asked asked;
    Answer answer;
    std::uint64_t number = 0;          // of the answer
    std::atomic<bool> is_done{false};  // ANSWER-1
    bool sleeps = false;               // guarded by asking_mutex_
  };

  void count_sent(Say what) noexcept {
    if (!is_control(what)) sent_.fetch_add(1);
  }
  // `about`: what it is, or of an answer what was asked.
  void send(Rank to, const Head& head, Say about, std::span<const std::byte> body);
  void on_part(Rank from, std::span<const std::byte> bytes);
  void on_answer(const Head& head, std::uint64_t number, std::span<const std::byte> body);
  std::uint64_t enter(Asking& asking);
  bool is_over(const Asking& asking) const noexcept;
  void wait_for(Asking& asking);
  void look_for(const Asking& asking);
  void sleep_until_answered(Asking& asking);
  Answer take_answer(Asking& asking);
  bool perform_batch(Performer& performer);
  void perform(Performer& performer, const Arrived& arrived);

  static constinit std::atomic<Mail*> running_;  // SYS-1
  static thread_local constinit bool performing_;

  transport::Transport& transport_;
  MailObserver* observer_ = nullptr;  // set before other threads use this
  // Sent, of all kinds. Counted before a message goes, and looked at when others have come: what this process has done
  // before the one comes before what it does for the other, which another process may have sent because of it.
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> sent_{0}, performed_{0};  // see Traffic
  Assembly assembly_;                                  // the transport's handlers: one at a time

  std::atomic<Performer*> performer_{nullptr};
  std::atomic<bool> is_being_performed_{false};  // TURN-1: by a thread that has made it true
  std::atomic<std::uint64_t> waiting_{0};        // in the inbox
  base::Mutex inbox_mutex_;
  std::vector<Arrived> inbox_ WEIR_GUARDED_BY(inbox_mutex_);
  std::vector<Arrived> batch_;  // TURN-1: what is performed; its memory serves again

  base::Mutex asking_mutex_;
  std::condition_variable answered_;
  std::vector<Asking*> asking_ WEIR_GUARDED_BY(asking_mutex_);  // as many as threads that ask: a few
  std::uint64_t last_ticket_ WEIR_GUARDED_BY(asking_mutex_) = 0;
  std::atomic<bool> is_given_up_{false};  // ANSWER-1: written under the lock
};

}  // namespace weir::ocr
