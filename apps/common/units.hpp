// SPDX-License-Identifier: Apache-2.0

// Bytes in the units in which tables show them. Pure.
#pragma once

namespace weir::apps {

template <class Number>
double mib(Number bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}
template <class Number>
double gib(Number bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

}  // namespace weir::apps
