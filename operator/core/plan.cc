#include "operator/core/plan.h"

#include <algorithm>

#include "operator/core/member_words.h"
#include "operator/core/protocol.h"

namespace carrack::control {
namespace {

using namespace train;

// Five letters and digits from the UID, without vowels, so that no word appears by chance.
std::string letters_of(const std::string& uid) {
  constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string letters;
  for (std::uint64_t rest = stable_hash(uid); letters.size() < 5; rest /= alphabet.size()) {
    letters += alphabet[rest % alphabet.size()];
  }
  return letters;
}

// A host name has at most 63 characters; this leaves 27 for role, index, attempt and incarnation.
std::string stem_of(const JobSpec& spec) {
  std::string shortened = spec.name.substr(0, 30);
  while (!shortened.empty() && shortened.back() == '-') shortened.pop_back();
  return shortened + "-" + letters_of(spec.uid);
}

}  // namespace

// FNV-1a. Names must stay the same in every release, so this uses no hash of a library.
std::uint64_t stable_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::vector<RolePlan> roles_of(const JobSpec& spec) {
  const Config& config = spec.config;
  std::vector<RolePlan> roles;
  if (const auto& own = spec.own) {
    roles = {{Role::coordinator, own->coordinators, own->coordinators},
             {Role::ps, own->ps, own->ps},
             {Role::worker, own->workers, own->workers}};
  } else if (config.strategy == Strategy::single) {
    roles = {{Role::worker, 1, 1}};
  } else {
    roles = {{Role::coordinator, 1, 1},
             {Role::ps, config.ps.max, config.ps.max},
             {Role::worker, spec.worker_count.value_or(config.workers.max), config.workers.min}};
  }
  std::erase_if(roles, [](const RolePlan& role) { return role.count == 0; });
  return roles;
}

std::vector<Member> members_of(const JobSpec& spec) {
  std::vector<Member> members;
  for (const RolePlan& role : roles_of(spec)) {
    for (int index = 0; index < role.count; ++index) members.push_back({role.role, index});
  }
  return members;
}

// If the manifest has only a `count` of workers (min equals max), users may still change it while the job runs, up to
// one worker for each lane. A lane is a share of a batch that one worker computes.
Config config_of_members(const JobSpec& spec) {
  Config config = spec.config;
  if (config.strategy != Strategy::single && config.workers.min == config.workers.max) {
    config.workers.max = std::max(config.workers.max, std::min(config.training.lanes, replicas_max));
  }
  return config;
}

int min_of(const JobSpec& spec, Role role) {
  const std::vector<RolePlan> roles = roles_of(spec);
  const auto found = std::ranges::find(roles, role, &RolePlan::role);
  return found == roles.end() ? 0 : found->min;
}

Member leader_of(const JobSpec& spec) {
  return protocol_of(spec).leader(spec);
}

std::string name_prefix(const JobSpec& spec) {
  return stem_of(spec) + "-";
}

std::string service_name(const JobSpec& spec) {
  if (spec.own) return stem_of(spec) + "-members";
  return spec.config.strategy == Strategy::single ? "" : stem_of(spec) + "-coordinator";
}

std::string config_name(const JobSpec& spec) {
  return spec.own ? "" : stem_of(spec) + "-config";
}

std::string key_name(const JobSpec& spec) {
  const bool is_one_process = spec.config.strategy == Strategy::single;
  return spec.own || is_one_process ? "" : stem_of(spec) + "-key-" + spec.uid;
}

std::string process_name(const JobSpec& spec, const Member& member, const Fence& fence) {
  return stem_of(spec) + "-" + member_name(member) + "-" + std::to_string(fence.attempt) + "-" +
         std::to_string(fence.incarnation);
}

Process process_of(const JobSpec& spec, const Member& member, const Fence& fence) {
  return {process_name(spec, member, fence),
          {spec.name, spec.uid, member, fence, {}, spec.config},
          spec.own || member == leader_of(spec)};
}

}  // namespace carrack::control
