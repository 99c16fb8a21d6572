// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/new_edt.hpp"

#include "ocr/edts/far_edt.hpp"

namespace weir::ocr {

u8 create_edt_of_ranks(Local& local, const Template* of, EdtRequest& request) {
  std::shared_ptr<const Template> elsewhere;
  if (of == nullptr && is_far(request.edt_template)) of = (elsewhere = find_far_template(request.edt_template)).get();
  if (of == nullptr) return OCR_EINVAL;
  if (const u8 code = settle_counts(*of, request)) return code;
  const Rank where = rank_of(local, *of, request);
  return where == homes().self() ? create_edt_here(local, *of, request) : create_far_edt(local, *of, request, where);
}

}  // namespace weir::ocr
