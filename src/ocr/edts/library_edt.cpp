// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/library_edt.hpp"

#include <new>

#include "ocr/edts/create_edt.hpp"

namespace weir::ocr {

Guid make_library_edt(Local& local, ocrEdt_t function, const char* name, std::span<const u64> paramv,
                      std::uint32_t depc) try {
  Template of{};
  of.kind = intern(function, name);
  ocrGuid_t guid;
  EdtRequest request{};
  request.paramc = of.paramc = static_cast<std::uint32_t>(paramv.size());
  request.paramv = paramv.data();
  request.depc = of.depc = depc;
  request.made = &guid;
  return create_edt_here(local, of, request) == 0 ? from_c(guid) : Guid{};
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace weir::ocr
