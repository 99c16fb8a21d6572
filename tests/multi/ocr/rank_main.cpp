// SPDX-License-Identifier: Apache-2.0

// ocr_rank BODY   one rank of an OCR program, as whoever has started it says
#include <cstdio>
#include <cstdlib>

#include "multi/ocr/bodies.hpp"

namespace weir::ocr::multi {

namespace {

std::map<std::string, Body>& all() {
  static std::map<std::string, Body> made;
  return made;
}

ocrGuid_t end_program(u32, u64*, u32, ocrEdtDep_t*) {
  ocrShutdown();
  return NULL_GUID;
}

}  // namespace

Named::Named(const char* name, Body body) { all()[name] = body; }

void expect(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "rank %llu: not so: %s\n", static_cast<unsigned long long>(this_rank()), what);
  ocrAbort(1);
}

void expect_code(u8 code, u8 wanted, const char* what) {
  if (code == wanted) return;
  std::fprintf(stderr, "rank %llu: %s gives %d, not %d\n", static_cast<unsigned long long>(this_rank()), what, code,
               wanted);
  ocrAbort(1);
}

namespace {

// The first that is set: what Weir starts, Open MPI or MPICH.
std::uint64_t number_in(std::initializer_list<const char*> variables) {
  for (const char* name : variables)
    if (const char* const value = std::getenv(name)) return static_cast<std::uint64_t>(std::atoi(value));
  std::fprintf(stderr, "ocr_rank: it is to be started as a job of ranks\n");
  std::abort();
}

}  // namespace

std::uint64_t rank_count() { return number_in({"WEIR_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }
std::uint64_t this_rank() { return number_in({"WEIR_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}); }

// All ranks of the tests have as many domains.
ocrGuid_t affinity_of_rank(std::uint64_t rank) {
  u64 count = 0;
  expect_code(ocrAffinityCount(AFFINITY_PD, &count), 0, "ocrAffinityCount()");
  ocrGuid_t affinity = NULL_GUID;
  expect_code(ocrAffinityGetAt(AFFINITY_PD, rank * (count / rank_count()), &affinity), 0, "ocrAffinityGetAt()");
  return affinity;
}

ocrHint_t on_rank(std::uint64_t rank) {
  ocrHint_t hint;
  static_cast<void>(ocrHintInit(&hint, OCR_HINT_EDT_T));
  static_cast<void>(ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(affinity_of_rank(rank))));
  return hint;
}

ocrGuid_t guid_of(u64 word) {
  ocrGuid_t guid = NULL_GUID;
  __builtin_memcpy(&guid, &word, sizeof word);
  return guid;
}

ocrGuid_t make_template(ocrEdt_t function, u32 paramc, u32 depc) {
  ocrGuid_t made = NULL_GUID;
  expect_code(ocrEdtTemplateCreate(&made, function, paramc, depc), 0, "ocrEdtTemplateCreate()");
  return made;
}

ocrGuid_t make_event(ocrEventTypes_t type) {
  ocrGuid_t made = NULL_GUID;
  expect_code(ocrEventCreate(&made, type, EVT_PROP_TAKES_ARG), 0, "ocrEventCreate()");
  return made;
}

ocrGuid_t make_latch(u64 count) {
  ocrEventParams_t params{};
  params.EVENT_LATCH.counter = count;
  ocrGuid_t latch = NULL_GUID;
  expect_code(ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params), 0, "a latch");
  return latch;
}

ocrGuid_t label_of(ocrGuid_t range, u64 index) {
  ocrGuid_t label = NULL_GUID;
  expect_code(ocrGuidFromIndex(&label, range, index), 0, "ocrGuidFromIndex() of a range of any rank");
  return label;
}

Made make_edt(std::uint64_t rank, ocrEdt_t function, const std::vector<u64>& params, u32 depc, const ocrGuid_t* depv,
              u16 properties, bool wants_output) {
  const ocrGuid_t of = make_template(function, EDT_PARAM_UNK, EDT_PARAM_UNK);
  ocrHint_t hint = on_rank(rank);
  std::vector<u64> paramv = params;
  std::vector<ocrGuid_t> given;
  if (depv != nullptr) given.assign(depv, depv + depc);
  Made made;
  expect_code(
      ocrEdtCreate(&made.edt, of, static_cast<u32>(paramv.size()), paramv.empty() ? nullptr : paramv.data(), depc,
                   given.empty() ? nullptr : given.data(), properties, &hint, wants_output ? &made.output : nullptr),
      0, "ocrEdtCreate()");
  expect_code(ocrEdtTemplateDestroy(of), 0, "ocrEdtTemplateDestroy()");
  return made;
}

void shut_down_after(const std::vector<ocrGuid_t>& events) {
  make_edt(this_rank(), &end_program, {}, static_cast<u32>(events.size()), events.data());
}

}  // namespace weir::ocr::multi

extern "C" ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t depv[]) {
  using weir::ocr::multi::all;
  const char* const name = ocrGetArgc(depv[0].ptr) == 2 ? ocrGetArgv(depv[0].ptr, 1) : "";
  const auto found = all().find(name);
  if (found != all().end()) {
    found->second();
    return NULL_GUID;
  }
  std::fprintf(stderr, "ocr_rank BODY: one of");
  for (const auto& [known, body] : all()) std::fprintf(stderr, " %s", known.c_str());
  std::fprintf(stderr, "\n");
  ocrAbort(2);
  return NULL_GUID;
}
