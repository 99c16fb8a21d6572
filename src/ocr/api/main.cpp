// SPDX-License-Identifier: Apache-2.0

// main() of programs that define mainEdt(). Weak: a program in legacy mode brings its own.
#include "ocr/api/main_edt.hpp"
#include "ocr/api/run_main.hpp"

[[gnu::weak]] int main(int argc, char** argv) { return weir::ocr::run_main(weir::ocr::cxx_main_edt(), argc, argv); }
