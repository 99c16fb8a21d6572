// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/joined.hpp"
#include "base/nearest.hpp"

namespace weir::memory {
namespace {

struct Mistake {
  std::size_t at;  // offset in the text
  std::string message;
};

constexpr TierKind kKinds[] = {TierKind::hbm,    TierKind::ddr,    TierKind::cxl,  TierKind::nvm,
                               TierKind::device, TierKind::memory, TierKind::file, TierKind::emulated};

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const TierKind kind : kKinds) all.emplace_back(to_string(kind));
  all.emplace_back("prefer");
  return all;
}

constexpr SizeUnit kSizeUnits[] = {{"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"B", 1}};

constexpr std::string_view kBlanks = " \t\n";

// Reads a spec from left to right; a Mistake is thrown to parse_tiers() and goes no farther.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  TierSpec parse() {
    if (text_.find_first_not_of(kBlanks) == std::string_view::npos) return {};
    for (std::size_t start = 0;; start = end_ + 1) {
      end_ = std::min(text_.find(',', start), text_.size());
      entry(start, end_ == text_.size());
      if (end_ == text_.size()) break;
    }
    return std::move(spec_);
  }

 private:
  void entry(std::size_t start, bool is_last) {
    const std::size_t from = std::min(text_.find_first_not_of(kBlanks, start), end_);
    std::size_t to = end_;
    while (to > from && kBlanks.find(text_[to - 1]) != std::string_view::npos) --to;
    if (from == to) throw Mistake{from, "expected a tier, such as hbm=14GiB"};
    const std::size_t equals = std::min(text_.find('=', from), to);
    const std::string_view word = text_.substr(from, equals - from);
    if (word == "prefer") {
      prefer(from, equals, to, is_last);
    } else {
      tier(from, word, equals, to);
    }
  }

  void prefer(std::size_t from, std::size_t equals, std::size_t to, bool is_last) {
    if (equals != to) throw Mistake{equals, "prefer has no size"};
    if (spec_.prefer) throw Mistake{from, "prefer is there twice"};
    if (!is_last && !spec_.tiers.empty()) throw Mistake{from, "prefer comes first or last"};
    spec_.prefer = true;
  }

  void tier(std::size_t from, std::string_view word, std::size_t equals, std::size_t to) {
    TierRequest request;
    request.kind = kind(from, word);
    if (equals != to) {
      value(request, equals + 1, to);
    } else if (request.kind == TierKind::file) {
      throw Mistake{to, "file needs a path, as in file=/scratch:200GiB"};
    } else if (request.kind == TierKind::emulated) {
      throw Mistake{to, "emulated needs a size and a fraction, as in emulated=4GiB@0.25"};
    }
    spec_.tiers.push_back(std::move(request));
  }

  TierKind kind(std::size_t from, std::string_view word) const {
    const auto* found =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](TierKind each) { return word == to_string(each); });
    if (found == std::end(kKinds)) {
      const auto known = words();
      const std::size_t colon = word.find(':');
      const std::string name(word.substr(0, colon));
      if (colon != word.npos && std::find(known.begin(), known.end(), name) != known.end()) {
        throw Mistake{from + colon, fmt::format("expected '=' behind {}, as in {}=", name, name) +
                                        (name == "file" ? "/scratch:200GiB" : "14GiB")};
      }
      throw Mistake{from, fmt::format("unknown tier \"{}\"; there are {}{}", word, base::joined(known, ", "),
                                      base::suggestion(word, known))};
    }
    const auto clash = [&](const TierRequest& other) {
      return other.kind == *found || (other.kind == TierKind::memory && *found == TierKind::ddr) ||
             (other.kind == TierKind::ddr && *found == TierKind::memory);
    };
    const auto other = std::find_if(spec_.tiers.begin(), spec_.tiers.end(), clash);
    if (other == spec_.tiers.end()) return *found;
    if (other->kind == *found) throw Mistake{from, fmt::format("{} is there twice", word)};
    throw Mistake{from, "ddr and memory are the same memory; say one of them"};
  }

  void value(TierRequest& request, std::size_t from, std::size_t to) const {
    switch (request.kind) {
      case TierKind::file: return file(request, from, to);
      case TierKind::emulated: return emulated(request, from, to);
      default: request.size = size(from, to);
    }
  }

  // A colon in a path is a part of it, unless a number comes after the last one.
  void file(TierRequest& request, std::size_t from, std::size_t to) const {
    const std::size_t colon = text_.substr(0, to).rfind(':');
    const bool has_size = colon != std::string_view::npos && colon >= from && colon + 1 < to && digit(colon + 1);
    if (has_size) request.size = size(colon + 1, to);
    if (!has_size && colon == to - 1 && colon >= from) throw Mistake{to, "expected a size after ':', such as 200GiB"};
    request.path = text_.substr(from, (has_size ? colon : to) - from);
    if (request.path.empty()) throw Mistake{from, "expected a folder or a file, as in file=/scratch:200GiB"};
  }

  void emulated(TierRequest& request, std::size_t from, std::size_t to) const {
    const std::size_t at = std::min(text_.find('@', from), to);
    request.size = size(from, at);
    if (at == to) throw Mistake{to, "expected '@' and a fraction of the copy bandwidth, as in emulated=4GiB@0.25"};
    double fraction = 0;
    const char* const end = text_.data() + to;
    const auto [stop, error] = std::from_chars(text_.data() + at + 1, end, fraction, std::chars_format::fixed);
    if (error != std::errc() || stop != end || !(fraction > 0 && fraction <= 1)) {
      throw Mistake{at + 1, "expected a fraction above 0 and at most 1, such as 0.25"};
    }
    request.copy_fraction = fraction;
  }

  Bytes size(std::size_t from, std::size_t to) const {
    double number = 0;
    const char* const end = text_.data() + to;
    const auto [stop, error] = std::from_chars(text_.data() + from, end, number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0) {
      throw Mistake{from, "expected a size, such as 512MiB or 1.5GiB"};
    }
    const std::size_t unit_at = std::size_t(stop - text_.data());
    const double bytes = number * unit(unit_at, to);
    if (bytes < 4096) throw Mistake{from, "a size below 4096 bytes"};
    if (bytes >= 0x1p56) throw Mistake{from, "a size of 2^56 bytes or more"};
    return {static_cast<std::uint64_t>(bytes)};
  }

  double unit(std::size_t from, std::size_t to) const {
    const std::string_view word = text_.substr(from, to - from);
    const auto* found =
        std::find_if(std::begin(kSizeUnits), std::end(kSizeUnits), [&](auto each) { return each.name == word; });
    if (found != std::end(kSizeUnits)) return found->bytes;
    std::vector<std::string> known;
    for (const SizeUnit& each : kSizeUnits) known.emplace_back(each.name);
    if (word.empty()) throw Mistake{from, "expected a unit: B, KiB, MiB, GiB or TiB"};
    throw Mistake{from, fmt::format("unknown unit \"{}\"; there are B, KiB, MiB, GiB and TiB{}", word,
                                    base::suggestion(word, known))};
  }

  bool digit(std::size_t at) const { return text_[at] >= '0' && text_[at] <= '9'; }

  std::string_view text_;
  std::size_t end_ = 0;  // of the entry being read
  TierSpec spec_;
};

}  // namespace

const char* to_string(TierKind kind) noexcept {
  switch (kind) {
    case TierKind::hbm: return "hbm";
    case TierKind::ddr: return "ddr";
    case TierKind::cxl: return "cxl";
    case TierKind::nvm: return "nvm";
    case TierKind::device: return "device";
    case TierKind::memory: return "memory";
    case TierKind::file: return "file";
    case TierKind::emulated: return "emulated";
  }
  return "";
}

base::Result<TierSpec> parse_tiers(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (const Mistake& mistake) {
    return base::Status{base::Code::bad_option, fmt::format("tiers, column {}: {}", mistake.at + 1, mistake.message)};
  }
}

const SizeUnit& unit_for(Bytes size, double at_least) noexcept {
  for (const SizeUnit& unit : kSizeUnits)
    if (double(size.count) / unit.bytes >= at_least) return unit;
  return std::end(kSizeUnits)[-1];
}

std::string size_text(Bytes size) {
  const SizeUnit& unit = unit_for(size);
  return fmt::format("{:.4g} {}", double(size.count) / unit.bytes, unit.name);
}

}  // namespace weir::memory
