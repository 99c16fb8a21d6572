// SPDX-License-Identifier: Apache-2.0

#include "apps/common/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

namespace weir::apps {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they are in the file");

constexpr std::size_t kLongestHeader = 1 << 20;  // a header of two dimensions has about 120 bytes
constexpr std::int64_t kMostCells = std::int64_t{1} << 40;

struct Header {
  NpyShape shape;
  std::uint64_t data_offset = 0;
};

base::Status bad(const std::string& path, std::string_view why) {
  return {base::Code::bad_input, fmt::format("{}: {}", path, why)};
}

// The text after 'key': in the header's Python dictionary, without spaces in front; "" when the key is not there.
std::string_view after_key(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const auto at = header.find(fmt::format("{}{}{}", quote, key, quote));
    if (at == std::string_view::npos) continue;
    auto rest = header.substr(at + key.size() + 2);
    const auto value = rest.find_first_not_of(" :");
    return value == std::string_view::npos ? std::string_view{} : rest.substr(value);
  }
  return {};
}

// The numbers between the parentheses that `text` starts with.
std::optional<std::vector<std::int64_t>> parse_tuple(std::string_view text) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  std::vector<std::int64_t> numbers;
  std::int64_t number = -1;  // none begun
  for (const char c : text.substr(1, end - 1)) {
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > kMostCells) return std::nullopt;
    } else if (c == ',' && number >= 0) {
      numbers.push_back(number);
      number = -1;
    } else if (c != ' ') {
      return std::nullopt;
    }
  }
  if (number >= 0) numbers.push_back(number);
  return numbers;
}

base::Result<NpyShape> parse_header(const std::string& path, std::string_view header) {
  NpyShape shape;
  const auto type = after_key(header, "descr");
  if (type.starts_with("'<f4'") || type.starts_with("\"<f4\"")) {
    shape.bytes_per_number = 4;
  } else if (!type.starts_with("'<f8'") && !type.starts_with("\"<f8\"")) {
    return bad(path, fmt::format("holds numbers of type {}; wanted '<f4' or '<f8' (little-endian float32, float64)",
                                 type.empty() ? "unknown" : type.substr(0, type.find(','))));
  }
  const auto order = after_key(header, "fortran_order");
  if (order.starts_with("True")) return bad(path, "is in Fortran order; save it with numpy.ascontiguousarray");
  const auto dimensions = parse_tuple(after_key(header, "shape"));
  if (!order.starts_with("False") || !dimensions) return bad(path, "is damaged: its header cannot be understood");
  if (dimensions->size() != 2) {
    return bad(path, fmt::format("has {} dimension{}; wanted 2 (depth, width)", dimensions->size(),
                                 dimensions->size() == 1 ? "" : "s"));
  }
  shape.rows = dimensions->front();
  shape.cols = dimensions->back();
  if (shape.rows == 0 || shape.cols == 0) return bad(path, fmt::format("is empty: {} x {}", shape.rows, shape.cols));
  if (shape.rows > kMostCells / shape.cols) return bad(path, "is damaged: its shape is beyond any memory");
  return shape;
}

base::Result<Header> read_header(const std::string& path, std::ifstream& file) {
  std::array<unsigned char, 12> start{};
  file.read(reinterpret_cast<char*>(start.data()), 10);
  if (!file || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) return bad(path, "is no .npy file");
  const int version = start[6];
  if (version < 1 || version > 3) return bad(path, fmt::format("has .npy version {}; known are 1, 2 and 3", version));
  std::size_t length = start[8] + 256u * start[9];
  std::uint64_t offset = 10;
  if (version > 1) {
    file.read(reinterpret_cast<char*>(start.data()) + 10, 2);
    length += 65536u * start[10] + 16777216u * std::size_t{start[11]};
    offset = 12;
  }
  if (!file || length > kLongestHeader) return bad(path, "is damaged: its header is cut off or too long");
  std::string text(length, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(length))) return bad(path, "is truncated within its header");
  auto shape = parse_header(path, text);
  if (!shape) return shape.status();
  return Header{*shape, offset + length};
}

base::Status check_length(const std::string& path, std::ifstream& file, const Header& header) {
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  const std::uint64_t cells = static_cast<std::uint64_t>(header.shape.rows * header.shape.cols);
  const std::uint64_t wanted = header.data_offset + cells * static_cast<std::uint64_t>(header.shape.bytes_per_number);
  if (size < wanted) {
    return bad(path, fmt::format("is truncated: {} x {} numbers need {} bytes, it has {}", header.shape.rows,
                                 header.shape.cols, wanted, size));
  }
  if (size > wanted) return bad(path, fmt::format("has {} bytes more than its shape needs", size - wanted));
  file.seekg(static_cast<std::streamoff>(header.data_offset));
  return base::Status::success();
}

base::Result<Header> open(const std::string& path, std::ifstream& file) {
  errno = 0;
  file.open(path, std::ios::binary);
  if (!file) return base::Status{base::Code::not_found, fmt::format("{}: {}", path, std::strerror(errno))};
  auto header = read_header(path, file);
  if (!header) return header;
  if (auto status = check_length(path, file, *header); !status) return status;
  return header;
}

}  // namespace

base::Result<NpyShape> read_npy_shape(const std::string& path) {
  std::ifstream file;
  auto header = open(path, file);
  if (!header) return header.status();
  return header->shape;
}

base::Result<NpyArray> read_npy(const std::string& path) {
  std::ifstream file;
  auto header = open(path, file);
  if (!header) return header.status();
  const NpyShape shape = header->shape;
  NpyArray array{shape.rows, shape.cols, std::vector<float>(static_cast<std::size_t>(shape.rows * shape.cols))};
  const auto cols = static_cast<std::size_t>(shape.cols);
  std::vector<double> row(shape.bytes_per_number == 8 ? cols : 0);
  for (std::int64_t y = 0; y < shape.rows; ++y) {
    float* out = array.values.data() + static_cast<std::size_t>(y) * cols;
    char* in = row.empty() ? reinterpret_cast<char*>(out) : reinterpret_cast<char*>(row.data());
    if (!file.read(in, static_cast<std::streamsize>(cols) * shape.bytes_per_number)) {
      return base::Status{base::Code::io_error, fmt::format("{}: cannot be read to its end", path)};
    }
    for (std::size_t x = 0; x < row.size(); ++x) out[x] = static_cast<float>(row[x]);
  }
  return array;
}

}  // namespace weir::apps
