#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `weir-ocrcc --all-extensions`: extensions are shown to #if and to #ifdef, and sources may define them themselves,
# with all warnings as errors; and headers of others' sources. usage: all_extensions_test.sh SOURCE_FOLDER C|CXX COMPILER
set -eu
source=$1 language=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/lib/pkgconfig"
cp "$source/tools/ocrcc/weir-ocrcc" "$work/bin"
cat >"$work/lib/pkgconfig/weir-ocr.pc" <<END
Name: weir-ocr
Description: the headers alone
Version: 1
Cflags: -I$source/include -I$source/include/ocr
Libs: -lweir-ocr
END
sed 's/^Cflags: /&-DOCR_ENABLE_128_BIT_GUID /' "$work/lib/pkgconfig/weir-ocr.pc" >"$work/lib/pkgconfig/weir-ocr128.pc"
cd "$work"
case $language in
  C) export CC="$compiler" end=c ;;
  *) export CXX="$compiler" end=cpp ;;
esac

# compiles NAME [OPTION...]: the source on standard input, without a warning.
compiles() {
  name=$1
  shift
  cat >"$name.$end"
  bin/weir-ocrcc --all-extensions -Wall -Wextra -Werror "$@" -c "$name.$end" -o "$name.o" ||
    { echo "$name.$end does not compile" >&2; exit 1; }
  [ -s "$name.o" ] || { echo "$name.o was not made" >&2; exit 1; }
}

compiles asks <<'END'
#include "ocr.h"
#include "extensions/ocr-legacy.h"
#if !ENABLE_EXTENSION_LEGACY || !(ENABLE_EXTENSION_LABELING && ENABLE_EXTENSION_COUNTED_EVT)
#error "not shown to #if"
#endif
#ifndef ENABLE_EXTENSION_AFFINITY
#error "not shown to #ifdef"
#endif
u8 waits(ocrGuid_t event);
u8 waits(ocrGuid_t event) { return ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE); }
END
compiles defines_nothing <<'END'
#include "ocr.h"
#define ENABLE_EXTENSION_LABELING
#include "extensions/ocr-labeling.h"
#if ENABLE_EXTENSION_PAUSE
#include "extensions/ocr-pause.h"
#endif
u8 makes(ocrGuid_t *range);
u8 makes(ocrGuid_t *range) { return ocrPause(0) != 0 ? 0 : ocrGuidRangeCreate(range, 1, GUID_USER_DB); }
END
compiles defines_one <<'END'
#define ENABLE_EXTENSION_LABELING 1
#ifndef ENABLE_EXTENSION_PAUSE
#define ENABLE_EXTENSION_PAUSE 7
#endif
#include "ocr.h"
#include "extensions/ocr-labeling.h"
#if ENABLE_EXTENSION_PAUSE != 1 || !ENABLE_EXTENSION_LABELING
#error "other values"
#endif
typedef int not_empty;
END
echo '#define ENABLE_EXTENSION_RTITF yes' >own.h
compiles defines_in_a_header -I. -MMD -MF made.d <<'END'
#include "own.h"
#include "ocr.h"
#include "extensions/ocr-runtime-itf.h"
u64 workers(void);
u64 workers(void) { return ocrNbWorkers(); }
END
grep -q own.h made.d || { echo "-MMD is lost" >&2; exit 1; }
for bits in 64 128; do
  compiles has_a_macro_of_that_name --guid=$bits -DOCR_TYPE_H=x86-mpi.h -DENABLE_EXTENSION_DEBUG <<'END'
#include "ocr.h"
#include "extensions/ocr-debug.h"
#include "extensions/ocr-lib.h"
#define ocrEdtTemplateCreate_internal its_own
u8 its_own(ocrGuid_t *guid, ocrEdt_t function, u32 paramc, u32 depc, const char *name);
u8 makes(ocrGuid_t *guid, ocrEdt_t function);
u8 makes(ocrGuid_t *guid, ocrEdt_t function) {
  const u8 code = ocrEdtTemplateCreate(guid, function, 0, 0);
  return code != 0 ? code : ocrAttachDebugLabel(*guid, "made", 0, NULL);
}
END
done
[ "$(bin/weir-ocrcc --all-extensions --show-compile | grep -o 'ENABLE_EXTENSION_[A-Z_]*=1' | wc -l)" = 11 ] ||
  { echo "without a source an extension is not 1" >&2; exit 1; }
