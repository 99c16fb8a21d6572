#include "check/checker.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "check/state.hpp"
#include "deps/block_map.hpp"

namespace weir::check {

namespace detail {
bool is_active = false;
}

constinit StatePointer state;

State::State()
    : pool(&own), watch(&pool), order(&pool), shadow(order, &pool), instructions(&pool), origins(&pool), told(&pool) {}

// A node of the dependence analysis: where what comes after it is to begin, and what it has to come after.
struct Node {
  Segment* begin;
  Segment* end;
};

// The graph in which the analysis of footprints draws its edges a second time. Nothing ever ends in it before the scope
// has waited, so that it has the edges that there are in every run.
class Graph {
 public:
  bool add_edge(deps::NodeRef before, deps::NodeRef after) {
    Order::add_edge(node(before).end, node(after).begin);
    return true;
  }
  static bool finished(deps::NodeRef) noexcept { return false; }
  deps::NodeRef make_join() {
    Segment* const segment = state->order.make(nullptr);
    return ref(&nodes_.emplace_back(Node{segment, segment}));
  }
  static void seal_join(deps::NodeRef) noexcept {}
  void* make_lock() noexcept { return this; }
  static void release_lock(void*) noexcept {}
  static void commutative(deps::NodeRef, void*) noexcept {}
  deps::OpenedReduction open_reduction(const Access&) {
    const deps::NodeRef made = make_join();
    return {made.node, made};
  }
  static void join_reduction(deps::NodeRef, void*) noexcept {}

  deps::NodeRef add(Segment* begin, Segment* end) { return ref(&nodes_.emplace_back(Node{begin, end})); }
  void clear() { nodes_.clear(); }

 private:
  static Node& node(deps::NodeRef ref) noexcept { return *static_cast<Node*>(ref.node); }
  static deps::NodeRef ref(Node* node) noexcept { return {node, 1}; }
  std::deque<Node> nodes_;
};

namespace {

// The children of one parent, from its first spawn on.
struct Scope {
  Graph graph;
  deps::BlockMap map;
  std::unordered_map<RegionId, std::size_t> regions;  // and how many unfinished children name them
  std::vector<Segment*> ends;                         // of children since the last wait
  Segment* segment = nullptr;                         // outside of tasks: what comes before the next child
  ~Scope() { map.reset(graph); }
};

struct Untouched {
  const TaskInfo* task = nullptr;
  Item item;
  std::uint64_t declared = 0, touched = 0;
};

struct SiteHash {
  std::size_t operator()(const Frames& f) const noexcept {
    std::size_t h = f.count;
    for (std::size_t i = 0; i < f.count; ++i) h = (h ^ f.address[i]) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
  }
};
struct SameFrames {
  bool operator()(const Frames& a, const Frames& b) const noexcept {
    return a.count == b.count && std::equal(a.address, a.address + a.count, b.address);
  }
};

struct EventHash {
  std::size_t operator()(const EventKey& key) const noexcept {
    const std::size_t h = key.event * 0x9e3779b97f4a7c15u ^ key.generation;
    return h * 0x9e3779b97f4a7c15u ^ h >> 31;
  }
};

// What only hooks use; by malloc().
struct Tables {
  std::unordered_map<Frames, std::unique_ptr<Site>, SiteHash, SameFrames> sites;
  std::unordered_map<std::string, std::unique_ptr<TaskInfo>> infos;  // by site and name
  std::unordered_map<const void*, std::unique_ptr<Scope>> scopes;
  std::unordered_map<std::uint64_t, Segment*> ends;  // of tasks, by id
  std::unordered_map<std::uint64_t, Untouched> items;
  std::unordered_map<const void*, RegionId> blocks;
  std::unordered_map<EventKey, Segment*, EventHash> events;
  std::size_t unfinished = 0;
};
Tables* tables = nullptr;

constexpr std::uintptr_t kThreadBytes = 2304;  // of the C library's record of a thread

void take_turn(ThreadState& thread) {
  if (thread.turn++ == 0) state->turn.lock();
}
void give_turn(ThreadState& thread) {
  if (--thread.turn == 0) state->turn.unlock();
}

// The gate, for what opens and closes all pages, that of its own stack frames among them: meanwhile the thread meets
// closed pages as handlers do. They are closed again after the gate is given back.
class ClosingGate {
 public:
  explicit ClosingGate(ThreadState& thread) noexcept : thread_(thread) {
    thread_.in_handler = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_.held = 0;  // the handler of a fault on the way here may have held them again
    state->gate.lock();
  }
  ~ClosingGate() {
    std::uintptr_t met[ThreadState::kMostOpened];
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < thread_.nested_count && state->watch.is_closed(); ++i)
      if (state->watch.find(thread_.nested[i]) != nullptr) met[count++] = thread_.nested[i];
    state->gate.unlock();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_.nested_count = 0;
    thread_.in_handler = false;
    for (std::uint32_t i = 0; i < count; ++i) platform::protect(met[i], kPageBytes, PROT_NONE);
  }
  ClosingGate(const ClosingGate&) = delete;
  ClosingGate& operator=(const ClosingGate&) = delete;

