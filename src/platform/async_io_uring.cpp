// SPDX-License-Identifier: Apache-2.0

// The engine over io_uring. One thread owns the ring: it submits, sleeps in it, and answers; others only queue, and
// wake it by an eventfd that the ring reads. So no request belongs to a thread that may end before it does.
#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "platform/io_pieces.hpp"
#include "platform/start_thread.hpp"
#include "platform/uring_buffers.hpp"

namespace weir::platform {
namespace {

class UringIo final : public AsyncIo {
 public:
  UringIo(unsigned depth, std::size_t piece_bytes) : depth_(depth), piece_bytes_(piece_bytes), pieces_(piece_bytes) {}
  ~UringIo() override;

  base::Status start();

  void submit(IoRequest* request) noexcept override;
  void register_memory(std::span<std::byte> memory) noexcept override;
  void forget_memory(std::span<std::byte> memory) noexcept override;
  const char* name() const noexcept override { return "io_uring"; }
  std::string report() const override;

 private:
  struct Slot {
    IoPiece piece;
    Slot* next = nullptr;
  };
  struct Change {
    std::span<std::byte> memory;
    bool forget;
  };

  bool was_asleep() noexcept WEIR_REQUIRES(mutex_) { return std::exchange(asleep_, false); }
  void wake_if(bool asleep) noexcept;
  void run() noexcept;
  void arm_wake() noexcept;
  void issue_new() noexcept;
  void issue(Slot* slot) noexcept;
  void reap() noexcept;
  void settle(Slot* slot, long result) noexcept;
  void answer_all() noexcept;
  void enter(unsigned wait_for) noexcept;
  bool change_buffers() noexcept;

  const unsigned depth_;
  const std::size_t piece_bytes_;
  io_uring ring_{};
  int event_ = -1;
  bool ring_open_ = false;
  std::thread thread_;

  mutable base::Mutex mutex_;
  std::condition_variable changed_;
  IoPieces pieces_ WEIR_GUARDED_BY(mutex_);
  bool asleep_ WEIR_GUARDED_BY(mutex_) = false;  // whoever queues something has to wake the engine
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<Change> changes_ WEIR_GUARDED_BY(mutex_);  // asked for, not yet made
  std::uint64_t asked_ WEIR_GUARDED_BY(mutex_) = 0;      // changes so far
  std::uint64_t made_ WEIR_GUARDED_BY(mutex_) = 0;       // of them done
  std::string buffers_report_ WEIR_GUARDED_BY(mutex_);

