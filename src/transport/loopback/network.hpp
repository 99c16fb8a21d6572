// SPDX-License-Identifier: Apache-2.0

// Network: what is under way between ranks of one process: messages and one-sided operations, which arrive one by one,
// in any order that the contract of the transport leaves open, by a random number that it is given.
//
// Messages from one rank to another stay in order. An operation of a channel is done at any time until its quiet(), but
// not before those to the same rank that a fence() has put before it. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace weir::transport::loopback {

struct Message {
  Rank from{};
  std::uint16_t handler = 0;
  std::vector<std::byte> bytes;
};

// What a channel has issued.
class Pending {
 public:
  using Action = std::function<void()>;
  // Numbers below a limit, by chance.
  using Random = std::function<std::uint64_t(std::uint64_t)>;

  bool is_empty() const noexcept { return operations_.empty(); }
  void add(Rank to, Action action) { operations_.push_back({to, fences_, std::move(action)}); }
  void fence() noexcept { ++fences_; }
  // One that may be done now; there is one.
  void do_one(const Random& random);
  // All to this rank, or those of them that the last fence has put before what comes.
  void do_all_to(Rank to, const Random& random);
  void do_fenced_to(Rank to, const Random& random);
  void do_all(const Random& random);
  // None of them will ever be done.
  void drop() noexcept { operations_.clear(); }

 private:
  struct Operation {
    Rank to{};
    std::uint64_t fences = 0;  // before it
    Action action;
  };
  // Of those for which `may` is true, one before which there is none to the same rank.
  template <class May>
  bool do_any(const Random& random, May may);

  std::vector<Operation> operations_;
  std::uint64_t fences_ = 0;
};

class Network {
 public:
  Network(std::uint32_t ranks, Pending::Random random) : inboxes_(ranks), random_(std::move(random)) {}

  void send(Rank to, Message message);
  // How many messages are on this way.
  std::size_t on_way(Rank from, Rank to) const;
  // Those that have arrived, oldest first.
  std::deque<Message>& inbox(Rank rank) { return inboxes_[static_cast<std::uint32_t>(rank)]; }

  void open(Rank owner, Pending& channel) { channels_.push_back({owner, &channel}); }
  void close(const Pending& channel);
  // Whether nothing is under way that a channel of this rank has issued.
  bool is_quiet(Rank rank) const;

  // One thing arrives; false when nothing is under way.
  bool happen();
  // Nothing goes to or from it any more.
  void lose(Rank rank);

 private:
  using Way = std::pair<Rank, Rank>;

  void arrive(std::uint64_t which);

  std::map<Way, std::deque<Message>> ways_;  // with messages
  std::vector<std::deque<Message>> inboxes_;
  struct Opened {
    Rank owner{};
    Pending* channel = nullptr;
  };
  std::vector<Opened> channels_;
  Pending::Random random_;
};

}  // namespace weir::transport::loopback