 private:
  ThreadState& thread_;
};

void open_all(ThreadState& thread) {
  const ClosingGate gate(thread);
  state->watch.open(false);
}
void close_all(ThreadState& thread) {
  const ClosingGate gate(thread);
  state->watch.close();
}

void pause(ThreadState& thread) {
  if (thread.pauses++ != 0) return;
  thread.held = 0;
  if (thread.run == nullptr) return;
  const ClosingGate gate(thread);
  state->watch.open(true);
}
void resume(ThreadState& thread) {
  if (--thread.pauses != 0) return;
  if (thread.run != nullptr) close_all(thread);
  thread.hold_calls();
}

// What the kernel and the handlers themselves need of the thread stays open. By who has the turn.
void prepare(ThreadState& thread) {
  if (thread.prepared) return;
  thread.prepared = true;
  platform::unblock_faults();
  const auto record = reinterpret_cast<std::uintptr_t>(pthread_self());
  const auto error = reinterpret_cast<std::uintptr_t>(&errno);
  const std::lock_guard lock(state->gate);
  for (const std::uintptr_t address : {record, record + kThreadBytes, error, page_of_thread_record()})
    state->watch.leave_out(address);
}

const TaskInfo* info_of(const char* name, const void* where, std::uintptr_t function, bool ocr) {
  Frames frames;
  if (where != nullptr)
    frames = {1, 0, {reinterpret_cast<std::uintptr_t>(where)}};
  else
    take_frames(frames, 0, this_thread().run);
  auto& site = tables->sites[frames];
  if (site == nullptr) {
    site = std::make_unique<Site>();
    site->frames = frames;
    site->number = tables->sites.size();
  }
  auto& info = tables->infos[fmt::format("{} {} {}", site->number, function, name != nullptr ? name : "")];
  if (info == nullptr) {
    info = std::make_unique<TaskInfo>();
    info->site = site.get();
    info->function = function;
    info->ocr = ocr;
    if (name != nullptr) std::strncpy(info->name, name, sizeof info->name - 1);
  }
  return info.get();
}

Scope& scope_of(const void* scope) {
  auto& found = tables->scopes[scope];
  if (found == nullptr) found = std::make_unique<Scope>();
  return *found;
}

// Accesses of the task up to now belong to its segment; what comes after it from now on comes after these.
void settle(Run& run) {
  bool any = false;
  for (const auto& [address, page] : run.pages) any = any || !page.touches.empty();
  if (!any) return;
  if (run.segment->shared) {
    Segment* const next = state->order.make(run.task);
    Order::add_edge(run.segment, next);
    run.segment = next;
  }
  const auto suspect = [&](const Segment* earlier) {
    run.task->site->grant();
    if (earlier->task != nullptr) earlier->task->site->grant();
  };
  for (auto& [address, page] : run.pages) {
    const auto tell_conflict = [&](const Conflict& conflict) {
      const TaskInfo* const other = conflict.earlier->task;
      Finding finding = make_finding(FindingKind::unordered, run.task, conflict.address, conflict.bytes);
      finding.writes = conflict.later_touch.writes ? 1 : 0;
      finding.at = *conflict.later_touch.at;
      finding.other_writes = conflict.earlier_touch.writes ? 1 : 0;
      finding.other_at = *conflict.earlier_touch.at;
      fill(finding.other, other);
      Site* const site = other != nullptr ? other->site : nullptr;
      tell(finding, {FindingKind::unordered, 0, std::min(run.task->site, site), std::max(run.task->site, site)});
    };
    state->shadow.record(run.segment, address, page.touches, tell_conflict, suspect);
    page.touches.clear();
    page.read = page.written = {};
    page.left_to_itself = false;
  }
  state->order.over(run.segment);
}

// What the thread does from now on comes after those.
Segment* join(Segment* current, const TaskInfo* task, std::span<Segment* const> before) {
  Segment* const next = state->order.make(task);
  if (current != nullptr) Order::add_edge(current, next);
  for (Segment* const segment : before) Order::add_edge(segment, next);
  return next;
}

void forget_regions(Scope& scope) {
  const std::lock_guard lock(state->gate);
  for (const auto& [id, uses] : scope.regions) state->watch.remove(id);
  scope.regions.clear();
}

// The program may use memory for something else when it has waited for the tasks that name it.
void forget_unused_regions(Scope& scope) {
  const std::lock_guard lock(state->gate);
  std::erase_if(scope.regions, [](const auto& entry) {
    if (entry.second != 0) return false;
    state->watch.remove(entry.first);
    return true;
  });
}

RegionId watch_region(Scope& scope, const WatchedRegion& region) {
  const std::lock_guard lock(state->gate);
  const RegionId id = state->watch.add(region);
  if (!scope.regions.try_emplace(id, 0).second) state->watch.remove(id);
  return id;
}

void forget_order() {
  for (const auto& [scope, data] : tables->scopes) data->segment = nullptr;
  state->shadow.clear();
  state->order.clear();
  tables->ends.clear();
  tables->events.clear();
  this_thread().outside = nullptr;
}

// Nothing is under way anywhere: what has been comes before all that will be.
void forget_order_if_still() {
  if (tables->unfinished != 0) return;
  for (const auto& [scope, data] : tables->scopes)
    if (!data->ends.empty()) return;
  forget_order();
}

bool may_overlap(const Extent& a, const Extent& b) noexcept {
  return !a.empty() && !b.empty() && a.base < b.end() && b.base < a.end();
}

void count_items(const Run& run) {
  for (const Item& item : run.items) {
    if (item.extent.empty() || (!item.reads && !item.writes) || state->watch.is_left_out(item.extent)) continue;
    Untouched& seen = tables->items[run.task->site->number << 16 | item.index];
    if (seen.task == nullptr) {
      seen.task = run.task;
      seen.item = item;
    }
    ++seen.declared;
    seen.touched += item.touched || run.helped ? 1 : 0;  // threads that help are not all seen at every moment
  }
}

void tell_untouched() {
  for (auto& [key, seen] : tables->items) {
    if (seen.touched != 0) continue;
    Finding finding = make_finding(FindingKind::untouched, seen.task, seen.item.extent.base, seen.item.extent.bytes());
    finding.mode = seen.item.ocr_mode != 0 ? seen.item.ocr_mode : static_cast<std::uint32_t>(seen.item.mode);
    finding.item = seen.item.index;
    finding.times = seen.declared;
    tell(finding, {FindingKind::untouched, seen.item.index, seen.task->site, nullptr});
  }
  tables->items.clear();
}

// What has been counted since the last time.
void tell_counts() {
  for (auto& [key, told] : state->told) {
    Repeated repeated;
    repeated.number = told.number;
    repeated.times = told.times - 1;
    told.times = 1;
    if (repeated.times != 0) state->link.tell(repeated);
  }
  Bye bye;
  bye.tasks = std::exchange(state->tasks, 0);
  bye.accesses = std::exchange(state->accesses, 0);
  state->link.tell(bye);
}

// Some programs end without destroying their runtimes.
void at_exit() {
  if (state == nullptr || !state->link.is_open()) return;
  const Pause pause;
  const std::lock_guard lock(state->gate);
  tell_untouched();
  tell_counts();
}

// The child has one thread, and all of the parent's memory as it is now: nothing of it is checked.
void after_fork_in_child() {
  if (state == nullptr) return;
  state->watch.open(true);
  state->link.forget();
  ThreadState& thread = this_thread();
  thread.run = nullptr;
  thread.turn = thread.pauses = 0;
  thread.held = 0;
  thread.holds_system_calls = false;
  detail::is_active = false;
  state.pointer = nullptr;
  tables = nullptr;
}

}  // namespace

