#include "operator/core/plan.h"

namespace carrack::control {
namespace {

using namespace train;

// No vowels, so that no word appears by chance.
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

std::vector<Member> members_of(const Config& config) {
  if (config.strategy == Strategy::single) return {{Role::worker, 0}};
  std::vector<Member> members = {{Role::coordinator, 0}};
  for (int index = 0; index < config.ps.max; ++index) members.push_back({Role::ps, index});
  for (int index = 0; index < config.workers.max; ++index) members.push_back({Role::worker, index});
  return members;
}

Member leader_of(Strategy strategy) {
  return strategy == Strategy::single ? Member{Role::worker, 0} : Member{Role::coordinator, 0};
}

std::string service_name(const JobSpec& spec) {
  return spec.config.strategy == Strategy::single ? "" : stem_of(spec) + "-coordinator";
}

std::string config_name(const JobSpec& spec) {
  return stem_of(spec) + "-config";
}

std::string process_name(const JobSpec& spec, const Member& member, const Fence& fence) {
  return stem_of(spec) + "-" + std::string(spelled(member.role)) + "-" + std::to_string(member.index) + "-" +
         std::to_string(fence.attempt) + "-" + std::to_string(fence.incarnation);
}

Process process_of(const JobSpec& spec, const Member& member, const Fence& fence) {
  return {process_name(spec, member, fence),
          {spec.name, spec.uid, member, fence, {}, spec.config},
          member == leader_of(spec.config.strategy)};
}

}  // namespace carrack::control
