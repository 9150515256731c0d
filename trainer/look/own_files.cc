#include "trainer/look/own_files.h"

#include <string_view>
#include <vector>

#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/snapshots/snapshot_manifest.h"
#include "dataloader/storage/url.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/history/events.h"
#include "trainer/history/metrics_file.h"

namespace carrack::train {
namespace {

using Names = std::vector<std::string>;

// Returns the name of one file of each kind that a job writes to its checkpoint folder.
Names names_in_checkpoints(const std::string& folder) {
  const std::string prefix = checkpoint::prefix_of({.step = 1, .attempt = 0, .incarnation = 1, .number = 1});
  return {"HEAD",
          "HEAD.1",
          checkpoint::best_name,
          checkpoint::statistics_name,
          std::string(history::metrics_file_name),
          "tensorboard/" + history::event_file_name(0, "0-1-0001"),
          checkpoint::index_name(prefix),
          prefix + ".manifest",
          checkpoint::shard_name(prefix, 0, 1),
          std::string(index_folder) + "/" + data::index_name(folder)};
}

}  // namespace

std::optional<std::string> own_file_problem(const std::string& pattern, const Config& config) {
  const data::Url read = data::url_from(data::canonical_url(pattern));
  const auto matched = [&](const std::string& folder, const std::string& field,
                           const Names& names) -> std::optional<std::string> {
    for (const std::string& name : names) {
      const data::Url written = data::url_from(data::canonical_url(data::in_folder(folder, name)));
      if (read.scheme != written.scheme || read.bucket != written.bucket) continue;
      if (!data::matches(read.name, written.name)) continue;
      return pattern + " matches " + name + ", which the job itself writes to " + field +
             "; give it a folder apart, or say more of the files' names";
    }
    return std::nullopt;
  };
  const std::string& folder = config.checkpoint.folder;
  if (auto found = matched(folder, "spec.checkpoint.folder", names_in_checkpoints(folder))) return found;
  const std::string any_snapshot = data::fingerprint_of({});  // has the form of every snapshot's name
  for (std::size_t i = 0; i < config.data.stages.size(); ++i) {
    const auto* snapshot = std::get_if<Snapshot>(&config.data.stages[i]);
    if (snapshot == nullptr) continue;
    const std::string field = "spec.data.train.stages[" + std::to_string(i) + "].snapshot.folder";
    const Names names{any_snapshot + "/manifest", any_snapshot + "/rows-00000.tfrecord"};
    if (auto found = matched(snapshot->folder, field, names)) return found;
  }
  return std::nullopt;
}

}  // namespace carrack::train
