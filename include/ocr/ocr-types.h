/* SPDX-License-Identifier: Apache-2.0 */

/* Types and constants of the OCR 1.2 API: GUIDs, access modes, properties, event types, hints.
 *
 * Switches, set when the program is compiled: OCR_ENABLE_128_BIT_GUID (GUIDs of two words; link weir-ocr128),
 * OCR_GUID_SCALAR (a GUID is an integer, for sources written for OCR 1.0; links with the same library as the struct.
 * Where a hint is passed now, such sources pass an affinity: it is taken for a hint of that affinity), OCR_MODES_1_0
 * (access modes as OCR 1.0 called them: DB_MODE_ITW, DB_MODE_NCR, and DB_MODE_RO for what is DB_MODE_CONST now).
 * ENABLE_EXTENSION_* decide which names of extensions show; they never change a number. C99 and C++98 on. */
#ifndef OCR_TYPES_H
#define OCR_TYPES_H

#include <inttypes.h>
#include <stddef.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;
typedef int8_t s8;

/* ---- GUIDs ---- */

#if defined(OCR_GUID_SCALAR) && defined(OCR_ENABLE_128_BIT_GUID)
#error "OCR_GUID_SCALAR needs GUIDs of one word: do not define OCR_ENABLE_128_BIT_GUID"
#endif

#if defined(OCR_GUID_SCALAR)
#define GUID_BIT_COUNT 64
typedef intptr_t ocrGuid_t;
#define NULL_GUID_INITIALIZER 0
#define UNINITIALIZED_GUID_INITIALIZER (-2)
#define ERROR_GUID_INITIALIZER (-1)
#define NULL_GUID ((ocrGuid_t)0)
#define UNINITIALIZED_GUID ((ocrGuid_t)(-2))
#define ERROR_GUID ((ocrGuid_t)(-1))
#else
#if defined(OCR_ENABLE_128_BIT_GUID)
#define GUID_BIT_COUNT 128
typedef struct {
  intptr_t lower;
  intptr_t upper;
} ocrGuid_t;
#define NULL_GUID_INITIALIZER \
  { 0, 0 }
#define UNINITIALIZED_GUID_INITIALIZER \
  { -2, -2 }
#define ERROR_GUID_INITIALIZER \
  { -1, -1 }
#else
#define GUID_BIT_COUNT 64
typedef struct {
  intptr_t guid;
} ocrGuid_t;
#define NULL_GUID_INITIALIZER \
  { 0 }
#define UNINITIALIZED_GUID_INITIALIZER \
  { -2 }
#define ERROR_GUID_INITIALIZER \
  { -1 }
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
#define NULL_GUID (ocrGuid_t NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID (ocrGuid_t UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID (ocrGuid_t ERROR_GUID_INITIALIZER)
#else
#define NULL_GUID ((ocrGuid_t)NULL_GUID_INITIALIZER)
#define UNINITIALIZED_GUID ((ocrGuid_t)UNINITIALIZED_GUID_INITIALIZER)
#define ERROR_GUID ((ocrGuid_t)ERROR_GUID_INITIALIZER)
#endif
#endif

/* Each file of a program says how wide its GUIDs are. When the program starts, the library looks for those that are not
 * as its own: such a program ends with a message, and exit code 2. */
#if defined(__GNUC__)
#if defined(OCR_ENABLE_128_BIT_GUID)
#define OCR_GUIDS_OF_THIS_FILE weir_ocr_has_files_with_128_bit_guids
#else
#define OCR_GUIDS_OF_THIS_FILE weir_ocr_has_files_with_64_bit_guids
#endif
#ifdef __cplusplus
extern "C" {
#endif
extern const char OCR_GUIDS_OF_THIS_FILE __attribute__((weak, visibility("default")));
const char OCR_GUIDS_OF_THIS_FILE = 1;
#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
#ifndef TRUE
#define TRUE true
#define FALSE false
#endif
#else
/* A program may have, or get, its bool from <stdbool.h> or from the language. */
#if !defined(__bool_true_false_are_defined) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L)
typedef u8 bool;
#ifndef true
#define true 1
#define false 0
#endif
#endif
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* The GUID that many places further on in a range: used by functions that map labels. */
ocrGuid_t addValueToGuid(ocrGuid_t input, u64 value);
#ifdef __cplusplus
}
#endif

/* Of enumerations: any int can be in one, as in C. What a program passes is checked. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define OCR_ANY_INT : int
#else
#define OCR_ANY_INT
#endif

/* ---- Data blocks ---- */

typedef enum OCR_ANY_INT {
  NO_ALLOC = 0,  /* the block is plain memory */
  WEIR_ALLOC = 1 /* ocrDbMalloc() and ocrDbFree() manage the memory of the block; an addition of Weir */
} ocrInDbAllocator_t;

typedef enum OCR_ANY_INT {
  DB_MODE_NULL = 0x0,  /* control only: neither GUID nor pointer is delivered */
  DB_MODE_CONST = 0x1, /* reads; no EDT writes at the same time */
  DB_MODE_RW = 0x2,    /* reads and writes, shared with other writers */
  DB_MODE_EW = 0x4,    /* reads and writes, alone */
  DB_MODE_RO = 0x8     /* reads; others may write at the same time */
} ocrDbAccessMode_t;

