// SPDX-License-Identifier: Apache-2.0

// ObjectWord: the first word of everything that has a GUID: generation, index, life, and a lock.
//
// Memory of objects is of one type for ever (object_table.hpp), so a stale GUID may always be looked at: lock() fails
// unless the object is the one the GUID was made for, and alive. The lock is held for a few instructions; no thread
// waits or calls the program's code under it. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "ocr/objects/guid.hpp"

namespace weir::ocr {

class ObjectWord {
 public:
  // OBJ-1: acquire, paired with the release of unlock(): what was done under the lock before is seen.
  [[nodiscard]] bool lock(std::uint32_t generation) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (unsigned tries = 0;;) {
      if ((word >> kGenerationShift) != generation || (word & kAlive) == 0) return false;
      if ((word & kLocked) != 0) {
        wait(tries);
        word = word_.load(std::memory_order_relaxed);
      } else if (word_.compare_exchange_weak(word, word | kLocked, std::memory_order_acquire,  // OBJ-1
                                             std::memory_order_relaxed)) {
        return true;
      }
    }
  }
  // The caller knows that the memory is still the object's, dead or alive.
  void lock_held() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (unsigned tries = 0;;) {
      if ((word & kLocked) != 0) {
        wait(tries);
        word = word_.load(std::memory_order_relaxed);
      } else if (word_.compare_exchange_weak(word, word | kLocked, std::memory_order_acquire,  // OBJ-1
                                             std::memory_order_relaxed)) {
        return;
      }
    }
  }
  void unlock() noexcept { word_.store(mine() & ~kLocked, std::memory_order_release); }  // OBJ-1

  // The holder of the lock calls it: the GUID is good no more. The object stays locked.
  // Relaxed: unlock() publishes it.
  void kill() noexcept { word_.store(mine() & ~kAlive, std::memory_order_relaxed); }
  // Both at once, of one that is killed already, too. Returns the GUID that it had.
  Guid kill_and_unlock(Kind kind) noexcept {
    const std::uint64_t word = mine();
    word_.store(word & ~(kAlive | kLocked), std::memory_order_release);  // OBJ-1
    return guid_in(word, kind);
  }

  // Kills what the caller owns and has not locked, as soon as no thread has it locked.
  void end() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (unsigned tries = 0;;) {
      if ((word & kLocked) != 0) {
        wait(tries);
        word = word_.load(std::memory_order_relaxed);
      } else if (word_.compare_exchange_weak(word, word & ~kAlive, std::memory_order_acq_rel,  // OBJ-1
                                             std::memory_order_relaxed)) {
        return;
      }
    }
  }

  bool alive(std::uint32_t generation) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);  // OBJ-1
    return (word >> kGenerationShift) == generation && (word & kAlive) != 0;
  }
  // Under a generation that others may have, too: those of labels.
  bool alive(std::uint32_t generation, std::uint32_t index) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);  // OBJ-1
    return (word & ~kLocked) ==
           (std::uint64_t{generation} << kGenerationShift | std::uint64_t{index} << kIndexShift | kAlive);
  }
  bool alive() const noexcept { return (word_.load(std::memory_order_acquire) & kAlive) != 0; }  // OBJ-1

  // The memory was never used, or is to have another index.
  void reset(std::uint32_t index) noexcept {
    word_.store(std::uint64_t{index} << kIndexShift, std::memory_order_relaxed);
  }
  // A free object becomes alive under a new generation, and locked: known to the caller only, but a thread that goes
  // through all objects waits until it is made. Returns its GUID.
  Guid revive_locked(Kind kind) noexcept {
    const std::uint64_t before = mine();
    const std::uint64_t generation = ((before >> kGenerationShift) + 1) % Guid::kGenerations;
    const std::uint64_t word = generation << kGenerationShift | (before & kIndexMask) | kAlive | kLocked;
    word_.store(word, std::memory_order_relaxed);
    return guid_in(word, kind);
  }
  // As unlock(), of an object that was made just now, under that GUID: the word is not read, which would have to wait
  // for the store before.
  void unlock_made(Guid guid) noexcept { word_.store(word_of(guid) | kAlive, std::memory_order_release); }  // OBJ-1
  // The object of a label, locked afterwards, and dead: no thread finds it before revive(). False when it is alive.
  [[nodiscard]] bool try_lock_dead(Guid label) noexcept {
    const std::uint64_t locked = word_of(label) | kLocked;
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (unsigned tries = 0;;) {
      if ((word & kAlive) != 0) return false;
      if ((word & kLocked) != 0) {  // it is being taken apart
        wait(tries);
        word = word_.load(std::memory_order_relaxed);
      } else if (word_.compare_exchange_weak(word, locked, std::memory_order_acquire,  // OBJ-1
                                             std::memory_order_relaxed)) {
        return true;
      }
    }
  }
  // What try_lock_dead() has locked is alive. Relaxed: it stays locked, and unlocking publishes what is in it.
  void revive() noexcept { word_.store(mine() | kAlive, std::memory_order_relaxed); }
  // Both: alive and locked afterwards. False when it is alive already.
  [[nodiscard]] bool try_create(Guid label) noexcept {
    if (!try_lock_dead(label)) return false;
    revive();
    return true;
  }
  // Generation and index of a free object, which restore() gives back to it after a life under a label.
  std::uint64_t kept() const noexcept { return mine() & ~(kLocked | kAlive); }
  void restore(std::uint64_t kept) noexcept { word_.store(kept, std::memory_order_release); }
  std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(mine() >> kGenerationShift); }
  std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(mine() >> kIndexShift); }
  // The GUID of the object, which is of that kind.
  Guid guid(Kind kind) const noexcept { return guid_in(mine(), kind); }

 private:
  static constexpr std::uint64_t kLocked = 1, kAlive = 2;
  static constexpr int kIndexShift = 2, kGenerationShift = 36;
  static constexpr std::uint64_t kIndexMask = std::uint64_t{0xffffffff} << kIndexShift;

  static constexpr Guid guid_in(std::uint64_t word, Kind kind) noexcept {
    return Guid::make(kind, static_cast<std::uint32_t>(word >> kGenerationShift),
                      static_cast<std::uint32_t>(word >> kIndexShift));
  }
  // Neither alive nor locked.
  static constexpr std::uint64_t word_of(Guid guid) noexcept {
    return std::uint64_t{guid.generation()} << kGenerationShift | std::uint64_t{guid.index()} << kIndexShift;
  }
  // The word of the caller's own object, which no other thread changes, so relaxed.
  std::uint64_t mine() const noexcept { return word_.load(std::memory_order_relaxed); }
  static void wait(unsigned& tries) noexcept {
    if (++tries % 64 == 0) std::this_thread::yield();  // the holder may have lost its core
  }

  std::atomic<std::uint64_t> word_{0};  // OBJ-1; relaxed: first looks, and what the owner alone changes
};

}  // namespace weir::ocr
