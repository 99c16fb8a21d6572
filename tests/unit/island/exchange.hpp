// SPDX-License-Identifier: Apache-2.0

// Letters there and back, as master and worker write them: for tests, the stress program and the benchmark.
//
// Whoever asks posts the letter k in place k modulo the places, when the answer to the letter that was there has come.
// Beside it lie lines that asker and answerer write in turn, as tasks' data is.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>

#include "island/letter.hpp"
#include "platform/clock.hpp"

namespace weir::island {

template <std::size_t kLetter, std::uint32_t kPlaces>
class Exchange {
 public:
  // Made before the fork, with the letters in shared memory.
  explicit Exchange(SharedMemory& memory) : memory_(memory), places_(new (memory.data()) Places) {}
  static constexpr std::size_t bytes() { return sizeof(Places); }

  // Letters first, first + 1, ... and what comes back; 0 is not among the first kPlaces. False: something else came
  // than was sent, or `gave_up`.
  template <class GaveUp>
  bool ask(std::uint32_t first, std::uint64_t letters, GaveUp gave_up) {
    for (std::uint64_t sent = 0, answered = 0; answered < letters;) {
      if (sent < letters && sent - answered < kPlaces) {
        send(first + static_cast<std::uint32_t>(sent++));
      } else if (!is_answered(first + static_cast<std::uint32_t>(answered++), gave_up)) {
        return false;
      }
    }
    return true;
  }
  // Takes them and answers.
  template <class GaveUp>
  bool answer(std::uint32_t first, std::uint64_t letters, GaveUp gave_up) {
    for (std::uint64_t i = 0; i < letters; ++i) {
      const auto number = first + static_cast<std::uint32_t>(i);
      Place& place = places_->at(number % kPlaces);
      const auto letter = wait_for(place.there, number, gave_up);
      if (!letter || !is_right(*letter, number)) return false;
      memory_.invalidate(&place.data, sizeof(place.data));
      if (!holds(place.data, number)) return false;
      fill(place.data, ~number);
      memory_.write_back(&place.data, sizeof(place.data));
      std::memcpy(place.back.payload().data(), &number, sizeof(number));
      place.back.post(memory_, number, sizeof(number));
    }
    return true;
  }

 private:
  using Data = std::array<std::uint64_t, 24>;
  struct Place {
    Letter<kLetter> there;       // the asker's
    Letter<kLine> back;          // the answerer's
    alignas(kLine) Data data{};  // of each in turn
  };
  using Places = std::array<Place, kPlaces>;

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  static std::size_t length_of(std::uint32_t number) { return mixed(number + 1ull) % (Letter<kLetter>::kPayload + 1); }
  static std::byte byte_of(std::uint32_t number, std::size_t i) {
    return static_cast<std::byte>(number * 7 + (number >> 8) + i * 13);
  }
  static bool is_right(std::span<const std::byte> letter, std::uint32_t number) {
    if (letter.size() != length_of(number)) return false;
    for (std::size_t i = 0; i < letter.size(); ++i) {
      if (letter[i] != byte_of(number, i)) return false;
    }
    return true;
  }
  static void fill(Data& data, std::uint32_t number) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = number * 31ull + i;
  }
  static bool holds(const Data& data, std::uint32_t number) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data[i] != number * 31ull + i) return false;
    }
    return true;
  }

  void send(std::uint32_t number) {
    Place& place = places_->at(number % kPlaces);
    memory_.invalidate(&place.data, sizeof(place.data));
    fill(place.data, number);
    memory_.write_back(&place.data, sizeof(place.data));
    const std::size_t length = length_of(number);
    for (std::size_t i = 0; i < length; ++i) place.there.payload()[i] = byte_of(number, i);
    place.there.post(memory_, number, length);
  }
  template <class GaveUp>
  bool is_answered(std::uint32_t number, GaveUp gave_up) {
    Place& place = places_->at(number % kPlaces);
    const auto letter = wait_for(place.back, number, gave_up);
    if (!letter || letter->size() != sizeof(number) || std::memcmp(letter->data(), &number, sizeof(number)) != 0) {
      return false;
    }
    memory_.invalidate(&place.data, sizeof(place.data));
    return holds(place.data, ~number);
  }
  template <class L, class GaveUp>
  std::optional<std::span<const std::byte>> wait_for(L& letter, std::uint32_t number, GaveUp gave_up) {
    for (std::uint32_t looks = 1;; ++looks) {
      if (const auto found = letter.take(memory_, number)) return found;
      platform::spin_pause();
      if (looks % 256 != 0) continue;
      if (gave_up()) return std::nullopt;
      sched_yield();  // the other may need this core
    }
  }

  SharedMemory& memory_;
  Places* places_;
};

}  // namespace weir::island
