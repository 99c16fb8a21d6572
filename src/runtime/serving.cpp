// SPDX-License-Identifier: Apache-2.0

#include "runtime/serving.hpp"

#include "runtime/runtime_state.hpp"

namespace weir::runtime {

void serve_others(Runtime& runtime) noexcept { detail::RuntimeAccess::state(runtime)->scheduler->serve_others(); }

}  // namespace weir::runtime
