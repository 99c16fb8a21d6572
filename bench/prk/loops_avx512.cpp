// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/inner_loops.hpp"

namespace weir::prk {

extern const Loops kAvx512Loops;
const Loops kAvx512Loops = {"AVX-512", &nstream, &star, &add_one, &finish, &transpose, &multiply};

}  // namespace weir::prk
