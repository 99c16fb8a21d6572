// SPDX-License-Identifier: Apache-2.0

#include "completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/joined.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

// The case labels "weir run"|"weir run seismic"|... of every verb below the program.
std::string verb_paths(const VerbText& program) {
  std::vector<std::string> paths;
  for (const VerbText* verb : flatten(program)) {
    if (verb != &program) paths.push_back(fmt::format("\"{}\"", verb->path));
  }
  return base::joined(paths, "|");
}

// For bash and zsh: one case branch per option with a value. `files` completes file names.
std::string value_cases(const VerbText& program, std::string_view choices, std::string_view files) {
  std::string text;
  for (const VerbText* verb : flatten(program)) {
    for (const OptionText& option : verb->options) {
      if (option.value.empty() || option.positional) continue;
      std::string action = option.takes_file() ? std::string(files) : ":";
      if (!option.choices.empty()) action = fmt::format(fmt::runtime(choices), base::joined(option.choices, " "));
      for (const std::string& name : option.names) {
        text += fmt::format("    \"{} {}\") {}; return ;;\n", verb->path, name, action);
      }
    }
  }
  return text;
}

// What may come next of the names of verbs: behind `weir help` all that it can explain.
const std::vector<VerbText>& verbs_after(const VerbText& verb, const VerbText& program) {
  return verb.path == "weir help" ? program.verbs : verb.verbs;
}

std::vector<std::string> words_after(const VerbText& verb, const VerbText& program) {
  std::vector<std::string> words = verb.words();
  if (verb.verbs.empty())
    for (const VerbText& below : verbs_after(verb, program)) words.push_back(below.guide.name);
  return words;
}

std::string fish_option(const VerbText& verb, const OptionText& option) {
  std::string line = fmt::format("complete -c weir -n '__weir_at \"{}\"'", verb.path);
  if (option.positional) {
    line += fmt::format(" -a '{}'", base::joined(option.choices, " "));
  } else {
    for (const std::string& name : option.names) {
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
  }
  if (!option.value.empty() && !option.positional) line += option.takes_file() ? " -r -F" : " -x";
  if (!option.choices.empty() && !option.positional) line += fmt::format(" -a '{}'", base::joined(option.choices, " "));
  return line + " -d " + in_quotes(option.help) + "\n";
}

constexpr const char* kBashTop = R"(# bash completion of weir; made by: weir completion bash
_weir() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=weir i
  if [[ $word == "=" ]]; then word=; elif [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
)";

constexpr const char* kZshTop = R"(#compdef weir
# zsh completion of weir; made by: weir completion zsh
_weir() {
  local before=${words[CURRENT-1]} verb=weir i
  for ((i = 2; i < CURRENT; ++i)); do
)";

constexpr const char* kFishTop = R"(# fish completion of weir; made by: weir completion fish
function __weir_at
  set -l verb weir
  for word in (commandline -opc)[2..]
    switch "$verb $word"
)";

}  // namespace

std::string bash_completion(const VerbText& program) {
  std::string text = kBashTop;
  text += fmt::format("    case \"$verb ${{COMP_WORDS[i]}}\" in {}) verb+=\" ${{COMP_WORDS[i]}}\" ;; esac\n  done\n",
                      verb_paths(program));
  text += "  case \"$verb $before\" in\n";
  text += value_cases(program, "COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                      "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))");
  text += "  esac\n  case \"$verb\" in\n";
  for (const VerbText* verb : flatten(program)) {
    const char* const files =
        verb->takes_file() ? " $(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null" : ")";
    text += fmt::format("    \"{}\") COMPREPLY=($(compgen -W '{}' -- \"$word\"){} ;;\n", verb->path,
                        base::joined(words_after(*verb, program), " "), files);
  }
  return text + "  esac\n}\ncomplete -F _weir weir\n";
}

std::string zsh_completion(const VerbText& program) {
  std::string text = kZshTop;
  text += fmt::format("    case \"$verb ${{words[i]}}\" in {}) verb+=\" ${{words[i]}}\" ;; esac\n  done\n",
                      verb_paths(program));
  text += "  if [[ ${words[CURRENT]} == --*=* ]]; then before=${words[CURRENT]%%=*}; compset -P '*='; fi\n";
  text += "  case \"$verb $before\" in\n" + value_cases(program, "compadd -- {}", "_files");
  text += "  esac\n  local -a offered\n  case \"$verb\" in\n";
  for (const VerbText* verb : flatten(program)) {
    text += fmt::format("    \"{}\") offered=(", verb->path);
    for (const VerbText& below : verbs_after(*verb, program))
      text += in_quotes(below.guide.name + ":" + below.guide.purpose) + " ";
    for (const OptionText& option : verb->options) {
      const auto& names = option.positional ? option.choices : option.names;
      for (const std::string& name : names) text += in_quotes(name + ":" + option.help) + " ";
    }
    text += verb->takes_file() ? "); _files ;;\n" : ") ;;\n";
  }
  return text +
         "  esac\n  _describe 'weir' offered\n}\n"
         "if [ \"$funcstack[1]\" = _weir ]; then _weir \"$@\"; else compdef _weir weir; fi\n";
}

std::string fish_completion(const VerbText& program) {
  std::string text = kFishTop;
  for (const VerbText* verb : flatten(program)) {
    if (verb != &program) text += fmt::format("      case '{}'\n        set verb '{}'\n", verb->path, verb->path);
  }
  text += "    end\n  end\n  test \"$verb\" = \"$argv[1]\"\nend\ncomplete -c weir -f\n";
  for (const VerbText* verb : flatten(program)) {
    for (const VerbText& below : verbs_after(*verb, program)) {
      text += fmt::format("complete -c weir -n '__weir_at \"{}\"' -a {} -d {}\n", verb->path, below.guide.name,
                          in_quotes(below.guide.purpose));
    }
    for (const OptionText& option : verb->options) text += fish_option(*verb, option);
    if (verb->takes_file()) text += fmt::format("complete -c weir -n '__weir_at \"{}\"' -F\n", verb->path);
  }
  return text;
}

void add_completion(CLI::App& app, Global& global) {
  auto shell = std::make_shared<std::string>();
  Guide guide{.name = "completion",
              .purpose = "print the completion script of a shell",
              .text =
                  "An installed Weir has the scripts where the shells look for them. Otherwise, in the start-up "
                  "file of the shell:\n\n"
                  "  eval \"$(weir completion bash)\"        # ~/.bashrc\n"
                  "  eval \"$(weir completion zsh)\"         # ~/.zshrc, after compinit\n"
                  "  weir completion fish | source         # ~/.config/fish/config.fish",
              .examples = {}};
  CLI::App& verb = add_verb(app, global, std::move(guide), [shell, &app](Global& all) {
    const VerbText program = describe(app, all);
    const auto script = *shell == "bash" ? bash_completion : *shell == "zsh" ? zsh_completion : fish_completion;
    Global::write(script(program));
    return kDone;
  });
  global.entries.at(&verb).reads_options = false;
  remove_option(verb, "--json");
  add_option(verb, "shell", *shell, "bash, zsh or fish").required().among({"bash", "zsh", "fish"});
}

}  // namespace weir::tool
