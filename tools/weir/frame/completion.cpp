// SPDX-License-Identifier: Apache-2.0

#include "completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/joined.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

// Behind `weir help` are the names of all other verbs.
VerbText named_only(const VerbText& verb) {
  VerbText result;
  result.path = "weir help" + verb.path.substr(std::string_view("weir").size());
  result.guide = verb.guide;
  for (const VerbText& below : verb.verbs) result.verbs.push_back(named_only(below));
  return result;
}

VerbText with_help_of_all(const VerbText& program) {
  VerbText result = program;
  for (VerbText& verb : result.verbs)
    if (verb.guide.name == "help") verb.verbs = named_only(program).verbs;
  return result;
}

std::string alternatives(const std::vector<std::string>& labels, std::string_view separator) {
  return base::joined(labels, separator);
}

// Between words the place is known: that of a verb, "weir run seismic", or "program", behind the name of a program.
struct Places {
  std::vector<std::string> verbs;     // their paths
  std::vector<std::string> valued;    // "weir run --policy": the next word is its value
  std::vector<std::string> passed;    // "weir run -*", "weir run seismic *": patterns of what is no program
  std::vector<std::string> programs;  // "weir run *": of what is one where it is none of these
};

Places places_of(const VerbText& program) {
  Places places;
  for (const VerbText* verb : flatten(program)) {
    if (verb != &program) places.verbs.push_back(verb->path);
    if (!verb->takes_program) continue;
    places.passed.push_back(verb->path + " -*");
    for (const VerbText* below : flatten(*verb))
      if (below != verb) places.passed.push_back(below->path + " *");
    places.programs.push_back(verb->path + " *");
    for (const OptionText& option : verb->options) {
      if (option.value.empty() || option.positional) continue;
      for (const std::string& name : option.names) places.valued.push_back(verb->path + " " + name);
    }
  }
  return places;
}

std::vector<std::string> in_double_quotes(std::vector<std::string> words) {
  for (std::string& word : words) word = '"' + word + '"';
  return words;
}

// Patterns that end in *.
std::vector<std::string> quoted_but_for_the_end(std::vector<std::string> patterns) {
  for (std::string& each : patterns) each = fmt::format("\"{}\"*", each.substr(0, each.size() - 1));
  return patterns;
}

// The branches of a case, for bash and zsh, which set `verb` to the place behind a word.
std::string place_cases(const VerbText& program, std::string_view word, std::string_view skip) {
  const Places places = places_of(program);
  std::string text = fmt::format("    case \"$verb {0}\" in\n      {1}) verb+=\" {0}\" ;;\n", word,
                                 alternatives(in_double_quotes(places.verbs), "|"));
  if (places.programs.empty()) return text + "    esac\n";
  if (!places.valued.empty())
    text += fmt::format("      {}) {} ;;\n", alternatives(in_double_quotes(places.valued), "|"), skip);
  return text + fmt::format("      {}) ;;\n      {}) verb=program; break ;;\n    esac\n",
                            alternatives(quoted_but_for_the_end(places.passed), "|"),
                            alternatives(quoted_but_for_the_end(places.programs), "|"));
}

// How a shell completes the values of an option.
struct Actions {
  std::string_view words, list, files, words_and_files;  // {}: the words
};

std::string action_of(const OptionText& option, const Actions& actions) {
  if (option.offered.empty()) return option.takes_file() ? std::string(actions.files) : ":";
  const std::string_view action = option.is_list        ? actions.list
                                  : option.takes_file() ? actions.words_and_files
                                                        : actions.words;
  return fmt::format(fmt::runtime(action), base::joined(option.offered, " "));
}

// For bash and zsh: one case branch per option with a value.
std::string value_cases(const VerbText& program, const Actions& actions) {
  std::string text;
  for (const VerbText* verb : flatten(program)) {
    for (const OptionText& option : verb->options) {
      if (option.value.empty() || option.positional) continue;
      for (const std::string& name : option.names)
        text += fmt::format("    \"{} {}\") {}; return ;;\n", verb->path, name, action_of(option, actions));
    }
  }
  return text;
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
  if (!option.offered.empty() && !option.positional) {
    const char* const words = option.is_list ? " -a '(__weir_list {})'" : " -a '{}'";
    line += fmt::format(fmt::runtime(words), base::joined(option.offered, " "));
  }
  return line + " -d " + in_quotes(option.help) + "\n";
}

