// SPDX-License-Identifier: Apache-2.0

// Requests: those of one message library that tasks wait for at their end. What weir/mpi.hpp is made of; the library's
// calls are those of `Api`, and all of them are made here, so that Weir links none.
//
// Api has Request, Status and, each static and noexcept but for the last:
//   may_ask(), only_one_may_ask()     see Poll
//   try_turn()                        a lock that is tested by bool and kept while the library is called
//   test(request, status) -> Tested   of one request, whatever its state
//   test_some(requests, ended) -> int of requests that have been started: how many have ended, and which; below 0: one
//                                     has failed, and it cannot say which
//   text_of(failure) -> std::string   in the library's own words
//
// Any thread may call everything; what has no lock of its own says so.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "weir/completion.hpp"
#include "weir/error.hpp"
#include "weir/poll.hpp"

namespace weir::detail {

// Testing takes time for each: with more pending than that they have their turns.
inline constexpr std::size_t kRequestBatch = 256;

struct Tested {
  bool ended = false;
  int failure = 0;  // 0: none
};

template <class Status>
struct EndedRequest {
  int index = 0;  // among those that were tested
  int failure = 0;
  Status status{};
};

template <class Api>
class Requests final : public Poll {
 public:
  using Request = typename Api::Request;
  using Status = typename Api::Status;

  // The running task does not end before all `requests` have. `statuses`: none, or one for each, which have to be there
  // until the task has ended. `what`: who asks, for messages. Throws weir::Error.
  void wait_at_end(std::span<const Request> requests, std::span<Status> statuses, const char* what) {
    const char* const task = name_of_task_that(what);
    if (!statuses.empty() && statuses.size() != requests.size()) refuse_sizes(requests.size(), statuses.size(), what);
    auto group = std::make_unique<Group>(Group{{}, 0, task, {}});
    std::vector<Entry> left;
    left.reserve(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
      left.push_back({requests[i], statuses.empty() ? nullptr : &statuses[i], group.get(), false});
    look_at_once(left);
    if (left.empty() && group->failure.empty()) return;
    if (left.empty()) throw error_of(*group);
    begin_asking(*this);
    group->completion = end_later();
    group->open = left.size();
    add(left);
    static_cast<void>(group.release());  // its last request owns it
    notify_asking(*this);
  }

  bool pending() const noexcept override { return pending_ != 0; }
  bool may_ask() const noexcept override { return Api::may_ask(); }
  bool only_one_may_ask() const noexcept override { return Api::only_one_may_ask(); }

  bool ask() noexcept override {
    const std::unique_lock asking(asking_, std::try_to_lock);
    if (!asking) return false;  // a worker of another runtime does
    {
      const auto turn = Api::try_turn();
      if (!turn) return false;
      take_new();
      test_batch();
    }
    for (Group* const group : ended_groups_) complete(group);
    const bool some = !ended_groups_.empty();
    ended_groups_.clear();
    return some;
  }

 private:
  // What one call of wait_at_end() waits for. Its thread's until add(), then that of the thread that asks.
  struct Group {
    Completion completion;
    std::size_t open;
    const char* task;
    std::string failure;  // the first
  };
  struct Entry {
    Request request;
    Status* status;  // null: not asked for
    Group* group;
    bool looked_at;  // it has been started: test_some() says nothing of others
  };

  [[noreturn]] static void refuse_sizes(std::size_t requests, std::size_t statuses, const char* what) {
    throw Error(std::string(what) + " with " + std::to_string(requests) + " requests and " + std::to_string(statuses) +
                " statuses: give one for each request, or none");
  }
  static Error error_of(const Group& group) {
    const std::string task = group.task == nullptr ? "a task" : "task '" + std::string(group.task) + "'";
    return Error("a request that " + task + " waits for at its end has failed: " + group.failure);
  }

  // Many have ended by the time the task asks: a message that the library has copied, one that was there already.
  static void look_at_once(std::vector<Entry>& entries) {
    if (!Api::may_ask()) return;
    const auto turn = Api::try_turn();
    if (!turn) return;
    std::erase_if(entries, [](Entry& entry) { return test_one(entry); });
    for (Entry& entry : entries) entry.looked_at = true;
  }
  static bool test_one(Entry& entry) {
    Status status{};
    const Tested tested = Api::test(entry.request, status);
    if (tested.ended) note_end(entry, tested.failure, status);
    return tested.ended;
  }
  static void note_end(const Entry& entry, int failure, const Status& status) {
    if (entry.status != nullptr) *entry.status = status;
    if (failure != 0 && entry.group->failure.empty()) entry.group->failure = Api::text_of(failure);
  }

  void add(const std::vector<Entry>& entries) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries) new_.push_back(entry);  // insert() makes g++ 14 warn of bounds that are kept
    pending_ += entries.size();
  }

  // ---- With asking_ ----
  void take_new() {
    {
      const std::lock_guard lock(mutex_);
      taken_.swap(new_);
    }
    for (Entry& entry : taken_) {
      if (!entry.looked_at && test_one(entry)) {
        count_end(entry);
      } else {
        started_.push_back(entry.request);
        entries_.push_back(entry);
      }
    }
    taken_.clear();
  }
  void count_end(const Entry& entry) {
    --pending_;
    if (--entry.group->open == 0) ended_groups_.push_back(entry.group);
  }
  void test_batch() {
    if (next_ >= started_.size()) next_ = 0;
    const std::size_t count = std::min(kRequestBatch, started_.size() - next_);
    if (count == 0) return;
    ended_.resize(count);
    const int ended = Api::test_some(std::span(started_).subspan(next_, count), std::span(ended_));
    if (ended < 0) return test_each(count);
    for (int i = 0; i < ended; ++i) {
      const EndedRequest<Status>& each = ended_[static_cast<std::size_t>(i)];
      end_at(next_ + static_cast<std::size_t>(each.index), each.failure, each.status);
    }
    sweep(count);
  }
  // Finds the one that has failed.
  void test_each(std::size_t count) {
    for (std::size_t at = next_; at < next_ + count; ++at) {
      Status status{};
      const Tested tested = Api::test(started_[at], status);
      if (tested.ended) end_at(at, tested.failure, status);
    }
    sweep(count);
  }
  void end_at(std::size_t at, int failure, const Status& status) {
    note_end(entries_[at], failure, status);
    count_end(entries_[at]);
    entries_[at].group = nullptr;
  }
  // Takes those of the batch out that have ended: the last of all takes the place of each.
  void sweep(std::size_t count) {
    std::size_t behind = next_ + count;
    for (std::size_t at = behind; at-- > next_;) {
      if (entries_[at].group != nullptr) continue;
      entries_[at] = entries_.back();
      started_[at] = started_.back();
      entries_.pop_back();
      started_.pop_back();
      --behind;
    }
    next_ = behind;
  }
  static void complete(Group* ended) noexcept {
    const std::unique_ptr<Group> group(ended);
    if (group->failure.empty())
      group->completion.complete();
    else
      group->completion.fail(std::make_exception_ptr(error_of(*group)));
  }

  std::atomic<std::size_t> pending_{0};
  std::mutex mutex_;
  std::vector<Entry> new_;  // guarded by mutex_
  std::mutex asking_;       // who asks; guards the rest
  std::vector<Entry> taken_, entries_;
  std::vector<Request> started_;  // of entries_, one after the other in memory
  std::vector<EndedRequest<Status>> ended_;
  std::vector<Group*> ended_groups_;
  std::size_t next_ = 0;  // the batch begins there
};

}  // namespace weir::detail
