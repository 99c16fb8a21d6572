// SPDX-License-Identifier: Apache-2.0

// State: what the ranks of a loopback world have in common. Whoever's turn it is reads and writes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/pages.hpp"
#include "transport/loopback/network.hpp"
#include "transport/loopback/settings.hpp"
#include "transport/loopback/turns.hpp"
#include "transport/transport.hpp"

namespace weir::transport::loopback {

// What ends a rank's thread from within a call of the transport; not for programs to catch.
struct Killed {};  // it is lost
struct Ended {};   // a rank has aborted

class State {
 public:
  explicit State(const Settings& settings);

  const Settings& settings() const noexcept { return settings_; }
  Turns& turns() noexcept { return turns_; }
  Network& network() noexcept { return network_; }
  const Pending::Random& random() const noexcept { return random_; }

  // ---- Turns, for rank `self`; they throw Killed or Ended when its time has come ----
  void pass(Rank self);
  // lost when a rank is, unless it is true by then; stuck ones are told so.
  base::Status wait(Rank self, const Turns::Ready& ready);

  // ---- Ranks ----
  bool is_lost(Rank rank) const { return presence_[index(rank)] == Presence::lost; }
  std::optional<Lost> lost() const { return lost_; }
  base::Status status() const;
  void lose(Rank rank, std::string why);
  void leave(Rank rank) { presence_[index(rank)] = Presence::left; }
  // Its thread ends.
  void end(Rank rank);
  void abort(int status) { aborted_ = status; }
  std::optional<int> aborted() const { return aborted_; }

  // ---- All together ----
  // The number of the meeting at which this rank has arrived.
  std::uint64_t arrive();
  bool has_met(std::uint64_t meeting) const noexcept { return meetings_ > meeting; }
  std::vector<std::byte>& gathered(Rank rank) { return gathered_[index(rank)]; }

  // ---- Regions ----
  // The region with this number, made when the first rank asks for it.
  base::Status make_memory(std::uint16_t number, std::uint64_t stride, const std::string& name);
  void free_memory(std::uint16_t number) { memories_.erase(number); }
  std::byte* part(Rank rank, RegionId id) const;
  std::byte* find(const Location& at, std::size_t bytes) const;

 private:
  enum class Presence : std::uint8_t { here, left, lost };
  struct Memory {
    platform::Pages pages;
    std::byte* base;
    std::uint64_t stride;
  };

  static std::uint32_t index(Rank rank) noexcept { return static_cast<std::uint32_t>(rank); }
  void end_when_told(Rank self) const;
  void lose_when_due();

  Settings settings_;
  Pending::Random random_;
  Network network_;
  Turns turns_;
  std::vector<Presence> presence_;
  std::optional<Lost> lost_;
  std::optional<int> aborted_;
  std::uint32_t arrived_ = 0;
  std::uint64_t meetings_ = 0;
  std::vector<std::vector<std::byte>> gathered_;  // by rank
  std::map<std::uint16_t, Memory> memories_;
};

}  // namespace weir::transport::loopback
