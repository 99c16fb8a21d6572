// SPDX-License-Identifier: Apache-2.0

// Handlers: what a rank runs when a message arrives, by number. One per transport; written before the first collective
// call, read afterwards by the thread that makes progress.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.hpp"
#include "transport/no_memory.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

class Handlers {
 public:
  void set(std::uint16_t number, Transport::Handler handler, void* context) {
    WEIR_CHECK(number < Transport::kHandlers, "a handler's number is less than Transport::kHandlers");
    entries_[number] = {handler, context};
  }
  void run(std::uint16_t number, Rank from, std::span<const std::byte> bytes) const {
    WEIR_CHECK(number < Transport::kHandlers && entries_[number].handler != nullptr,
               "a message for a handler that this rank has not set (set_handler())");
    or_end_without_memory("what a message from another rank brings",
                          [&] { entries_[number].handler(entries_[number].context, from, bytes); });
  }

 private:
  struct Entry {
    Transport::Handler handler = nullptr;
    void* context = nullptr;
  };
  std::array<Entry, Transport::kHandlers> entries_{};
};

}  // namespace weir::transport
