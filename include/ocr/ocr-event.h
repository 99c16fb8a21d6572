/* SPDX-License-Identifier: Apache-2.0 */

/* Events: a dependence that is satisfied by a call of ocrEventSatisfy(). */
#ifndef OCR_EVENT_H
#define OCR_EVENT_H

#include "ocr-types.h"
#include "ocr-version.h"

#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
#include "extensions/ocr-reduction-event.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ENABLE_EXTENSION_PARAMS_EVT
typedef struct {
  u64 counter; /* increments that the latch starts with */
} ocrEventLatchParams_t;

#ifdef ENABLE_EXTENSION_COUNTED_EVT
typedef struct {
  u64 nbDeps; /* dependences after which, satisfied, it is destroyed; not 0 */
} ocrEventCounterParams_t;
#endif

#define EVENT_CHANNEL_UNBOUNDED ((u32)-1)
#ifdef ENABLE_EXTENSION_CHANNEL_EVT
typedef struct {
  u32 maxGen; /* satisfactions, or dependences, that may wait for the other side; or EVENT_CHANNEL_UNBOUNDED */
  u32 nbSat;  /* 1 */
  u32 nbDeps; /* 1 */
} ocrEventChannelParams_t;
#endif

#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
typedef struct _ocrEventCollectiveParams_t {
  u32 maxGen;            /* generations in flight at a time */
  u32 nbContribs;        /* contributions to one generation */
  u32 nbContribsPd;      /* of them, from one policy domain; this library is one */
  u16 nbDatum;           /* values in each contribution; 0 is taken as 1 */
  u8 arity;              /* a remark on how to combine */
  redOp_t op;            /* REDOP_... */
  collectiveType_t type; /* COL_... */
  bool reuseDbPerGen;    /* the block of a result may be used again maxGen generations later */
} ocrEventCollectiveParams_t;
#endif

__extension__ typedef struct { /* in C99, too */
  union {
    ocrEventLatchParams_t EVENT_LATCH;
#ifdef ENABLE_EXTENSION_COUNTED_EVT
    ocrEventCounterParams_t EVENT_COUNTED;
#endif
#ifdef ENABLE_EXTENSION_CHANNEL_EVT
    ocrEventChannelParams_t EVENT_CHANNEL;
#endif
#ifdef ENABLE_EXTENSION_COLLECTIVE_EVT
    ocrEventCollectiveParams_t EVENT_COLLECTIVE;
#endif
  };
} ocrEventParams_t;

/* As ocrEventCreate(), for the types that have parameters. OCR_EINVAL also for parameters that have no meaning. */
u8 ocrEventCreateParams(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties, ocrEventParams_t *params);
#else
typedef struct {
  u64 unused;
} ocrEventParams_t;
#endif

/* Makes an event. With GUID_PROP_IS_LABELED, _CHECK or _BLOCK in the properties *guid is its GUID, else it is set.
 * OCR_EINVAL: no such type, guid is NULL, or it is no label. OCR_EGUIDEXISTS: see GUID_PROP_CHECK.
 * When it fails *guid is NULL_GUID or the label. */
u8 ocrEventCreate(ocrGuid_t *guid, ocrEventTypes_t eventType, u16 properties);
/* OCR_EINVAL: no such event; it may have destroyed itself. */
u8 ocrEventDestroy(ocrGuid_t guid);

/* Satisfies slot 0, or `slot`, with a block or NULL_GUID. OCR_EINVAL: no such event, block or slot. OCR_EPERM: it is
 * satisfied already, or a channel has no room. ocrEventSatisfy() of NULL_GUID with NULL_GUID does nothing. */
u8 ocrEventSatisfy(ocrGuid_t eventGuid, ocrGuid_t dataGuid);
u8 ocrEventSatisfySlot(ocrGuid_t eventGuid, ocrGuid_t dataGuid, u32 slot);

#ifdef __cplusplus
}
#endif

#endif
