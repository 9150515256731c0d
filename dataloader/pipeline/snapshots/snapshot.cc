#include "dataloader/pipeline/snapshots/snapshot.h"

#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
#include "dataloader/pipeline/snapshots/snapshot_writing.h"

namespace carrack::data {
namespace {

std::string words_for(const SnapshotOptions& options) {
  std::string words = name_of(options.compression);
  if (options.shard_rows > 0) words += ", " + std::to_string(options.shard_rows) + " rows in a file";
  return words;
}

// By what tells a source apart without opening it, where it has such a thing.
void add_sources(const Plan& plan, const OpenContext& context, std::vector<SnapshotOrigin::Source>& to) {
  for (const PlanPtr& from : plan.from) add_sources(*from, context, to);
  if (!plan.from.empty()) return;
  if (plan.files.empty()) to.push_back({plan.stage + " " + plan.asked, open(plan, context).contents});
  for (const std::string& pattern : plan.files) {
    const auto found = data_files(context.storages.for_url(pattern), pattern, context.indexing.log);
    if (found.empty()) throw Error("no object matches " + pattern);
    for (const DataFile& data : found)
      to.push_back({data.file.url, std::to_string(data.file.stat.size) + " " + data.file.stat.version.text});
  }
}

SnapshotOrigin origin_of(const Plan& input, const SnapshotOptions& options, const OpenContext& context) {
  SnapshotOrigin origin{in_words(input) + " > snapshot(" + words_for(options) + ")"};
  add_sources(input, context, origin.sources);
  return origin;
}

void make(const Plan& input, const SnapshotOrigin& origin, const SnapshotFolder& folder, const SnapshotOptions& options,
          OpenContext context) {
  folder.tell_others(origin, context.indexing.log);
  context.ahead.sloppy = false;
  Opened from = open(input, context);
  if (origin_of(input, options, context) != origin)
    throw Error("snapshot: its sources change while they are opened; open it again once nobody writes them");
  SnapshotManifest manifest = write_snapshot(std::move(from), folder, options, context);
  manifest.origin = origin;
  if (folder.put(manifest)) context.indexing.log("snapshot: made " + folder.url());
}

}  // namespace

Opened open_snapshot(const Plan& input, Storage& storage, const std::string& folder, const SnapshotOptions& options,
                     const OpenContext& context) {
  if (options.compression == Compression::zlib)
    throw Error("snapshot: files are plain or GZIP, which are read anywhere; ZLIB's are not");
  const SnapshotOrigin origin = origin_of(input, options, context);
  const SnapshotFolder at(storage, folder, fingerprint_of(origin), options.compression);
  std::optional<SnapshotManifest> manifest = at.manifest(origin);
  if (!manifest) {
    make(input, origin, at, options, context);
    manifest = at.manifest(origin);
  }
  if (!manifest) throw Error(at.url() + ": was removed while the snapshot was made; keep others out of its folder");
  if (manifest->lost_rows() > 0 && !context.skip_corrupt)
    throw Error(at.url() + ": lacks rows that could not be used when it was made (" +
                std::to_string(manifest->lost_rows()) + "), the first: " + text(manifest->lost.front()) +
                "; read with skip_corrupt");
  std::vector<IndexedFile> files = open_shards(at, *manifest, context.indexing.files_at_once, context.indexing.log);
  Opened opened;
  opened.is_far = storage.is_remote();
  opened.contents = contents_of(files);
  opened.files = files.size();
  for (const SnapshotShard& shard : manifest->shards) opened.file_bytes += shard.bytes;
  opened.lost = manifest->lost_rows();
  opened.lost_first = manifest->lost;
  const SequencePtr records = records_of(std::move(files), {opened.is_far, context.cache_bytes});
  opened.sequence = mapped(context.profile.timed("snapshot", records),
                           context.profile.timed("snapshot rows", from_examples(manifest->columns)));
  return opened;
}

}  // namespace carrack::data
