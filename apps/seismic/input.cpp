// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "apps/common/npy.hpp"
#include "apps/seismic/problem.hpp"

namespace weir::apps::seismic {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr Index kLargestSide = 10'000'000;

std::optional<Index> parse_side(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= 1 && value <= kLargestSide ? std::optional(value) : std::nullopt;
}

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0); }

}  // namespace

std::string to_string(const Size& size) { return fmt::format("{}x{}", size.rows, size.cols); }

Result<Size> parse_size(const std::string& text) {
  const std::string_view view = text;
  const auto x = view.find('x');
  const auto rows = parse_side(view.substr(0, x));
  const auto cols = x == std::string_view::npos ? rows : parse_side(view.substr(x + 1));
  if (rows && cols) return Size{*rows, *cols};
  return Status{Code::bad_option,
                fmt::format("--size is N or ROWSxCOLUMNS, each 1 to {}, not '{}'", kLargestSide, text)};
}

Result<Size> choose_size(const std::optional<Size>& asked, const std::string& model, const Size& otherwise) {
  if (model.empty()) return asked.value_or(otherwise);
  const auto shape = read_npy_shape(model);
  if (!shape) return shape.status();
  const Size found{shape->rows, shape->cols};
  if (found.rows > kLargestSide || found.cols > kLargestSide) {
    return Status{Code::bad_input,
                  fmt::format("{}: has the shape {}; {} a side is the most", model, to_string(found), kLargestSide)};
  }
  if (asked && *asked != found) {
    return Status{Code::bad_input,
                  fmt::format("{}: has the shape {}, but the size asked for is {}; without --size it is the model's",
                              model, to_string(found), to_string(*asked))};
  }
  return found;
}

Status check_memory(const Size& size, bool has_model, std::uint64_t extra, const platform::MemoryLimit& available) {
  const std::uint64_t cells = static_cast<std::uint64_t>(size.rows) * static_cast<std::uint64_t>(size.cols);
  const std::uint64_t needed = bytes_needed(size.rows, size.cols) + (has_model ? cells * sizeof(float) : 0) + extra;
  if (needed <= available.bytes) return Status::success();
  return {
      Code::no_space,
      fmt::format("size {} needs {} bytes ({:.1f} GiB), but {} leaves {} bytes ({:.1f} GiB); choose a smaller size",
                  to_string(size), needed, gib(needed), available.limited_by, available.bytes, gib(available.bytes))};
}

Result<std::unique_ptr<Earth>> make_earth(const Size& size, const std::string& model) {
  if (!model.empty()) return model_earth(model);
  return layered_earth(size.rows, size.cols);
}

}  // namespace weir::apps::seismic
