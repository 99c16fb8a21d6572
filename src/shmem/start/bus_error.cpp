// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/bus_error.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

// What was there before; read by the handler.
struct sigaction earlier;

struct Place {
  const Segment* segment = nullptr;
  int pe = 0;
};

Place place_of(std::uintptr_t address) noexcept {
  const World& w = world();
  for (int i = 0; i < w.n_segments; ++i) {
    const Segment& segment = w.all_segments[i];
    for (int pe = 0; pe < w.n_pes; ++pe) {
      const std::ptrdiff_t to_pe = segment.to_pe[pe];
      if (to_pe != Segment::kNotMapped && segment.contains(address - static_cast<std::uintptr_t>(to_pe)))
        return {&segment, pe};
    }
  }
  return {};
}

// A line on standard error, as a handler may write one: of the functions that print, it may call none.
class Line {
 public:
  Line& operator<<(std::string_view text) noexcept {
    const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(std::end(text_) - end_));
    std::memcpy(end_, text.data(), bytes);
    end_ += bytes;
    return *this;
  }
  Line& operator<<(int number) noexcept { return add(number, 10); }
  Line& operator<<(std::uintptr_t address) noexcept { return (*this << "0x").add(address, 16); }
  // Cuts off the end of what does not fit.
  void write() noexcept {
    end_ = std::min(end_, std::end(text_) - 1);
    *end_++ = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text_, static_cast<std::size_t>(end_ - text_));
  }

 private:
  template <class Number>
  Line& add(Number number, int base) noexcept {
    char digits[20];
    return *this << std::string_view(digits, std::to_chars(digits, std::end(digits), number, base).ptr);
  }

  char text_[400];
  char* end_ = text_;
};

// Only what a handler may call.
void on_bus_error(int, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const Place place = place_of(address);
  if (place.segment != nullptr && info->si_code == BUS_ADRERR) {
    const World& w = world();
    Line line;
    line << "weir: PE " << w.my_pe << " of " << w.n_pes
         << ": SIGBUS: there is no memory on this host for a page of the " << place.segment->name << " of PE "
         << place.pe << ", at " << address << ". Touch less memory, or start fewer PEs on a host";
    line.write();
  }
  sigaction(SIGBUS, &earlier, nullptr);  // the instruction is tried again
  errno = error;
}

}  // namespace

void name_bus_errors() {
  struct sigaction mine {};
  mine.sa_sigaction = on_bus_error;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &mine, &earlier);
}

void leave_bus_errors() noexcept {
  struct sigaction now {};
  sigaction(SIGBUS, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_bus_error) sigaction(SIGBUS, &earlier, nullptr);
}

}  // namespace weir::shmem