// ---- Start and end ----

base::Status start(Options& options) {
  const char* const name = std::getenv(kVariable);
  if (name == nullptr) return base::Status::success();
  if (!platform::StoppedThread::supported()) {
    return {base::Code::unsupported, "weir check needs x86-64: on this processor it cannot see what tasks touch"};
  }
  options.workers = 1;
  options.bind = Bind::none;
  options.throttle = 0;
  options.tiers.clear();
  options.trace.clear();
  if (state != nullptr) {
    ++state->runtimes;
    return base::Status::success();
  }
  auto* const memory = new OwnMemory;  // of the state itself; never freed
  auto* const made = ::new (memory->allocate(sizeof(State))) State;
  state.pointer = made;
  base::Status status = install_handlers();
  if (status) status = made->link.open(name, can_hold_system_calls());
  if (!status) {
    state.pointer = nullptr;
    return status;
  }
  tables = new Tables;
  state->runtimes = 1;
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  std::atexit(&at_exit);
  detail::is_active = true;
  return base::Status::success();
}

void runtime_ended() {
  if (!active()) return;
  const Pause pause;
  if (--state->runtimes == 0 && this_thread().run == nullptr) {
    for (auto& [scope, data] : tables->scopes) forget_regions(*data);
    tables->scopes.clear();
    tables->unfinished = 0;  // EDTs that never ran
    forget_order();
  }
  const std::lock_guard lock(state->gate);
  if (state->runtimes == 0) tell_untouched();
  tell_counts();
}

