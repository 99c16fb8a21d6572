// SPDX-License-Identifier: Apache-2.0

// EDTs that no hint places.
#include <unistd.h>

#include <vector>

#include "multi/ocr/bodies.hpp"

namespace weir::ocr::multi {

namespace {

constexpr u64 kEdts = 60;

// Returns a block with its rank.
ocrGuid_t note_rank(u32, u64*, u32, ocrEdtDep_t*) {
  usleep(2000);
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, 8, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  *static_cast<u64*>(data) = this_rank();
  return block;
}

// `paramv[0]`: whether they are to be on several ranks.
ocrGuid_t check_ranks(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  std::vector<u64> on(rank_count());
  for (u32 i = 0; i < depc; ++i) ++on[*static_cast<const u64*>(depv[i].ptr)];
  for (u64 rank = 0; rank < rank_count(); ++rank)
    expect((on[rank] != 0) == (rank == 0 || paramv[0] != 0), "EDTs are on the ranks that they are to be on");
  ocrShutdown();
  return kNull;
}

ocrGuid_t make_unplaced(ocrEdt_t function, const std::vector<u64>& params, const std::vector<ocrGuid_t>& depv,
                        ocrGuid_t* output) {
  const ocrGuid_t of = make_template(function, EDT_PARAM_UNK, EDT_PARAM_UNK);
  std::vector<u64> paramv = params;
  std::vector<ocrGuid_t> given = depv;
  ocrGuid_t made = kNull;
  expect_code(ocrEdtCreate(&made, of, static_cast<u32>(paramv.size()), paramv.empty() ? nullptr : paramv.data(),
                           static_cast<u32>(given.size()), given.data(), EDT_PROP_NONE, nullptr, output),
              0, "ocrEdtCreate()");
  return made;
}

// Each depends on an event that fires when all are made, so that output events are linked before.
void make_all(bool are_spread) {
  const ocrGuid_t start = make_event(OCR_EVENT_STICKY_T);
  std::vector<ocrGuid_t> outputs(kEdts, kNull);
  for (ocrGuid_t& output : outputs) make_unplaced(&note_rank, {}, {start}, &output);
  make_unplaced(&check_ranks, {are_spread ? u64{1} : u64{0}}, outputs, nullptr);
  expect_code(ocrEventSatisfy(start, kNull), 0, "ocrEventSatisfy()");
}

void spread() { make_all(true); }
void stay() { make_all(false); }
const Named named_spread("spread", &spread), named_stay("stay", &stay);

ocrGuid_t nothing(u32, u64*, u32, ocrEdtDep_t*) { return kNull; }

void place_one() {
  make_edt(rank_count() - 1, &nothing, {});
  make_all(false);
}
const Named named_place_one("place-one", &place_one);

// A tree of EDTs in a finish scope, whose leaves add to a block.
ocrGuid_t add(u32, u64*, u32, ocrEdtDep_t* depv) {
  ++static_cast<u64*>(depv[0].ptr)[0];
  return kNull;
}

ocrGuid_t branch(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 depth = paramv[0];
  for (u64 i = 0; i < 3; ++i) {
    if (depth == 0)
      make_unplaced(&add, {}, {guid_of(paramv[1])}, nullptr);
    else
      make_unplaced(&branch, {depth - 1, paramv[1]}, {kNull}, nullptr);
  }
  return kNull;
}

ocrGuid_t check_tree(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(static_cast<u64*>(depv[0].ptr)[0] == 3 * 3 * 3 * 3 * 3 * 3, "each leaf has added one");
  ocrShutdown();
  return kNull;
}

void tree() {
  ocrGuid_t block = kNull, edt = kNull, ended = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, 8, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  *static_cast<u64*>(data) = 0;
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  u64 params[] = {5, word_of(block)};
  expect_code(ocrEdtCreate(&edt, make_template(&branch, 2, 1), 2, params, 1, nullptr, EDT_PROP_FINISH, nullptr, &ended),
              0, "ocrEdtCreate()");
  make_unplaced(&check_tree, {}, {block, ended}, nullptr);
  expect_code(ocrAddDependence(kNull, edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_tree("tree", &tree);

}  // namespace

}  // namespace weir::ocr::multi
