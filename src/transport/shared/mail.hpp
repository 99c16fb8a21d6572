// SPDX-License-Identifier: Apache-2.0

// Mail: the messages of a rank, in and out: a ring from each rank to each, a set of those who have sent something, and
// handlers, which run on one thread at a time. A rank of few looks at all rings, and has the set for who rings it.
//
// send() from a handler does not wait: what finds no room is kept, in order, and goes out with progress(). Any thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "transport/handlers.hpp"
#include "transport/shared/commons.hpp"
#include "transport/shared/peers.hpp"
#include "transport/shared/waiting.hpp"

namespace weir::transport::shared {

class Mail final : public Work {
 public:
  Mail(Commons& commons, Peers& peers, Waiting& waiting);

  void set_handler(std::uint16_t number, Transport::Handler handler, void* context) {
    handlers_.set(number, handler, context);
  }
  base::Status send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes);
  // Runs what has arrived, and sends what was kept; true when there was something. False at once while another thread
  // does so, and in a handler.
  bool progress() override;
  bool is_waiting() const noexcept override;
  // See Transport.
  void begin_polling() noexcept { commons_.pollers_of(commons_.rank()).fetch_add(1); }
  bool end_polling() noexcept;
  // Until all that was kept has gone out.
  base::Status send_all();

 private:
  static constexpr int kBatch = 64;  // messages of one rank before the next one's

  struct Kept {
    std::uint16_t handler;
    std::vector<std::byte> bytes;
  };
  // What goes to one rank: one thread writes to its ring at a time.
  struct Outbox {
    explicit Outbox(const Ring& to) : ring(to) {}
    bool try_write(std::uint16_t handler, std::span<const std::byte> bytes) WEIR_REQUIRES(mutex);

    Ring ring;
    base::Mutex mutex;
    std::deque<Kept> kept WEIR_GUARDED_BY(mutex);  // older than whatever is not in the ring yet
    Ring::Sent sent WEIR_GUARDED_BY(mutex);
    std::atomic<bool> has_kept{false};
  };

  bool try_send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes);
  void send_or_keep(Rank to, std::uint16_t handler, std::span<const std::byte> bytes);
  // The word of a rank's senders that has this rank's bit.
  std::atomic<std::uint64_t>& bit_at(Rank to) const noexcept {
    return commons_.senders_to(to)[static_cast<std::uint32_t>(commons_.rank()) / 64];
  }
  void announce_to(Rank to) noexcept;
  bool receive_from_all();
  bool receive_from_senders();
  bool receive_from(Rank from);
  bool has_arrived() const noexcept;
  bool send_kept();
  bool send_kept_to(Rank to);

  Commons& commons_;
  Peers& peers_;
  Waiting& waiting_;
  Handlers handlers_;
  std::vector<Ring> in_;                      // by rank
  std::vector<std::unique_ptr<Outbox>> out_;  // the same
  std::atomic<std::size_t> kept_{0};          // in all outboxes
  std::atomic<bool> is_running_{false};       // a thread is in progress()
};

}  // namespace weir::transport::shared
