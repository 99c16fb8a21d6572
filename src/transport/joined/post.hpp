// SPDX-License-Identifier: Apache-2.0

// Post: messages from both sides, neighbours and the link, to the handlers, on one thread at a time and in order.
//
// What a neighbour sent is handed on by the near transport on a thread of its choice: while another thread runs
// handlers, it is kept for that one, or the next. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include "transport/handlers.hpp"
#include "transport/joined/neighbourhood.hpp"
#include "transport/mpi/link.hpp"
#include "transport/transport.hpp"

namespace weir::transport::joined {

class Post {
 public:
  Post(const Neighbourhood& neighbourhood, Transport& near, mpi::Link& link);
  Post(const Post&) = delete;

  void set_handler(std::uint16_t number, Transport::Handler handler, void* context);
  // True when there was something; nothing within a handler.
  bool run();
  // Whether the calling thread runs a handler now.
  bool is_in_handler() const noexcept;

 private:
  struct Entry {  // the context of the near transport's handlers
    Post* post = nullptr;
    std::uint16_t number = 0;
  };
  static void from_near(void* entry, Rank near, std::span<const std::byte> bytes);
  void take_near(std::uint16_t number, Rank from, std::span<const std::byte> bytes);
  bool run_kept();
  bool run_far();
  void run_one(std::uint16_t number, Rank from, std::span<const std::byte> bytes);

  const Neighbourhood& neighbourhood_;
  Transport& near_;
  mpi::Link& link_;
  Handlers handlers_;
  std::array<Entry, Transport::kHandlers> entries_;
  std::mutex running_;  // held by the thread that runs handlers
  std::mutex kept_mutex_;
  std::deque<mpi::Letter> kept_;  // of neighbours; guarded by kept_mutex_
};

}  // namespace weir::transport::joined
