// SPDX-License-Identifier: Apache-2.0

// Raw: two ranks and nothing between them and the transport: what messages and gets cost by themselves. One thread of
// each rank.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "launch/job.hpp"
#include "transport/open_transport.hpp"

namespace weir::bench {

class Raw {
 public:
  static constexpr std::size_t kLarge = std::size_t{1} << 20;

  // Of both ranks.
  Raw() {
    launch::Job job = launch::job_from_environment().value();
    job.id += ".raw";  // a second job of the same processes
    transport_ = std::move(transport::open_transport(job).value());
    transport_->set_handler(
        0, [](void* self, Rank, std::span<const std::byte>) { ++static_cast<Raw*>(self)->received_; }, this);
    region_ = transport_->make_region({.size = {kLarge}}).value();
    channel_ = transport_->open_channel();
    std::memset(region_.data, 1, kLarge);
    target_.resize(kLarge);
  }
  ~Raw() { static_cast<void>(transport_->leave()); }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  // Seconds of so many messages of a word there and back.
  double there_and_back(int times) {
    return seconds([&] {
      for (int i = 0; i < times; ++i) {
        if (is_first()) send();
        receive();
        if (!is_first()) send();
      }
    });
  }
  // The same with a get of kLarge bytes after each message there.
  double large(int times) {
    return seconds([&] {
      for (int i = 0; i < times; ++i) {
        if (is_first()) {
          send();
          receive();
        } else {
          receive();
          static_cast<void>(channel_->get(target_.data(), {Rank{0}, region_.id, 0}, kLarge));
          send();
        }
      }
    });
  }

 private:
  template <class F>
  double seconds(F&& body) {
    static_cast<void>(transport_->barrier());
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  bool is_first() const { return transport_->rank() == Rank{0}; }
  void send() {
    const std::uint64_t word = 0;
    static_cast<void>(transport_->send(Rank{is_first() ? 1u : 0u}, 0, std::as_bytes(std::span(&word, 1))));
  }
  void receive() {
    while (received_ == taken_) transport_->progress();
    ++taken_;
  }

  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<transport::Channel> channel_;
  transport::Region region_;
  std::vector<std::byte> target_;
  std::uint64_t received_ = 0, taken_ = 0;
};

}  // namespace weir::bench
