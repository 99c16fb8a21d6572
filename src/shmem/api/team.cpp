// SPDX-License-Identifier: Apache-2.0

// Teams, and the contexts of a team.
#include "shmem/group/team.hpp"

#include <fmt/format.h>

#include "shmem/api/checks.hpp"
#include "shmem/api/together.hpp"

namespace weir::shmem::api {

void fail_root(int root, unsigned size) noexcept {
  fail(fmt::format("PE_root is {}, and there are {} PEs: give one from 0 to {}", root, size, size - 1));
}

namespace {

static_assert(SHMEM_TEAM_NUM_CONTEXTS == kTeamNumContexts);
static_assert(SHMEM_CTX_SERIALIZED == Context::kSerialized && SHMEM_CTX_PRIVATE == Context::kPrivate &&
              SHMEM_CTX_NOSTORE == Context::kNostore);

// A configuration that counts only as far as the mask says.
class Config {
 public:
  Config(const shmem_team_config_t* config, long mask) : mask_(config == nullptr ? 0 : mask) {
    if (config != nullptr) config_.num_contexts = config->num_contexts;
  }
  ConfigIn in() const noexcept { return {&config_, mask_}; }

 private:
  TeamConfig config_;
  long mask_;
};

PeMap map_of(const Group& group) noexcept { return {.size = static_cast<int>(group.size()), .list = group.pes()}; }

int create(Team* team, long options, shmem_ctx_t* ctx) {
  *ctx = SHMEM_CTX_INVALID;
  if (team == nullptr) return -1;
  const PeMap pes = team == &world_team() ? PeMap{} : map_of(team->group);
  Context* const made = create_context(options, pes, team);
  if (made == nullptr) return -1;
  *ctx = reinterpret_cast<shmem_ctx_t>(made);
  return 0;
}

// Over the parent, when there is one.
void check_split(shmem_team_t parent, const char* kind, std::string arguments) {
  if (Group* const group = group_in(parent); group != nullptr) check_call(*group, {parent}, kind, std::move(arguments));
}
void destroy_team(shmem_team_t team) {
  Group* const group = group_in(team);
  const bool is_predefined = team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED;
  if (is_checked() && group != nullptr && !is_predefined) check_call(*group, {team}, "team_destroy");
  destroy(team_of(team));
}

}  // namespace
}  // namespace weir::shmem::api

namespace weir::shmem {

WEIR_SHMEM_ENTRY(int, shmem_team_my_pe, (shmem_team_t team)) { return my_pe(api::team_of(team)); }
WEIR_SHMEM_ENTRY(int, shmem_team_n_pes, (shmem_team_t team)) { return n_pes(api::team_of(team)); }
WEIR_SHMEM_ENTRY(int, shmem_team_get_config, (shmem_team_t team, long config_mask, shmem_team_config_t* config)) {
  TeamConfig found;
  const int status = get_config(api::team_of(team), config_mask, config == nullptr ? nullptr : &found);
  if (status == 0 && (config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) config->num_contexts = found.num_contexts;
  return status;
}
WEIR_SHMEM_ENTRY(int, shmem_team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team)) {
  return translate_pe(api::team_of(src_team), src_pe, api::team_of(dest_team));
}
WEIR_SHMEM_ENTRY(void*, shmem_team_ptr, (shmem_team_t team, const void* dest, int pe)) {
  return team_ptr(api::team_of(team), dest, pe);
}

WEIR_SHMEM_ENTRY(int, shmem_team_split_strided,
                 (shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t* config,
                  long config_mask, shmem_team_t* new_team)) {
  if (api::is_checked())
    api::check_split(parent_team, "split_strided", fmt::format("start {}, stride {}, size {}", start, stride, size));
  const api::Config settings(config, config_mask);
  Team* made = nullptr;
  const int status = split_strided(api::team_of(parent_team), {start, stride, size}, settings.in(), &made);
  *new_team = api::handle_of(made);
  return status;
}
WEIR_SHMEM_ENTRY(int, shmem_team_split_2d,
                 (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,
                  shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team)) {
  if (api::is_checked()) api::check_split(parent_team, "split_2d", fmt::format("xrange {}", xrange));
  const api::Config x(xaxis_config, xaxis_mask);
  const api::Config y(yaxis_config, yaxis_mask);
  Team* x_made = nullptr;
  Team* y_made = nullptr;
  const int status = split_2d(api::team_of(parent_team), xrange, x.in(), &x_made, y.in(), &y_made);
  *xaxis_team = api::handle_of(x_made);
  *yaxis_team = api::handle_of(y_made);
  return status;
}
WEIR_SHMEM_ENTRY(void, shmem_team_destroy, (shmem_team_t team)) { api::destroy_team(team); }

WEIR_SHMEM_ENTRY(int, shmem_ctx_create, (long options, shmem_ctx_t* ctx)) {
  api::check_started();
  return api::create(&world_team(), options, ctx);
}
WEIR_SHMEM_ENTRY(int, shmem_team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx)) {
  return api::create(api::team_of(team), options, ctx);
}
WEIR_SHMEM_ENTRY(void, shmem_ctx_destroy, (shmem_ctx_t ctx)) {
  if (ctx != SHMEM_CTX_INVALID) destroy_context(&api::context_of(ctx));
}
WEIR_SHMEM_ENTRY(int, shmem_ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team)) {
  if (ctx == SHMEM_CTX_INVALID) {
    *team = SHMEM_TEAM_INVALID;
    return -1;
  }
  auto* const found = static_cast<Team*>(api::context_of(ctx).team());
  *team = found == nullptr ? SHMEM_TEAM_WORLD : api::handle_of(found);
  return 0;
}

// What is told of a session is a hint, and there is nothing to gain by it: operations to neighbours are done at once,
// and those to others are sent as they come.
WEIR_SHMEM_ENTRY(void, shmem_ctx_session_start, (shmem_ctx_t, long, const shmem_ctx_session_config_t*, long)) {}
WEIR_SHMEM_ENTRY(void, shmem_ctx_session_stop, (shmem_ctx_t)) {}

}  // namespace weir::shmem