#define DB_DEFAULT_MODE ((ocrDbAccessMode_t)DB_MODE_RW)
#ifdef OCR_MODES_1_0
#define DB_MODE_ITW DB_MODE_RW
#define DB_MODE_NCR ((ocrDbAccessMode_t)0x8)
#define DB_MODE_RO DB_MODE_CONST
#endif

#define DB_PROP_NONE ((u16)0x0)
#define DB_PROP_NO_ACQUIRE ((u16)0x10)        /* created for others: the creator gets no pointer */
#define DB_PROP_SINGLE_ASSIGNMENT ((u16)0x20) /* a promise: written by its creator only */
#define DB_PROP_NO_HINT ((u16)0x40)           /* ocrSetHint() on it fails */

/* ---- EDTs ---- */

typedef struct {
  ocrGuid_t guid;         /* of the data block, or NULL_GUID */
  void *ptr;              /* to its data, or NULL */
  ocrDbAccessMode_t mode; /* how it was acquired */
} ocrEdtDep_t;

typedef ocrGuid_t (*ocrEdt_t)(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]);

#define EDT_PROP_NONE ((u16)0x0)
#define EDT_PROP_FINISH ((u16)0x1)     /* its output event waits for all EDTs made by it, and by them */
#define EDT_PROP_NO_HINT ((u16)0x2)    /* ocrSetHint() on it fails */
#define EDT_PROP_LONG ((u16)0x4)       /* a remark: it runs long */
#define EDT_PROP_OEVT_VALID ((u16)0x8) /* the output event given exists already */

#define EDT_PARAM_UNK ((u32)-1) /* in a template: each EDT says it */
#define EDT_PARAM_DEF ((u32)-2) /* of an EDT: as the template says */

/* ---- Events ---- */

typedef enum OCR_ANY_INT {
  OCR_EVENT_ONCE_T = 1,
  OCR_EVENT_IDEM_T = 2,
  OCR_EVENT_STICKY_T = 3,
  OCR_EVENT_LATCH_T = 4,
#ifdef ENABLE_EXTENSION_COUNTED_EVT
  OCR_EVENT_COUNTED_T = 5,
#endif
#ifdef ENABLE_EXTENSION_CHANNEL_EVT
  OCR_EVENT_CHANNEL_T = 6,
#endif
#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
  OCR_EVENT_COLLECTIVE_T = 7,
#endif
  OCR_EVENT_T_MAX = 8
} ocrEventTypes_t;

typedef enum OCR_ANY_INT { OCR_EVENT_LATCH_DECR_SLOT = 0, OCR_EVENT_LATCH_INCR_SLOT = 1 } ocrLatchEventSlot_t;

#define EVT_PROP_NONE ((u16)0x0)
#define EVT_PROP_TAKES_ARG ((u16)0x1)

/* ---- Hints ---- */

typedef enum OCR_ANY_INT {
  OCR_HINT_UNDEF_T,
  OCR_HINT_EDT_T,
  OCR_HINT_DB_T,
  OCR_HINT_EVT_T,
  OCR_HINT_GROUP_T
} ocrHintType_t;

typedef enum OCR_ANY_INT {
  OCR_HINT_EDT_PROP_START,
  OCR_HINT_EDT_PRIORITY,        /* not 0: before those without */
  OCR_HINT_EDT_SLOT_MAX_ACCESS, /* the slot whose block it uses most */
  OCR_HINT_EDT_AFFINITY,        /* from ocrAffinityToHintValue() */
  OCR_HINT_EDT_SPAD_USAGE,
  OCR_HINT_EDT_DISPERSE, /* OCR_HINT_EDT_DISPERSE_FAR or _NEAR */
  OCR_HINT_EDT_SPACE,
  OCR_HINT_EDT_TIME,
  OCR_HINT_EDT_STATS_HW_CYCLES,
  OCR_HINT_EDT_STATS_L1_HITS,
  OCR_HINT_EDT_STATS_L1_MISSES,
  OCR_HINT_EDT_STATS_FLOAT_OPS,
  OCR_HINT_EDT_SPAWNING,
  OCR_HINT_EDT_PROP_END,

  OCR_HINT_DB_PROP_START,
  OCR_HINT_DB_AFFINITY, /* from ocrAffinityToHintValue() */
  OCR_HINT_DB_NEAR,
  OCR_HINT_DB_INTER,
  OCR_HINT_DB_FAR,
  OCR_HINT_DB_HIGHBW,
  OCR_HINT_DB_EAGER,
  OCR_HINT_DB_LAZY,
  OCR_HINT_DB_PROP_END,

  OCR_HINT_EVT_PROP_START,
  OCR_HINT_EVT_PROP_END,

  OCR_HINT_GROUP_PROP_START,
  OCR_HINT_GROUP_PROP_END
} ocrHintProp_t;

typedef u64 ocrHintVal_t;

