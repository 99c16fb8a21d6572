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
  u64 numbers[];
} Part;

typedef struct Round {
  ocrGuid_t round, reductions[kReductions];
  u64 part, parts, number, numbers, rounds;
} Round;

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

/* ---- Around the rounds ---- */

/* What all parts agree on in the end, and their numbers, on one thread. NULL: not enough memory. */
static u64 *serial_rounds(const Round *r, Values *agreed) {
  u64 *const numbers = malloc(r->parts * r->numbers * sizeof *numbers);
  if (numbers == NULL) return NULL;
  for (u64 i = 0; i < r->parts * r->numbers; ++i) numbers[i] = first_number(i / r->numbers, i % r->numbers);
  for (u64 round = 0; round < r->rounds; ++round) {
    *agreed = kNothing;
    for (u64 part = 0; part < r->parts; ++part) {
      const Values v = values_of(numbers + part * r->numbers, r->numbers);
      agreed->sum[0] += v.sum[0];
      agreed->sum[1] += v.sum[1];
      if (v.least < agreed->least) agreed->least = v.least;
      if (v.greatest > agreed->greatest) agreed->greatest = v.greatest;
      agreed->xored ^= v.xored;
      agreed->real = part == 0 ? v.real : agreed->real + v.real;
    }
    for (u64 i = 0; i < r->parts * r->numbers; ++i) numbers[i] = next_number(numbers[i], agreed);
  }
  return numbers;
}

static bool is_right(const Round *r, ocrEdtDep_t *parts) {
  Values agreed = kNothing;
  u64 *const numbers = serial_rounds(r, &agreed);
  if (numbers == NULL) {
    fprintf(stderr, "globalsum: not enough memory to check the result\n");
    return false;
  }
  bool right = true;
  for (u64 i = 0; i < r->parts && right; ++i) {
    const Part *const part = parts[i].ptr;
    const Values *const v = &part->agreed;
    right = v->sum[0] == agreed.sum[0] && v->sum[1] == agreed.sum[1] && v->least == agreed.least &&
            v->greatest == agreed.greatest && v->xored == agreed.xored &&
            fabs(v->real - agreed.real) <= 1e-12 * agreed.real &&
            memcmp(part->numbers, numbers + i * r->numbers, r->numbers * sizeof(u64)) == 0;
    if (!right) ocrPrintf("part %lu differs\n", (unsigned long)i);
  }
  free(numbers);
  return right;
}

typedef struct Check {
  Round round;
  u64 start_ns;
} Check;

/* Slots: all rounds are done, the parts. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Check *const c = (const Check *)paramv;
  const Round *const r = &c->round;
  const double seconds = app_seconds() - (double)c->start_ns * 1e-9;
  const bool right = is_right(r, depv + 1);
  const Values *const v = &((const Part *)depv[1].ptr)->agreed;
  ocrPrintf(
      "%lu parts of %lu numbers, %lu rounds of %d all-reductions in %.3f s: sum %016lx, least %ld, real %.12g: %s\n",
      (unsigned long)r->parts, (unsigned long)r->numbers, (unsigned long)r->rounds, kReductions, seconds,
      (unsigned long)v->sum[0], (long)v->least, v->real, right ? "right" : "WRONG");
  const ocrGuid_t *const results = ((const Part *)depv[1].ptr)->results[0];
  for (int i = 0; i < kBlocks * kReductions; ++i)
    if (!ocrGuidIsNull(results[i])) ocrDbDestroy(results[i]);
  for (u64 i = 0; i < r->parts; ++i) ocrDbDestroy(depv[1 + i].guid);
  for (int i = 0; i < kReductions; ++i) ocrEventDestroy(r->reductions[i]);
  app_end(right);
  return NULL_GUID;
}

/* A finish EDT. Slots: the parts. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  for (u32 i = 0; i < depc; ++i) {
    Round r = *(const Round *)paramv;
    r.part = i;
    ocrGuid_t edt, slots[1 + kReductions] = {depv[i].guid};
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

static void start(Round *r) {
  ocrGuid_t starter, start, checker, check, done;
  ocrEdtTemplateCreate(&r->round, round_edt, APP_WORDS(Round), 1 + kReductions);
  ocrEdtTemplateCreate(&starter, start_edt, APP_WORDS(Round), (u32)r->parts);
  ocrEdtTemplateCreate(&checker, check_edt, APP_WORDS(Check), (u32)r->parts + 1);
  const Check params = {*r, (u64)(app_seconds() * 1e9)};
  ocrEdtCreate(&check, checker, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtCreate(&start, starter, EDT_PARAM_DEF, (u64 *)r, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &done);
  ocrAddDependence(done, check, 0, DB_MODE_NULL);
  for (u64 i = 0; i < r->parts; ++i) {
    ocrGuid_t part;
    void *none;
    if (!app_ok(
            ocrDbCreate(&part, &none, sizeof(Part) + r->numbers * sizeof(u64), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC),
            "ocrDbCreate"))
      return;
    ocrAddDependence(part, check, (u32)i + 1, DB_MODE_RO);
    ocrAddDependence(part, start, (u32)i, DB_MODE_RO);
  }
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"parts", "that agree with each other", 64, 1, 100000, NULL},
                         {"numbers", "of each part", 1000, 1, 100000000, NULL},
                         {"rounds", "in which they agree", 100, 1, 100000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Parts that agree on values over all, in OCR.", options)) return NULL_GUID;
  Round r;
  memset(&r, 0, sizeof r);
  r.parts = options[0].value;
  r.numbers = options[1].value;
  r.rounds = options[2].value;
  for (int i = 0; i < kReductions; ++i)
    if (!app_ok(make_reduction(&r.reductions[i], &r, i), "ocrEventCreateParams")) return NULL_GUID;
  start(&r);
  return NULL_GUID;
}
