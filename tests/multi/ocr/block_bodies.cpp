// SPDX-License-Identifier: Apache-2.0

// Data blocks that EDTs of several ranks read and write.
#include <cstdio>
#include <cstring>
#include <random>

#include "multi/ocr/bodies.hpp"
#include "ocr/extensions/ocr-db-info.h"

namespace weir::ocr::multi {

namespace {

constexpr u64 kSizes[] = {8, 4096, 10'000, 1'000'000};  // in a slab; a block of its own; in many messages

// Released, with that value in its first and last word.
ocrGuid_t make_block(u64 bytes, u64 value) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  u64* const words = static_cast<u64*>(data);
  words[0] = words[bytes / 8 - 1] = value;
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  return block;
}

void expect_value(const ocrEdtDep_t& dep, u64 bytes, u64 value, const char* what) {
  const u64* const words = static_cast<const u64*>(dep.ptr);
  expect(words != nullptr && words[0] == value && words[bytes / 8 - 1] == value, what);
}

void add_to(const ocrEdtDep_t& dep, u64 bytes, u64 more) {
  u64* const words = static_cast<u64*>(dep.ptr);
  words[0] += more;
  if (bytes != 8) words[bytes / 8 - 1] += more;
}

// ---- Each mode, on each rank, one after the other ----

constexpr ocrDbAccessMode_t kModes[] = {DB_MODE_RW, DB_MODE_RO, DB_MODE_EW, DB_MODE_CONST};

// A link in a chain: the rank, how many are left, size and the value it finds; the end is an event.
ocrGuid_t link_of_chain(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const u64 left = paramv[0], bytes = paramv[1], value = paramv[2];
  expect_value(depv[0], bytes, value, "an EDT sees what the one before it has written");
  expect(word_of(depv[0].guid) == paramv[4], "a copy shows the GUID of its block");
  u64 size = 0;
  expect_code(ocrDbGetSize(depv[0].guid, &size), 0, "ocrDbGetSize() of a block that is held");
  expect(size == bytes, "a copy has the size of its block");
  const bool writes = depv[0].mode == DB_MODE_RW || depv[0].mode == DB_MODE_EW;
  if (writes) add_to(depv[0], bytes, 1);
  if (left == 0) {
    expect_code(ocrDbDestroy(depv[0].guid), 0, "ocrDbDestroy() of a block that is held");
    expect_code(ocrEventSatisfy(guid_of(paramv[3]), kNull), 0, "ocrEventSatisfy()");
    return kNull;
  }
  const bool early = left % 2 == 0;
  if (early) {
    expect_code(ocrDbRelease(depv[0].guid), 0, "ocrDbRelease()");
    expect_code(ocrDbRelease(depv[0].guid), OCR_EACCES, "ocrDbRelease() once more");
  }
  const Made next = make_edt((this_rank() + 1) % rank_count(), &link_of_chain,
                             {left - 1, bytes, value + (writes ? 1 : 0), paramv[3], paramv[4]}, 1);
  expect_code(ocrAddDependence(depv[0].guid, next.edt, 0, kModes[left % std::size(kModes)]), 0, "ocrAddDependence()");
  return kNull;
}

void modes() {
  std::vector<ocrGuid_t> ends;
  while (ends.size() < std::size(kSizes)) ends.push_back(make_event(OCR_EVENT_ONCE_T));
  shut_down_after(ends);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const ocrGuid_t block = make_block(kSizes[i], 5);
    const Made first =
        make_edt(1 % rank_count(), &link_of_chain, {40, kSizes[i], 5, word_of(ends[i]), word_of(block)}, 1);
    expect_code(ocrAddDependence(block, first.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  }
}
const Named named_modes("modes", &modes);

// ---- More blocks than there is memory for, each with a chain of its own ----

void many() {
  constexpr u64 kChains = 40, kBytes = 200'000;
  std::vector<ocrGuid_t> ends;
  while (ends.size() < kChains) ends.push_back(make_event(OCR_EVENT_ONCE_T));
  shut_down_after(ends);
  for (u64 i = 0; i < kChains; ++i) {
    const ocrGuid_t block = make_block(kBytes, i);
    const Made first = make_edt(i % rank_count(), &link_of_chain, {12, kBytes, i, word_of(ends[i]), word_of(block)}, 1);
    expect_code(ocrAddDependence(block, first.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  }
}
const Named named_many("many", &many);

// ---- Blocks that an event brings ----

ocrGuid_t produce(u32, u64* paramv, u32, ocrEdtDep_t*) { return make_block(paramv[0], paramv[1]); }

ocrGuid_t consume(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  for (u32 i = 0; i < depc; ++i) {
    expect_value(depv[i], paramv[0], paramv[1] + i, "what an EDT on another rank has returned");
    expect_code(ocrDbDestroy(depv[i].guid), 0, "ocrDbDestroy()");
  }
  return kNull;
}

// Each waits for its slot 0 alone. What depends on their ends has been linked before.
void start_all(const std::vector<Made>& edts) {
  for (const Made& each : edts)
    expect_code(ocrAddDependence(kNull, each.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}

void returned() {
  std::vector<ocrGuid_t> ends;
  std::vector<Made> producers;
  for (const u64 bytes : kSizes) {
    std::vector<ocrGuid_t> outputs;
    for (u64 rank = 0; rank < rank_count(); ++rank) {
      producers.push_back(make_edt(rank, &produce, {bytes, 100 + rank}, 1, nullptr, EDT_PROP_NONE, true));
      outputs.push_back(producers.back().output);
    }
    ends.push_back(make_edt(rank_count() - 1, &consume, {bytes, 100}, static_cast<u32>(outputs.size()), outputs.data(),
                            EDT_PROP_NONE, true)
                       .output);
  }
  shut_down_after(ends);
  start_all(producers);
}
const Named named_returned("returned", &returned);

// ---- Many EDTs on all ranks, each with some of many blocks, which they write one at a time ----

constexpr u32 kBlocks = 12;
constexpr u64 kEdts = 120;

// What an EDT does with a block: 0 writes it, 1 to 3 read it, others have nothing to do with it.
u64 use_of(u64 edt, u64 block) { return (edt * 7 + block * 5) % 6; }

ocrGuid_t add_to_some(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  for (u32 i = 0; i < depc; ++i) {
    if (depv[i].ptr == nullptr) continue;
    if (depv[i].mode == DB_MODE_EW) add_to(depv[i], paramv[0], 3);
    const u64* const words = static_cast<const u64*>(depv[i].ptr);
    const bool is_whole = words[0] == words[paramv[0] / 8 - 1];
    expect(is_whole || depv[i].mode == DB_MODE_RO, "nobody sees half of what another EDT writes");
  }
  return kNull;
}

ocrGuid_t write_blocks(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  std::mt19937_64 random(paramv[1]);
  for (u64 edt = 0; edt < kEdts; ++edt) {
    const Made made = make_edt(random() % rank_count(), &add_to_some, {paramv[0]}, kBlocks);
    for (u32 i = 0; i < kBlocks; ++i) {
      const u64 use = use_of(edt, i);
      const ocrDbAccessMode_t mode = use == 0 ? DB_MODE_EW : use == 1 ? DB_MODE_CONST : DB_MODE_RO;
      expect_code(ocrAddDependence(use > 3 ? kNull : depv[i].guid, made.edt, i, mode), 0, "ocrAddDependence()");
    }
  }
  return kNull;
}

ocrGuid_t check_blocks(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  for (u32 i = 0; i < kBlocks; ++i) {
    u64 writers = 0;
    for (u64 edt = 0; edt < kEdts; ++edt) writers += use_of(edt, i) == 0 ? 1 : 0;
    expect_value(depv[i], paramv[0], 1000 + 3 * writers, "all that write a block one at a time have written it");
    expect_code(ocrDbDestroy(depv[i].guid), 0, "ocrDbDestroy()");
  }
  return kNull;
}

void writers() {
  std::vector<ocrGuid_t> ends;
  std::vector<Made> producers;
  for (const u64 bytes : {u64{8}, u64{10'000}, u64{200'000}}) {
    std::vector<ocrGuid_t> outputs;
    for (u32 i = 0; i < kBlocks; ++i) {
      producers.push_back(make_edt(i % rank_count(), &produce, {bytes, 1000}, 1, nullptr, EDT_PROP_NONE, true));
      outputs.push_back(producers.back().output);
    }
    const Made all =
        make_edt(1 % rank_count(), &write_blocks, {bytes, 17}, kBlocks, outputs.data(), EDT_PROP_FINISH, true);
    outputs.push_back(all.output);
    ends.push_back(
        make_edt(rank_count() - 1, &check_blocks, {bytes}, kBlocks + 1, outputs.data(), EDT_PROP_NONE, true).output);
  }
  shut_down_after(ends);
  start_all(producers);
}
const Named named_writers("writers", &writers);

// ---- Written by one EDT, then read by several on each rank, again and again ----

constexpr u64 kVersions = 8;
constexpr ocrDbAccessMode_t kReads[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RO};

ocrGuid_t write_version(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect_value(depv[0], paramv[0], paramv[1], "an EDT that writes finds what was written last");
  add_to(depv[0], paramv[0], 1);
  return kNull;
}

ocrGuid_t read_version(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect_value(depv[0], paramv[0], paramv[1], "an EDT that depends on a write sees it, and no later one");
  return kNull;
}

// The first to be written waits for `begins`; what is given to `ends` waits for the last that are read.
void make_versions(ocrGuid_t block, u64 bytes, ocrGuid_t begins, std::vector<ocrGuid_t>& ends) {
  std::vector<ocrGuid_t> before{begins};
  for (u64 version = 0; version < kVersions; ++version) {
    const auto writer = make_edt(version % rank_count(), &write_version, {bytes, version},
                                 static_cast<u32>(before.size()) + 1, nullptr, EDT_PROP_NONE, true);
    u32 slot = 0;
    expect_code(ocrAddDependence(block, writer.edt, slot, version % 3 == 0 ? DB_MODE_EW : DB_MODE_RW), 0, "");
    for (const ocrGuid_t event : before)
      expect_code(ocrAddDependence(event, writer.edt, ++slot, DB_MODE_NULL), 0, "ocrAddDependence()");
    before.clear();
    for (u64 rank = 0; rank < rank_count(); ++rank) {
      for (const ocrDbAccessMode_t mode : kReads) {
        const auto reader = make_edt(rank, &read_version, {bytes, version + 1}, 2, nullptr, EDT_PROP_NONE, true);
        expect_code(ocrAddDependence(block, reader.edt, 0, mode), 0, "ocrAddDependence()");
        expect_code(ocrAddDependence(writer.output, reader.edt, 1, DB_MODE_NULL), 0, "ocrAddDependence()");
        before.push_back(reader.output);
      }
    }
  }
  ends.insert(ends.end(), before.begin(), before.end());
}

void versions() {
  const ocrGuid_t begins = make_event(OCR_EVENT_STICKY_T);
  std::vector<ocrGuid_t> ends;
  for (const u64 bytes : kSizes) make_versions(make_block(bytes, 0), bytes, begins, ends);
  shut_down_after(ends);
  expect_code(ocrEventSatisfy(begins, kNull), 0, "ocrEventSatisfy()");
}
const Named named_versions("versions", &versions);

// ---- On the rank that a hint names ----

// It writes the block that it makes, which is of the rank after its own.
ocrGuid_t make_elsewhere(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 bytes = paramv[0], home = (this_rank() + 1) % rank_count();
  ocrHint_t hint;
  expect_code(ocrHintInit(&hint, OCR_HINT_DB_T), 0, "ocrHintInit()");
  expect_code(ocrSetHintValue(&hint, OCR_HINT_DB_AFFINITY, ocrAffinityToHintValue(affinity_of_rank(home))), 0,
              "ocrSetHintValue()");
  ocrGuid_t block = kNull, affinity = kNull, empty = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, &hint, NO_ALLOC), 0, "ocrDbCreate() elsewhere");
  u64 one = 1, size = 0;
  expect_code(ocrAffinityQuery(block, &one, &affinity), 0, "ocrAffinityQuery()");
  expect(word_of(affinity) == word_of(affinity_of_rank(home)), "a block is on the rank of its hint");
  expect_code(ocrDbGetSize(block, &size), 0, "ocrDbGetSize() of a block that was made elsewhere");
  expect(size == bytes, "a block that was made elsewhere has its size");
  u64* const words = static_cast<u64*>(data);
  words[0] = words[bytes / 8 - 1] = 100 + this_rank();
  expect_code(ocrDbCreate(&empty, &data, bytes, DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC), 0, "ocrDbCreate() elsewhere");
  expect(data == nullptr, "a block that is not acquired has no address");
  expect_code(ocrDbDestroy(empty), 0, "ocrDbDestroy()");
  if (bytes == kSizes[1]) expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  return block;
}

void homes() {
  std::vector<ocrGuid_t> ends;
  std::vector<Made> makers;
  for (const u64 bytes : kSizes) {
    std::vector<ocrGuid_t> outputs;
    for (u64 rank = 0; rank < rank_count(); ++rank) {
      makers.push_back(make_edt(rank, &make_elsewhere, {bytes}, 1, nullptr, EDT_PROP_NONE, true));
      outputs.push_back(makers.back().output);
    }
    ends.push_back(make_edt(rank_count() - 1, &consume, {bytes, 100}, static_cast<u32>(outputs.size()), outputs.data(),
                            EDT_PROP_NONE, true)
                       .output);
  }
  shut_down_after(ends);
  start_all(makers);
}
const Named named_homes("homes", &homes);

// ---- Without end, until a rank is killed ----

ocrGuid_t look(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(depv[0].ptr != nullptr, "a block that is never destroyed is there");
  return kNull;
}

// Slots: a small block and a large one, which it writes. Those who look do so while they can.
ocrGuid_t go_on(u32, u64*, u32, ocrEdtDep_t* depv) {
  if (this_rank() == 0) {
    std::printf("round\n");
    std::fflush(stdout);
  }
  add_to(depv[0], kSizes[1], 1);
  add_to(depv[1], kSizes[3], 1);
  const Made next = make_edt((this_rank() + 1) % rank_count(), &go_on, {}, 2);
  for (u32 i = 0; i < 2; ++i) {
    for (u64 rank = 0; rank < rank_count(); ++rank) {
      const Made looks = make_edt(rank, &look, {}, 1);
      expect_code(ocrAddDependence(depv[i].guid, looks.edt, 0, DB_MODE_RO), 0, "ocrAddDependence()");
    }
    expect_code(ocrAddDependence(depv[i].guid, next.edt, i, DB_MODE_EW), 0, "ocrAddDependence()");
  }
  return kNull;
}

void endless() {
  const Made first = make_edt(0, &go_on, {}, 2);
  expect_code(ocrAddDependence(make_block(kSizes[1], 0), first.edt, 0, DB_MODE_EW), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(make_block(kSizes[3], 0), first.edt, 1, DB_MODE_EW), 0, "ocrAddDependence()");
}
const Named named_endless("endless", &endless);

// ---- Copies of the API, and a block that is gone ----

ocrGuid_t copy_between(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t done = kNull;
  expect_code(ocrDbCopy(guid_of(paramv[0]), 8, guid_of(paramv[1]), 0, 16, 0, &done), 0,
              "ocrDbCopy() of blocks elsewhere");
  expect_code(ocrAddDependence(done, guid_of(paramv[2]), 1, DB_MODE_NULL), 0, "ocrAddDependence()");
  return kNull;
}

ocrGuid_t check_copy(u32, u64*, u32, ocrEdtDep_t* depv) {
  const u64* const words = static_cast<const u64*>(depv[0].ptr);
  expect(words[0] == 1 && words[1] == 2 && words[3] == 1, "ocrDbCopy() has copied between blocks of other ranks");
  ocrShutdown();
  return kNull;
}

void copies() {
  const ocrGuid_t to = make_block(32, 1), from = make_block(24, 2);
  const Made checks = make_edt(0, &check_copy, {}, 2);
  expect_code(ocrAddDependence(to, checks.edt, 0, DB_MODE_RO), 0, "ocrAddDependence()");
  make_edt(rank_count() - 1, &copy_between, {word_of(to), word_of(from), word_of(checks.edt)});
}
const Named named_copies("copies", &copies);

ocrGuid_t expect_nothing(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(depv[0].ptr == nullptr && word_of(depv[0].guid) == word_of(kNull), "a block that is gone is none");
  ocrShutdown();
  return kNull;
}

void gone() {
  const ocrGuid_t block = make_block(64, 1);
  const Made waits = make_edt(rank_count() - 1, &expect_nothing, {}, 2);
  expect_code(ocrAddDependence(block, waits.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  expect_code(ocrDbDestroy(block), 0, "ocrDbDestroy()");
  expect_code(ocrAddDependence(kNull, waits.edt, 1, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_gone("gone", &gone);

// ---- Blocks that an event brings to an EDT which waits for it ----

ocrGuid_t satisfy_with(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), depv[0].guid), 0, "ocrEventSatisfy()");
  return kNull;
}

// Of a chain: waits for one event, and satisfies the next one with the block that the first brought.
ocrGuid_t pass_on(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const ocrGuid_t from = guid_of(paramv[0]), to = guid_of(paramv[1]);
  const u64 bytes = paramv[2], value = paramv[3];
  ocrGuid_t block = kNull;
  void *data = nullptr, *again = nullptr;
  u64 size = 0;
  expect_code(ocrLegacyBlockProgress(from, &block, &data, &size, LEGACY_PROP_NONE), 0, "ocrLegacyBlockProgress()");
  expect(size == bytes, "a block that an event brings has its size");
  const ocrEdtDep_t held{block, data, DB_MODE_RW};
  expect_value(held, bytes, value, "an EDT sees what the one before it has written to a block that it waited for");
  expect_code(ocrLegacyBlockProgress(from, &block, &again, nullptr, LEGACY_PROP_NONE), 0, "waiting once more");
  expect(again == data, "a block that is held is where it is");
  add_to(held, bytes, 1);
  if (value % 2 == 0) {
    expect_code(ocrDbRelease(block), 0, "ocrDbRelease() of a block that was waited for");
    expect_code(ocrDbRelease(block), OCR_EACCES, "ocrDbRelease() once more");
    expect_code(ocrEventSatisfy(to, block), 0, "ocrEventSatisfy()");
    return kNull;
  }
  const Made then = make_edt(this_rank(), &satisfy_with, {paramv[1]}, 1);  // when this one has ended and released it
  expect_code(ocrAddDependence(block, then.edt, 0, DB_MODE_RO), 0, "ocrAddDependence()");
  return kNull;
}

ocrGuid_t end_chain(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect_value(depv[0], paramv[0], paramv[1], "what all EDTs of a chain have written is there");
  expect_code(ocrDbDestroy(depv[0].guid), 0, "ocrDbDestroy()");
  return kNull;
}

void looks() {
  const u64 steps = 4 * rank_count();
  std::vector<ocrGuid_t> ends, begins, blocks;
  for (const u64 bytes : kSizes) {
    ocrGuid_t before = make_event(OCR_EVENT_STICKY_T);
    begins.push_back(before);
    blocks.push_back(make_block(bytes, 0));
    for (u64 i = 0; i < steps; ++i) {
      const ocrGuid_t after = make_event(OCR_EVENT_STICKY_T);
      make_edt(i % rank_count(), &pass_on, {word_of(before), word_of(after), bytes, i});
      before = after;
    }
    const Made last = make_edt(rank_count() - 1, &end_chain, {bytes, steps}, 1, nullptr, EDT_PROP_NONE, true);
    ends.push_back(last.output);
    expect_code(ocrAddDependence(before, last.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  }
  shut_down_after(ends);
  for (std::size_t i = 0; i < begins.size(); ++i)
    expect_code(ocrEventSatisfy(begins[i], blocks[i]), 0, "ocrEventSatisfy()");
}
const Named named_looks("looks", &looks);

// Slot 0, in mode RW: the block, of which it writes the second word, once another EDT may have it.
ocrGuid_t write_while_lent(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  expect_code(ocrEventSatisfy(guid_of(paramv[0]), depv[0].guid), 0, "ocrEventSatisfy()");
  for (int i = 0; i < 1000; ++i) expect_code(ocrInformLegacyCodeBlocking(), 0, "a wait");
  static_cast<u64*>(depv[0].ptr)[1] += 8;
  return kNull;
}

ocrGuid_t write_what_it_waited_for(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrLegacyBlockProgress(guid_of(paramv[0]), &block, &data, nullptr, LEGACY_PROP_NONE), 0, "waiting");
  static_cast<u64*>(data)[0] += 7;
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease() of a block that was waited for");
  return kNull;
}

// Slots 0 and 1: both have ended. Slot 2: the block.
ocrGuid_t end_written(u32, u64*, u32, ocrEdtDep_t* depv) {
  const auto* const words = static_cast<const u64*>(depv[2].ptr);
  expect(words[0] == 7 && words[1] == 8, "what two EDTs of different ranks have written to one block is there");
  ocrShutdown();
  return kNull;
}

void looks_at_lent() {
  const ocrGuid_t block = make_block(16, 0), brings = make_event(OCR_EVENT_STICKY_T);
  const Made lent = make_edt(rank_count() - 1, &write_while_lent, {word_of(brings)}, 1, nullptr, EDT_PROP_NONE, true);
  const Made waits = make_edt(0, &write_what_it_waited_for, {word_of(brings)}, 1, nullptr, EDT_PROP_NONE, true);
  const Made last = make_edt(0, &end_written, {}, 3);
  expect_code(ocrAddDependence(lent.output, last.edt, 0, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(waits.output, last.edt, 1, DB_MODE_NULL), 0, "an output");
  expect_code(ocrAddDependence(block, last.edt, 2, DB_MODE_RO), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(kNull, waits.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(block, lent.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
}
const Named named_looks_at_lent("looks-at-lent", &looks_at_lent);

ocrGuid_t look_at_nothing(u32, u64* paramv, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull;
  void* data = &block;
  u64 size = 1;
  expect_code(ocrLegacyBlockProgress(guid_of(paramv[0]), &block, &data, &size, LEGACY_PROP_NONE), 0, "waiting");
  expect(data == nullptr && size == 0, "a block that is gone is none");
  ocrShutdown();
  return kNull;
}

void looks_at_nothing() {
  const ocrGuid_t event = make_event(OCR_EVENT_STICKY_T), block = make_block(kSizes[1], 1);
  expect_code(ocrEventSatisfy(event, block), 0, "ocrEventSatisfy()");
  expect_code(ocrDbDestroy(block), 0, "ocrDbDestroy()");
  make_edt(rank_count() - 1, &look_at_nothing, {word_of(event)});
}
const Named named_looks_at_nothing("looks-at-nothing", &looks_at_nothing);

// ---- Memory inside blocks, which EDTs of all ranks manage ----

constexpr u64 kHeapBytes = 64 * 1024, kPiece = 512;

// Released.
ocrGuid_t make_heap(const ocrHint_t* hint, u64 first) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, kHeapBytes, DB_PROP_NONE, const_cast<ocrHint_t*>(hint), WEIR_ALLOC), 0,
              "ocrDbCreate() of a heap");
  void* piece = nullptr;
  expect_code(ocrDbMalloc(block, kPiece, &piece), 0, "ocrDbMalloc() of its maker");
  expect(piece == data, "a heap is given out from its start");
  std::memcpy(piece, &first, sizeof first);
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  return block;
}

u64& word_at(const ocrEdtDep_t& dep, u64 offset) {
  return *reinterpret_cast<u64*>(static_cast<char*>(dep.ptr) + offset);
}

// Until there is no room, and then all of it back.
void use_it_up(const ocrEdtDep_t& dep, u64 pieces_in_use) {
  std::vector<u64> offsets;
  u64 offset = 0;
  while (ocrDbMallocOffset(dep.guid, kPiece, &offset) == 0) offsets.push_back(offset);
  expect(offsets.size() == kHeapBytes / kPiece - pieces_in_use, "all that is free is given out, and nothing twice");
  expect_code(ocrDbMallocOffset(dep.guid, 1, &offset), OCR_ENOMEM, "ocrDbMallocOffset() where nothing is left");
  for (const u64 each : offsets) expect_code(ocrDbFreeOffset(dep.guid, each), 0, "ocrDbFreeOffset()");
  expect_code(ocrDbFreeOffset(dep.guid, offsets[0]), OCR_EINVAL, "ocrDbFreeOffset() once more");
  expect_code(ocrDbFree(dep.guid, &offset), OCR_EINVAL, "ocrDbFree() of what is not in the block");
}

// Of a chain: how many are left, the piece that the one before has written, the end's event, a block that this EDT
// does not hold, and one without a heap, in slot 1.
ocrGuid_t use_heap(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const u64 left = paramv[0], last = paramv[1];
  expect(word_at(depv[0], last) == left + 1, "a piece has what the EDT before has written into it");
  u64 offset = 0;
  void* piece = nullptr;
  expect_code(ocrDbMallocOffset(guid_of(paramv[3]), 8, &offset), OCR_EACCES, "ocrDbMallocOffset() of one not held");
  expect_code(ocrDbMalloc(depv[1].guid, 8, &piece), OCR_EINVAL, "ocrDbMalloc() of one without a heap");
  expect_code(ocrDbMalloc(depv[0].guid, kPiece, &piece), 0, "ocrDbMalloc()");
  const u64 mine = static_cast<u64>(static_cast<char*>(piece) - static_cast<char*>(depv[0].ptr));
  expect(mine != last && mine + kPiece <= kHeapBytes, "a piece is in the block, and nobody else's");
  word_at(depv[0], mine) = left;
  expect_code(ocrDbFree(depv[0].guid, static_cast<char*>(depv[0].ptr) + last), 0, "ocrDbFree()");
  use_it_up(depv[0], 1);
  if (left == 0) {
    expect_code(ocrEventSatisfy(guid_of(paramv[2]), kNull), 0, "ocrEventSatisfy()");
    return kNull;
  }
  const Made next = make_edt((this_rank() + 1) % rank_count(), &use_heap, {left - 1, mine, paramv[2], paramv[3]}, 2);
  expect_code(ocrAddDependence(depv[0].guid, next.edt, 0, left % 2 == 0 ? DB_MODE_RW : DB_MODE_EW), 0, "dependence");
  expect_code(ocrAddDependence(depv[1].guid, next.edt, 1, DB_MODE_RO), 0, "ocrAddDependence()");
  return kNull;
}

void heaps() {
  constexpr u64 kSteps = 20;
  const ocrGuid_t plain = make_block(64, 1), other = make_heap(nullptr, 0);
  std::vector<ocrGuid_t> ends;
  for (u64 rank = 0; rank < rank_count(); ++rank) ends.push_back(make_event(OCR_EVENT_ONCE_T));
  shut_down_after(ends);
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    ocrHint_t at;
    static_cast<void>(ocrHintInit(&at, OCR_HINT_DB_T));
    static_cast<void>(ocrSetHintValue(&at, OCR_HINT_DB_AFFINITY, ocrAffinityToHintValue(affinity_of_rank(rank))));
    const ocrGuid_t heap = make_heap(&at, kSteps + 1);
    const Made first = make_edt(rank_count() - 1, &use_heap, {kSteps, 0, word_of(ends[rank]), word_of(other)}, 2);
    expect_code(ocrAddDependence(heap, first.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
    expect_code(ocrAddDependence(plain, first.edt, 1, DB_MODE_RO), 0, "ocrAddDependence()");
  }
}
const Named named_heaps("heaps", &heaps);

ocrGuid_t destroy_heap(u32, u64* paramv, u32, ocrEdtDep_t*) {
  expect_code(ocrDbDestroy(guid_of(paramv[0])), 0, "ocrDbDestroy() of a block that is held elsewhere");
  expect_code(ocrEventSatisfy(guid_of(paramv[1]), kNull), 0, "ocrEventSatisfy()");
  return kNull;
}

// A copy that is to be written keeps the heap of a block that is destroyed meanwhile.
ocrGuid_t use_destroyed(u32, u64*, u32, ocrEdtDep_t* depv) {
  const ocrGuid_t done = make_event(OCR_EVENT_STICKY_T);
  make_edt(0, &destroy_heap, {word_of(depv[0].guid), word_of(done)});
  expect_code(ocrLegacyBlockProgress(done, nullptr, nullptr, nullptr, LEGACY_PROP_NONE), 0, "waiting");
  u64 offset = 0;
  expect_code(ocrDbMallocOffset(depv[0].guid, kPiece, &offset), 0, "ocrDbMallocOffset() of one that is destroyed");
  expect(offset == kPiece, "the heap of a block that is destroyed, and held, goes on");
  expect_code(ocrDbFreeOffset(depv[0].guid, 0), 0, "ocrDbFreeOffset() of one that is destroyed");
  ocrShutdown();
  return kNull;
}

void destroyed_heap() {
  const Made uses = make_edt(rank_count() - 1, &use_destroyed, {}, 1);
  expect_code(ocrAddDependence(make_heap(nullptr, 0), uses.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
}
const Named named_destroyed_heap("destroyed-heap", &destroyed_heap);

}  // namespace

}  // namespace weir::ocr::multi
