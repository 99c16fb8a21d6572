// SPDX-License-Identifier: Apache-2.0

#include "manual_ocr.hpp"

#include <fmt/format.h>

#include <span>

#include "roff.hpp"
#include "text.hpp"

namespace weir::tool {

namespace {

struct Item {
  const char* title;
  const char* text;
};

// A section: prose, then items.
void add_section(std::string& page, std::string_view title, std::string_view prose, std::span<const Item> items = {}) {
  page += fmt::format(".SH {}\n", title);
  if (!prose.empty()) add_prose(page, prose);
  for (const Item& item : items) add_item(page, item.title, item.text);
}

std::string head(std::string_view name, int section, std::string_view group, std::string_view purpose) {
  return fmt::format(".TH {} {} {} \"weir {}\" \"{}\"\n.SH NAME\n{} \\- {}\n", capitals(name), section,
                     WEIR_RELEASE_DATE, WEIR_VERSION, group, roff(name), roff(purpose));
}

constexpr Item kWays[] = {
    {"weir-ocrcc -O2 program.c -o program", "with the compiler wrapper, weir-ocrcc(1)"},
    {"cc -O2 program.c -o program $(pkg-config --cflags --libs weir-ocr)", "with pkg-config(1)"},
    {"find_package(weir)", "in CMake, and target_link_libraries(program PRIVATE weir::weir_ocr)"},
};

constexpr Item kSwitches[] = {
    {"ENABLE_EXTENSION_NAME",
     "shows an extension in the headers: AFFINITY, CHANNEL_EVT, COLLECTIVE_EVT, COUNTED_EVT, DB_INFO, LABELING, "
     "LEGACY, "
     "MULTI_OUTPUT_SLOT, PARAMS_EVT, PAUSE or RTITF. The library always has all of them."},
    {"OCR_ENABLE_128_BIT_GUID", "GUIDs of two words; link with weir-ocr128 in place of weir-ocr"},
    {"OCR_GUID_SCALAR", "GUIDs are integers, for sources written for OCR 1.0; the same library"},
    {"OCR_MODES_1_0", "access modes as OCR 1.0 called them"},
    {"OCR_ASSERT", "ocrAssert() checks; else its argument is not evaluated"},
    {"OCR_ENABLE_EDT_NAMING", "templates know the names of their functions"},
};

constexpr Item kVariables[] = {
    {"OCR_CONFIG", "a configuration file, as after -ocr:cfg, which wins"},
    {"WEIR_OCR_REPORT",
     "1: at the end of the program, print what is left of it and why, and what the tiers held [0 or 1, default 0]"},
};

constexpr Item kDiagnostics[] = {
    {"the program can make no progress: nothing is ready or runs, and ocrShutdown() was not called",
     "A report follows: each EDT with its open slots and what would satisfy them, cycles, events never satisfied, data "
     "blocks never destroyed, each with the EDT in which it was made. The exit status is 1."},
    {"EDT ... was left by an exception, and the program ends",
     "A C++ exception, whose what() follows. What depends on the EDT does not begin. The exit status is 1."},
    {"the program ends: a task waits, and no thread can be started that runs others in its place",
     "An EDT that waits keeps its thread, and another one takes its place. Let fewer wait at a time (at most 2048), or "
     "raise the limit that the line names. The exit status is 12."},
    {"EDT ... depends on a data block that was destroyed before it started", "It runs, with NULL in that slot."},
    {"EDT ... has a block in several slots in different modes, and gets it in the strongest",
     "Give one mode for one block. Said of the first EDT of a template only."},
    {"EDT ... was given an event that is gone, or has no room, in its depv",
     "That slot is taken as satisfied, with nothing."},
    {"EDT ... depends on the event of a label that was gone at once, or has no room",
     "That slot is taken as satisfied, with nothing."},
    {"EDT ... returned an event that does not exist", "Its output event is satisfied, with nothing."},
    {"EDT ... returned what is neither a data block nor an event", "Its output event is satisfied, with nothing."},
    {"these sections have no meaning here and are ignored",
     "Of a configuration file written for the reference implementation."},
};

constexpr Item kStatuses[] = {
    {"0", "ocrShutdown() was called"},
    {"n", "what ocrAbort(n) was given"},
    {"1", "the program could make no progress, or an exception left an EDT"},
    {"2", "it could not start: an option, a variable or the configuration file is wrong, or there is no mainEdt()"},
    {"5", "the blocks of an EDT could not be read from their file (OCR_EIO)"},
    {"12", "the blocks of an EDT do not fit in memory at once, or no thread could be started (OCR_ENOMEM)"},
};

constexpr Item kFiles[] = {
    {"PREFIX/include/ocr",
     "the headers: ocr.h, extensions/ocr-*.h; in the include path of programs that link the library"},
    {"PREFIX/lib/libweir-ocr.*, libweir-ocr128.*", "the libraries, for GUIDs of one and of two words"},
    {"PREFIX/lib/pkgconfig/weir-ocr.pc, weir-ocr128.pc", "their flags"},
    {"PREFIX/bin/weir-ocrcc", "the compiler wrapper"},
};

constexpr Item kExamples[] = {
    {"WEIR_WORKERS=4 WEIR_POLICY=numa ./program 100", "four workers, which never steal across domains"},
    {"./program 100 -ocr:cfg mach-hc-8w.cfg", "as many workers as that configuration of the reference has"},
    {"WEIR_OCR_REPORT=1 ./program 100", "what is left at the end: blocks never destroyed, events never satisfied"},
    {"WEIR_TIERS=memory=8GiB,file=/scratch:100GiB ./program 100", "data blocks beyond 8 GiB go to a file"},
    {"weir explain $(pidof program)", "what a running program waits for"},
};

constexpr Item kOptions[] = {
    {"--guid=64, --guid=128", "GUIDs of one word (the default) or of two"},
    {"--ocr=1.0, --ocr=1.2",
     "1.0: for sources written for OCR 1.0, GUIDs are integers and access modes have their old names. 1.2 is the "
     "default."},
    {"--all-extensions",
     "show all extensions in the headers, as -DENABLE_EXTENSION_NAME does for one. What a source defines itself, by "
     "#define, has the value that it gives."},
    {"--show, -show, --showme", "print the command instead of running it"},
    {"--show-compile, --showme:compile", "print the flags to compile with"},
    {"--show-link, --showme:link", "print the flags to link with"},
    {"--help", "show the options"},
};

constexpr Item kCompilers[] = {
    {"CC", "the compiler for sources in C and for linking [cc]; may have flags, as in \"ccache gcc\""},
    {"CXX", "the compiler when a source is in C++, by the end of its name [c++]"},
    {"OCRCC_CC, OCRCC_CXX", "win over CC and CXX: where make(1) sets those to weir-ocrcc itself"},
    {"PKG_CONFIG", "the program that knows the flags [pkg-config]"},
};

constexpr Item kWrapperExamples[] = {
    {"weir-ocrcc -O2 program.c -o program", "compiles and links"},
    {"weir-ocrcc --all-extensions -c part.cpp", "compiles only, in C++, with all extensions"},
    {"weir-ocrcc --guid=128 program.c -o program", "with GUIDs of two words"},
    {"weir-ocrcc --ocr=1.0 old.c -o old", "a source written for OCR 1.0"},
    {"make CC=weir-ocrcc CXX=weir-ocrcc", "in a project that has a makefile"},
    {"weir-ocrcc --show program.c", "prints what it would run"},
};

}  // namespace

std::string ocr_page() {
  std::string page = head("weir-ocr", 7, "Miscellaneous", "programs written for OCR 1.2 on Weir");
  page += ".SH SYNOPSIS\n.B #include <ocr.h>\n.PP\n";
  page += ".B ./program\n.RI [ argument \" ...] [\"\n.BI \\-ocr:cfg \" FILE\"\n]\n";
  add_section(
      page, "DESCRIPTION",
      "Weir has the OCR 1.2 C API with the extensions of the reference implementation: event-driven tasks (EDTs), "
      "data blocks and events, on the same workers as its C++ API. Programs in C and in C++ compile and run "
      "without changes. What each function does, and which error codes it has, is in the headers.");
  add_section(page, "BUILDING", "In one of these ways:", kWays);
  add_section(page, "SWITCHES", "Macros that a program defines when it is compiled.", kSwitches);
  add_section(
      page, "STARTING",
      "A program that defines mainEdt() gets its main() from the library: mainEdt() is the first EDT, and its one "
      "dependence is a data block with the arguments, for ocrGetArgc() and ocrGetArgv(). A program with a main() "
      "of its own uses extensions/ocr-legacy.h. The program ends by ocrShutdown() or ocrAbort().");
  add_section(
      page, "WAITING",
      "An EDT that waits, in ocrLegacyBlockProgress() or for a label, keeps its thread and its thread-local variables; "
      "another thread runs EDTs in its place. Any number of EDTs wait for each other on any number of workers, up to "
      "2048 at a time; as many run at a time as there are workers.\n\n"
      "ocrEventSatisfySlot() of an EDT satisfies that slot. A dependence from a label under which nothing exists yet "
      "waits until an event or a data block is created there. Tasks that an EDT spawns by the C++ API are part of it: "
      "it ends when they have.");
  add_section(page, "CONFIGURATION FILE",
              "-ocr:cfg FILE, taken out of the arguments, or OCR_CONFIG names a configuration of the reference "
              "implementation. The number of workers is taken from it: the ids in sections [WorkerInst...]. Options of "
              "Weir may stand in a section of their own, and are overridden by the environment:\n\n"
              "  [weir]\n  workers = 4\n  policy = numa\n\n"
              "Sections without a meaning here are named on standard error and ignored.");
  add_section(page, "ENVIRONMENT", "", kVariables);
  page += ".PP\n";
  add_prose(
      page,
      "The options of the runtime, as for all programs that use Weir. WEIR_ALLOCATION is local-fast for OCR programs "
      "unless it is set. A WEIR_* variable whose name is nearly that of an option is an error.");
  add_variables(page);
  add_section(
      page, "DIAGNOSTICS",
      "Misuse has the error code that the headers document. What no return value can tell is a line on standard "
      "error that begins with \"weir: ocr:\". SIGUSR1 and weir-explain(1) say at any time what waits for what; "
      "weir-check(1) finds data that an EDT touches without having it.",
      kDiagnostics);
  add_section(page, "EXIT STATUS", "", kStatuses);
  add_section(page, "FILES", "", kFiles);
  add_section(page, "EXAMPLES", "", kExamples);
  page += ".SH SEE ALSO\n.BR weir\\-ocrcc (1),\n.BR weir (1),\n.BR weir\\-check (1),\n.BR weir\\-explain (1)\n";
  page += ".PP\ndocs/ocr.md: hints and tiers, and what differs from the reference implementation.\n";
  return page;
}

std::string ocrcc_page() {
  std::string page = head("weir-ocrcc", 1, "User Commands", "compile and link programs written for OCR");
  page += ".SH SYNOPSIS\n.B weir\\-ocrcc\n.RI [ option \" ...]\"\n.I argument ...\n";
  add_section(
      page, "DESCRIPTION",
      "Runs a compiler with the arguments and the flags that Weir's OCR needs, as mpicc does for MPI: the "
      "headers, and, unless -c, -S, -E, -M, -MM or -fsyntax-only is among the arguments, the libraries. What is "
      "not an option of its own goes to the compiler as it is. It finds the libraries next to itself: an "
      "installed Weir can be moved.");
  add_section(page, "OPTIONS", "", kOptions);
  add_section(page, "ENVIRONMENT", "", kCompilers);
  add_section(page, "EXIT STATUS",
              "That of the compiler; 2 when an option is wrong, or something that it needs is missing.");
  add_section(page, "EXAMPLES", "", kWrapperExamples);
  page += ".SH SEE ALSO\n.BR weir\\-ocr (7),\n.BR weir (1)\n";
  return page;
}

}  // namespace weir::tool