// ---- Tasks ----

struct TaskRecord {
  Run run;
  bool finish = false;          // an EDT whose end comes after those that it makes
  Segment* finished = nullptr;  // the end of the innermost such EDT around it
  const void* scope = nullptr;  // that it is in
  std::vector<RegionId> regions;
  const void* children = nullptr;  // the scope of its own
  explicit TaskRecord(const TaskInfo* info) : run(info, &state->pool) {}
};

void watch_array(const void* scope, const Partition& partition) {
  const Region& whole = partition.whole;
  WatchedRegion region;
  region.extent = {
      reinterpret_cast<std::uintptr_t>(whole.base), whole.row_bytes, {1, whole.rows}, {0, whole.stride_bytes}};
  region.kind = RegionKind::array;
  if (region.extent.empty()) return;
  state->watch.learn_mappings(region.extent);
  watch_region(scope_of(scope), region);
}

TaskRecord* announce(const NewTask& task) {
  ThreadState& thread = this_thread();
  const TaskInfo* const info = info_of(task.name, task.site, task.function, false);
  Scope& scope = scope_of(task.scope);
  auto* const record = new TaskRecord(info);
  record->scope = task.scope;
  Run& run = record->run;
  run.restricted = !task.items.empty();
  run.items.assign(task.items.begin(), task.items.end());
  for (const Item& item : task.items) {
    if (item.extent.empty()) continue;
    state->watch.learn_mappings(item.extent);
    WatchedRegion region;
    region.extent = item.extent;
    region.kind = RegionKind::memory;
    region.declarer = info;
    const RegionId id = watch_region(scope, region);
    ++scope.regions[id];
    record->regions.push_back(id);
  }
  Run* const parent = thread.run;
  Segment* before = scope.segment;
  if (parent != nullptr) {
    settle(*parent);
    before = parent->segment;
    before->shared = true;
    for (Item& item : parent->items)
      for (const Item& child : task.items) item.touched = item.touched || may_overlap(item.extent, child.extent);
    parent->own_scope = task.scope;
  }
  run.segment = state->order.make(info);
  run.end = state->order.make(info);
  if (before != nullptr) Order::add_edge(before, run.segment);
  if (parent != nullptr) {
    run.end->parent_end = parent->end;
    Order::add_edge(run.end, parent->end);
  }
  for (const std::uint64_t id : task.after)
    if (const auto found = tables->ends.find(id); found != tables->ends.end())
      Order::add_edge(found->second, run.segment);
  scope.map.analyse(scope.graph, scope.graph.add(run.segment, run.end), task.footprint);
  scope.ends.push_back(run.end);
  tables->ends[task.id] = run.end;
  ++tables->unfinished;
  return record;
}

namespace {

void finish_record(TaskRecord* task) {
  if (const auto scope = tables->scopes.find(task->scope); scope != tables->scopes.end()) {
    for (const RegionId id : task->regions) {
      const auto found = scope->second->regions.find(id);
      if (found != scope->second->regions.end() && found->second != 0) --found->second;
    }
  }
  if (tables->unfinished != 0) --tables->unfinished;
  delete task;
}

}  // namespace

