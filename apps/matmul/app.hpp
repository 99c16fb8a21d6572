// SPDX-License-Identifier: Apache-2.0

// The matrix product as a TierApp.
#pragma once

#include <memory>

#include "apps/common/tier_app.hpp"
#include "apps/matmul/problem.hpp"

namespace weir::apps::matmul {

std::unique_ptr<TierApp> make_app(const Shape& shape);

}  // namespace weir::apps::matmul
