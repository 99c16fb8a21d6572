// SPDX-License-Identifier: Apache-2.0

// What to simulate, from what a person asked for: size, ground, and whether it fits in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "apps/seismic/earth.hpp"
#include "apps/seismic/fields.h"
#include "base/result.hpp"
#include "platform/memory_limit.hpp"

namespace weir::apps::seismic {

struct Size {
  Index rows = 0, cols = 0;
  friend bool operator==(const Size&, const Size&) = default;
};
std::string to_string(const Size& size);  // "2048x1024"

// "N" or "ROWSxCOLUMNS", each 1 to 10 million; bad_option otherwise.
base::Result<Size> parse_size(const std::string& text);

// The size of the model file when one is named ("" is none), else `asked`, else `otherwise`. Reads no more than the
// file's header. bad_input when the model has another size than `asked`, or is one that read_npy_shape() refuses.
base::Result<Size> choose_size(const std::optional<Size>& asked, const std::string& model, const Size& otherwise);

// no_space when the problem, its model and `extra` bytes are more than what is available.
base::Status check_memory(const Size& size, bool has_model, std::uint64_t extra,
                          const platform::MemoryLimit& available);

// The model file's ground, or a layered one.
base::Result<std::unique_ptr<Earth>> make_earth(const Size& size, const std::string& model);

}  // namespace weir::apps::seismic
