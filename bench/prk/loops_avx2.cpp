// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/inner_loops.hpp"

namespace weir::prk {

extern const Loops kAvx2Loops;
const Loops kAvx2Loops = {"AVX2", &nstream, &star, &add_one, &finish, &transpose, &multiply};

}  // namespace weir::prk
