// SPDX-License-Identifier: Apache-2.0

// The variants of the matrix product: one function each, called in a process of its own.
#pragma once

#include "apps/common/outcome.hpp"
#include "apps/common/tier_variants.hpp"
#include "apps/matmul/blas.hpp"
#include "apps/matmul/order.hpp"
#include "apps/matmul/problem.hpp"

namespace weir::apps::matmul {

struct Settings : TierSettings {
  Shape shape;
};

// The superblocks of C that `settings` ask for; the order naive has those of one tile.
Superblock superblock_of(const Settings& settings);
std::vector<Step> order_of(const Settings& settings);

// Each makes A and B, multiplies, and checks C: the outcome says what is wrong. Throw weir::Error when memory, threads
// or OpenBLAS cannot be had.
Outcome run_serial(const Settings& settings);
Outcome run_openmp(const Settings& settings);  // with a folder: over a mapped file
Outcome run_weir(const Settings& settings);    // settings.runtime says how
Outcome run_island(const Settings& settings);  // of no tiers; forks, so before the process has other threads
// Serial, OpenMP, mmap, Weir and islands by the variant's name; StarPU is a program of its own (bench/tiers).
Outcome run(const TierVariant& variant, Settings settings);

// Throws weir::Error instead of giving a status.
Blas load_blas();

}  // namespace weir::apps::matmul