constexpr const char* kBashTop = R"(# bash completion of weir; made by: weir completion bash
_weir() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=weir i
  if [[ $word == "=" ]]; then word=; elif [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  local list=
  if [[ $word == *,* ]]; then list=${word%,*},; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
)";

constexpr Actions kBash{
    "COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
    "compopt -o nospace 2>/dev/null; COMPREPLY=($(compgen -P \"$list\" -W '{}' -- \"${{word##*,}}\"))",
    "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))",
    "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -W '{}' -- \"$word\") $(compgen -f -- \"$word\"))"};

constexpr const char* kZshTop = R"(#compdef weir
# zsh completion of weir; made by: weir completion zsh
_weir() {
  local before=${words[CURRENT-1]} verb=weir i
  for ((i = 2; i < CURRENT; ++i)); do
)";

constexpr Actions kZsh{"compadd -- {}", "compset -P '*,'; compadd -S '' -- {}", "_files", "compadd -- {}; _files"};

constexpr const char* kFishTop = R"(# fish completion of weir; made by: weir completion fish
function __weir_list
  set -l before (string replace -r '^-[^=]*=' '' -- (commandline -ct) | string replace -r '[^,]*$' '')
  for word in $argv
    echo $before$word
  end
end
function __weir_at
  set -l verb weir
  set -l is_value no
  for word in (commandline -opc)[2..]
    if test $is_value = yes
      set is_value no
      continue
    end
    switch "$verb $word"
)";

std::string fish_case(const std::vector<std::string>& labels, std::string_view does) {
  std::string text = "      case";
  for (const std::string& label : labels) text += fmt::format(" '{}'", label);
  return labels.empty() ? "" : text + fmt::format("\n{}", does);
}

}  // namespace

std::string bash_completion(const VerbText& without_help) {
  const VerbText program = with_help_of_all(without_help);
  std::string text = kBashTop;
  text += place_cases(program, "${COMP_WORDS[i]}", "((++i)); if [[ ${COMP_WORDS[i]} == \"=\" ]]; then ((++i)); fi");
  text += "  done\n  case \"$verb $before\" in\n" + value_cases(program, kBash);
  text += "  esac\n  case \"$verb\" in\n";
  text += "    program) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")) ;;\n";
  for (const VerbText* verb : flatten(program)) {
    const char* const files =
        verb->takes_file() ? " $(compgen -f -- \"$word\")); compopt -o filenames 2>/dev/null" : ")";
    text += fmt::format("    \"{}\") COMPREPLY=($(compgen -W '{}' -- \"$word\"){} ;;\n", verb->path,
                        base::joined(verb->words(), " "), files);
  }
  return text + "  esac\n}\ncomplete -F _weir weir\n";
}

std::string zsh_completion(const VerbText& without_help) {
  const VerbText program = with_help_of_all(without_help);
  std::string text = kZshTop + place_cases(program, "${words[i]}", "((++i))");
  text += "  done\n";
  text += "  if [[ ${words[CURRENT]} == --*=* ]]; then before=${words[CURRENT]%%=*}; compset -P '*='; fi\n";
  text += "  case \"$verb $before\" in\n" + value_cases(program, kZsh);
  text += "  esac\n  local -a offered\n  case \"$verb\" in\n    program) _files; return ;;\n";
  for (const VerbText* verb : flatten(program)) {
    text += fmt::format("    \"{}\") offered=(", verb->path);
    for (const VerbText& below : verb->verbs) text += in_quotes(below.guide.name + ":" + below.guide.purpose) + " ";
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

std::string fish_completion(const VerbText& without_help) {
  const VerbText program = with_help_of_all(without_help);
  const Places places = places_of(program);
  std::string text = kFishTop;
  for (const std::string& verb : places.verbs) text += fish_case({verb}, fmt::format("        set verb '{}'\n", verb));
  text += fish_case(places.valued, "        set is_value yes\n") + fish_case(places.passed, "") +
          fish_case(places.programs, "        set verb program\n        break\n");
  text += "    end\n  end\n  test \"$verb\" = \"$argv[1]\"\nend\ncomplete -c weir -f\n";
  text += "complete -c weir -n '__weir_at program' -F\n";
  for (const VerbText* verb : flatten(program)) {
    for (const VerbText& below : verb->verbs) {
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
