// SPDX-License-Identifier: Apache-2.0

#include "island/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <string>

#include "island/patience.hpp"
#include "island/process.hpp"
#include "island/runner.hpp"
#include "island/step.hpp"

namespace weir::island {

namespace {

class Worker {
 public:
  Worker(SharedMemory& memory, Mailbox* mailboxes, const WorkerSetup& setup)
      : memory_(memory),
        mailboxes_(mailboxes),
        setup_(setup),
        self_(static_cast<std::uint32_t>(setup.index) - 1),
        partners_(setup.shares ? partners(setup.workers) : 0),
        runner_(memory, {setup.heap, setup.check_writes ? setup.heap_bytes : 0}),
        patience_(setup.park_after_us),
        children_(mailboxes[setup.index - 1].children) {}

  void say_hello() {
    const Hello hello{static_cast<std::uint64_t>(::getpid()), numbering_of_processes()};
    HelloLetter& letter = own().hello;
    std::memcpy(letter.payload().data(), &hello, sizeof hello);
    letter.post(memory_, 1, sizeof hello);
  }
  // Until the letter that ends it.
  void run() {
    while (true) {
      answer_asks();
      if (!shared_.empty()) {
        const Task task = shared_.front();
        shared_.pop_front();
        do_task(task, *slot(task).task.take(memory_, task.number));
        continue;
      }
      while (gone_[next_ % Mailbox::kSlots] == next_) next_ = Mailbox::after(next_);
      const Task task{self_, next_};
      if (const auto letter = slot(task).task.take(memory_, next_)) {
        if (head_of(*letter).invoke.object == 0) return;
        next_ = Mailbox::after(next_);
        do_task(task, *letter);
        continue;
      }
      if (!take_answers()) look_on();
    }
  }

 private:
  struct Task {
    std::uint32_t owner, number;  // whom it was given to, and in which letter
  };
  using Bytes = std::span<const std::byte>;
  static constexpr std::uint64_t kLookForMaster = 50'000'000;   // ns; a master that has gone does not ring
  static constexpr std::uint64_t kForEver = 3'600'000'000'000;  // ns; the kernel ends it with its master

  Mailbox& own() const noexcept { return mailboxes_[self_]; }
  Mailbox::Slot& slot(const Task& task) const noexcept { return mailboxes_[task.owner].slot(task.number); }
  static TaskHead head_of(Bytes letter) noexcept {
    TaskHead head;
    std::memcpy(&head, letter.data(), sizeof head);
    return head;
  }

  void do_task(const Task& task, Bytes letter) {
    patience_.reset();
    Done done = runner_.run(letter, thrown_);
    done.by = self_;
    done.children_from = children_.position();
    DoneLetter& answer = slot(task).done;
    if (setup_.shares) invalidate(Step::answer_fresh, memory_, &answer, sizeof answer);
    std::memcpy(answer.payload().data(), &done, sizeof done);
    std::memcpy(answer.payload().data() + sizeof done, thrown_.data(), thrown_.size());
    answer.post(memory_, task.number, sizeof done + thrown_.size());
    children_.send(memory_, runner_.children(), [this] { pause(); });
    idle_ = 0;
  }

  // ---- Others ask ----

  // SHARE-1: only here, between two tasks, does a task change hands; the one that the worker runs next stays its own.
  void answer_asks() {
    for (std::uint32_t i = 0; i < partners_; ++i) {
      Share& share = mailboxes_[asker_of(self_, i, setup_.workers)].shares[i];
      if (!share.ask.take(memory_, asked_[i])) continue;
      const Answer answer = give_half();
      std::memcpy(share.answer.payload().data(), &answer, sizeof answer);
      share.answer.post(memory_, asked_[i], sizeof answer);
      asked_[i] = Mailbox::after(asked_[i]);
    }
  }
  Answer give_half() {
    std::array<std::uint32_t, Mailbox::kSlots> there{};
    std::uint32_t count = 0;
    std::uint32_t number = next_;
    for (std::uint32_t i = 0; i < Mailbox::kSlots; ++i, number = Mailbox::after(number)) {
      if (gone_[number % Mailbox::kSlots] == number) continue;
      const auto letter = own().slot(number).task.take(memory_, number);
      if (!letter || head_of(*letter).invoke.object == 0) break;
      there[count++] = number;
    }
    Answer answer{};
    answer.count = count / 2;
    for (std::uint32_t i = 0; i < answer.count; ++i) {
      answer.numbers[i] = there[count - answer.count + i];
      gone_[answer.numbers[i] % Mailbox::kSlots] = answer.numbers[i];
    }
    return answer;
  }

  // ---- It asks others ----

  // True when there are tasks to run.
  bool take_answers() {
    for (std::uint32_t i = 0; i < partners_; ++i) {
      if (!asks_[i]) continue;
      const std::uint32_t owner = asked_by(self_, i, setup_.workers);
      const auto letter = own().shares[i].answer.take(memory_, ask_[i]);
      if (!letter) continue;
      asks_[i] = false;
      Answer answer;
      std::memcpy(&answer, letter->data(), sizeof answer);
      for (std::uint32_t k = 0; k < answer.count; ++k) shared_.push_back({owner, answer.numbers[k]});
    }
    return !shared_.empty();
  }
  // The next partner that has no ask of this worker unanswered. SHARE-2: all tasks of its last answer have been run.
  void ask() {
    for (std::uint32_t tried = 0; tried < partners_; ++tried) {
      const std::uint32_t i = turn_++ % partners_;
      if (asks_[i]) continue;
      asks_[i] = true;
      ask_[i] = Mailbox::after(ask_[i]);
      own().shares[i].ask.post(memory_, ask_[i], 0);
      return;
    }
  }

  // There is nothing to do.
  void look_on() {
    constexpr std::uint32_t kLooksPerAsk = 64;
    if (partners_ != 0 && idle_++ % kLooksPerAsk == 0) ask();
    if (!setup_.is_rung) return pause();
    const auto sleep = [this](std::uint64_t) {
      own().bell.sleep(setup_.master_is_gone ? kLookForMaster : kForEver, [this] {
        return slot({self_, next_}).task.take(memory_, next_).has_value();
      });
    };
    if (patience_.wait(sleep) && setup_.master_is_gone) setup_.master_is_gone();
  }
  void pause() {
    if (patience_.wait() && setup_.master_is_gone) setup_.master_is_gone();
  }

  SharedMemory& memory_;
  Mailbox* const mailboxes_;
  const WorkerSetup& setup_;
  const std::uint32_t self_, partners_;
  Runner runner_;
  Patience patience_;
  StreamOut children_;
  std::string thrown_;  // by the task that has run

  std::uint32_t next_ = 1;                                  // number of the next letter of the master
  std::array<std::uint32_t, Mailbox::kSlots> gone_{};       // by place: the last number of a task that another one runs
  std::array<std::uint32_t, kPartners> asked_{1, 1, 1, 1};  // by who asks: the number of its next ask
  std::array<std::uint32_t, kPartners> ask_{};              // by whom it asks: the number of its last ask
  std::array<bool, kPartners> asks_{};                      // which has not been answered
  std::deque<Task> shared_;                                 // that others have given it
  std::uint32_t turn_ = 0, idle_ = 0;
};

}  // namespace

void work(SharedMemory& memory, Mailbox* mailboxes, const WorkerSetup& setup) {
  become_worker();
  Worker worker(memory, mailboxes, setup);
  worker.say_hello();
  worker.run();
}

}  // namespace weir::island
