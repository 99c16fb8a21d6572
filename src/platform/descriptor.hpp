// SPDX-License-Identifier: Apache-2.0

// Descriptor: a file descriptor that is closed with its owner. None of the library's has a number of the standard
// streams: where a program was started with one of these closed, what it prints would go into that file, which may be
// memory. Any thread.
#pragma once

#include <utility>

namespace weir::platform {

// The same file under a number above those of standard input, output and error, closed in programs that this one
// becomes; the number itself when it is above them, or negative, or no other is left. For every descriptor that is
// kept.
int above_standard(int number) noexcept;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(above_standard(number)) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }
  void close() noexcept;
  // It is the caller's to close now.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace weir::platform
