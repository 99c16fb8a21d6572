// SPDX-License-Identifier: Apache-2.0

// Data blocks under labels that one rank has reserved and others make.
#include "bodies.hpp"
#include "ocr/extensions/ocr-labeling.h"

namespace weir::ocr::multi {

namespace {

ocrGuid_t make_range(u64 labels) {
  ocrGuid_t range = kNull;
  expect_code(ocrGuidRangeCreate(&range, labels, GUID_USER_DB), 0, "ocrGuidRangeCreate()");
  return range;
}

// Words of a block; the last one has to be right, too.
u64 words_of(u64 index) { return index % 2 == 0 ? 1 : 4000; }

void fill(void* data, u64 index) {
  auto* const words = static_cast<u64*>(data);
  for (u64 i = 0; i < words_of(index); ++i) words[i] = index + i;
}

bool is_filled(const void* data, u64 index) {
  const auto* const words = static_cast<const u64*>(data);
  return words[0] == index && words[words_of(index) - 1] == index + words_of(index) - 1;
}

// An EDT here, whose end counts down the latch, depends on the label. Its parameter is `word`.
void use_label(ocrGuid_t label, ocrEdt_t function, u64 rank, u64 word, ocrDbAccessMode_t mode, ocrGuid_t latch) {
  const Made user = make_edt(rank, function, {word, word_of(label)}, 1, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(user.output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(label, user.edt, 0, mode), 0, "ocrAddDependence() from the label of a data block");
}

// ---- Several EDTs make the block of each label: one of them does ----

ocrGuid_t read_block(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect(word_of(depv[0].guid) == paramv[1], "a slot has the block of its label");
  expect(is_filled(depv[0].ptr, paramv[0]), "a block has what its maker wrote, before anybody else sees it");
  return kNull;
}

// Slot 0: how many blocks were made.
ocrGuid_t make_if_not_there(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const u64 index = paramv[1];
  const ocrGuid_t wanted = label_of(guid_of(paramv[0]), index);
  ocrGuid_t label = wanted;
  void* data = nullptr;
  const u8 code = ocrDbCreate(&label, &data, words_of(index) * sizeof(u64), GUID_PROP_CHECK, NULL_HINT, NO_ALLOC);
  expect(code == 0 || code == OCR_EGUIDEXISTS, "one of those that make a label's block makes it");
  expect(word_of(label) == word_of(wanted), "the label is its maker's");
  if (code != 0) return kNull;
  fill(data, index);
  __atomic_fetch_add(static_cast<u64*>(depv[0].ptr), 1, __ATOMIC_RELAXED);  // EDTs of a rank share it
  return kNull;
}

ocrGuid_t check_count(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect(*static_cast<const u64*>(depv[1].ptr) == paramv[0], "each label's block is made once");
  return kNull;
}

// Before it is made and after, all ranks depend on the block of each label.
ocrGuid_t share_labels(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 ranks = rank_count(), labels = 2 * ranks;
  const ocrGuid_t range = make_range(labels), read = guid_of(paramv[0]), made = make_latch(2 * labels);
  ocrGuid_t count = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&count, &data, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0, "ocrDbCreate()");
  *static_cast<u64*>(data) = 0;
  expect_code(ocrDbRelease(count), 0, "ocrDbRelease()");
  const Made checks = make_edt(0, &check_count, {labels}, 2, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(checks.output, read, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(count, checks.edt, 1, DB_MODE_RO), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(made, checks.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  for (u64 i = 0; i < labels; ++i) {
    for (u64 maker = 0; maker < 2; ++maker) {
      const Made makes =
          make_edt((i + maker) % ranks, &make_if_not_there, {word_of(range), i}, 1, nullptr, EDT_PROP_NONE, true);
      expect_code(ocrAddDependence(makes.output, made, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
      for (u64 reader = 0; reader < ranks; ++reader)
        use_label(label_of(range, i), &read_block, reader, i, DB_MODE_CONST, read);
      expect_code(ocrAddDependence(count, makes.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
    }
  }
  return kNull;
}

void block_labels() {
  const u64 ranks = rank_count();
  const ocrGuid_t read = make_latch(4 * ranks * ranks + 1);
  shut_down_after({read});
  make_edt(ranks - 1, &share_labels, {word_of(read)});
}
const Named named_block_labels("block-labels", &block_labels);

// ---- One label, under which EDTs of all ranks make a block when it is free ----

constexpr u64 kLabelMakers = 4;  // on each rank

ocrGuid_t check_and_destroy(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect(is_filled(depv[0].ptr, paramv[0]), "it is this maker's block, and not the one before it");
  expect_code(ocrDbDestroy(depv[0].guid), 0, "ocrDbDestroy() of a label's block");
  return kNull;
}

ocrGuid_t make_block_when_free(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 number = paramv[2];
  ocrGuid_t label = guid_of(paramv[0]);
  void* data = nullptr;
  expect_code(ocrDbCreate(&label, &data, words_of(number) * sizeof(u64), GUID_PROP_BLOCK, NULL_HINT, NO_ALLOC), 0,
              "a data block, when its label is free");
  fill(data, number);
  expect_code(ocrDbRelease(label), 0, "ocrDbRelease() of a label's block");
  use_label(label, &check_and_destroy, (this_rank() + 1) % rank_count(), number, DB_MODE_RO, guid_of(paramv[1]));
  return kNull;
}

ocrGuid_t take_turns(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t label = label_of(make_range(3), 1);
  for (u64 i = 0; i < kLabelMakers * rank_count(); ++i)
    make_edt(i % rank_count(), &make_block_when_free, {word_of(label), paramv[0], i});
  return kNull;
}

void block_turns() {
  const ocrGuid_t done = make_latch(kLabelMakers * rank_count());
  shut_down_after({done});
  make_edt(rank_count() - 1, &take_turns, {word_of(done)});
}
const Named named_block_turns("block-turns", &block_turns);

// ---- A block that its maker does not hold; labels that are of no block ----

ocrGuid_t write_block(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  fill(depv[0].ptr, paramv[0]);
  return kNull;
}

ocrGuid_t make_unheld(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 index = paramv[3];
  ocrGuid_t label = guid_of(paramv[0]), events = guid_of(paramv[1]);
  void* data = nullptr;
  expect_code(ocrDbCreate(&events, &data, 8, GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), OCR_EINVAL, "an event's label");
  expect_code(ocrDbCreate(&label, &data, words_of(index) * sizeof(u64), GUID_PROP_CHECK | DB_PROP_NO_ACQUIRE, NULL_HINT,
                          NO_ALLOC),
              0, "a data block that its maker does not hold");
  expect_code(ocrDbRelease(label), OCR_EACCES, "ocrDbRelease() by who does not hold it");
  const ocrGuid_t latch = guid_of(paramv[2]);
  const Made writes = make_edt(this_rank(), &write_block, {index}, 1, nullptr, EDT_PROP_NONE, true);
  const Made reads = make_edt(rank_count() - 1, &read_block, {index, word_of(label)}, 2, nullptr, EDT_PROP_NONE, true);
  expect_code(ocrAddDependence(reads.output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(writes.output, reads.edt, 1, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(label, reads.edt, 0, DB_MODE_RO), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(label, writes.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  return kNull;
}

void unheld_blocks() {
  const ocrGuid_t latch = make_latch(rank_count()), range = make_range(rank_count());
  ocrGuid_t events = kNull;
  expect_code(ocrGuidRangeCreate(&events, 1, GUID_USER_EVENT_STICKY), 0, "ocrGuidRangeCreate()");
  shut_down_after({latch});
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    make_edt(rank, &make_unheld, {word_of(label_of(range, rank)), word_of(label_of(events, 0)), word_of(latch), rank});
  }
}
const Named named_unheld_blocks("unheld-blocks", &unheld_blocks);

// ---- Labels whose blocks are not made yet, in depv ----

// Slots 0 and 1: blocks of two ranks.
ocrGuid_t read_two(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  for (const u64 slot : {0, 1}) {
    const bool is_there = depv[slot].ptr != nullptr;
    expect(is_there, "an EDT that has a label in depv waits until its block is made");
    if (is_there) expect(is_filled(depv[slot].ptr, paramv[slot]), "a block has what its maker wrote");
  }
  return kNull;
}

ocrGuid_t make_readers(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t labels[] = {guid_of(paramv[2]), guid_of(paramv[3])}, latch = guid_of(paramv[4]);
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    const Made reads = make_edt(rank, &read_two, {paramv[0], paramv[1]}, 2, labels, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(reads.output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
  }
  return kNull;
}

// Slot 0: when all that depend on it have been made.
ocrGuid_t make_awaited(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t label = guid_of(paramv[0]);
  void* data = nullptr;
  expect_code(ocrDbCreate(&label, &data, words_of(paramv[1]) * sizeof(u64), GUID_PROP_CHECK, NULL_HINT, NO_ALLOC), 0,
              "ocrDbCreate()");
  fill(data, paramv[1]);
  return kNull;
}

// Slot 0: the range of another rank, in a data block.
ocrGuid_t make_all_readers(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const ocrGuid_t there = guid_of(*static_cast<const u64*>(depv[0].ptr)), here = make_range(2);
  const u64 ranks = rank_count();
  const ocrGuid_t made = make_latch(ranks), read = guid_of(paramv[0]);
  const ocrGuid_t labels[] = {label_of(there, 0), label_of(here, 1)};
  // First of all, since the latch is gone when the last of those below has ended.
  for (const u64 index : {0, 1})
    make_edt((index + 1) % ranks, &make_awaited, {word_of(labels[index]), index}, 1, &made);
  for (u64 rank = 0; rank < ranks; ++rank) {
    const Made makes = make_edt(rank, &make_readers, {0, 1, word_of(labels[0]), word_of(labels[1]), word_of(read)}, 1,
                                nullptr, EDT_PROP_NONE, true);
    expect_code(ocrAddDependence(makes.output, made, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL), 0, "an output");
    expect_code(ocrAddDependence(kNull, makes.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  }
  return kNull;
}

void depv_labels() {
  const u64 ranks = rank_count();
  const ocrGuid_t read = make_latch(ranks * ranks), range = make_range(2);
  ocrGuid_t named = kNull;
  void* data = nullptr;
  shut_down_after({read});
  expect_code(ocrDbCreate(&named, &data, sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC), 0, "ocrDbCreate()");
  *static_cast<u64*>(data) = word_of(range);
  expect_code(ocrDbRelease(named), 0, "ocrDbRelease()");
  make_edt(ranks - 1, &make_all_readers, {word_of(read)}, 1, &named);
}
const Named named_depv_labels("depv-labels", &depv_labels);

}  // namespace

}  // namespace weir::ocr::multi
