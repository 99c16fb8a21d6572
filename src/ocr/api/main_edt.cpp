// SPDX-License-Identifier: Apache-2.0

#include "ocr/api/main_edt.hpp"

// The program's; else that of no_cxx_main_edt.cpp.
ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]);

ocrEdt_t weir::ocr::cxx_main_edt() noexcept { return &mainEdt; }
