// SPDX-License-Identifier: Apache-2.0

#include "island/worker.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "island/footprint.hpp"
#include "island/patience.hpp"
#include "platform/clock.hpp"

namespace weir::island {

namespace {

bool the_worker = false;

// A letter's bytes as the struct that was copied into them.
template <class T>
T read(std::span<const std::byte> bytes, std::size_t at) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Worker {
 public:
  Worker(SharedMemory& memory, const WorkerSetup& setup) : memory_(memory), setup_(setup) {}

  // False: the letter that ends the worker.
  bool run(std::span<const std::byte> letter, DoneLetter& answer, std::uint32_t number) {
    Done done{};
    done.taken = platform::ticks();
    const auto head = read<TaskHead>(letter, 0);
    if (head.invoke == nullptr) return false;
    open(head, letter.subspan(sizeof head));
    for (const Access& access : footprint_)
      for_each_run(access.region, [&](const void* data, std::size_t bytes) { memory_.invalidate(data, bytes); });
    done.fresh = platform::ticks();
    try {
      head.invoke(function_, footprint_.data());
    } catch (const std::exception& error) {
      fail(done, error.what(), answer);
    } catch (...) {
      fail(done, "an exception that is no std::exception", answer);
    }
    done.ended = platform::ticks();
    for (const Access& access : footprint_) {
      if (!writes(access.mode)) continue;
      for_each_run(access.region, [&](const void* data, std::size_t bytes) { memory_.write_back(data, bytes); });
    }
    if (setup_.check_writes) done.unwritten = memory_.find_unwritten(setup_.heap, setup_.heap_bytes);
    done.written = platform::ticks();
    std::memcpy(answer.payload().data(), &done, sizeof done);
    answer.post(memory_, number, sizeof done + done.text_bytes);
    return true;
  }

 private:
  // Footprint and callable out of the letter, or of where the letter says.
  void open(const TaskHead& head, std::span<const std::byte> rest) {
    if (head.spilled != nullptr) {
      memory_.invalidate(head.spilled, head.spilled_bytes);
      rest = {head.spilled, head.spilled_bytes};
    }
    footprint_.resize(head.items);
    for (std::uint32_t i = 0; i < head.items; ++i) {
      const auto item = read<Item>(rest, i * sizeof(Item));
      footprint_[i].region = item.region;
      footprint_[i].mode = static_cast<Mode>(item.mode);
    }
    const std::span<const std::byte> function = rest.subspan(head.items * sizeof(Item));
    if (head.function_bytes > small_.bytes.size()) {
      large_.resize(head.function_bytes / sizeof(Aligned) + 1);
      function_ = large_.data();
    } else {
      function_ = small_.bytes.data();
    }
    std::copy_n(function.data(), head.function_bytes, static_cast<std::byte*>(function_));
  }

  void fail(Done& done, std::string_view text, DoneLetter& answer) noexcept {
    done.failed = 1;
    done.text_bytes = static_cast<std::uint32_t>(std::min(text.size(), kTextBytes));
    std::memcpy(answer.payload().data() + sizeof done, text.data(), done.text_bytes);
  }

  struct alignas(detail::kMaxAlignment) Aligned {
    std::array<std::byte, 256> bytes;
  };

  SharedMemory& memory_;
  const WorkerSetup& setup_;
  std::vector<Access> footprint_;  // of the task that runs
  void* function_ = nullptr;       // its callable: in small_ or large_
  Aligned small_{};
  std::vector<Aligned> large_;
};

}  // namespace

bool in_worker() noexcept { return the_worker; }

void work(SharedMemory& memory, Mailbox& mailbox, const WorkerSetup& setup) {
  the_worker = true;
  Worker worker(memory, setup);
  Patience patience(setup.park_after_us);
  for (std::uint32_t number = 1;;) {
    Mailbox::Slot& slot = mailbox.slot(number);
    const auto letter = slot.task.take(memory, number);
    if (!letter) {
      patience.wait();
      continue;
    }
    patience.reset();
    if (!worker.run(*letter, slot.done, number)) return;
    number = Mailbox::after(number);
  }
}

}  // namespace weir::island
