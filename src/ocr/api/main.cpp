// SPDX-License-Identifier: Apache-2.0

// main() of programs that define mainEdt(). Weak: a program in legacy mode brings its own.
#include <cstdio>

#include "ocr/api/main_edt.hpp"
#include "ocr/api/run_main.hpp"

extern "C" {
[[gnu::weak]] ocrGuid_t mainEdt(u32, u64*, u32, ocrEdtDep_t[]) {
  std::fputs("weir: ocr: the program defines neither mainEdt() nor main(): there is nothing to run\n", stderr);
  ocrAbort(2);
  return NULL_GUID;
}
}

[[gnu::weak]] int main(int argc, char** argv) {
  const ocrEdt_t of_cxx = weir::ocr::cxx_main_edt();
  return weir::ocr::run_main(of_cxx != nullptr ? of_cxx : &mainEdt, argc, argv);
}
