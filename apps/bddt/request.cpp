// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace weir::apps::bddt {
namespace {

constexpr const char* kHelp =
    "PROGRAM [option...]: one of the five programs of BDDT-SCC; prints a line of JSON\n"
    "  PROGRAM          blackscholes, matmul, fft, jacobi or cholesky; all: each of them; about: which runtime this "
    "is\n"
    "  --size NAME      thesis (default), quarter (the same data in smaller tasks), small\n"
    "  --n N            options, or rows and columns\n"
    "  --tile N         options, or rows and columns, of a task; a multiple of 16\n"
    "  --iterations N   of jacobi\n"
    "  --workers N      threads or processes that run tasks; default 1\n"
    "  --repeat N       runs, each on fresh data; default 1\n"
    "  --shares         also say how long each worker was in tasks\n";

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "%s; --help lists what there is\n", text.c_str());
  std::exit(2);
}

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t number(const std::string& option, const char* text) {
  std::size_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stopped != end || value == 0 || value > (std::size_t{1} << 30))
    refuse(option + " takes a whole number from 1 to 2^30, not '" + text + "'");
  return value;
}

struct Options {
  std::string size = "thesis";
  std::size_t n = 0, tile = 0, iterations = 0;  // 0: the size's
  Request request;
};

void take(Options& options, const std::string& option, const char* value) {
  if (option == "--size") {
    if (!is_one_of(value, size_names())) refuse(std::string("no size is called '") + value + "'");
    options.size = value;
  } else if (option == "--n") {
    options.n = number(option, value);
  } else if (option == "--tile") {
    options.tile = number(option, value);
  } else if (option == "--iterations") {
    options.iterations = number(option, value);
  } else if (option == "--workers") {
    options.request.workers = static_cast<int>(std::min<std::size_t>(number(option, value), 1024));
  } else if (option == "--repeat") {
    options.request.repeat = static_cast<int>(number(option, value));
  } else {
    refuse(option + ": there is no such option");
  }
}

// Those behind the program's name.
void take_all(Options& options, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--shares") {
      options.request.shares = true;
      continue;
    }
    if (i + 1 == argc) refuse(std::string(argv[i]) + ": no such option, or its value is missing");
    take(options, argv[i], argv[i + 1]);
    ++i;
  }
}

Size size_of(const Options& options) {
  Size size = bddt::size_of(options.request.program, options.size);
  if (options.n != 0) size.n = options.n;
  if (options.tile != 0) size.tile = options.tile;
  if (options.iterations != 0) size.iterations = options.iterations;
  if (const std::string fault = fault_of(size); !fault.empty()) refuse(fault);
  return size;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// "[f(all[0]), f(all[1]), ...]"
template <class T, class F>
std::string list(const std::vector<T>& all, F&& f) {
  std::string result = "[";
  for (const T& each : all) result += (result.size() > 1 ? ", " : "") + f(each);
  return result + ']';
}

std::string text_of(const Share& share) {
  return "{\"application\": " + number_text(share.application) + ", \"flush\": " + number_text(share.flush) + "}";
}

std::string text_of(const Run& run) {
  return "{\"seconds\": " + number_text(run.seconds) + ", \"analysis\": " + number_text(run.analysis) +
         ", \"workers\": " + list(run.shares, [](const Share& s) { return text_of(s); }) + "}";
}

}  // namespace

std::vector<Request> requests_of(int argc, char** argv) {
  Options options;
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help") {
    std::fputs(kHelp, stdout);
    std::exit(0);
  }
  options.request.about = first == "about";
  if (options.request.about) return {options.request};
  if (first != "all" && !is_one_of(first, program_names())) refuse("no program is called '" + first + "'");
  take_all(options, argc, argv);
  std::vector<Request> requests;
  for (const std::string& program : first == "all" ? program_names() : std::vector<std::string>{first}) {
    options.request.program = program;
    options.request.size = size_of(options);
    requests.push_back(options.request);
  }
  return requests;
}

std::string text_of(const Report& report) {
  return "{\"about\": " + quoted(report.about) + ", \"tasks\": " + std::to_string(report.tasks) +
         ", \"runs\": " + list(report.runs, [](const Run& r) { return text_of(r); }) +
         ", \"wrong\": " + quoted(report.wrong) + "}";
}

}  // namespace weir::apps::bddt
