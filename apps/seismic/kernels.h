/* SPDX-License-Identifier: Apache-2.0 */

/* The kernels of kernels.hpp for C: what the variants in OCR compute with, so that one compares runtimes and not
 * compilers. Any thread; the same rules. */
#pragma once

#include "apps/seismic/fields.h"

#ifdef __cplusplus
namespace weir::apps::seismic {
extern "C" {
#endif

/* The instruction sets that this processor has, best first, count from 0. NULL: there are no more. */
const char* seismic_kernels_name(unsigned set);

/* Of a set that there is. */
void seismic_stress_row(unsigned set, const Bands* bands, Index row);
void seismic_velocity_row(unsigned set, const Bands* bands, Index row);
void seismic_sweep(unsigned set, const Bands* bands, const Source* source, const Sweep* sweep);

/* Doubles from row to row, and, beyond whole rows, from array to array: see layout.hpp. */
Index seismic_stride(Index cols);
Index seismic_array_shift(void);

#ifdef __cplusplus
}
}  // namespace weir::apps::seismic
#endif
