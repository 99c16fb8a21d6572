// SPDX-License-Identifier: Apache-2.0

#include "apps/common/outcome.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/common/isolated.hpp"

namespace weir::apps {

using Json = nlohmann::json;

double Outcome::hit_rate() const {
  const auto asked = static_cast<double>(hits + misses);
  return asked == 0 ? 1 : static_cast<double>(hits) / asked;
}

std::string to_text(const Outcome& o) {
  return Json{{"seconds", o.seconds},
              {"bytes_fetched", o.bytes_fetched},
              {"bytes_written_back", o.bytes_written_back},
              {"hits", o.hits},
              {"misses", o.misses},
              {"in_place", o.in_place},
              {"wait_seconds", o.wait_seconds},
              {"peak_rss_bytes", o.peak_rss_bytes},
              {"budget_bytes", o.budget_bytes},
              {"emulated", o.emulated},
              {"result", o.result},
              {"wrong", o.wrong}}
      .dump();
}

base::Result<Outcome> outcome_of(const std::string& text) {
  try {
    const Json j = Json::parse(text);
    Outcome o;
    j.at("seconds").get_to(o.seconds);
    j.at("bytes_fetched").get_to(o.bytes_fetched);
    j.at("bytes_written_back").get_to(o.bytes_written_back);
    j.at("hits").get_to(o.hits);
    j.at("misses").get_to(o.misses);
    j.at("in_place").get_to(o.in_place);
    j.at("wait_seconds").get_to(o.wait_seconds);
    j.at("peak_rss_bytes").get_to(o.peak_rss_bytes);
    j.at("budget_bytes").get_to(o.budget_bytes);
    j.at("emulated").get_to(o.emulated);
    j.at("result").get_to(o.result);
    j.at("wrong").get_to(o.wrong);
    return o;
  } catch (const Json::exception&) {
    return base::Status{base::Code::bad_input, fmt::format("a run printed no result: '{}'", text.substr(0, 100))};
  }
}

void finish(Outcome& outcome) { outcome.peak_rss_bytes = peak_resident_bytes(); }

}  // namespace weir::apps
