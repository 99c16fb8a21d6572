// SPDX-License-Identifier: Apache-2.0

// Status and Result: what the environment can refuse, reported to the caller without an exception.
//
// A failure carries a kind, for code, and one line for people that names what was asked, what there was, and what to
// do. It is made once, at the first place that knows the cause; whoever turns it into output prints `message` as is.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace weir::base {

enum class Code : unsigned char { ok, bad_option, bad_input, not_found, no_space, io_error, unsupported, lost };

struct [[nodiscard]] Status {
  Code code = Code::ok;
  std::string message;

  explicit operator bool() const noexcept { return code == Code::ok; }
  static Status success() { return {}; }
};

// Either a T or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // implicit: `return value;`
  Result(Status failure) : status_(std::move(failure)) {
    WEIR_CHECK(status_.code != Code::ok, "a Result without a value needs a failure");
  }

  explicit operator bool() const noexcept { return value_.has_value(); }
  const Status& status() const noexcept { return status_; }
  T& value() & { return checked(*this); }
  const T& value() const& { return checked(*this); }
  T&& value() && { return std::move(checked(*this)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

 private:
  template <class Self>
  static auto& checked(Self& self) {
    WEIR_CHECK(self.value_.has_value(), "value() of a Result that holds a failure");
    return *self.value_;
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace weir::base
