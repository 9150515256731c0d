#include "dataloader/pipeline/stages/snapshot_stage.h"

#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/legacy_identity.h"
#include "dataloader/pipeline/stages/write_snapshot.h"

namespace carrack::data {
namespace {

std::string canonical(const SnapshotOptions& options) {
  return CanonicalStage("snapshot")
      .add("compression", name_of(options.compression))
      .add("shard_rows", options.shard_rows)
      .text();
}

std::string legacy_text(const SnapshotOptions& options) {
  std::string text = name_of(options.compression);
  if (options.shard_rows > 0) text += ", " + std::to_string(options.shard_rows) + " rows in a file";
  return "snapshot(" + text + ")";
}

// Appends the identity of each source of the plan to `to`. A source of files has the names and versions of the files.
// They are listed, but not opened. Any other source is opened, because its identity is the fingerprint of its data.
void add_sources(const Plan& plan, const OpenContext& context, SnapshotOrigin& to) {
  for (const PlanPtr& input : plan.inputs) add_sources(*input, context, to);
  if (!plan.inputs.empty()) return;
  const std::vector<std::string> patterns = file_patterns(plan.stage);
  if (patterns.empty()) {
    const std::string name = to.version == SnapshotOrigin::legacy_version
                                 ? kind_of(plan.stage) + " " + legacy_options(plan.stage)
                                 : canonical(plan);
    to.sources.push_back({name, open(plan, context).facts.data_fingerprint});
  }
  for (const std::string& pattern : patterns) {
    Storage& storage = context.storages.for_url(pattern);
    const auto found = data_files(storage, pattern, context.indexing.log);
    if (found.empty()) throw Refused(no_match_text(storage, pattern));
    for (const DataFile& data : found)
      to.sources.push_back({data.file.url, std::to_string(data.file.stat.size) + " " + data.file.stat.version.text});
  }
}

SnapshotOrigin origin_of(const Plan& input, const SnapshotOptions& options, const OpenContext& context,
                         unsigned version) {
  SnapshotOrigin origin;
  origin.version = version;
  origin.pipeline = version == SnapshotOrigin::legacy_version ? legacy_identity(input) + " > " + legacy_text(options)
                                                              : canonical(input) + " > " + canonical(options);
  add_sources(input, context, origin);
  return origin;
}

void write(const Plan& input, const SnapshotOrigin& origin, const SnapshotOrigin& legacy_origin,
           const SnapshotFolder& folder, const SnapshotOptions& options, OpenContext context) {
  folder.log_other_snapshots({origin, legacy_origin}, context.indexing.log);
  // The files must have the rows in their order, even if the reader accepts rows in any order.
  context.ahead.unordered = false;
  Opened opened = open(input, context);
  // The snapshot would have a wrong origin if files changed between listing and opening them.
  if (origin_of(input, options, context, origin.version) != origin)
    throw Error("snapshot: its sources change while they are opened; open it again once nobody writes them");
  SnapshotManifest manifest = write_snapshot(std::move(opened), folder, options, context);
  manifest.origin = origin;
  folder.put(manifest, context.indexing.log);
}

}  // namespace

Opened open_snapshot(const Plan& input, Storage& storage, const std::string& folder, const SnapshotOptions& options,
                     const OpenContext& context) {
  if (options.compression == Compression::zlib)
    throw Error("snapshot: files are plain or GZIP, which are read anywhere; ZLIB's are not");
  const auto folder_of = [&](const SnapshotOrigin& origin) {
    return SnapshotFolder(storage, folder, fingerprint_of(origin), options.compression);
  };
  const SnapshotOrigin origin = origin_of(input, options, context, SnapshotOrigin::current_version);
  std::optional<SnapshotManifest> found = folder_of(origin).manifest(origin);
  if (!found) {
    // An earlier release may have written the snapshot, under another name.
    const SnapshotOrigin legacy_origin = origin_of(input, options, context, SnapshotOrigin::legacy_version);
    found = folder_of(legacy_origin).manifest(legacy_origin);
    if (!found) write(input, origin, legacy_origin, folder_of(origin), options, context);
  }
  if (!found) found = folder_of(origin).manifest(origin);
  const SnapshotFolder at = folder_of(found ? found->origin : origin);
  if (!found) throw Error(at.url() + ": was removed while the snapshot was made; keep others out of its folder");
  const SnapshotManifest& manifest = *found;
  if (manifest.lost_rows() > 0 && context.on_damage == OnDamage::stop)
    throw Error(at.url() + ": lacks rows that could not be used when it was made (" +
                std::to_string(manifest.lost_rows()) + "), the first: " + text(manifest.lost.front()) +
                "; read with OnDamage::skip");
  std::vector<IndexedFile> files = open_shards(at, manifest, context.indexing.files_at_once, context.indexing.log);
  Facts facts{
      .files = files.size(),
      .is_remote = storage.is_remote(),
      .is_inflated = std::ranges::any_of(files, [](const IndexedFile& file) { return file.source->is_inflated(); }),
      .skipped_rows = manifest.lost_rows(),
      .first_skipped = manifest.lost,
      .data_fingerprint = data_fingerprint_of(files)};
  for (const SnapshotShard& shard : manifest.shards) facts.file_bytes += shard.bytes;
  const Sequence records = record_sequence(std::move(files), {facts.is_remote, context.cache_bytes});
  return opened_sequence(mapped(context.profile.timed("snapshot", records),
                                context.profile.timed("snapshot rows", from_examples(manifest.columns))),
                         std::move(facts));
}

namespace stages {

Opened Snapshot::open(const Plan& input, const OpenContext& context) const {
  return open_snapshot(input, context.storages.for_url(folder), folder, options, context);
}

}  // namespace stages
}  // namespace carrack::data
