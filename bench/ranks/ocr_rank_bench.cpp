// SPDX-License-Identifier: Apache-2.0

// weir_ocr_rank_bench: what EDTs and data blocks over two ranks cost, beside the messages that they are made of, in
// turns in one run.
//
//   weir run -n 2 build/release/bench/ranks/weir_ocr_rank_bench [ROUNDS]     medians of so many; default 11
//
//   there and back   an EDT on rank 1, which makes one on rank 0; a message of a word there and back
//   1 MiB            a block of rank 0 that an EDT there writes and one of rank 1 reads; a get of as many bytes, with a
//                    message before and one after
//   1 MiB again      the same without the writing
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "ocr/extensions/ocr-affinity.h"
#include "ocr/ocr.h"
#include "ranks/raw.hpp"

namespace weir::bench {
namespace {

using Clock = std::chrono::steady_clock;

// What is measured, one after the other in each round.
enum Row : u64 { kEdts, kWritten, kRead, kRows };
constexpr std::array<int, kRows> kTimes{1000, 200, 200};

std::unique_ptr<Raw> raw;                               // of each rank
std::array<std::vector<double>, kRows> edts, messages;  // seconds of each round; rank 0 has them
Clock::time_point started;
std::size_t rounds = 11;

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

void print_row(const char* what, Row row) {
  const double scale = 1e6 / kTimes[row];
  const double with = median(edts[row]) * scale, without = median(messages[row]) * scale;
  fmt::print("{:<16} {:10.2f} {:12.2f} {:8.2f}\n", what, with, without, with / without);
}

// On rank 0 or 1.
ocrGuid_t make_edt(u64 rank, ocrEdt_t function, std::initializer_list<u64> params, u32 depc = 0) {
  u64 domains = 0;
  ocrAffinityCount(AFFINITY_PD, &domains);
  ocrGuid_t affinity, of, edt;
  ocrAffinityGetAt(AFFINITY_PD, rank == 0 ? 0 : domains - 1, &affinity);
  ocrHint_t hint;
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity));
  std::vector<u64> paramv(params);
  ocrEdtTemplateCreate(&of, function, static_cast<u32>(paramv.size()), depc);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, paramv.data(), EDT_PARAM_DEF, nullptr, EDT_PROP_NONE, &hint, nullptr);
  ocrEdtTemplateDestroy(of);
  return edt;
}

// ---- What is measured: EDTs that make one another, on rank 1 when an odd number is left ----

void end_row(Row row);

ocrGuid_t hop(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 left = paramv[0];
  if (left == 0)
    end_row(kEdts);
  else
    make_edt((left - 1) % 2, &hop, {left - 1});
  return NULL_GUID;
}

// Params: how many are left, and the row. Slot 0: the block.
ocrGuid_t use_block(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const u64 left = paramv[0], row = paramv[1];
  if (depv[0].mode == DB_MODE_RW) ++*static_cast<char*>(depv[0].ptr);
  if (left == 0) {
    end_row(static_cast<Row>(row));
    return NULL_GUID;
  }
  const ocrGuid_t block = depv[0].guid;
  ocrDbRelease(block);
  const ocrGuid_t next = make_edt((left - 1) % 2, &use_block, {left - 1, row}, 1);
  ocrAddDependence(block, next, 0, row == kWritten && left % 2 == 1 ? DB_MODE_RW : DB_MODE_RO);
  return NULL_GUID;
}

ocrGuid_t block;  // on rank 0

ocrGuid_t begin_row(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 row = paramv[0], all = 2 * static_cast<u64>(kTimes[row]);
  started = Clock::now();
  if (row == kEdts)
    make_edt(0, &hop, {all});
  else
    ocrAddDependence(block, make_edt(0, &use_block, {all, row}, 1), 0, DB_MODE_RW);
  return NULL_GUID;
}

// ---- The messages, by an EDT on each rank, before each row ----

ocrGuid_t send_messages(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const u64 rank = paramv[0], row = paramv[1];
  if (raw == nullptr) raw = std::make_unique<Raw>();
  const double seconds = row == kEdts ? raw->there_and_back(kTimes[row]) : raw->large(kTimes[row]);
  if (rank == 0) {
    messages[row].push_back(seconds);
    make_edt(0, &begin_row, {row});
  }
  return NULL_GUID;
}

void begin_messages(u64 row) {
  for (const u64 rank : {0, 1}) make_edt(rank, &send_messages, {rank, row});
}

ocrGuid_t end_messages(u32, u64* paramv, u32, ocrEdtDep_t*) {
  raw.reset();
  if (paramv[0] == 0) ocrShutdown();
  return NULL_GUID;
}

// On rank 0, after the last EDT of a row.
void end_row(Row row) {
  edts[row].push_back(std::chrono::duration<double>(Clock::now() - started).count());
  if (row + 1 < kRows) return begin_messages(row + 1);
  if (edts[row].size() < rounds) return begin_messages(kEdts);
  fmt::print("{:<16} {:>10} {:>12} {:>8}\n", "us", "EDTs", "messages", "ratio");
  print_row("there and back", kEdts);
  print_row("1 MiB", kWritten);
  print_row("1 MiB again", kRead);
  for (const u64 rank : {1, 0}) make_edt(rank, &end_messages, {rank});
}

}  // namespace
}  // namespace weir::bench

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  using namespace weir::bench;
  if (weir::launch::job_from_environment()->ranks != 2) {
    fmt::print(stderr, "two ranks are compared: weir run -n 2\n");
    ocrAbort(2);
    return NULL_GUID;
  }
  if (ocrGetArgc(depv[0].ptr) > 1) rounds = std::max(1ul, std::strtoul(ocrGetArgv(depv[0].ptr, 1), nullptr, 10));
  void* data = nullptr;
  ocrDbCreate(&block, &data, Raw::kLarge, DB_PROP_NONE, nullptr, NO_ALLOC);
  ocrDbRelease(block);
  begin_messages(kEdts);
  return NULL_GUID;
}
