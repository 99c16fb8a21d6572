// SPDX-License-Identifier: Apache-2.0

// main() of programs that define mainEdt(). Weak: a program in legacy mode brings its own.
#include <cstdio>
#include <cstring>

#include "ocr/api/api.hpp"
#include "ocr/api/main_edt.hpp"
#include "ocr/system/config.hpp"
#include "ocr/system/system.hpp"

using namespace weir::ocr;  // NOLINT(google-build-using-namespace): as the entry points in api/

namespace {

// The block of arguments: their number, their offsets from the start, the texts.
u8 pack(const std::vector<char*>& arguments, ocrGuid_t& block) {
  u64 bytes = (1 + arguments.size()) * sizeof(u64);
  for (const char* text : arguments) bytes += std::strlen(text) + 1;
  void* data = nullptr;
  if (const u8 code = ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, nullptr, NO_ALLOC)) return code;
  auto* const words = static_cast<u64*>(data);
  words[0] = arguments.size();
  u64 at = (1 + arguments.size()) * sizeof(u64);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    words[1 + i] = at;
    const std::size_t length = std::strlen(arguments[i]) + 1;
    std::memcpy(static_cast<char*>(data) + at, arguments[i], length);
    at += length;
  }
  return 0;
}

u8 create_main_edt(const std::vector<char*>& arguments) {
  ocrGuid_t block, edt_template, edt;
  if (const u8 code = pack(arguments, block)) return code;
  if (const u8 code = ocrEdtTemplateCreate_internal(&edt_template, cxx_main_edt(), 0, 1, "mainEdt")) return code;
  const u8 code = ocrEdtCreate(&edt, edt_template, 0, nullptr, 1, &block, EDT_PROP_NONE, nullptr, nullptr);
  static_cast<void>(ocrEdtTemplateDestroy(edt_template));
  return code;
}

// Over ranks one of those that end says why.
int fail(const char* message) {
  if (*message != '\0') std::fprintf(stderr, "weir: ocr: %s\n", message);
  return 2;
}

}  // namespace

[[gnu::weak]] int main(int argc, char** argv) {
  const weir::base::Result<Arguments> arguments = take_arguments(argc, argv);
  if (!arguments) return fail(arguments.status().message.c_str());
  weir::base::Result<Config> config = read_config(arguments->file);
  if (!config) return fail(config.status().message.c_str());
  const Ranks ranks = config->spreads ? Ranks::several_that_spread : Ranks::several;
  if (const weir::base::Status status = System::start(config->options, config->report_at_end, ranks); !status)
    return fail(status.message.c_str());
  const weir::base::Result<bool> goes_on = System::running()->go_on();
  if (!goes_on) {
    System::stop();
    return fail(goes_on.status().message.c_str());
  }
  if (!*goes_on && System::is_first_rank() && create_main_edt(arguments->left) != 0) {
    System::stop();
    return fail("there is not enough memory to start mainEdt()");
  }
  const u8 code = System::running()->run_until_shutdown();
  System::stop();
  return code;
}
