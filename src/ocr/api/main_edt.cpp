// SPDX-License-Identifier: Apache-2.0

#include "ocr/api/main_edt.hpp"

[[gnu::weak]] ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]);

ocrEdt_t weir::ocr::cxx_main_edt() noexcept { return &mainEdt; }