void begin(TaskRecord& task, const void* runner) {
  ThreadState& thread = this_thread();
  take_turn(thread);
  prepare(thread);
  if (!thread.holds_system_calls && can_hold_system_calls()) {
    platform::unblock_faults();
    thread.holds_system_calls = platform::hold_system_calls(&thread.held);
  }
  Run& run = task.run;
  run.outer = thread.run;
  run.pauses = thread.pauses;
  run.stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  run.runner = start_of_function(runner != nullptr ? runner : __builtin_return_address(0));
  run.record = &task;
  const Site& site = *run.task->site;
  run.exact = site.exact > site.accesses ? site.exact - site.accesses : 0;
  ++state->tasks;
  thread.run = state->running = &run;
  thread.pauses = 0;
  close_all(thread);
  thread.hold_calls();
}

void end(TaskRecord* task, bool completely) {
  ThreadState& thread = this_thread();
  Run& run = task->run;
  thread.held = 0;
  open_all(thread);
  thread.run = state->running = run.outer;
  thread.pauses = run.pauses;
  settle(run);
  run.task->site->accesses += run.accesses;
  Order::add_edge(run.segment, run.end);
  if (task->finished != nullptr) Order::add_edge(run.end, task->finished);
  state->order.ended(run.end);
  if (completely) count_items(run);
  if (run.own_scope != nullptr) {
    Scope& own = scope_of(run.own_scope);
    scope_of(task->scope).regions.merge(own.regions);
    forget_regions(own);  // those that the scope around has, too
    tables->scopes.erase(run.own_scope);
  }
  finish_record(task);
  give_turn(thread);
  thread.hold_calls();
}

void drop(TaskRecord* task) {
  const Pause pause;
  state->order.ended(task->run.end);
  finish_record(task);
}

void waited(const void* scope) {
  Scope& data = scope_of(scope);
  Run* const run = this_thread().run;
  if (run != nullptr) {
    settle(*run);
    run->segment = join(run->segment, run->task, data.ends);
  } else {
    data.segment = join(data.segment, nullptr, data.ends);
  }
  data.ends.clear();
  data.map.reset(data.graph);
  data.graph.clear();
  forget_regions(data);
  if (run == nullptr) forget_order_if_still();
}

void waited_for(const void* scope, std::uint64_t id) {
  const auto found = tables->ends.find(id);
  if (found == tables->ends.end()) return;
  Run* const run = this_thread().run;
  Segment* const end = found->second;
  if (run != nullptr) {
    settle(*run);
    run->segment = join(run->segment, run->task, {&end, 1});
  } else {
    Scope& data = scope_of(scope);
    data.segment = join(data.segment, nullptr, {&end, 1});
  }
  if (scope != nullptr) forget_unused_regions(scope_of(scope));
}

// ---- Blocks ----

