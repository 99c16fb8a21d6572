// SPDX-License-Identifier: Apache-2.0

#include "global.hpp"

#include <unistd.h>

#include <cstdio>

#include "json.hpp"

namespace weir::tool {

Global::Global() : objects(std::make_unique<Json>(Json::array())) {}
Global::~Global() = default;

void Global::add(Json object) {
  if (json) objects->push_back(std::move(object));
}

void Global::progress(std::string_view text) const {
  if (text.empty() || json) {
    clear_progress();
  } else {
    show_progress(text);
  }
}

bool Global::shows_progress() const { return !json && tool::shows_progress(); }

std::size_t Global::progress_columns() { return tool::progress_columns(); }

int Global::columns() const { return terminal_columns(); }

Style Global::style() { return terminal_style(STDOUT_FILENO); }

void Global::write(std::string_view text) {
  clear_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace weir::tool
