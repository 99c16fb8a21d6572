// SPDX-License-Identifier: Apache-2.0

// A new EDT, on this rank or another. Any thread that has a Local.
#pragma once

#include "ocr/edts/create_edt.hpp"

namespace weir::ocr {

// Makes it where its hints say. 0 or an error code. As create_edt_here().
u8 create_edt(Local& local, EdtRequest& request);

}  // namespace weir::ocr
