// SPDX-License-Identifier: Apache-2.0

// The variants in OCR: a runtime of OCR in this process, in which ocr_steps.c runs on a copy of the grid in OCR's data
// blocks.
//
// `ocr-plain` is the paper's program, a block as many rows as a task of weir-plain has. `ocr` goes through several
// iterations with a block in cache, as weir-bands does.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include "apps/seismic/ocr_steps.h"
#include "apps/seismic/solver.hpp"

#include "ocr/extensions/ocr-affinity.h"
#include "ocr/extensions/ocr-legacy.h"
#include "ocr/system/system.hpp"
#include "weir/error.hpp"

namespace weir::apps::seismic {
namespace {

void check(u8 code, const char* what) {
  if (code != 0) throw Error(fmt::format("ocr: {} failed with code {}", what, code));
}

// The runtime; the thread that makes it is outside of EDTs.
class OcrRuntime {
 public:
  explicit OcrRuntime(const Options& options) {
    if (const base::Status status = ocr::System::start(options, false); !status) throw Error(status.message);
  }
  ~OcrRuntime() { ocr::System::stop(); }
  OcrRuntime(const OcrRuntime&) = delete;
  OcrRuntime& operator=(const OcrRuntime&) = delete;

  // Runs a finish EDT, and all that it makes.
  template <std::size_t kParams, std::size_t kSlots>
  void run(ocrEdt_t function, u64 (&params)[kParams], ocrGuid_t (&slots)[kSlots]) {
    ocrGuid_t edt_template, done;
    check(ocrEdtTemplateCreate(&edt_template, function, kParams, kSlots), "a template");
    check(ocrLegacySpawnOCR(&done, edt_template, kParams, params, kSlots, slots, NULL_GUID), "the first EDT");
    check(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), "waiting");
    check(ocrEventDestroy(done), "destroying an event");
    check(ocrEdtTemplateDestroy(edt_template), "destroying a template");
  }
};

// What the EDTs that copy need; they are in this process.
struct Copying {
  const OcrSeismicShape* shape;
  const std::vector<OcrSeismicBlock>* blocks;
  const Fields* fields;
  bool with_ground;
};

// Parameters: the Copying, the block. Slots: its state and ground.
ocrGuid_t take_block(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const auto& c = *reinterpret_cast<const Copying*>(paramv[0]);
  const Fields& f = *c.fields;
  seismic_clear(c.shape, depv[0].ptr, depv[1].ptr);
  const Index first = seismic_first_row(c.shape, paramv[1]), end = seismic_end_row(c.shape, paramv[1]);
  for (Index y = first; y < end; ++y) {
    copy_row_out(f, y, seismic_rows(c.shape, depv[0].ptr, depv[1].ptr, y - first));
  }
  return NULL_GUID;
}

// Slots: the state.
ocrGuid_t give_back_block(u32, u64* paramv, u32, ocrEdtDep_t depv[]) {
  const auto& c = *reinterpret_cast<const Copying*>(paramv[0]);
  const Fields& f = *c.fields;
  const Index first = seismic_first_row(c.shape, paramv[1]), end = seismic_end_row(c.shape, paramv[1]);
  for (Index y = first; y < end; ++y) {
    const OcrSeismicRows from = seismic_rows(c.shape, depv[0].ptr, nullptr, y - first);
    copy_row_back(f, y, from.velocity, from.stress_x, from.stress_y);
  }
  return NULL_GUID;
}

// Parameters: the Copying, and the template of one of these. An EDT for each block.
ocrGuid_t copy_all(u32, u64* paramv, u32, ocrEdtDep_t[]) {
  const auto& c = *reinterpret_cast<const Copying*>(paramv[0]);
  const auto& edt_template = *reinterpret_cast<const ocrGuid_t*>(paramv[1]);
  for (u64 i = 0; i < c.blocks->size(); ++i) {
    const OcrSeismicBlock& block = (*c.blocks)[i];
    u64 params[] = {paramv[0], i};
    ocrGuid_t slots[] = {block.state, c.with_ground ? block.ground : NULL_GUID};
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_EDT_T);
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(block.affinity));
    ocrGuid_t edt;
    check(ocrEdtCreate(&edt, edt_template, 2, params, 2, slots, EDT_PROP_NONE, &hint, nullptr), "an EDT");
  }
  return NULL_GUID;
}