typedef struct {
  ocrHintType_t type;
  u64 propMask; /* which of the values are set */
  union {
    u64 propEDT[OCR_HINT_EDT_PROP_END - OCR_HINT_EDT_PROP_START - 1];
    u64 propDB[OCR_HINT_DB_PROP_END - OCR_HINT_DB_PROP_START - 1];
  } args;
} ocrHint_t;

#define NULL_HINT ((ocrHint_t *)0)

/* How functions take a hint: as a pointer, unless OCR_GUID_SCALAR is defined. Then they take an affinity, too, and NULL
 * and NULL_GUID mean the same; for a linker nothing is different. */
#if !defined(OCR_GUID_SCALAR)
typedef ocrHint_t *ocrHintOrAffinity_t;
#elif defined(__cplusplus)
extern "C++" { /* also where a program includes this between extern "C" and its brace */
struct ocrHintOrAffinity_t {
  ocrHint_t *hint;
  ocrHintOrAffinity_t(ocrHint_t *given) : hint(given) {}
  template <class Integer>
  ocrHintOrAffinity_t(Integer affinity) : hint((ocrHint_t *)(ocrGuid_t)affinity) {}
};
}
#elif defined(__GNUC__)
typedef union {
  ocrHint_t *hint;
  ocrGuid_t affinity;
  u64 bits;
} ocrHintOrAffinity_t __attribute__((transparent_union));
#else
typedef ocrHint_t *ocrHintOrAffinity_t;
#endif

#define OCR_HINT_EDT_DISPERSE_FAR 0
#define OCR_HINT_EDT_DISPERSE_NEAR 1

/* ---- Queries of a paused program ---- */

typedef enum OCR_ANY_INT {
  OCR_QUERY_READY_EDTS,
  OCR_QUERY_EVENTS,
  OCR_QUERY_LAST_SATISFIED_DB,
  OCR_QUERY_ALL_EDTS
} ocrQueryType_t;

/* ---- Labels: OR-ed into the properties of what is created ---- */

#define GUID_PROP_NONE ((u16)0x0)
#define GUID_PROP_IS_LABELED ((u16)0x100) /* the GUID given is used; that nothing has it is taken on trust */
#define GUID_PROP_CHECK ((u16)0x300)      /* the GUID given is used; OCR_EGUIDEXISTS when something has it */
#define GUID_PROP_BLOCK ((u16)0x500)      /* the GUID given is used; waits until nothing has it */

/* ---- ocrLegacyBlockProgress() on an event that does not exist, or not yet ---- */

#define LEGACY_PROP_NONE ((u16)0x0)            /* an error */
#define LEGACY_PROP_WAIT_FOR_CREATE ((u16)0x1) /* waits until it exists */
#define LEGACY_PROP_WAIT_IF_CREATED ((u16)0x2) /* an error */
#define LEGACY_PROP_CHECK ((u16)0x4)           /* an error, also when it is not satisfied yet: never waits */

/* ---- Names for tools that trace ---- */

typedef enum OCR_ANY_INT {
  OCR_TRACE_TYPE_EDT = 1000,
  OCR_TRACE_TYPE_API_EDT = 1001,
  OCR_TRACE_TYPE_EVENT = 1002,
  OCR_TRACE_TYPE_API_EVENT = 1003,
  OCR_TRACE_TYPE_DATABLOCK = 1004,
  OCR_TRACE_TYPE_API_DATABLOCK = 1005,
  OCR_TRACE_TYPE_MESSAGE = 1006,
  OCR_TRACE_TYPE_WORKER = 1007,
  OCR_TRACE_TYPE_SCHEDULER = 1008,
  OCR_TRACE_TYPE_API_AFFINITY = 1009,
  OCR_TRACE_TYPE_API_HINT = 1010,
  OCR_TRACE_TYPE_MAX = 1012
} ocrTraceType_t;

typedef enum OCR_ANY_INT {
  OCR_ACTION_CREATE,
  OCR_ACTION_TEMPLATE_CREATE,
  OCR_ACTION_DESTROY,
  OCR_ACTION_RUNNABLE,
  OCR_ACTION_SCHEDULED,
  OCR_ACTION_ADD_DEP,
  OCR_ACTION_SATISFY,
  OCR_ACTION_EXECUTE,
  OCR_ACTION_FINISH,
  OCR_ACTION_DATA_ACQUIRE,
  OCR_ACTION_DATA_RELEASE,
  OCR_ACTION_END_TO_END,
  OCR_ACTION_WORK_REQUEST,
  OCR_ACTION_WORK_TAKEN,
  OCR_ACTION_SCHED_MSG_SEND,
  OCR_ACTION_SCHED_MSG_RCV,
  OCR_ACTION_SCHED_INVOKE,
  OCR_ACTION_GET_CURRENT,
  OCR_ACTION_GET_AT,
  OCR_ACTION_GET_COUNT,
  OCR_ACTION_QUERY,
  OCR_ACTION_INIT,
  OCR_ACTION_SET_VAL,
  OCR_ACTION_RANGE_CREATE,
  OCR_ACTION_MAX
} ocrTraceAction_t;

#endif
