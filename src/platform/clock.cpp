// SPDX-License-Identifier: Apache-2.0

#include "platform/clock.hpp"

#include <cstdio>
#include <cstring>
#include <memory>

namespace weir::platform {

namespace {

#if defined(__x86_64__)
// The flags say what the hardware does; the kernel, which compares the cores at start-up, may know better.
bool cycle_counter_is_steady() noexcept {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re"), &std::fclose);
  char text[256] = {};
  return file != nullptr && std::fgets(text, sizeof text, file.get()) != nullptr && std::strstr(text, "tsc") != nullptr;
}
#elif defined(__aarch64__)
bool cycle_counter_is_steady() noexcept { return true; }  // the architecture's generic timer is one for all cores
#else
bool cycle_counter_is_steady() noexcept { return false; }
#endif

}  // namespace

const bool kTicksAreCycles = cycle_counter_is_steady();

}  // namespace weir::platform