class OcrSolver final : public Solver {
 public:
  OcrSolver(const Settings& settings, bool sweeps) : settings_(settings), runtime_(settings.runtime) {
    const Tiling& t = settings.tiling;
    shape_.sweeps = sweeps ? 1 : 0;
    // Sweeps of two parts: twice as many may run as there are workers, so that none waits for a slower one.
    shape_.tasks = sweeps ? 2 : 1;
    shape_.block_rows = sweeps ? t.rows : settings.block_rows;
    while (all_kernels()[shape_.kernels] != settings.kernels) ++shape_.kernels;
    shape_.strip_iterations = t.iterations;
    shape_.strip_cols = t.cols;
    shape_.inner_iterations = t.inner_iterations;
    shape_.inner_rows = t.inner_rows;
    shape_.inner_cols = t.inner_cols;
  }

  void take(const Fields& f) override {
    shape_.rows = f.rows;
    shape_.cols = f.cols;
    shape_.block_rows = std::min(shape_.block_rows, f.rows);
    shape_.blocks = static_cast<u64>((f.rows + shape_.block_rows - 1) / shape_.block_rows);
    blocks_.resize(shape_.blocks);
    check(seismic_make_blocks(&shape_, blocks_.data()), "the data blocks");
    copy(f, take_block);
  }

  void run(const Fields&, const Source& source, Index first, Index count) override {
    if (count == 0) return;
    shape_.iterations = static_cast<u64>(count);
    shape_.steps = steps(count);
    shape_.source_row = source.row;
    shape_.source_col = source.col;
    ocrGuid_t guid;
    OcrSeismicPlan* plan;
    check(seismic_make_plan(&guid, &plan, &shape_, blocks_.data(), source.pulse + first), "the plan");
    u64 params[] = {0};
    ocrGuid_t slots[] = {guid};
    runtime_.run(seismic_simulate, params, slots);
    seismic_destroy_plan(guid, plan);
  }

  void give_back(const Fields& f) override {
    copy(f, give_back_block);
    seismic_destroy_blocks(&shape_, blocks_.data());
  }

 private:
  // Sweeps: at least one per worker, since one of all blocks is worked off block after block.
  u64 steps(Index count) const {
    if (shape_.sweeps == 0) return static_cast<u64>(count);
    const Index least = (count + shape_.block_rows - 1) / shape_.block_rows, workers = settings_.threads;
    return static_cast<u64>(std::min(count, (least + workers - 1) / workers * workers));
  }

  void copy(const Fields& f, ocrEdt_t function) {
    const Copying copying{&shape_, &blocks_, &f, function == take_block};
    ocrGuid_t edt_template;
    check(ocrEdtTemplateCreate(&edt_template, function, 2, 2), "a template");
    u64 params[] = {reinterpret_cast<u64>(&copying), reinterpret_cast<u64>(&edt_template)};
    ocrGuid_t slots[] = {NULL_GUID};
    runtime_.run(copy_all, params, slots);
    check(ocrEdtTemplateDestroy(edt_template), "destroying a template");
  }

  Settings settings_;
  OcrRuntime runtime_;
  OcrSeismicShape shape_{};
  std::vector<OcrSeismicBlock> blocks_;
};

std::unique_ptr<Solver> start_ocr_plain(const Settings& settings) {
  return std::make_unique<OcrSolver>(settings, false);
}
std::unique_ptr<Solver> start_ocr(const Settings& settings) { return std::make_unique<OcrSolver>(settings, true); }

constexpr std::array<Variant, 2> kVariants = {{
    {"ocr-plain", "EDTs of row blocks in OCR, no barrier", start_ocr_plain, false, false, true},
    {"ocr", "EDTs that take a block through several iterations in cache", start_ocr, false, false, true},
}};

}  // namespace

std::span<const Variant> ocr_variants() { return kVariants; }

}  // namespace weir::apps::seismic
