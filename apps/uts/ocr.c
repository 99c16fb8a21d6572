/* SPDX-License-Identifier: Apache-2.0 */

/* UTS, the Unbalanced Tree Search benchmark (Olivier et al. 2006), in OCR: counts the nodes of a tree that nobody can
 * predict the shape of. `uts_ocr --tree T1` checks nodes, leaves and depth against the published ones.
 *
 * The state of a node is a SHA-1 digest; that of its i-th child is the digest of the node's state and i. How many
 * children a node has follows from its state: by a geometric distribution whose mean depends on the depth, by a
 * binomial one, or by one above the other (hybrid).
 *
 * An explore EDT has a data block of nodes. It searches below them depth first until it has seen `grain` nodes; what is
 * left then goes to at most `fan` EDTs of the same kind, and a sum EDT adds up what they find. */
#include <math.h>

#include "apps/common/ocr_app.h"

/* ---- SHA-1 (FIPS 180-4) of less than 56 bytes: one block ---- */

typedef struct State {
  u8 bytes[20];
} State;

static u32 rotated(u32 x, int by) { return x << by | x >> (32 - by); }

static State sha1(const u8 *message, u32 length) {
  u32 w[80] = {0};
  for (u32 i = 0; i < length; ++i) w[i / 4] |= (u32)message[i] << (24 - 8 * (i % 4));
  w[length / 4] |= 0x80u << (24 - 8 * (length % 4));
  w[15] = 8 * length;
  for (int i = 16; i < 80; ++i) w[i] = rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  static const u32 start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  u32 a = start[0], b = start[1], c = start[2], d = start[3], e = start[4];
  for (int i = 0; i < 80; ++i) {
    u32 f, k;
    if (i < 20)
      f = (b & c) | (~b & d), k = 0x5a827999;
    else if (i < 40)
      f = b ^ c ^ d, k = 0x6ed9eba1;
    else if (i < 60)
      f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
    else
      f = b ^ c ^ d, k = 0xca62c1d6;
    const u32 next = rotated(a, 5) + f + e + k + w[i];
    e = d, d = c, c = rotated(b, 30), b = a, a = next;
  }
  const u32 sums[5] = {a + start[0], b + start[1], c + start[2], d + start[3], e + start[4]};
  State digest;
  for (u32 i = 0; i < 20; ++i) digest.bytes[i] = (u8)(sums[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

static void put_word(u8 *to, u32 word) {
  for (int i = 0; i < 4; ++i) to[i] = (u8)(word >> (24 - 8 * i));
}

static State root_state(u32 seed) {
  u8 message[20] = {0};
  put_word(message + 16, seed);
  return sha1(message, sizeof message);
}

static State child_state(const State *parent, u32 number) {
  u8 message[24];
  memcpy(message, parent->bytes, 20);
  put_word(message + 20, number);
  return sha1(message, sizeof message);
}

/* From 0 to below 1. */
static double chance(const State *state) {
  const u8 *const b = state->bytes + 16;
  const u32 word = (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
  return (word & 0x7fffffff) / 2147483648.0;
}

/* ---- Trees ---- */

enum Distribution { kBinomial, kGeometric, kHybrid };
enum Shape { kLinear, kExponential, kCyclic, kFixed };
enum { kMostChildren = 100 };

typedef struct Tree {
  enum Distribution distribution;
  enum Shape shape;     /* of the mean over the depth, geometric */
  double root_children; /* the mean at the root */
  int depth;            /* that the shape refers to */
  double inner;         /* of binomial nodes: the probability of having children, */
  int children;         /* and how many */
  u32 seed;
  u64 nodes, leaves, deepest; /* as published */
} Tree;

/* The sample trees of the benchmark. */
static const char *const kNames[] = {"T1", "T2", "T3", "T4", "T5", "T1L", "T2L", "T3L", NULL};
static const Tree kTrees[] = {{kGeometric, kFixed, 4, 10, 0, 0, 19, 4130071, 3305118, 10},
                              {kGeometric, kCyclic, 6, 16, 0, 0, 502, 4117769, 2342762, 81},
                              {kBinomial, kLinear, 2000, 0, 0.124875, 8, 42, 4112897, 3599034, 1572},
                              {kHybrid, kLinear, 6, 16, 0.234375, 4, 1, 4132453, 3108986, 134},
                              {kGeometric, kLinear, 4, 20, 0, 0, 34, 4147582, 2181318, 20},
                              {kGeometric, kFixed, 4, 13, 0, 0, 29, 102181082, 81746377, 13},
                              {kGeometric, kCyclic, 7, 23, 0, 0, 220, 96793510, 53791152, 67},
                              {kBinomial, kLinear, 2000, 0, 0.200014, 5, 7, 111345631, 89076904, 17844}};

typedef struct Node {
  State state;
  u32 height;
} Node;

static double mean_at(const Tree *t, u32 height) {
  if (height == 0) return t->root_children;
  switch (t->shape) {
    case kExponential:
      return t->root_children * pow(height, -log(t->root_children) / log(t->depth));
    case kCyclic:
      return (int)height > 5 * t->depth ? 0 : pow(t->root_children, sin(2.0 * 3.141592653589793 * height / t->depth));
    case kFixed:
      return (int)height < t->depth ? t->root_children : 0;
    default:
      return t->root_children * (1.0 - (double)height / t->depth);
  }
}

static u32 count_children(const Tree *t, const Node *node) {
  const bool binomial = t->distribution == kBinomial || (t->distribution == kHybrid && node->height >= 0.5 * t->depth);
  if (t->distribution == kBinomial && node->height == 0) return (u32)t->root_children;
  if (binomial) return chance(&node->state) < t->inner ? (u32)t->children : 0;
  const double p = 1.0 / (1.0 + mean_at(t, node->height));
  const int count = (int)floor(log(1 - chance(&node->state)) / log(1 - p));
  return count > kMostChildren ? kMostChildren : (u32)count;
}

/* ---- EDTs ---- */

typedef struct Found {
  u64 nodes, leaves, deepest;
} Found;

/* Who wants what was found: an EDT, and which slot of it. */
typedef struct Sum {
  ocrGuid_t edt;
  u64 slot;
} Sum;

typedef struct Explore {
  ocrGuid_t explore, add; /* templates */
  Sum sum;
  u64 tree, grain, fan;
  u64 count; /* nodes in the block */
} Explore;

typedef struct Add {
  Sum sum;
} Add;

static void give(Sum sum, const Found *found) {
  ocrGuid_t block;
  void *data;
  if (!app_ok(ocrDbCreate(&block, &data, sizeof *found, DB_PROP_NONE, NULL_HINT, NO_ALLOC), "ocrDbCreate")) return;
  memcpy(data, found, sizeof *found);
  ocrDbRelease(block);
  ocrAddDependence(block, sum.edt, (u32)sum.slot, DB_MODE_RO);
}

static void add_found(Found *to, const Found *found) {
  to->nodes += found->nodes;
  to->leaves += found->leaves;
  if (found->deepest > to->deepest) to->deepest = found->deepest;
}

static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  Found all = {0, 0, 0};
  for (u32 i = 0; i < depc; ++i) {
    add_found(&all, depv[i].ptr);
    ocrDbDestroy(depv[i].guid);
  }
  give(((const Add *)paramv)->sum, &all);
  return NULL_GUID;
}

/* An EDT for every fan-th of the nodes. */
static void make_explore(const Explore *e, const Node *nodes, u64 count, u64 part, u64 parts) {
  Explore params = *e;
  params.count = (count - part + parts - 1) / parts;
  ocrGuid_t block, edt;
  void *data;
  if (!app_ok(ocrDbCreate(&block, &data, params.count * sizeof *nodes, DB_PROP_NONE, NULL_HINT, NO_ALLOC),
              "ocrDbCreate"))
    return;
  Node *to = data;
  for (u64 i = part; i < count; i += parts) *to++ = nodes[i];
  ocrDbRelease(block);
  ocrEdtCreate(&edt, e->explore, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL);
}

/* What is found goes to the sum above, or, with what the EDTs for the rest find, to a sum of its own. */
static void hand_on(const Explore *e, const Found *found, const Node *rest, u64 count) {
  if (count == 0) {
    give(e->sum, found);
    return;
  }
  const u64 parts = count < e->fan ? count : e->fan;
  Add add = {e->sum};
  Explore next = *e;
  if (!app_ok(ocrEdtCreate(&next.sum.edt, e->add, EDT_PARAM_DEF, (u64 *)&add, (u32)parts + 1, NULL, EDT_PROP_NONE,
                           NULL_HINT, NULL),
              "ocrEdtCreate"))
    return;
  next.sum.slot = parts;
  give(next.sum, found);
  for (next.sum.slot = 0; next.sum.slot < parts; ++next.sum.slot)
    make_explore(&next, rest, count, next.sum.slot, parts);
}

static ocrGuid_t explore_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Explore *const e = (const Explore *)paramv;
  const Tree *const tree = &kTrees[e->tree];
  u64 count = e->count, room = e->count + 1024;
  Node *stack = malloc(room * sizeof *stack);
  if (stack != NULL) memcpy(stack, depv[0].ptr, count * sizeof *stack);
  ocrDbDestroy(depv[0].guid);
  Found found = {0, 0, 0};
  while (stack != NULL && count > 0 && found.nodes < e->grain) {
    const Node node = stack[--count];
    const u32 children = count_children(tree, &node);
    ++found.nodes;
    found.leaves += children == 0;
    if (node.height > found.deepest) found.deepest = node.height;
    if (count + children > room) {
      Node *const larger = realloc(stack, (room = 2 * (count + children)) * sizeof *stack);
      if (larger == NULL) free(stack);
      stack = larger;
    }
    for (u32 i = 0; stack != NULL && i < children; ++i) {
      stack[count].state = child_state(&node.state, i);
      stack[count++].height = node.height + 1;
    }
  }
  if (stack != NULL)
    hand_on(e, &found, stack, count);
  else
    app_fail(kAppWrong, "uts: not enough memory");
  free(stack);
  return NULL_GUID;
}

/* Parameters: the tree, the start in nanoseconds. Slot: what was found. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Tree *const tree = &kTrees[paramv[0]];
  const Found *const found = depv[0].ptr;
  const double seconds = app_seconds() - (double)paramv[1] * 1e-9;
  const bool right = found->nodes == tree->nodes && found->leaves == tree->leaves && found->deepest == tree->deepest;
  ocrPrintf("%s: %lu nodes, %lu leaves, depth %lu, in %.3f s, %.1f million nodes a second: %s\n", kNames[paramv[0]],
            (unsigned long)found->nodes, (unsigned long)found->leaves, (unsigned long)found->deepest, seconds,
            (double)found->nodes / seconds * 1e-6, right ? "right" : "WRONG");
  if (!right)
    ocrPrintf("published: %lu nodes, %lu leaves, depth %lu\n", (unsigned long)tree->nodes, (unsigned long)tree->leaves,
              (unsigned long)tree->deepest);
  ocrDbDestroy(depv[0].guid);
  app_end(right);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"tree", "a sample tree of the benchmark", 0, 0, 0, kNames},
                         {"grain", "nodes that an EDT sees before it hands on the rest", 1000, 1, 1000000000, NULL},
                         {"fan", "EDTs that get the rest, at most", 8, 1, 10000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Unbalanced tree search, in OCR.", options)) return NULL_GUID;
  Explore first;
  memset(&first, 0, sizeof first);
  first.tree = options[0].value;
  first.grain = options[1].value;
  first.fan = options[2].value;
  u64 params[] = {first.tree, (u64)(app_seconds() * 1e9)};
  ocrGuid_t check;
  ocrEdtTemplateCreate(&check, check_edt, 2, 1);
  ocrEdtTemplateCreate(&first.explore, explore_edt, APP_WORDS(Explore), 1);
  ocrEdtTemplateCreate(&first.add, add_edt, APP_WORDS(Add), EDT_PARAM_UNK);
  ocrEdtCreate(&first.sum.edt, check, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  const Node root = {root_state(kTrees[first.tree].seed), 0};
  make_explore(&first, &root, 1, 0, 1);
  return NULL_GUID;
}
