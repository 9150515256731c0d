#include "trainer/checkpoint/retention.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "trainer/checkpoint/bundle.h"

namespace carrack::checkpoint {
namespace {

constexpr std::string_view prefix_begin = "checkpoint-";
constexpr std::string_view shard_begin = ".data-";
constexpr std::string_view shard_middle = "-of-";

// The process that ordered a cut (a checkpoint): attempt and incarnation. If it compares greater than another one, it
// claimed HEAD later.
using Coordinator = std::pair<std::uint64_t, std::uint64_t>;

Coordinator coordinator_of(const Cut& cut) {
  return {cut.attempt, cut.incarnation};
}

// Orders cuts by step. At the same step the cut of the later coordinator comes first, as commits_in() needs it.
struct ByStep {
  bool operator()(const Cut& left, const Cut& right) const {
    if (left.step != right.step) return left.step < right.step;
    if (coordinator_of(left) != coordinator_of(right)) return coordinator_of(left) > coordinator_of(right);
    return left.number > right.number;
  }
};

// The files of a cut that are in the folder.
struct Files {
  std::vector<std::string> names;
  bool manifest = false;
  bool index = false;
  // The number of shards that exist, by the total number of shards that their names state.
  std::map<std::uint32_t, std::uint32_t> shards;

  bool is_whole() const {
    const auto all_there = [](const auto& of) { return of.first == of.second; };
    return manifest && index && std::any_of(shards.begin(), shards.end(), all_there);
  }
};

using Cuts = std::map<Cut, Files, ByStep>;

// Removes a number and the text `end` from the front of `text`. Returns false if `text` does not begin with them.
template <class Number>
bool take_number(std::string_view& text, Number& number, std::string_view end) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (!text.starts_with(end)) return false;
  text.remove_prefix(end.size());
  return true;
}

// Returns the total number of shards that the name of a shard of this cut states; nullopt if `name` is not such a name.
std::optional<std::uint32_t> shards_from(const std::string& name, const std::string& prefix) {
  std::string_view rest = std::string_view(name).substr(prefix.size());
  if (!rest.starts_with(shard_begin)) return std::nullopt;
  rest.remove_prefix(shard_begin.size());
  std::uint32_t shard = 0, shards = 0;
  const bool is_shard = take_number(rest, shard, shard_middle) && take_number(rest, shards, "") && shard < shards;
  if (!is_shard || shard_name(prefix, shard, shards) != name) return std::nullopt;
  return shards;
}

void add(Cuts& cuts, const std::string& name) {
  const std::optional<Cut> cut = cut_of_file(name);
  if (!cut) return;
  const std::string prefix = prefix_of(*cut);
  const bool is_manifest = name == manifest_name(*cut);
  const bool is_index = name == index_name(prefix);
  const std::optional<std::uint32_t> shards = shards_from(name, prefix);
  if (!is_manifest && !is_index && !shards) return;
  Files& files = cuts[*cut];
  files.names.push_back(name);
  files.manifest |= is_manifest;
  files.index |= is_index;
  if (shards) ++files.shards[*shards];
}

// Removes the cuts of jobs that this job has replaced from `cuts`, and returns the names of their files.
std::vector<std::string> take_replaced(Cuts& cuts, std::uint64_t replaced_attempts) {
  std::vector<std::string> names;
  std::erase_if(cuts, [&](const auto& one) {
    if (one.first.attempt >= replaced_attempts) return false;
    names.insert(names.end(), one.second.names.begin(), one.second.names.end());
    return true;
  });
  return names;
}

// Returns the cuts up to the committed one. Cuts of later steps are left out, because they may still be written. So are
// cuts of later coordinators: each of these has continued from this commit or a later one.
Cuts cuts_up_to(const Cut& committed, Cuts cuts) {
  std::erase_if(cuts, [&](const auto& one) {
    return one.first.step > committed.step || coordinator_of(one.first) > coordinator_of(committed);
  });
  return cuts;
}

// Returns the cuts that were committed, by step. A coordinator that dies just before it changes HEAD leaves a complete
// checkpoint that is not a commit. A cut of a later coordinator at the same or an earlier step reveals this: the later
// coordinator must have continued from an earlier commit.
std::vector<Cut> commits_in(const Cuts& cuts) {
  std::vector<Cut> commits;
  Coordinator latest{0, 0};
  for (const auto& [cut, files] : cuts) {
    if (files.is_whole() && coordinator_of(cut) >= latest) commits.push_back(cut);
    latest = std::max(latest, coordinator_of(cut));
  }
  return commits;
}

// Returns the last `retention.last` commits and, from each multiple of `every_steps` to the next, the first commit.
std::set<Cut, ByStep> needed_of(const std::vector<Cut>& commits, const Retention& retention) {
  const auto last = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(retention.last, commits.size()));
  std::set<Cut, ByStep> needed(commits.end() - last, commits.end());
  std::uint64_t multiples = 0;
  for (const Cut& cut : commits) {
    if (!retention.every_steps || cut.step / *retention.every_steps == multiples) continue;
    multiples = cut.step / *retention.every_steps;
    needed.insert(cut);
  }
  return needed;
}

}  // namespace

std::optional<Cut> cut_of_file(std::string_view name) {
  const std::string_view prefix = name.substr(0, name.find('.'));
  if (!prefix.starts_with(prefix_begin)) return std::nullopt;
  std::string_view rest = prefix.substr(prefix_begin.size());
  Cut cut;
  const bool is_cut = take_number(rest, cut.step, "-") && take_number(rest, cut.attempt, "-") &&
                      take_number(rest, cut.incarnation, "-") && take_number(rest, cut.number, "");
  if (!is_cut || prefix_of(cut) != prefix) return std::nullopt;
  return cut;
}

std::vector<std::string> unneeded_files(const std::vector<std::string>& names, const std::string& committed,
                                        const Retention& retention) {
  const std::optional<Cut> last = cut_of_file(committed);
  if (!last) return {};
  Cuts all;
  for (const std::string& name : names) add(all, name);
  std::vector<std::string> unneeded = take_replaced(all, std::min(retention.replaced_attempts, last->attempt));
  const Cuts cuts = cuts_up_to(*last, std::move(all));
  const auto found = cuts.find(*last);
  if (found == cuts.end() || !found->second.is_whole()) return {};
  std::set<Cut, ByStep> needed = needed_of(commits_in(cuts), retention);
  needed.insert(*last);
  for (const std::string& other : retention.others) {
    if (const std::optional<Cut> cut = cut_of_file(other)) needed.insert(*cut);
  }
  for (const auto& [cut, files] : cuts) {
    if (!needed.contains(cut)) unneeded.insert(unneeded.end(), files.names.begin(), files.names.end());
  }
  // Manifests are removed first, so that no manifest names files that are gone.
  std::stable_partition(unneeded.begin(), unneeded.end(),
                        [](const std::string& name) { return name.ends_with(".manifest"); });
  return unneeded;
}

}  // namespace carrack::checkpoint
