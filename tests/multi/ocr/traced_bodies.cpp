// SPDX-License-Identifier: Apache-2.0

// Programs whose traces have known bytes, waits and paths, and one that can be looked at while it waits.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "multi/ocr/bodies.hpp"

namespace weir::ocr::multi {

namespace {

constexpr u64 kLarge = 800'000;  // bytes of a block
constexpr auto kLong = std::chrono::milliseconds(300);

ocrGuid_t use_large(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(depv[0].ptr != nullptr && static_cast<u64*>(depv[0].ptr)[0] == 7, "what the EDT before it has written");
  static_cast<u64*>(depv[0].ptr)[0] = 8;
  std::this_thread::sleep_for(kLong);
  return kNull;
}

ocrGuid_t look_at_large(u32, u64*, u32, ocrEdtDep_t* depv) {
  expect(static_cast<u64*>(depv[0].ptr)[0] == 8, "what the other rank has written");
  ocrShutdown();
  return kNull;
}

// Holds a block for long that an EDT of the last rank wants, which makes another one ready here.
ocrGuid_t make_large(u32, u64*, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, kLarge, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  const Made uses = make_edt(rank_count() - 1, &use_large, {}, 1, nullptr, EDT_PROP_NONE, true);
  const Made looks = make_edt(0, &look_at_large, {}, 2);
  expect_code(ocrAddDependence(uses.output, looks.edt, 1, DB_MODE_NULL), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(block, looks.edt, 0, DB_MODE_RO), 0, "ocrAddDependence()");
  expect_code(ocrAddDependence(block, uses.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  std::this_thread::sleep_for(kLong);
  static_cast<u64*>(data)[0] = 7;
  return kNull;
}

void traced() { make_edt(0, &make_large, {}); }
const Named named_traced("traced", &traced);

// As that, but the block is held until the file `go` is there.
ocrGuid_t end_it(u32, u64*, u32, ocrEdtDep_t*) {
  ocrShutdown();
  return kNull;
}

ocrGuid_t hold_large(u32, u64*, u32, ocrEdtDep_t*) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, kLarge, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  const Made ends = make_edt(rank_count() - 1, &end_it, {}, 1);
  expect_code(ocrAddDependence(block, ends.edt, 0, DB_MODE_RW), 0, "ocrAddDependence()");
  while (!std::filesystem::exists("go")) std::this_thread::yield();
  return kNull;
}

void explained() { make_edt(0, &hold_large, {}); }
const Named named_explained("explained", &explained);

// A finish scope of this rank waits for EDTs on the last one: with and without a slot.
ocrGuid_t run_until_told(u32, u64*, u32, ocrEdtDep_t*) {
  while (!std::filesystem::exists("go")) std::this_thread::yield();
  return kNull;
}

ocrGuid_t make_traced_elsewhere(u32, u64*, u32, ocrEdtDep_t*) {
  make_edt(rank_count() - 1, &run_until_told, {});
  make_edt(rank_count() - 1, &run_until_told, {}, 1, &kNull);
  make_edt(rank_count() - 1, &run_until_told, {});
  return kNull;
}

void explained_scope() {
  const Made scope = make_edt(0, &make_traced_elsewhere, {}, 1, nullptr, EDT_PROP_FINISH, true);
  shut_down_after({scope.output});
  expect_code(ocrAddDependence(NULL_GUID, scope.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}
const Named named_explained_scope("explained-scope", &explained_scope);

// A rank that is stopped until someone lets it go on, and an EDT that asks it for something. It stops when nobody
// waits for an answer of it any more, the maker of its own EDT included.
ocrGuid_t stop(u32, u64*, u32, ocrEdtDep_t*) {
  while (!std::filesystem::exists("stop")) std::this_thread::yield();
  std::ofstream("stopping") << ::getpid() << std::endl;
  std::filesystem::rename("stopping", "stopped");
  ::raise(SIGSTOP);
  return kNull;
}

// Whether all threads of process `pid` have stopped: until then one of them may still answer.
bool has_stopped(const std::string& pid) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task")) {
    std::ifstream file(thread.path() / "stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const auto name_end = stat.rfind(')');  // the state follows the name, which may have brackets of its own
    if (name_end == std::string::npos || stat.compare(name_end, 3, ") T") != 0) return false;
  }
  return true;
}

ocrGuid_t ask_stopped(u32, u64*, u32, ocrEdtDep_t*) {
  while (!std::filesystem::exists("stopped")) std::this_thread::yield();
  std::string pid;
  std::ifstream("stopped") >> pid;
  while (!has_stopped(pid)) std::this_thread::yield();
  make_edt(rank_count() - 1, &end_it, {}, 1, &kNull);  // with a slot: its maker waits until it is made
  return kNull;
}

void asks_stopped() {
  make_edt(rank_count() - 1, &stop, {});
  make_edt(0, &ask_stopped, {});
  const std::ofstream answered("stop");
}
const Named named_asks_stopped("asks-stopped", &asks_stopped);

}  // namespace

}  // namespace weir::ocr::multi
