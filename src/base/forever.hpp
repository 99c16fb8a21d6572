// SPDX-License-Identifier: Apache-2.0

// Forever: what lives in static storage and is never destroyed, since threads may use it after static destruction.
// Unlike with new no memory is asked for, so that there is none to be missing.
#pragma once

namespace weir::base {

// static Forever<T> all; all.value is a T, made when it is first come by.
template <class T>
union Forever {
  T value;
  Forever() noexcept(noexcept(T())) : value() {}
  ~Forever() {}  // NOLINT(modernize-use-equals-default): the value stays
  Forever(const Forever&) = delete;
  Forever& operator=(const Forever&) = delete;
};

}  // namespace weir::base
