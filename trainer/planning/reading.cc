#include "trainer/planning/reading.h"

#include <algorithm>

namespace carrack::train {
namespace {

void shuffle(ReadSet& set, const Shuffle& shuffle) {
  const bool by_runs = shuffle.kind == ShuffleKind::block ||
                       (shuffle.kind == ShuffleKind::by_place && (set.is_remote || set.is_compressed));
  set.pieces = std::max(set.pieces, by_runs ? Pieces::runs : Pieces::records);
  if (by_runs) set.run_records = shuffle.block;
}

// Changes `set` to how its records are read after these stages. A snapshot replaces the set, because the stages after
// it read the snapshot's files.
void apply(ReadSet& set, const std::vector<Stage>& stages) {
  for (const Stage& stage : stages) {
    if (const auto* one = std::get_if<Shuffle>(&stage)) shuffle(set, *one);
    if (const auto* one = std::get_if<Snapshot>(&stage))
      set = {.field = set.field, .is_remote = is_remote(one->folder)};
  }
}

ReadSet set_of(std::string field, const std::vector<std::string>& files, const std::vector<Stage>& stages) {
  ReadSet set{.field = std::move(field),
              .is_remote = std::ranges::any_of(files, is_remote),
              .is_compressed = std::ranges::any_of(files, is_named_compressed)};
  apply(set, stages);
  return set;
}

}  // namespace

bool is_remote(const std::string& url) {
  return url.find("://") != url.npos && !url.starts_with("file://");
}

bool is_named_compressed(const std::string& url) {
  return url.ends_with(".gz") || url.ends_with(".zlib");
}

std::vector<ReadSet> read_sets(const Data& data) {
  if (data.mix.empty()) return {set_of("spec.data.train", data.files, data.stages)};
  std::vector<ReadSet> sets;
  for (const MixedSet& one : data.mix) {
    sets.push_back(set_of("spec.data.train.mix[" + std::to_string(sets.size()) + "]", one.files, one.stages));
    apply(sets.back(), data.stages);
  }
  return sets;
}

// A first pass is an epoch that begins before the files are indexed. In Async any worker may compute any batch, so
// several workers would have to scan the same file. Stages, a mix, and random changes of images need the number of a
// record, which is known only when all files before it are indexed. Layers that standardize need statistics of all
// records before the first step, so a first pass would save no time.
bool allows_first_pass(const Config& config) {
  return config.training.consistency == Consistency::sync && !config.training.deterministic &&
         !standardizes(config.model) && config.data.mix.empty() && config.data.stages == Data().stages &&
         std::ranges::none_of(config.data.features,
                              [](const Feature& feature) { return feature.image && is_random(*feature.image); });
}

bool has_lanes_with_own_records(const Config& config) {
  const std::vector<ReadSet> sets = read_sets(config.data);
  return config.training.deterministic ||
         std::ranges::any_of(sets, [](const ReadSet& set) { return set.pieces == Pieces::runs; });
}

}  // namespace carrack::train
