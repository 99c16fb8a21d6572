// SPDX-License-Identifier: Apache-2.0

// A message library whose messages end when the test says so. Its requests are what weir/mpi.hpp's are to MPI.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "weir/detail/requests.hpp"

namespace weir::test {

struct FakeMessage {
  std::atomic<bool> ended{false};
  std::atomic<bool> started{true};  // else it is a request that can be started again, and was not
  int failure = 0;                  // written before ended
  int value = 0;                    // becomes the status
};

// All static: there is one library in a process. Reset by each test.
struct FakeLibrary {
  using Request = FakeMessage*;
  using Status = int;

  static inline std::atomic<bool> only_one{false}, refuses_to_say_which{false}, busy{false};
  static inline std::atomic<std::thread::id> main_thread{};
  static inline std::atomic<long> calls{0}, wrong_threads{0};

  static void reset() {
    only_one = refuses_to_say_which = busy = false;
    calls = wrong_threads = 0;
  }

  static bool only_one_may_ask() noexcept { return only_one; }
  static bool may_ask() noexcept { return !only_one || main_thread.load() == std::this_thread::get_id(); }
  static bool try_turn() noexcept { return !busy; }
  static detail::Tested test(Request& request, int& status) noexcept {
    count_call();
    if (request == nullptr || !request->started) return {true, 0};
    if (!request->ended) return {};
    status = request->value;
    return {true, request->failure};
  }
  static int test_some(std::span<Request> requests, std::span<detail::EndedRequest<int>> ended) noexcept {
    count_call();
    int count = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!requests[i]->started || !requests[i]->ended) continue;
      if (requests[i]->failure != 0 && refuses_to_say_which) return -1;
      ended[static_cast<std::size_t>(count++)] = {static_cast<int>(i), requests[i]->failure, requests[i]->value};
    }
    return count;
  }
  static std::string text_of(int failure) { return "failure " + std::to_string(failure); }

 private:
  static void count_call() noexcept {
    ++calls;
    if (!may_ask()) ++wrong_threads;
  }
};

inline detail::Requests<FakeLibrary>& fake_requests() {
  static detail::Requests<FakeLibrary> requests;
  return requests;
}

inline void wait_at_end(std::vector<FakeMessage*> messages, std::span<int> statuses = {}) {
  fake_requests().wait_at_end(messages, statuses, "wait_at_end()");
}

}  // namespace weir::test
