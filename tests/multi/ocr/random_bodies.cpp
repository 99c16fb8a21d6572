// SPDX-License-Identifier: Apache-2.0

// Random graphs over ranks against the serial answer: OCR_GRAPHS of them, one after the other, from the seed OCR_SEED
// on. Nodes are EDTs on random ranks, edges are events of random types on random ranks, or output events, which bring
// blocks of random sizes; nodes and their children add to blocks that all share.
#include <array>
#include <cstdlib>
#include <random>

#include "multi/ocr/bodies.hpp"

namespace weir::ocr::multi {

namespace {

constexpr u64 kSums = 3;
constexpr u64 kSizes[] = {8, 8, 64, 4096, 20'000};
constexpr ocrDbAccessMode_t kModes[] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
constexpr ocrEventTypes_t kTypes[] = {OCR_EVENT_ONCE_T, OCR_EVENT_IDEM_T, OCR_EVENT_STICKY_T, OCR_EVENT_COUNTED_T,
                                      OCR_EVENT_CHANNEL_T};

u64 mix(u64 a, u64 b) { return (a ^ b >> 9 ^ b << 3) * 0x9e3779b97f4a7c15u + b; }

struct Edge {
  u64 from = 0, to = 0;
  bool is_output = false;  // the output event of `from`
  ocrEventTypes_t type{};
  u64 home = 0;
  u64 bytes = 0;
  ocrDbAccessMode_t mode{};
};

struct Node {
  u64 rank = 0;
  std::vector<u64> in, out;  // edges
  u64 sum = kSums;           // to which it adds its value; kSums: none
  u64 child_rank = 0, child_sum = kSums;
};

// What a seed says, on each rank alike. The last node has an edge from each that has no other.
struct Plan {
  explicit Plan(u64 number) : seed(number), random(number * 7919 + 1) {
    nodes.resize(8 + below(40));
    for (u64 i = 0; i < nodes.size(); ++i) {
      Node& node = nodes[i];
      node.rank = below(rank_count());
      if (below(3) == 0) node.sum = below(kSums);
      if (below(4) == 0) node.child_sum = below(kSums), node.child_rank = below(rank_count());
      for (u64 more = i == 0 ? 0 : below(4); more != 0; --more) add_edge(below(i), i);
    }
    const u64 last = nodes.size() - 1;
    for (u64 i = 0; i < last; ++i)
      if (nodes[i].out.empty()) add_edge(i, last);
    run_serially();
  }

  u64 seed;
  std::mt19937_64 random;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<u64> values;  // of nodes
  std::array<u64, kSums> sums{};

 private:
  u64 below(u64 limit) { return random() % limit; }

  void add_edge(u64 from, u64 to) {
    Edge edge{from, to, false, kTypes[below(std::size(kTypes))], below(rank_count()), 0, kModes[below(4)]};
    edge.bytes = kSizes[below(std::size(kSizes))];
    bool has_output = false;
    for (const u64 other : nodes[from].out) has_output = has_output || edges[other].is_output;
    edge.is_output = !has_output && below(3) == 0;
    nodes[from].out.push_back(edges.size());
    nodes[to].in.push_back(edges.size());
    edges.push_back(edge);
  }

  void run_serially() {
    for (u64 i = 0; i < nodes.size(); ++i) {
      u64 value = mix(seed, i);
      for (const u64 edge : nodes[i].in) value = mix(value, values[edges[edge].from]);
      values.push_back(value);
      if (nodes[i].sum != kSums) sums[nodes[i].sum] += value;
      if (nodes[i].child_sum != kSums) sums[nodes[i].child_sum] += value + 1;
    }
  }
};

u64 number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

ocrGuid_t make_block(u64 bytes, u64 value) {
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, bytes, DB_PROP_NONE, nullptr, NO_ALLOC), 0, "ocrDbCreate()");
  u64* const words = static_cast<u64*>(data);
  words[0] = words[bytes / 8 - 1] = value;
  expect_code(ocrDbRelease(block), 0, "ocrDbRelease()");
  return block;
}

// ---- An EDT of a node: seed, node, the sum that its child adds to, the events of its edges ----

enum NodeParam { kSeed, kNode, kChildSum, kNodeParams };
// Slots: the start, those of its edges, the sum.

ocrGuid_t add_to_sum(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  static_cast<u64*>(depv[0].ptr)[0] += paramv[0];
  return kNull;
}

u64 value_of(const Plan& plan, u64 number, ocrEdtDep_t* depv) {
  u64 value = mix(plan.seed, number);
  const std::vector<u64>& in = plan.nodes[number].in;
  for (u64 i = 0; i < in.size(); ++i) {
    const ocrEdtDep_t& dep = depv[1 + i];
    const u64* const words = static_cast<const u64*>(dep.ptr);
    const u64 last = plan.edges[in[i]].bytes / 8 - 1;
    expect(words != nullptr && words[0] == words[last], "an edge brings all of its block");
    if (words == nullptr) return 0;
    value = mix(value, words[0]);
    expect_code(ocrDbDestroy(dep.guid), 0, "ocrDbDestroy()");
  }
  return value;
}

ocrGuid_t run_node(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  const Plan plan(paramv[kSeed]);
  const u64 number = paramv[kNode];
  const Node& node = plan.nodes[number];
  expect(node.rank == this_rank(), "a node is on its rank");
  const u64 value = value_of(plan, number, depv);
  expect(value == plan.values[number], "a node has the value that it has in a serial run");
  if (node.sum != kSums) static_cast<u64*>(depv[depc - 1].ptr)[0] += value;
  if (node.child_sum != kSums) {
    const Made child = make_edt(node.child_rank, &add_to_sum, {value + 1}, 1);
    expect_code(ocrAddDependence(guid_of(paramv[kChildSum]), child.edt, 0, DB_MODE_EW), 0, "ocrAddDependence()");
  }
  ocrGuid_t returned = kNull;
  for (u64 i = 0; i < node.out.size(); ++i) {
    const Edge& edge = plan.edges[node.out[i]];
    const ocrGuid_t block = make_block(edge.bytes, value);
    if (edge.is_output)
      returned = block;
    else
      expect_code(ocrEventSatisfy(guid_of(paramv[kNodeParams + i]), block), 0, "ocrEventSatisfy() of an edge");
  }
  return returned;
}

// ---- From graph to graph ----

void begin_graph(u64 seed, u64 left);

// On each rank: the events of its edges, in the order of edges, in the block that it returns.
ocrGuid_t make_events(u32, u64* paramv, u32, ocrEdtDep_t*) {
  const Plan plan(paramv[0]);
  ocrGuid_t block = kNull;
  void* data = nullptr;
  expect_code(ocrDbCreate(&block, &data, (plan.edges.size() + 1) * 8, DB_PROP_NONE, nullptr, NO_ALLOC), 0,
              "ocrDbCreate()");
  ocrEventParams_t counted{}, channel{};
  counted.EVENT_COUNTED.nbDeps = 1;
  channel.EVENT_CHANNEL = {1, 1, 1};
  for (u64 i = 0; i < plan.edges.size(); ++i) {
    if (plan.edges[i].home != this_rank()) continue;
    const ocrEventTypes_t type = plan.edges[i].type;
    ocrEventParams_t* const params = type == OCR_EVENT_COUNTED_T   ? &counted
                                     : type == OCR_EVENT_CHANNEL_T ? &channel
                                                                   : nullptr;
    ocrGuid_t event = kNull;
    expect_code(ocrEventCreateParams(&event, type, EVT_PROP_TAKES_ARG, params), 0, "ocrEventCreateParams()");
    static_cast<u64*>(data)[i] = word_of(event);
  }
  return block;
}

bool outlives_its_edge(const Edge& edge) {
  return edge.type == OCR_EVENT_IDEM_T || edge.type == OCR_EVENT_STICKY_T || edge.type == OCR_EVENT_CHANNEL_T;
}

// All that the graph has made has ended. Slots: its end, the sums, the events of each rank.
ocrGuid_t end_graph(u32, u64* paramv, u32 depc, ocrEdtDep_t* depv) {
  const Plan plan(paramv[0]);
  for (u64 sum = 0; sum < kSums; ++sum) {
    expect(static_cast<u64*>(depv[1 + sum].ptr)[0] == plan.sums[sum], "what all add to a block is there at the end");
    expect_code(ocrDbDestroy(depv[1 + sum].guid), 0, "ocrDbDestroy()");
  }
  for (u64 i = 0; i < plan.edges.size(); ++i) {
    const u64 event = static_cast<u64*>(depv[1 + kSums + plan.edges[i].home].ptr)[i];
    if (plan.edges[i].is_output || outlives_its_edge(plan.edges[i]))
      expect_code(ocrEventDestroy(guid_of(event)), 0, "ocrEventDestroy()");
  }
  for (u32 i = 1 + kSums; i < depc; ++i) expect_code(ocrDbDestroy(depv[i].guid), 0, "ocrDbDestroy()");
  if (paramv[1] == 0)
    ocrShutdown();
  else
    begin_graph(plan.seed + 1, paramv[1]);
  return kNull;
}

// Makes all nodes, the last one first, and lets them begin. Slots: the sums, the events of each rank.
ocrGuid_t run_graph(u32, u64* paramv, u32, ocrEdtDep_t* depv) {
  const Plan plan(paramv[0]);
  const ocrGuid_t start = make_event(OCR_EVENT_STICKY_T);
  std::vector<ocrGuid_t> edts(plan.nodes.size(), kNull);
  const auto event_of = [&](u64 edge) { return static_cast<u64*>(depv[kSums + plan.edges[edge].home].ptr)[edge]; };
  for (u64 i = plan.nodes.size(); i-- != 0;) {
    const Node& node = plan.nodes[i];
    const ocrGuid_t child_sum = node.child_sum == kSums ? kNull : depv[node.child_sum].guid;
    std::vector<u64> params{plan.seed, i, word_of(child_sum)};
    bool wants_output = false;
    for (const u64 edge : node.out) {
      params.push_back(event_of(edge));
      wants_output = wants_output || plan.edges[edge].is_output;
    }
    const auto slots = static_cast<u32>(node.in.size() + 2);
    const Made made = make_edt(node.rank, &run_node, params, slots, nullptr, EDT_PROP_NONE, wants_output);
    edts[i] = made.edt;
    expect_code(ocrAddDependence(node.sum == kSums ? kNull : depv[node.sum].guid, made.edt, slots - 1, DB_MODE_EW), 0,
                "ocrAddDependence() of a sum");
    expect_code(ocrAddDependence(start, made.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence() of the start");
    for (const u64 edge : node.out) {
      const Edge& of = plan.edges[edge];
      const std::vector<u64>& in = plan.nodes[of.to].in;
      u32 slot = 1;
      while (in[slot - 1] != edge) ++slot;
      expect_code(ocrAddDependence(of.is_output ? made.output : guid_of(event_of(edge)), edts[of.to], slot, of.mode), 0,
                  "ocrAddDependence() of an edge");
    }
  }
  expect_code(ocrEventSatisfy(start, kNull), 0, "ocrEventSatisfy() of the start");
  return kNull;
}

void begin_graph(u64 seed, u64 left) {
  std::vector<ocrGuid_t> blocks, depv;
  std::vector<Made> makers;
  for (u64 i = 0; i < kSums; ++i) blocks.push_back(make_block(i == 0 ? 8 : 5000, 0));
  for (u64 rank = 0; rank < rank_count(); ++rank) {
    makers.push_back(make_edt(rank, &make_events, {seed}, 1, nullptr, EDT_PROP_NONE, true));
    blocks.push_back(makers.back().output);
  }
  const auto count = static_cast<u32>(blocks.size());
  const Made runs = make_edt(seed % rank_count(), &run_graph, {seed}, count + 1, nullptr, EDT_PROP_FINISH, true);
  const Made ends = make_edt((seed / 3) % rank_count(), &end_graph, {seed, left - 1}, count + 1);
  expect_code(ocrAddDependence(runs.output, ends.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
  for (u32 i = 0; i < count; ++i) {
    expect_code(ocrAddDependence(blocks[i], runs.edt, i, DB_MODE_RO), 0, "ocrAddDependence()");
    expect_code(ocrAddDependence(blocks[i], ends.edt, 1 + i, DB_MODE_RO), 0, "ocrAddDependence()");
  }
  expect_code(ocrAddDependence(kNull, runs.edt, count, DB_MODE_NULL), 0, "ocrAddDependence()");
  for (const Made& maker : makers)
    expect_code(ocrAddDependence(kNull, maker.edt, 0, DB_MODE_NULL), 0, "ocrAddDependence()");
}

void random_graphs() { begin_graph(number_of("OCR_SEED"), number_of("OCR_GRAPHS")); }
const Named named_random_graphs("random-graphs", &random_graphs);

}  // namespace

}  // namespace weir::ocr::multi
