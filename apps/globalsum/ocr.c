/* SPDX-License-Identifier: Apache-2.0 */

/* Global sums in OCR: parts of a large set of numbers that agree, in every round, on values over all of them, through
 * collective events. `globalsum_ocr --help` lists the options.
 *
 * In a round the EDT of a part mixes what all have found in the round before into its numbers, and contributes to five
 * all-reductions: sums, the least, the greatest, and an exclusive or of words, and a sum of reals. The EDT of its next
 * round depends on the results. There is no other synchronisation. */
#include <math.h>

#include "apps/common/ocr_app.h"

enum { kSum, kLeast, kGreatest, kXor, kReal, kReductions };
enum { kWords = 2, kGenerations = 2, kBlocks = 2 * kGenerations };

/* Of all numbers of a part, or of all parts. */
typedef struct Values {
  u64 sum[kWords]; /* of the numbers, of their squares */
  s64 least;       /* as a number with a sign */
  u64 greatest, xored;
  double real; /* of the numbers as fractions of 2^64 */
} Values;

typedef struct Part {
  Values agreed;                           /* what the last round gave */
  ocrGuid_t results[kBlocks][kReductions]; /* the last of those it was in: the runtime uses them again */
  u64 numbers[];                           /* after them, in part 0 alone: what each round gave */
} Part;

typedef struct Round {
  ocrGuid_t round, reductions[kReductions];
  u64 part, parts, number, numbers, rounds;
} Round;

static u64 bytes_of_part(const Round *r, u64 part) {
  return sizeof(Part) + r->numbers * sizeof(u64) + (part == 0 ? r->rounds * sizeof(Values) : 0);
}
static Values *history_of(Part *part_0, const Round *r) { return (Values *)(part_0->numbers + r->numbers); }

static const redOp_t kOperators[kReductions] = {REDOP_U8_ADD, REDOP_S8_MIN, REDOP_U8_MAX, REDOP_U8_BITXOR,
                                                REDOP_F8_ADD};

static u64 mixed(u64 x) { /* the finalizer of SplitMix64 */
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static u64 first_number(u64 part, u64 i) { return mixed(part << 32 | i); }

static u64 next_number(u64 x, const Values *agreed) {
  u64 fraction;
  memcpy(&fraction, &agreed->real, sizeof fraction);
  fraction >>= 20; /* sums of reals may be in another order on other runtimes */
  return mixed(x ^ agreed->sum[0] ^ agreed->sum[1] ^ (u64)agreed->least ^ agreed->greatest ^ agreed->xored ^ fraction);
}

static void add_number(Values *v, u64 x) {
  v->sum[0] += x;
  v->sum[1] += x * x;
  if ((s64)x < v->least) v->least = (s64)x;
  if (x > v->greatest) v->greatest = x;
  v->xored ^= x;
  v->real += (double)x * 0x1p-64;
}

static const Values kNothing = {{0, 0}, INT64_MAX, 0, 0, 0};

static Values values_of(const u64 *numbers, u64 count) {
  Values v = kNothing;
  for (u64 i = 0; i < count; ++i) add_number(&v, numbers[i]);
  return v;
}

static void *field(Values *v, int reduction) {
  void *const fields[kReductions] = {v->sum, &v->least, &v->greatest, &v->xored, &v->real};
  return fields[reduction];
}

/* Slots: the part, RW, and the results of the round before, which has none in round 0. */
static ocrGuid_t round_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Round *const r = (const Round *)paramv;
  Part *const part = depv[0].ptr;
  if (r->number > 0) {
    for (int i = 0; i < kReductions; ++i) {
      memcpy(field(&part->agreed, i), depv[1 + i].ptr, i == kSum ? kWords * sizeof(u64) : sizeof(u64));
      part->results[r->number % kBlocks][i] = depv[1 + i].guid;
    }
    if (r->part == 0) history_of(part, r)[r->number - 1] = part->agreed;
    for (u64 i = 0; i < r->numbers; ++i) part->numbers[i] = next_number(part->numbers[i], &part->agreed);
  } else {
    for (u64 i = 0; i < r->numbers; ++i) part->numbers[i] = first_number(r->part, i);
    for (int i = 0; i < kBlocks * kReductions; ++i) part->results[i / kReductions][i % kReductions] = NULL_GUID;
  }
  if (r->number == r->rounds) return NULL_GUID;
  Values own = values_of(part->numbers, r->numbers);
  ocrDbRelease(depv[0].guid);
  Round next = *r;
  ++next.number;
  ocrGuid_t edt;
  if (!app_ok(ocrEdtCreate(&edt, r->round, EDT_PARAM_DEF, (u64 *)&next, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
                           NULL),
              "ocrEdtCreate"))
    return NULL_GUID;
  for (int i = 0; i < kReductions; ++i) {
    app_ok(ocrAddDependenceSlot(r->reductions[i], (u32)r->part, edt, (u32)(1 + i), DB_MODE_RO), "ocrAddDependenceSlot");
    app_ok(ocrEventCollectiveSatisfySlot(r->reductions[i], field(&own, i), (u32)r->part),
           "ocrEventCollectiveSatisfySlot");
  }
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RW);
  return NULL_GUID;
}

