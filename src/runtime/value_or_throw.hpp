// SPDX-License-Identifier: Apache-2.0

// For functions of the API that throw: what a function of the library says that does not. Any thread.
#pragma once

#include <utility>

#include "base/result.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

// Throw weir::Error with the message of the status.
inline void ok_or_throw(const base::Status& status) {
  if (!status) throw Error(status.message);
}
template <class T>
T value_or_throw(base::Result<T> result) {
  if (!result) throw Error(result.status().message);
  return std::move(*result);
}

}  // namespace weir::runtime
