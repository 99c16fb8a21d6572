/* SPDX-License-Identifier: Apache-2.0 */

/* The EDTs of the tree recursion, for the program and for what measures it. */
#pragma once

#include "ocr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of both: the event for the result, the templates of fib_edt and add_edt. */
typedef struct FibParams {
  ocrGuid_t result, fib, add;
} FibParams;
enum { kFibParams = sizeof(FibParams) / sizeof(u64), kFibSlots = 1, kFibAddSlots = 3 };

/* Slot: a block with n. The result comes in that block, which satisfies the event. */
ocrGuid_t fib_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);
/* Slots: the two results, the block of the parent. */
ocrGuid_t fib_add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Starts the recursion. `result` is an event that takes an argument. */
void fib_start(u64 n, const FibParams *params);

/* fib(n) by a loop; EDTs that the recursion takes: calls, and an addition for each that is not a leaf. */
u64 fib_by_loop(u64 n);
u64 fib_edts(u64 n);

#ifdef __cplusplus
}
#endif