/* ---- The check: the rounds again, part after part, with plain loops ----
 *
 * The numbers of a part go through all rounds with what part 0 says that the rounds gave, and are those that the part
 * has; so all parts went by the same. What a round gave is what its numbers give: in round 0 they are known, and in each
 * later one they are right because what came before is. In memory are the numbers of one part, and what rounds gave. */

/* What the EDTs around the rounds share. */
typedef struct Plan {
  Round round;
  ocrGuid_t part[];
} Plan;

typedef struct Expected {
  u64 *numbers;    /* of the part at hand */
  Values *claimed; /* by part 0: what the rounds gave */
  Values *total;   /* what the parts so far give in the rounds */
} Expected;

static void free_expected(Expected *e) {
  if (e != NULL) free(e->numbers), free(e->claimed), free(e->total);
  free(e);
}

static Expected *make_expected(const Round *r) {
  Expected *const e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->numbers = malloc(r->numbers * sizeof(u64));
  e->claimed = malloc(r->rounds * sizeof(Values)), e->total = malloc(r->rounds * sizeof(Values));
  if (e->numbers != NULL && e->claimed != NULL && e->total != NULL) return e;
  free_expected(e);
  return NULL;
}

static void add_part(Values *total, const Values *v) {
  total->sum[0] += v->sum[0];
  total->sum[1] += v->sum[1];
  if (v->least < total->least) total->least = v->least;
  if (v->greatest > total->greatest) total->greatest = v->greatest;
  total->xored ^= v->xored;
  total->real += v->real;
}

static bool same(const Values *a, const Values *b) {
  return a->sum[0] == b->sum[0] && a->sum[1] == b->sum[1] && a->least == b->least && a->greatest == b->greatest &&
         a->xored == b->xored && fabs(a->real - b->real) <= 1e-12 * b->real;
}

static bool is_right_part(const Round *r, u64 number, const Part *part, const Expected *e) {
  for (u64 i = 0; i < r->numbers; ++i) e->numbers[i] = first_number(number, i);
  for (u64 round = 0; round < r->rounds; ++round) {
    const Values v = values_of(e->numbers, r->numbers);
    if (number == 0)
      e->total[round] = v;
    else
      add_part(&e->total[round], &v);
    for (u64 i = 0; i < r->numbers; ++i) e->numbers[i] = next_number(e->numbers[i], &e->claimed[round]);
  }
  const bool right = same(&part->agreed, &e->claimed[r->rounds - 1]) &&
                     memcmp(part->numbers, e->numbers, r->numbers * sizeof(u64)) == 0;
  if (!right) ocrPrintf("part %lu differs\n", (unsigned long)number);
  return right;
}

/* When all parts are in the totals. */
static bool are_right_rounds(const Round *r, const Expected *e) {
  for (u64 round = 0; round < r->rounds; ++round) {
    if (same(&e->claimed[round], &e->total[round])) continue;
    ocrPrintf("round %lu gave what its numbers do not\n", (unsigned long)round);
    return false;
  }
  return true;
}

static ocrGuid_t compare_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const Round *const r = &p->round;
  Part *const part = depv[2].ptr;
  AppVerdict *const v = depv[1].ptr;
  const Expected *const e = v->expected;
  const u64 number = paramv[0];
  if (number == 0) {
    memcpy(e->claimed, history_of(part, r), r->rounds * sizeof(Values));
    for (int i = 0; i < kBlocks * kReductions; ++i) /* the same in all parts */
      if (!ocrGuidIsNull(part->results[i / kReductions][i % kReductions]))
        ocrDbDestroy(part->results[i / kReductions][i % kReductions]);
  }
  v->right[number] = is_right_part(r, number, part, e);
  if (number + 1 < r->parts)
    app_compare_next(compare_edt, number + 1, depv, p->part[number + 1]);
  else
    v->right[number] = v->right[number] && are_right_rounds(r, e);
  return NULL_GUID;
}

