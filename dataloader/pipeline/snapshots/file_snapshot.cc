#include "dataloader/pipeline/snapshots/file_snapshot.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
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
    origin.sources.push_back({canonical_url(file.url), std::to_string(file.stat.size) + " " + file.stat.version.text});
  return origin;
}

// How far all who make it have got, as far as is seen here. Safe from any thread: one looks, and nobody waits for it.
class Progress {
 public:
  Progress(const std::vector<Listed>& files, const SnapshotFolder& folder, const FileSnapshot& how)
      : files_(files), folder_(folder), how_(how), read_(files.size()) {
    look();
  }

  // So many bytes of a file are read here. Whether somebody else has made it, as far as is known.
  bool is_made_meanwhile(std::size_t file, std::uint64_t read) {
    {
      const std::lock_guard lock(mutex_);
      read_[file] = read;
      if (Clock::now() < due_) return made_[file];
      due_ = Clock::time_point::max();  // Until this look is over.
    }
    look();
    const std::lock_guard lock(mutex_);
    return made_[file];
  }

 private:
  void look() {
    std::vector<bool> made = folder_.parts(files_.size());
    IndexingProgress built{0, files_.size(), 0, bytes_in(files_)};
    {
      const std::lock_guard lock(mutex_);
      made_ = std::move(made);
      for (std::size_t file = 0; file < files_.size(); ++file) {
        built.files += made_[file] ? 1 : 0;
        built.bytes += made_[file] ? files_[file].stat.size : read_[file];
      }
    }
    how_.written(built);
    const std::lock_guard lock(mutex_);
    due_ = Clock::now() + how_.look_every;
  }

  const std::vector<Listed>& files_;
  const SnapshotFolder& folder_;
  const FileSnapshot& how_;
  std::mutex mutex_;  // of what follows
  std::vector<std::uint64_t> read_;
  std::vector<bool> made_;
  Clock::time_point due_;
};

// Goes through a file: the records that stay go to a writer.
class FilePass {
 public:
  FilePass(const ByteSource& file, const std::vector<Within>& filters) : file_(file), filter_(filters), reader_(file) {}

  // Some more records, and whether there were any.
  std::variant<bool, Corrupt> go_on(SnapshotShardWriter& to) {
    auto next = reader_.next();
    if (auto* corrupt = std::get_if<Corrupt>(&next)) return std::move(*corrupt);
    if (std::holds_alternative<EndOfFile>(next)) return false;
    const auto& [first, records] = std::get<Records>(next);
    inflates_ = reader_.resume() != Seek::at_once;
    for (std::size_t i = 0; i < records.size(); ++i) {
      std::variant<bool, Mismatch> keeps = filter_.keeps(records[i].data);
      if (auto* mismatch = std::get_if<Mismatch>(&keeps)) return corrupt(first + i, records[i], std::move(*mismatch));
      if (std::get<bool>(keeps)) to.write(records[i].data);
    }
    end_ = records.back().offset + frame::size_of(records.back().data.size());
    return true;
  }
  // Bytes of the file, as far as is known: of a compressed one they are not.
  std::uint64_t read() const { return inflates_ ? 0 : end_; }

 private:
  Corrupt corrupt(std::uint64_t number, const Record& record, Mismatch mismatch) const {
    return {Fault::bad_example,
            file_.name(),
            number,
            record.offset + frame::header_size + mismatch.offset,
            frame::size_of(record.data.size()),
            std::move(mismatch.message),
            inflates_};
  }

  const ByteSource& file_;
  RecordFilter filter_;
  RecordReader reader_;
  bool inflates_ = false;
  std::uint64_t end_ = 0;
};

class Making {
 public:
  Making(const std::vector<Listed>& files, const StorageFor& storage_for, const FileSnapshot& how,
         const SnapshotFolder& folder)
      : files_(files),
        storage_for_(storage_for),
        how_(how),
        folder_(folder),
        progress_(files, folder, how),
        parts_(files.size()),
        corrupt_(files.size()) {}

  std::variant<SnapshotManifest, Corrupt> run() {
    std::vector<std::uint64_t> sizes;
    for (const Listed& file : files_) sizes.push_back(file.stat.size);
    if (make(own_share(sizes, how_.share))) make(helping_order(files_.size(), how_.share));
    for (std::optional<Corrupt>& corrupt : corrupt_)
      if (corrupt) return *std::move(corrupt);
    SnapshotManifest all;
    for (const std::optional<SnapshotManifest>& part : parts_) all.shards.push_back(part->shards.front());
    return all;
  }

 private:
  // False where one of them cannot be used.
  bool make(const std::vector<std::size_t>& files) {
    std::atomic<bool> good = true;
    for_each_parallel(files, how_.files_at_once, [&](std::size_t i) {
      if (!make(i)) good = false;
      return good.load();
    });
    return good;
  }

  bool make(std::size_t i) {
    if (parts_[i] || (parts_[i] = folder_.part(i))) return true;
    const Listed& file = files_[i];
    const StoredObject source(storage_for_(file.url), file.url, file.stat);
    SnapshotShardWriter writer(folder_.storage(), folder_.shard_url(i), folder_.compression());
    FilePass pass(source, how_.filters);
    for (;;) {
      std::variant<bool, Corrupt> more = pass.go_on(writer);
      if (auto* corrupt = std::get_if<Corrupt>(&more)) {
        corrupt_[i] = std::move(*corrupt);
        return false;
      }
      if (!std::get<bool>(more)) break;
      if (progress_.is_made_meanwhile(i, pass.read()) && (parts_[i] = folder_.part(i))) return true;
    }
    parts_[i].emplace().shards.push_back(writer.commit());
    folder_.put_part(i, *parts_[i]);
    return true;
  }

  const std::vector<Listed>& files_;
  const StorageFor& storage_for_;
  const FileSnapshot& how_;
  const SnapshotFolder& folder_;
  Progress progress_;
  std::vector<std::optional<SnapshotManifest>> parts_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> snapshot_of(const std::vector<Listed>& files,
                                                            const StorageFor& storage_for, const FileSnapshot& how) {
  const SnapshotOrigin origin = origin_of(files, how.filters);
  const SnapshotFolder folder(storage_for(how.folder), how.folder, fingerprint_of(origin), Compression::none);
  std::optional<SnapshotManifest> manifest = folder.manifest(origin);
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
