// SPDX-License-Identifier: Apache-2.0

// Active messages: that they arrive whole, once and in order, and that nobody waits for ever.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

constexpr std::uint16_t kData = 3, kAnswer = 4, kLast = Transport::kHandlers - 1;

// Runs what arrives until it is so.
template <class Ready>
void progress_until(Transport& t, Ready ready) {
  while (!ready()) {
    if (!t.progress()) t.wait_for_arrival(3'600'000'000'000);
    require(!t.lost(), "a rank is lost");
  }
}

// A message that says who sends it, its number on that way, and is filled with what follows from both.
struct Numbered {
  std::uint32_t from, number;
};

std::vector<std::byte> numbered(std::uint32_t from, std::uint32_t number, std::size_t bytes) {
  std::vector<std::byte> result(std::max(bytes, sizeof(Numbered)));
  const Numbered head{from, number};
  std::memcpy(result.data(), &head, sizeof head);
  for (std::size_t i = sizeof head; i < result.size(); ++i) result[i] = static_cast<std::byte>(i * 7 + number + from);
  return result;
}

// Checks what arrives; handlers cannot throw through the transport, so it keeps the first thing that was wrong.
struct Inbox {
  explicit Inbox(Transport& t) : next(t.ranks()) {}
  std::vector<std::uint32_t> next;  // number, by sender
  std::uint64_t bytes = 0, count = 0;
  const char* wrong = nullptr;

  void take(Rank from, std::span<const std::byte> message) {
    const auto rank = static_cast<std::uint32_t>(from);
    Numbered head{};
    if (message.size() < sizeof head) return static_cast<void>(wrong = "a message is shorter than was sent");
    std::memcpy(&head, message.data(), sizeof head);
    const auto expected = numbered(rank, next[rank], message.size());
    if (head.from != rank) wrong = "the sender is the one that is said";
    if (head.number != next[rank]) wrong = "messages of one rank arrive in order, each once";
    if (!std::equal(message.begin(), message.end(), expected.begin())) wrong = "a message is as it was sent";
    ++next[rank];
    ++count;
    bytes += message.size();
  }
  static void handle(void* context, Rank from, std::span<const std::byte> message) {
    static_cast<Inbox*>(context)->take(from, message);
  }
};

void exchange(Transport& t, std::uint32_t count, std::size_t most_bytes) {
  Inbox inbox(t);
  t.set_handler(kData, Inbox::handle, &inbox);
  require(t.barrier());
  std::mt19937 random(me(t));
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t to = 0; to < t.ranks(); ++to) {
      require(t.send(Rank{to}, kData, numbered(me(t), i, random() % (most_bytes + 1))));
    }
  }
  progress_until(t, [&] { return inbox.count == std::uint64_t{count} * t.ranks() || inbox.wrong != nullptr; });
  require(inbox.wrong == nullptr, inbox.wrong);
  require(t.barrier());
  require(inbox.count == std::uint64_t{count} * t.ranks(), "no message arrives twice");
}

void messages_arrive_whole_and_in_order(Transport& t) { exchange(t, 500, 100); }

void messages_of_all_lengths_arrive(Transport& t) { exchange(t, 200, Transport::kMaxMessage); }

void an_empty_message_arrives(Transport& t) {
  std::uint32_t count = 0;
  t.set_handler(
      kLast,
      [](void* context, Rank, std::span<const std::byte> bytes) {
        if (bytes.empty()) ++*static_cast<std::uint32_t*>(context);
      },
      &count);
  require(t.barrier());
  require(t.send(next(t), kLast, {}));
  progress_until(t, [&] { return count == 1; });
  require(t.barrier());
}

// More than any ring holds, to a rank that does not look: the sender waits, and goes on when the other one does.
void a_sender_waits_for_room(Transport& t) {
  Inbox inbox(t);
  t.set_handler(kData, Inbox::handle, &inbox);
  require(t.barrier());
  constexpr std::uint32_t kCount = 1000;
  if (me(t) == 0) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      for (std::uint32_t to = 1; to < t.ranks(); ++to)
        require(t.send(Rank{to}, kData, numbered(0, i, Transport::kMaxMessage)));
    }
  } else {
    progress_until(t, [&] { return inbox.count == kCount || inbox.wrong != nullptr; });
    require(inbox.wrong == nullptr, inbox.wrong);
  }
  require(t.barrier());
}

