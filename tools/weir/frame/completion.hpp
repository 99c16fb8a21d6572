// SPDX-License-Identifier: Apache-2.0

// `weir completion bash|zsh|fish`: scripts that complete verbs, options and the values of those that have a choice.
//
// A script holds all words; the shell does not start weir while it completes.
#pragma once

#include <string>

#include "describe.hpp"

namespace weir::tool {

std::string bash_completion(const VerbText& program);
std::string zsh_completion(const VerbText& program);
std::string fish_completion(const VerbText& program);

void add_completion(CLI::App& app, Global& global);

}  // namespace weir::tool
