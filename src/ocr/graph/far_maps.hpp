// SPDX-License-Identifier: Apache-2.0

// Ranges and maps of labels over ranks: each is on the rank that has made it, the default map on rank 0, and what
// another rank has read of one it keeps, until it hears that the map is destroyed. Any thread that has a Local.
#pragma once

#include <memory>

#include "ocr/mail/mail.hpp"
#include "ocr/objects/guid_map.hpp"

namespace weir::ocr {

// As find_map(), set_default_map() and destroy_map(), wherever the map is. Not on the thread that performs what others
// ask, but for destroy_map_of_ranks().
std::shared_ptr<GuidMap> find_map_of_ranks(Guid guid);
u8 set_default_map_of_ranks(const MapRequest& request);
u8 destroy_map_of_ranks(Guid guid);

// ---- Asked by another rank ----

Answer answer_fetch_map(Reader& body);
Answer answer_set_default_map(Reader& body);
Answer answer_forget_map(Reader& body);

}  // namespace weir::ocr