void* allocate_block(std::size_t bytes, const char* name, bool strict) {
  const Pause pause;
  const std::size_t whole = (bytes + kPageBytes - 1) & ~(kPageBytes - 1);
  // A page behind it that nobody has, for what runs over the end.
  void* const memory =
      mmap(nullptr, whole + kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto base = reinterpret_cast<std::uintptr_t>(memory);
  WatchedRegion region;
  region.kind = RegionKind::block;
  region.strict = strict;
  region.extent = {base, bytes};
  std::strncpy(region.name, name != nullptr ? name : "", sizeof region.name - 1);
  const std::lock_guard lock(state->gate);
  state->watch.know_mapping(base, base + whole + kPageBytes, PROT_READ | PROT_WRITE);
  tables->blocks[memory] = state->watch.add(region);
  region.kind = RegionKind::beyond_block;
  region.extent = {base + bytes, whole + kPageBytes - bytes};
  state->watch.add(region);
  if (this_thread().run == nullptr) state->watch.open(false);
  return memory;
}

// Its addresses are never used again.
void free_block(void* block) {
  const Pause pause;
  const std::lock_guard lock(state->gate);
  const auto found = tables->blocks.find(block);
  if (found == tables->blocks.end()) return;
  state->watch.turn_into(found->second, RegionKind::dead_block);
  tables->blocks.erase(found);
}

// ---- EDTs ----

TaskRecord* announce_edt(const char* name, std::uintptr_t function, bool finish) {
  const TaskInfo* const info = info_of(name, nullptr, function, true);
  auto* const record = new TaskRecord(info);
  Run& run = record->run;
  run.segment = state->order.make(info);
  run.end = state->order.make(info);
  record->finish = finish;
  if (Run* const maker = this_thread().run) {
    settle(*maker);
    maker->segment->shared = true;
    Order::add_edge(maker->segment, run.segment);
    record->finished = maker->record->finish ? maker->end : maker->record->finished;
    run.end->parent_end = record->finished;
  } else if (Segment* const before = this_thread().outside) {
    Order::add_edge(before, run.segment);
  }
  ++tables->unfinished;
  return record;
}

void set_items(TaskRecord& task, std::span<const Item> items) { task.run.items.assign(items.begin(), items.end()); }

namespace {

// Rights to a block's pages are looked up again; what was touched there is settled.
void forget_rights(Run& run, const Extent& extent) {
  settle(run);
  for (std::uintptr_t page = page_of(extent.base); page < extent.end(); page += kPageBytes) run.pages.erase(page);
}

}  // namespace

void acquire(const Item& item) {
  Run* const run = this_thread().run;
  if (run == nullptr) return;
  run->items.push_back(item);
  forget_rights(*run, item.extent);
}

void release(const void* block) {
  Run* const run = this_thread().run;
  if (run == nullptr) return;
  for (Item& item : run->items) {
    if (item.extent.base != reinterpret_cast<std::uintptr_t>(block) || item.released) continue;
    item.released = true;
    item.reads = item.writes = false;
    item.touched = true;
    forget_rights(*run, item.extent);
  }
}

void use(const void* block) {
  Run* const run = this_thread().run;
  if (run == nullptr) return;
  for (Item& item : run->items)
    if (item.extent.base == reinterpret_cast<std::uintptr_t>(block)) item.touched = true;
}

class Cause : public Segment {};

namespace {
Segment* segment_of(const Cause* cause) noexcept { return const_cast<Cause*>(cause); }
const Cause* as_cause(Segment* segment) noexcept { return static_cast<const Cause*>(segment); }

// What the calling thread does comes after its task, and after the cause.
void add_causes(Segment* to) {
  ThreadState& thread = this_thread();
  if (thread.run != nullptr) {
    settle(*thread.run);
    thread.run->segment->shared = true;
    Order::add_edge(thread.run->segment, to);
  } else if (thread.outside != nullptr) {
    Order::add_edge(thread.outside, to);
  }
  if (thread.cause != nullptr) Order::add_edge(thread.cause, to);
}
}  // namespace

const Cause* end_of(const TaskRecord& task) { return as_cause(task.run.end); }

const Cause* set_cause(const Cause* cause) { return as_cause(std::exchange(this_thread().cause, segment_of(cause))); }
const Cause* current_cause() { return as_cause(this_thread().cause); }

const Cause* here() {
  Segment* const segment = state->order.make(nullptr);
  add_causes(segment);
  return as_cause(segment);
}

const Cause* both(const Cause* a, const Cause* b) {
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  Segment* const before[] = {segment_of(a), segment_of(b)};
  return as_cause(join(nullptr, nullptr, before));
}

void satisfied(EventKey event) {
  Segment*& segment = tables->events[event];
  if (segment == nullptr) segment = state->order.make(nullptr);
  add_causes(segment);
}

const Cause* cause_of(EventKey event) {
  const auto found = tables->events.find(event);
  return found == tables->events.end() ? nullptr : as_cause(found->second);
}

void depends_on_cause(TaskRecord& task) { add_causes(task.run.segment); }

void waited_for_cause(const Cause* cause) {
  if (cause == nullptr) return;
  ThreadState& thread = this_thread();
  Segment* const before = segment_of(cause);
  if (thread.run == nullptr) {
    thread.outside = join(thread.outside, nullptr, {&before, 1});
    return;
  }
  settle(*thread.run);
  thread.run->segment = join(thread.run->segment, thread.run->task, {&before, 1});
}

// ---- Pauses ----

Pause::Pause() noexcept {
  ThreadState& thread = this_thread();
  take_turn(thread);
  prepare(thread);
  pause(thread);
}
Pause::~Pause() {
  ThreadState& thread = this_thread();
  resume(thread);
  give_turn(thread);
}

WaitPause::WaitPause() noexcept {
  ThreadState& thread = this_thread();
  pause(thread);
  depth_ = std::exchange(thread.turn, 0);
  if (depth_ != 0) state->turn.unlock();
}
WaitPause::~WaitPause() {
  ThreadState& thread = this_thread();
  if (depth_ != 0) {
    state->turn.lock();
    state->running = thread.run;
  }
  thread.turn = depth_;
  resume(thread);
}

}  // namespace weir::check