/* A finish EDT. Slots: the plan, the verdict; all rounds are done. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  AppVerdict *const v = depv[1].ptr;
  v->seconds = app_seconds() - v->seconds;
  v->expected = make_expected(&p->round);
  if (v->expected == NULL)
    app_fail(kAppWrong, "globalsum: not enough memory to check the result");
  else
    app_compare_next(compare_edt, 0, depv, p->part[0]);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all is checked. */
static ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  const AppVerdict *const verdict = depv[1].ptr;
  const Round *const r = &p->round;
  Expected *const e = verdict->expected;
  if (e == NULL) return NULL_GUID; /* the program has been ended */
  const Values *const v = &e->total[r->rounds - 1];
  const bool right = app_all_right(verdict);
  ocrPrintf(
      "%lu parts of %lu numbers, %lu rounds of %d all-reductions in %.3f s: sum %016lx, least %ld, real %.12g: %s\n",
      (unsigned long)r->parts, (unsigned long)r->numbers, (unsigned long)r->rounds, kReductions, verdict->seconds,
      (unsigned long)v->sum[0], (long)v->least, v->real, right ? "right" : "WRONG");
  for (u64 i = 0; i < r->parts; ++i) ocrDbDestroy(p->part[i]);
  for (int i = 0; i < kReductions; ++i) ocrEventDestroy(r->reductions[i]);
  ocrEdtTemplateDestroy(r->round);
  free_expected(e);
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  app_end(right);
  return NULL_GUID;
}

/* A finish EDT. Slot: the plan. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  for (u64 i = 0; i < p->round.parts; ++i) {
    Round r = p->round;
    r.part = i;
    ocrGuid_t edt, slots[1 + kReductions] = {p->part[i]};
    for (int k = 0; k < kReductions; ++k) slots[1 + k] = NULL_GUID;
    ocrEdtCreate(&edt, r.round, EDT_PARAM_DEF, (u64 *)&r, EDT_PARAM_DEF, slots, EDT_PROP_NONE, NULL_HINT, NULL);
  }
  return NULL_GUID;
}

static u8 make_reduction(ocrGuid_t *event, const Round *r, int reduction) {
  ocrEventParams_t params;
  memset(&params, 0, sizeof params);
  params.EVENT_COLLECTIVE.maxGen = kGenerations;
  params.EVENT_COLLECTIVE.nbContribs = (u32)r->parts;
  params.EVENT_COLLECTIVE.nbContribsPd = (u32)r->parts;
  params.EVENT_COLLECTIVE.nbDatum = reduction == kSum ? kWords : 1;
  params.EVENT_COLLECTIVE.arity = 2;
  params.EVENT_COLLECTIVE.op = kOperators[reduction];
  params.EVENT_COLLECTIVE.type = COL_ALLREDUCE;
  params.EVENT_COLLECTIVE.reuseDbPerGen = true; /* a result is read before the next but one is made */
  return ocrEventCreateParams(event, OCR_EVENT_COLLECTIVE_T, EVT_PROP_TAKES_ARG, &params);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"parts", "that agree with each other", 64, 1, 100000, NULL},
                         {"numbers", "of each part", 1000, 1, 100000000, NULL},
                         {"rounds", "in which they agree", 100, 1, 10000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Parts that agree on values over all, in OCR.", options)) return NULL_GUID;
  const u64 parts = options[0].value;
  ocrGuid_t plan, verdict;
  void *data, *none;
  if (!app_ok(ocrDbCreate(&plan, &data, sizeof(Plan) + parts * sizeof(ocrGuid_t), DB_PROP_NONE, NULL_HINT, NO_ALLOC),
              "ocrDbCreate") ||
      !app_ok(app_make_verdict(&verdict, parts), "ocrDbCreate"))
    return NULL_GUID;
  Plan *const p = data;
  Round *const r = &p->round;
  memset(r, 0, sizeof *r);
  r->parts = parts, r->numbers = options[1].value, r->rounds = options[2].value;
  ocrEdtTemplateCreate(&r->round, round_edt, APP_WORDS(Round), 1 + kReductions);
  for (int i = 0; i < kReductions; ++i)
    if (!app_ok(make_reduction(&r->reductions[i], r, i), "ocrEventCreateParams")) return NULL_GUID;
  for (u64 i = 0; i < parts; ++i)
    if (!app_ok(ocrDbCreate(&p->part[i], &none, bytes_of_part(r, i), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC),
                "ocrDbCreate"))
      return NULL_GUID;
  ocrDbRelease(plan);
  app_run_and_check(plan, verdict, start_edt, check_edt, 0, NULL, end_edt);
  return NULL_GUID;
}
