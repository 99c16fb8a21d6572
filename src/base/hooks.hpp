// SPDX-License-Identifier: Apache-2.0

// Whether spawns leave behind what tracing, explaining and checking need, on or off: false in a build with
// -DWEIR_HOOKS=OFF, which exists to measure that (bench/hook_cost.py).
#pragma once

namespace weir::base {

#ifdef WEIR_NO_HOOKS
inline constexpr bool kHooks = false;
#else
inline constexpr bool kHooks = true;
#endif

}  // namespace weir::base
