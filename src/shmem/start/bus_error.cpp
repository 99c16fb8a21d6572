// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/bus_error.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

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

// Only what a handler may call.
void on_bus_error(int, siginfo_t* info, void*) {
  const int error = errno;
  const Place place = place_of(reinterpret_cast<std::uintptr_t>(info->si_addr));
  if (place.segment != nullptr && info->si_code == BUS_ADRERR) {
    const World& w = world();
    char line[400];
    const int length = std::snprintf(
        line, sizeof line,
        "weir: PE %d of %d: SIGBUS: there is no memory on this host for a page of the %s of PE %d, at %p. "
        "Touch less memory, or start fewer PEs on a host\n",
        w.my_pe, w.n_pes, place.segment->name, place.pe, info->si_addr);
    [[maybe_unused]] const ssize_t written =
        ::write(STDERR_FILENO, line, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof line - 1)));
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
