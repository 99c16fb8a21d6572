/* SPDX-License-Identifier: Apache-2.0 */

/* The wave problem in OCR, as section 4.1 of the KNL paper describes it: what the program (ocr.c) and the variants of
 * `weir run seismic` (ocr_variants.cpp) run.
 *
 * The grid is cut in blocks of whole rows. For each, a `create` EDT makes the EDTs of one step and, after them, the
 * next `create`; neighbours tell each other through channel events how far they are, and there is no barrier. EDTs run
 * where their block is (affinity). Two kinds of steps:
 *
 *   in phases  one iteration: `phase 1`, a finish EDT with `tasks` workers, then `phase 2`, another: the paper's
 *   in sweeps  several iterations in one EDT, up by a row with each (fields.h), while a strip of the block is in cache;
 *              in `tasks` parts of the columns, an EDT each, so that more than one block is at work in a step
 *
 * Everything that EDTs need beside the blocks is in the plan, a data block that all of them read. */
#pragma once

#include "apps/seismic/kernels.h"
#include "ocr.h"

#ifdef __cplusplus
namespace weir::apps::seismic {
extern "C" {
#endif

typedef struct OcrSeismicShape {
  Index rows, cols;
  Index block_rows; /* the last block may have fewer */
  u64 blocks;       /* at most 2^31 */
  u64 tasks;        /* workers in a phase of a block; parts of a sweep, fewer where the grid is narrow */
  u64 sweeps;       /* steps are sweeps */
  u64 kernels;      /* instruction set, see kernels.h */
  u64 iterations, steps;
  Index source_row, source_col;
  /* As in Sweep; strip_iterations at a time. strip_cols is a multiple of inner_cols. */
  Index strip_iterations, strip_cols, inner_iterations, inner_rows, inner_cols;
} OcrSeismicShape;

typedef struct OcrSeismicBlock {
  ocrGuid_t state;    /* data block: V, S, T */
  ocrGuid_t ground;   /* data block: M, D, L; read only */
  ocrGuid_t affinity; /* NULL_GUID: none */
} OcrSeismicBlock;

typedef struct OcrSeismicPlan OcrSeismicPlan;

/* Blocks of equal height, at most `blocks`, none of them empty; and sweeps of at most `depth` iterations, none deeper
 * than a block has rows. */
void seismic_cut(OcrSeismicShape *shape, u64 blocks, u64 depth);

/* The data blocks of all blocks, spread evenly over the affinities, everything in them undefined. 0, or the code of
 * OCR. */
u8 seismic_make_blocks(const OcrSeismicShape *shape, OcrSeismicBlock *blocks);
void seismic_destroy_blocks(const OcrSeismicShape *shape, const OcrSeismicBlock *blocks);

/* The plan for a run, with channels and templates; the pulse is copied: a value for each of its
 * iterations. The caller has acquired it as if made by ocrDbCreate(). Destroy it after the run. */
u8 seismic_make_plan(ocrGuid_t *guid, OcrSeismicPlan **plan, const OcrSeismicShape *shape,
                     const OcrSeismicBlock *blocks, const double *pulse);
void seismic_destroy_plan(ocrGuid_t guid, const OcrSeismicPlan *plan);
const OcrSeismicShape *seismic_shape(const OcrSeismicPlan *plan);
const OcrSeismicBlock *seismic_blocks(const OcrSeismicPlan *plan);

/* EDT, to be made as finish EDT; slot 0: the plan, RO. All steps of all blocks. */
ocrGuid_t seismic_simulate(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

/* Rows of a block, from column 0, for those who fill and read them. Call seismic_clear() first, once. */
typedef struct OcrSeismicRows {
  double *velocity, *stress_x, *stress_y, *material, *damping, *inverse_density;
} OcrSeismicRows;
void seismic_clear(const OcrSeismicShape *shape, void *state, void *ground);
/* `ground` may be NULL: no rows of it then. */
OcrSeismicRows seismic_rows(const OcrSeismicShape *shape, void *state, void *ground, Index row_in_block);
Index seismic_first_row(const OcrSeismicShape *shape, u64 block);
Index seismic_end_row(const OcrSeismicShape *shape, u64 block);

#ifdef __cplusplus
}
}  // namespace weir::apps::seismic
#endif