  // The engine's thread only.
  UringBuffers buffers_{ring_};
  std::vector<Slot> slots_;
  Slot* free_ = nullptr;
  Slot* finished_ = nullptr;  // settled, and the last piece of their requests
  unsigned in_flight_ = 0;
  bool wake_armed_ = false;
  std::uint64_t event_value_ = 0;
};

base::Status UringIo::start() {
  const auto refused = [](const char* call, int error) {
    return base::Status{base::Code::unsupported, fmt::format("io_uring is not available here ({}: {})", call,
                                                             std::generic_category().message(error))};
  };
  const int result = io_uring_queue_init(depth_ + 1, &ring_, 0);  // and the read that wakes
  if (result < 0) return refused("io_uring_queue_init", -result);
  ring_open_ = true;
  event_ = eventfd(0, EFD_CLOEXEC);
  if (event_ < 0) return refused("eventfd", errno);
  slots_.resize(depth_);
  for (Slot& slot : slots_) slot.next = std::exchange(free_, &slot);
  buffers_.open();
  {
    const base::Lock lock(mutex_);
    buffers_report_ = buffers_.report();
  }
  thread_ = start_thread("weir files", [this] { run(); });
  return base::Status::success();
}

UringIo::~UringIo() {
  if (thread_.joinable()) {
    {
      const base::Lock lock(mutex_);
      stopping_ = true;
      asleep_ = false;
    }
    wake_if(true);  // the engine waits for this wake-up before it ends
    thread_.join();
  }
  if (ring_open_) {
    io_uring_unregister_buffers(&ring_);  // the ring itself ends a little later, and so would what it has pinned
    io_uring_queue_exit(&ring_);
  }
  if (event_ >= 0) close(event_);
}

void UringIo::submit(IoRequest* request) noexcept {
  base::Lock lock(mutex_);
  pieces_.push(request);
  const bool asleep = was_asleep();
  lock.unlock();
  wake_if(asleep);
}

void UringIo::register_memory(std::span<std::byte> memory) noexcept {
  base::Lock lock(mutex_);
  changes_.push_back({memory, false});
  ++asked_;
  const bool asleep = was_asleep();
  lock.unlock();
  wake_if(asleep);
}

void UringIo::forget_memory(std::span<std::byte> memory) noexcept {
  base::Lock lock(mutex_);
  changes_.push_back({memory, true});
  const std::uint64_t ours = ++asked_;
  const bool asleep = was_asleep();
  lock.unlock();
  wake_if(asleep);
  lock.lock();
  while (made_ < ours) lock.wait(changed_);
}

std::string UringIo::report() const {
  base::Lock lock(mutex_);
  return fmt::format("io_uring: up to {} pieces of {} KiB in flight, {}", depth_, piece_bytes_ / 1024, buffers_report_);
}

void UringIo::wake_if(bool asleep) noexcept {
  if (!asleep) return;
  const std::uint64_t one = 1;
  while (write(event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void UringIo::run() noexcept {
  arm_wake();
  while (true) {
    issue_new();
    if (change_buffers()) continue;
    if (finished_ != nullptr) {
      enter(0);
      answer_all();
    } else {
      {
        base::Lock lock(mutex_);
        if (stopping_ && !wake_armed_ && in_flight_ == 0 && pieces_.empty()) return;
        if (!changes_.empty() || (free_ != nullptr && !pieces_.empty())) continue;
        asleep_ = free_ != nullptr;  // where every slot is taken, only an answer helps
      }
      enter(1);
      base::Lock lock(mutex_);
      asleep_ = false;
    }
    reap();
  }
}

void UringIo::arm_wake() noexcept {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  io_uring_prep_read(sqe, event_, &event_value_, sizeof event_value_, 0);
  io_uring_sqe_set_data(sqe, nullptr);
  wake_armed_ = true;
}

void UringIo::issue_new() noexcept {
  Slot* taken = nullptr;
  {
    base::Lock lock(mutex_);
    while (free_ != nullptr && !pieces_.empty()) {
      Slot* slot = free_;
      free_ = slot->next;
      slot->piece = pieces_.take();
      slot->next = std::exchange(taken, slot);
    }
  }
  Slot* in_order = nullptr;
  while (taken != nullptr) {
    Slot* slot = taken;
    taken = slot->next;
    slot->next = std::exchange(in_order, slot);
  }
  while (in_order != nullptr) {
    Slot* slot = in_order;
    in_order = slot->next;
    ++in_flight_;
    issue(slot);
  }
}

// There is an entry for every slot.
void UringIo::issue(Slot* slot) noexcept {
  const IoPiece& piece = slot->piece;
  const int fd = piece.request->fd;
  const auto bytes = static_cast<unsigned>(piece.left());
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  const int buffer = buffers_.find(piece.data(), bytes);
  if (bytes == 0) {
    io_uring_prep_nop(sqe);
  } else if (piece.request->write) {
    buffer < 0 ? io_uring_prep_write(sqe, fd, piece.data(), bytes, piece.offset())
               : io_uring_prep_write_fixed(sqe, fd, piece.data(), bytes, piece.offset(), buffer);
  } else {
    buffer < 0 ? io_uring_prep_read(sqe, fd, piece.data(), bytes, piece.offset())
               : io_uring_prep_read_fixed(sqe, fd, piece.data(), bytes, piece.offset(), buffer);
  }
  io_uring_sqe_set_data(sqe, slot);
}

void UringIo::enter(unsigned wait_for) noexcept {
  const int result = wait_for == 0 ? io_uring_submit(&ring_) : io_uring_submit_and_wait(&ring_, wait_for);
  if (result >= 0 || result == -EINTR) return;
  WEIR_CHECK(result == -EAGAIN || result == -EBUSY, "the kernel takes what is in the ring, or says that it is busy");
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void UringIo::reap() noexcept {
  io_uring_cqe* cqe = nullptr;
  while (io_uring_peek_cqe(&ring_, &cqe) == 0) {
    auto* slot = static_cast<Slot*>(io_uring_cqe_get_data(cqe));
    const long result = cqe->res;
    io_uring_cqe_seen(&ring_, cqe);
    if (slot != nullptr) {
      settle(slot, result);
    } else {
      base::Lock lock(mutex_);
      wake_armed_ = false;
      if (!stopping_) arm_wake();
    }
  }
}

void UringIo::settle(Slot* slot, long result) noexcept {
  bool last = false;
  {
    base::Lock lock(mutex_);
    if (pieces_.again(slot->piece, result)) {
      lock.unlock();
      issue(slot);
      return;
    }
    last = pieces_.finish(slot->piece) != nullptr;
  }
  --in_flight_;
  slot->next = std::exchange(last ? finished_ : free_, slot);
}

// In the order in which they finished.
void UringIo::answer_all() noexcept {
  Slot* ordered = nullptr;
  while (finished_ != nullptr) {
    Slot* slot = finished_;
    finished_ = slot->next;
    slot->next = std::exchange(ordered, slot);
  }
  while (ordered != nullptr) {
    Slot* slot = ordered;
    ordered = slot->next;
    IoRequest& request = *slot->piece.request;
    slot->next = std::exchange(free_, slot);
    answer(request);
  }
}

bool UringIo::change_buffers() noexcept {
  std::vector<Change> changes;
  {
    base::Lock lock(mutex_);
    changes.swap(changes_);
  }
  if (changes.empty()) return false;
  for (const Change& change : changes) change.forget ? buffers_.remove(change.memory) : buffers_.add(change.memory);
  {
    base::Lock lock(mutex_);
    made_ += changes.size();
    buffers_report_ = buffers_.report();
  }
  changed_.notify_all();
  return true;
}

}  // namespace

base::Result<std::unique_ptr<AsyncIo>> open_uring_io(unsigned depth, std::size_t piece_bytes) {
  auto io = std::make_unique<UringIo>(depth, piece_bytes);
  if (auto status = io->start(); !status) return status;
  return std::unique_ptr<AsyncIo>(std::move(io));
}

}  // namespace weir::platform