// Every message is answered by the handler, while all ranks send as fast as they can: no ring is large enough for that.
void handlers_answer_a_flood(Transport& t) {
  struct Flood {
    Transport& transport;
    std::uint64_t asked = 0, answered = 0;
  } flood{t};
  t.set_handler(
      kData,
      [](void* context, Rank from, std::span<const std::byte> bytes) {
        auto& self = *static_cast<Flood*>(context);
        ++self.asked;
        static_cast<void>(self.transport.send(from, kAnswer, bytes));
      },
      &flood);
  t.set_handler(
      kAnswer, [](void* context, Rank, std::span<const std::byte>) { ++static_cast<Flood*>(context)->answered; },
      &flood);
  require(t.barrier());
  constexpr std::uint64_t kCount = 300;
  const auto message = numbered(me(t), 0, 3000);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    for (std::uint32_t to = 0; to < t.ranks(); ++to) require(t.send(Rank{to}, kData, message));
  }
  const std::uint64_t all = kCount * t.ranks();
  progress_until(t, [&] { return flood.answered == all && flood.asked == all; });
  require(t.barrier());
}

// Each rank waits for the one before it, asleep: every message wakes one.
void a_token_goes_around(Transport& t) {
  std::uint64_t token = 0;
  t.set_handler(
      kData,
      [](void* context, Rank, std::span<const std::byte> bytes) {
        std::memcpy(context, bytes.data(), sizeof(std::uint64_t));
      },
      &token);
  require(t.barrier());
  for (std::uint64_t round = 1; round <= 100; ++round) {
    if (me(t) != 0) progress_until(t, [&] { return token == round; });
    require(t.send(next(t), kData, std::as_bytes(std::span(&round, 1))));
    if (me(t) == 0) progress_until(t, [&] { return token == round; });
  }
  require(t.barrier());
}

// Messages go on while a rank waits in a barrier.
void a_barrier_makes_progress(Transport& t) {
  Inbox inbox(t);
  t.set_handler(kData, Inbox::handle, &inbox);
  require(t.barrier());
  if (me(t) == 0) {
    for (std::uint32_t i = 0; i < 200; ++i) {
      for (std::uint32_t to = 1; to < t.ranks(); ++to)
        require(t.send(Rank{to}, kData, numbered(0, i, Transport::kMaxMessage)));
    }
  }
  require(t.barrier());
  progress_until(t, [&] { return me(t) == 0 || inbox.count == 200 || inbox.wrong != nullptr; });
  require(inbox.wrong == nullptr, inbox.wrong);
  require(t.barrier());
}

// Handlers run on one thread at a time, whichever makes progress; each thread's messages stay in order.
void threads_send_and_make_progress(Transport& t) {
  struct Counts {
    std::atomic<std::uint32_t> inside{0};
    std::atomic<std::uint64_t> arrived{0};
    std::atomic<bool> together{false};
  } counts;
  t.set_handler(
      kData,
      [](void* context, Rank, std::span<const std::byte>) {
        auto& self = *static_cast<Counts*>(context);
        if (self.inside.fetch_add(1) != 0) self.together = true;
        self.arrived.fetch_add(1);
        self.inside.fetch_sub(1);
      },
      &counts);
  require(t.barrier());
  constexpr std::uint64_t kThreads = 3, kCount = 200;
  std::vector<std::thread> threads;
  std::atomic<bool> sent{true};
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t n = 0; n < kCount; ++n) {
        if (!t.send(next(t), kData, numbered(me(t), 0, 500))) sent = false;
      }
      while (counts.arrived < kThreads * kCount && sent) {
        if (!t.progress()) t.wait_for_arrival(1'000'000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  require(sent, "every message is sent");
  require(!counts.together, "handlers run on one thread at a time");
  require(counts.arrived == kThreads * kCount, "each message arrives once");
  require(t.barrier());
}

constexpr Body kMessageBodies[] = {
    {"messages_arrive_whole_and_in_order", messages_arrive_whole_and_in_order},
    {"messages_of_all_lengths_arrive", messages_of_all_lengths_arrive},
    {"an_empty_message_arrives", an_empty_message_arrives},
    {"a_sender_waits_for_room", a_sender_waits_for_room},
    {"handlers_answer_a_flood", handlers_answer_a_flood},
    {"a_token_goes_around", a_token_goes_around},
    {"a_barrier_makes_progress", a_barrier_makes_progress},
    {"threads_send_and_make_progress", threads_send_and_make_progress},
};

}  // namespace

std::span<const Body> message_bodies() { return kMessageBodies; }

}  // namespace weir::transport::conformance
