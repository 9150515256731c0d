#include "operator/core/causes.h"

#include "operator/core/member_words.h"

namespace carrack::control {
namespace {

using train::Role;

// Returns text such as "12 of 64 workers (0, 1, 2, ...)". Here `of` is 64.
std::string describe_members(const std::vector<const Clause*>& same, int of) {
  constexpr std::size_t named_max = 3;
  const Role role = same.front()->member.role;
  std::string names;
  for (std::size_t at = 0; at < same.size() && at < named_max; ++at) {
    names += (at > 0 ? ", " : "") + std::to_string(same[at]->member.index);
  }
  if (same.size() > named_max) names += ", ...";
  return describe_share(role, static_cast<int>(same.size()), of) + " (" + names + ")";
}

std::string describe_one(const Clause& clause) {
  return describe(clause.member) + clause.singular + (clause.node.empty() ? "" : " (on " + clause.node + ")");
}

}  // namespace

Clause clause_of(const train::Member& member, const std::string& words, const std::string& node) {
  return {member, ": " + words, ": " + words, node};
}

std::string describe_causes(const std::vector<Clause>& clauses, const std::map<train::Role, ReplicaStatus>& replicas) {
  std::map<std::pair<Role, std::string>, std::size_t> places;
  std::vector<std::vector<const Clause*>> groups;
  for (const Clause& clause : clauses) {
    const auto [place, is_new] = places.try_emplace({clause.member.role, clause.singular}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&clause);
  }
  std::string text;
  for (const auto& same : groups) {
    const Clause& first = *same.front();
    const auto counts = replicas.find(first.member.role);
    const int of = counts == replicas.end() ? static_cast<int>(same.size()) : counts->second.desired;
    if (!text.empty()) text += "; ";
    text += same.size() == 1 ? describe_one(first) : describe_members(same, of) + first.plural;
  }
  return text;
}

}  // namespace carrack::control
