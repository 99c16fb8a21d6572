// SPDX-License-Identifier: Apache-2.0

// The stencil as a TierApp.
#pragma once

#include <memory>

#include "apps/common/tier_app.hpp"
#include "apps/stencil3d/problem.hpp"

namespace weir::apps::stencil3d {

std::unique_ptr<TierApp> make_app(const Shape& shape);

}  // namespace weir::apps::stencil3d
