#include "dataloader/pipeline/file_snapshot.h"

#include <atomic>
#include <optional>
#include <utility>

#include "dataloader/indexes/at_once.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/snapshot_folder.h"
#include "dataloader/pipeline/snapshot_shard.h"
#include "dataloader/pipeline/source_files.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/record_reader.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

SnapshotOrigin origin_of(const std::vector<Listed>& files, const std::vector<Within>& filters) {
  SnapshotOrigin origin{"records of each file"};
  for (const Within& bounds : filters) origin.pipeline += " > filter(" + in_words(bounds) + ")";
  origin.pipeline += " > snapshot(file by file)";
  for (const Listed& file : files)
    origin.sources.push_back({one_spelling(file.url), std::to_string(file.stat.size) + " " + file.stat.version.text});
  return origin;
}

// Goes through a file: the records that stay go to the writer, and how far it is read is told.
class FilePass {
 public:
  FilePass(const ByteSource& file, const std::vector<Within>& filters, BuildProgress& progress)
      : file_(file), filter_(filters), progress_(progress), reader_(file) {}
  ~FilePass() { progress_.advance(file_.stat().size - told_, true); }
  FilePass(const FilePass&) = delete;
  FilePass& operator=(const FilePass&) = delete;

  // Some more records, and whether there were any.
  std::variant<bool, Corrupt> go_on(SnapshotShardWriter& to) {
    auto next = reader_.next();
    if (auto* corrupt = std::get_if<Corrupt>(&next)) return std::move(*corrupt);
    if (std::holds_alternative<EndOfFile>(next)) return false;
    const auto& some = std::get<Records>(next);
    const bool inflates = reader_.resume() != Seek::at_once;
    for (std::size_t i = 0; i < some.records.size(); ++i) {
      const Record& record = some.records[i];
      std::variant<bool, Mismatch> keeps = filter_.keeps(record.data);
      if (auto* mismatch = std::get_if<Mismatch>(&keeps))
        return Corrupt{Fault::bad_example,
                       file_.name(),
                       some.first + i,
                       record.offset + frame::header_size + mismatch->offset,
                       frame::size_of(record.data.size()),
                       std::move(mismatch->what),
                       inflates};
      if (std::get<bool>(keeps)) to.write(record.data);
    }
    if (!inflates) tell(some.records.back().offset + frame::size_of(some.records.back().data.size()));
    return true;
  }

 private:
  void tell(std::uint64_t end) {
    progress_.advance(end - told_, false);
    told_ = end;
  }

  const ByteSource& file_;
  RecordFilter filter_;
  BuildProgress& progress_;
  RecordReader reader_;
  std::uint64_t told_ = 0;
};

class Making {
 public:
  Making(const std::vector<Listed>& files, const StorageFor& storage_for, const FileSnapshot& how,
         const SnapshotFolder& folder)
      : files_(files),
        storage_for_(storage_for),
        how_(how),
        folder_(folder),
        parts_(files.size()),
        corrupt_(files.size()) {}

  std::variant<SnapshotManifest, Corrupt> run() {
    std::vector<std::uint64_t> sizes;
    for (const Listed& file : files_) sizes.push_back(file.stat.size);
    BuildProgress progress(files_.size(), bytes_in(files_), how_.written);
    if (make(own_share(sizes, how_.share), progress)) make(order_of_help(files_.size(), how_.share), progress);
    for (std::optional<Corrupt>& corrupt : corrupt_)
      if (corrupt) return *std::move(corrupt);
    SnapshotManifest all;
    for (const std::optional<SnapshotManifest>& part : parts_) all.shards.push_back(part->shards.front());
    return all;
  }

 private:
  // False where one of them cannot be used.
  bool make(const std::vector<std::size_t>& files, BuildProgress& progress) {
    std::atomic<bool> good = true;
    at_once(files, how_.files_at_once, [&](std::size_t i) {
      if (!make(i, progress)) good = false;
      return good.load();
    });
    return good;
  }

  bool make(std::size_t i, BuildProgress& progress) {
    if (parts_[i]) return true;
    if ((parts_[i] = folder_.part(i))) {
      progress.advance(files_[i].stat.size, true);
      return true;
    }
    const Listed& file = files_[i];
    const StoredObject source(storage_for_(file.url), file.url, file.stat);
    SnapshotShardWriter writer(folder_.storage(), folder_.shard_url(i), folder_.compression());
    FilePass pass(source, how_.filters, progress);
    for (Clock::time_point due = Clock::now() + how_.look_every;;) {
      std::variant<bool, Corrupt> more = pass.go_on(writer);
      if (auto* corrupt = std::get_if<Corrupt>(&more)) {
        corrupt_[i] = std::move(*corrupt);
        return false;
      }
      if (!std::get<bool>(more)) break;
      if (Clock::now() < due) continue;
      if ((parts_[i] = folder_.part(i))) return true;
      due = Clock::now() + how_.look_every;
    }
    parts_[i].emplace().shards.push_back(writer.commit());
    folder_.put_part(i, *parts_[i]);
    return true;
  }

  const std::vector<Listed>& files_;
  const StorageFor& storage_for_;
  const FileSnapshot& how_;
  const SnapshotFolder& folder_;
  std::vector<std::optional<SnapshotManifest>> parts_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> snapshot_of(const std::vector<Listed>& files,
                                                            const StorageFor& storage_for, const FileSnapshot& how) {
  const SnapshotOrigin origin = origin_of(files, how.filters);
  const SnapshotFolder folder(storage_for(how.folder), how.folder, fingerprint_of(origin), Compression::none);
  std::optional<SnapshotManifest> manifest = folder.manifest();
  if (!manifest) {
    folder.tell_others(origin, how.log);
    auto made = Making(files, storage_for, how, folder).run();
    if (auto* corrupt = std::get_if<Corrupt>(&made)) return std::move(*corrupt);
    manifest = std::get<SnapshotManifest>(std::move(made));
    manifest->origin = origin;
    if (folder.put(*manifest)) how.log("snapshot: made " + folder.url());
  }
  return open_shards(folder, *manifest, how.files_at_once, how.log);
}

}  // namespace carrack::data
