#include "dataloader/pipeline/snapshots/file_snapshot.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/mutex.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

SnapshotOrigin origin_of(const std::vector<Listed>& files, const std::vector<FeatureBounds>& filters) {
  SnapshotOrigin origin{"records of each file"};
  for (const FeatureBounds& bounds : filters) origin.pipeline += " > filter(" + canonical(bounds) + ")";
  origin.pipeline += " > snapshot(file by file)";
  for (const Listed& file : files)
    origin.sources.push_back({canonical_url(file.url), std::to_string(file.stat.size) + " " + file.stat.version.text});
  return origin;
}

// What all processes have written, as far as this process knows. Thread-safe: from time to time one thread lists the
// folder, and the others do not wait for it.
class Progress {
 public:
  Progress(const std::vector<Listed>& files, const SnapshotFolder& folder, const FileSnapshotOptions& options)
      : files_(files), folder_(folder), options_(options), read_(files.size()) {
    refresh();
  }

  // Notes the number of bytes of a file that this process has read. Returns whether another process is known to have
  // written the file.
  bool is_written_by_others(std::size_t file, std::uint64_t read) {
    {
      const MutexLock lock(mutex_);
      read_[file] = read;
      if (Clock::now() < refresh_at_) return is_written_[file];
      refresh_at_ = Clock::time_point::max();  // so that no other thread lists the folder at the same time
    }
    refresh();
    const MutexLock lock(mutex_);
    return is_written_[file];
  }

 private:
  void refresh() {
    std::vector<bool> is_written = folder_.parts(files_.size());
    IndexingProgress built{0, files_.size(), 0, total_bytes(files_)};
    {
      const MutexLock lock(mutex_);
      is_written_ = std::move(is_written);
      for (std::size_t file = 0; file < files_.size(); ++file) {
        built.files += is_written_[file] ? 1 : 0;
        built.bytes += is_written_[file] ? files_[file].stat.size : read_[file];
      }
    }
    options_.on_progress(built);
    const MutexLock lock(mutex_);
    refresh_at_ = Clock::now() + options_.poll_interval;
  }

  const std::vector<Listed>& files_;
  const SnapshotFolder& folder_;
  const FileSnapshotOptions& options_;
  Mutex mutex_;
  std::vector<std::uint64_t> read_ GUARDED_BY(mutex_);  // for each file: number of bytes that were read
  std::vector<bool> is_written_ GUARDED_BY(mutex_);     // for each file
  Clock::time_point refresh_at_ GUARDED_BY(mutex_);
};

// Reads a source file from front to back, and writes the records that are within all bounds.
class FilteredFile {
 public:
  FilteredFile(const ByteSource& file, const std::vector<FeatureBounds>& filters)
      : file_(file), filter_(filters), reader_(file) {}

  // Reads some more records. Appends damage and records that cannot be used to `lost`. Returns false at the end of the
  // file.
  bool copy_some(SnapshotShardWriter& to, std::vector<Corrupt>& lost) {
    auto next = reader_.next();
    if (std::holds_alternative<EndOfFile>(next)) return false;
    if (auto* corrupt = std::get_if<Corrupt>(&next)) {
      lost.push_back(std::move(*corrupt));
      return true;
    }
    const auto& [first, records] = std::get<Records>(next);
    inflates_ = reader_.resume() != Seek::at_once;
    for (std::size_t i = 0; i < records.size(); ++i) {
      std::variant<bool, Mismatch> keeps = filter_.keeps(records[i].data);
      if (auto* mismatch = std::get_if<Mismatch>(&keeps)) {
        lost.push_back(corrupt(first + i, records[i], std::move(*mismatch)));
      } else if (std::get<bool>(keeps)) {
        to.write(records[i].data);
      }
    }
    end_ = records.back().offset + frame::size_of(records.back().data.size());
    return true;
  }
  // Returns the number of bytes of the file that were read; 0 for a compressed file, where it is not known.
  std::uint64_t bytes_read() const { return inflates_ ? 0 : end_; }

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

// Returns whether a fault ends the reading of its file. With OnDamage::stop every fault does. With OnDamage::skip
// damaged records are left out, and only a file that has changed or is of another kind ends the reading.
bool ends_reading(const Corrupt& corrupt, const FileSnapshotOptions& options) {
  return options.on_damage == OnDamage::stop || corrupt.fault == Fault::changed || corrupt.fault == Fault::wrong_kind;
}

// Writes the files of a snapshot that do not exist yet, together with the other processes of the job.
class FileSnapshotWriter {
 public:
  FileSnapshotWriter(const std::vector<Listed>& files, const StorageFor& storage_for,
                     const FileSnapshotOptions& options, const SnapshotFolder& folder)
      : files_(files),
        storage_for_(storage_for),
        options_(options),
        folder_(folder),
        progress_(files, folder, options),
        parts_(files.size()),
        corrupt_(files.size()) {}

  std::variant<SnapshotManifest, Corrupt> run() {
    std::vector<std::uint64_t> sizes;
    for (const Listed& file : files_) sizes.push_back(file.stat.size);
    // Writes the share of this process first, and then files of other shares that are still missing.
    if (write(own_share(sizes, options_.share))) write(helping_order(files_.size(), options_.share));
    for (std::optional<Corrupt>& corrupt : corrupt_)
      if (corrupt) return *std::move(corrupt);
    SnapshotManifest all;
    for (const std::optional<SnapshotManifest>& part : parts_) {
      all.shards.push_back(part->shards.front());
      all.lost.insert(all.lost.end(), part->lost.begin(), part->lost.end());
    }
    all.lost.resize(std::min(all.lost.size(), SnapshotManifest::lost_max));
    return all;
  }

 private:
  // Writes these files, unless they exist. Returns false if one of them has a fault that ends reading.
  bool write(const std::vector<std::size_t>& files) {
    std::atomic<bool> is_good = true;
    for_each_parallel(files, options_.files_at_once, [&](std::size_t i) {
      if (!write_file(i)) is_good = false;
      options_.on_file();
      return is_good.load();
    });
    return is_good;
  }

  // Writes one file of the snapshot, unless it exists. Stops if another process has written it meanwhile. Returns false
  // after a fault that ends the reading.
  bool write_file(std::size_t i) {
    if (parts_[i] || (parts_[i] = folder_.part(i))) return true;
    const Listed& file = files_[i];
    const StoredObject source(storage_for_(file.url), file.url, file.stat);
    SnapshotShardWriter writer(folder_.storage(), folder_.shard_url(i), folder_.compression());
    FilteredFile records(source, options_.filters);
    SnapshotManifest part;
    std::uint64_t lost_records = 0;
    for (std::vector<Corrupt> lost; records.copy_some(writer, lost); lost.clear()) {
      const auto end = std::ranges::find_if(lost, [this](const Corrupt& one) { return ends_reading(one, options_); });
      if (end != lost.end()) {
        corrupt_[i] = std::move(*end);
        return false;
      }
      lost_records += lost.size();
      lost.resize(std::min(lost.size(), SnapshotManifest::lost_max - part.lost.size()));
      std::ranges::move(lost, std::back_inserter(part.lost));
      if (progress_.is_written_by_others(i, records.bytes_read()) && (parts_[i] = folder_.part(i))) return true;
    }
    part.shards.push_back(writer.commit());
    part.shards.front().lost = lost_records;
    folder_.put_part(i, part);
    parts_[i] = std::move(part);
    return true;
  }

  const std::vector<Listed>& files_;
  const StorageFor& storage_for_;
  const FileSnapshotOptions& options_;
  const SnapshotFolder& folder_;
  Progress progress_;
  std::vector<std::optional<SnapshotManifest>> parts_;
  std::vector<std::optional<Corrupt>> corrupt_;
};

}  // namespace

std::variant<std::vector<IndexedFile>, Corrupt> open_file_snapshot(const std::vector<Listed>& files,
                                                                   const StorageFor& storage_for,
                                                                   const FileSnapshotOptions& options) {
  const SnapshotOrigin origin = origin_of(files, options.filters);
  const SnapshotFolder folder(storage_for(options.folder), options.folder, fingerprint_of(origin), Compression::none);
  std::optional<SnapshotManifest> manifest = folder.manifest(origin);
  if (!manifest) {
    folder.log_other_snapshots({origin}, options.log);
    auto written = FileSnapshotWriter(files, storage_for, options, folder).run();
    if (auto* corrupt = std::get_if<Corrupt>(&written)) return std::move(*corrupt);
    manifest = std::get<SnapshotManifest>(std::move(written));
    manifest->origin = origin;
    folder.put(*manifest, options.log);
  }
  if (const std::uint64_t lost = manifest->lost_rows(); lost > 0) {
    const Corrupt& first = manifest->lost.front();
    if (options.on_damage == OnDamage::stop) return first;
    options.log("the snapshot lacks " + counted(lost, "record") + " that could not be used, the first: " + text(first));
  }
  return open_shards(folder, *manifest, options.files_at_once, options.log, options.on_file);
}

}  // namespace carrack::data
