#include "dataloader/pipeline/snapshots/snapshot_shard.h"

#include <algorithm>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/indexes/stored_index.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/inflated_source.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {
namespace {

// A GZIP file consists of members that can be inflated separately, so that reading can begin at any of them. Each
// member has this many bytes before compression; the last one may have fewer.
constexpr std::size_t gzip_block = std::size_t{256} << 10;

std::string members_beside(const std::string& url) {
  return url + ".members";
}

[[noreturn]] void throw_other(const std::string& url, const std::string& why) {
  throw Refused(url + ": " + why + remove_hint);
}

// Reads where the GZIP members of a file begin. Copies of the file have the same members, so this does not compare the
// version of the file.
SeekPoints points_of(Storage& storage, const std::string& url, const ObjectStat& stat, std::uint64_t inflated) {
  const std::string name = members_beside(url);
  const std::optional<Bytes> bytes = read_whole(storage, name);
  if (!bytes) throw_other(name, "is not there");
  auto found = index_from(*bytes);
  if (const auto* why = std::get_if<std::string>(&found)) throw_other(name, *why);
  const Index& members = std::get<Index>(found);
  if (members.file().size != stat.size || members.records() != (inflated + gzip_block - 1) / gzip_block)
    throw_other(name, "it is that of another file");
  SeekPoints points{.compression = Compression::gzip, .file_size = stat.size};
  for (std::uint64_t member = 1; member < members.records(); ++member)
    points.points.push_back({.in = members.at(member).offset, .out = member * gzip_block});
  return points;
}

// Returns the index of a file. Computes it from the records if the index next to the file is missing or does not match.
Index index_of(Storage& storage, const std::string& url, const ByteSource& source, const Log& log) {
  const std::string beside = index_beside(url);
  if (const auto stat = storage.stat(beside)) {
    auto found = read_index(storage, {beside, *stat}, {url, source.stat()});
    if (Index* index = std::get_if<Index>(&found)) return std::move(*index);
    if (const auto* why = std::get_if<std::string>(&found)) log("passes over an index: " + *why);
  }
  auto built = build_index(source);
  if (const auto* corrupt = std::get_if<Corrupt>(&built)) throw Refused(text(*corrupt) + remove_hint);
  return std::get<Index>(std::move(built));
}

IndexedFile open_shard(const SnapshotFolder& folder, std::size_t number, const SnapshotShard& shard,
                       const std::shared_ptr<InflaterCache>& inflaters, const Log& log) {
  Storage& storage = folder.storage();
  const std::string url = folder.shard_url(number);
  const std::optional<ObjectStat> stat = storage.stat(url);
  if (!stat) throw_other(url, "is not there");
  if (stat->size != shard.bytes)
    throw_other(url,
                "has " + std::to_string(stat->size) + " bytes, and its manifest says " + std::to_string(shard.bytes));
  std::unique_ptr<const ByteSource> source = std::make_unique<const StoredObject>(storage, url, *stat);
  if (folder.compression() == Compression::gzip) {
    auto points = std::make_shared<const SeekPoints>(points_of(storage, url, *stat, shard.inflated));
    source = inflated(std::move(source), std::move(points), shard.inflated, inflaters);
  }
  Index index = index_of(storage, url, *source, log);
  if (source->stat().size != shard.inflated || index.records() != shard.rows || index.contents() != shard.contents)
    throw_other(url, "holds other records than its manifest says");
  return {std::move(source), std::move(index)};
}

}  // namespace

SnapshotShardWriter::SnapshotShardWriter(Storage& storage, std::string url, Compression compression)
    : storage_(storage),
      url_(std::move(url)),
      is_gzip_(compression == Compression::gzip),
      object_(storage.create(url_, {.must_not_exist = true})) {}

void SnapshotShardWriter::write(std::span<const std::byte> record) {
  const std::size_t before = frames_.size();
  offsets_.push_back(shard_.inflated);
  frame::append(frames_, record);
  const std::span<const std::byte> framed = std::span(frames_).subspan(before);
  shard_.contents = crc32c(framed.first(frame::header_size), shard_.contents);
  shard_.contents = crc32c(framed.last(frame::footer_size), shard_.contents);
  shard_.inflated += framed.size();
  ++shard_.rows;
  if (frames_.size() >= gzip_block) flush(frames_.size() / gzip_block * gzip_block);
}

SnapshotShard SnapshotShardWriter::commit() {
  flush(frames_.size());
  const std::optional<ObjectStat> written = object_->commit();
  const ObjectStat stat = written ? *written : stat_of_same();
  if (is_gzip_) put_beside(members_beside(url_), Index({stat.size, {}}, members_, 0));
  put_beside(index_beside(url_), Index({shard_.inflated, stat.version}, offsets_, shard_.contents));
  return shard_;
}

// Writes the first `size` bytes of frames_ in pieces, and removes them. If the file is compressed, each piece becomes a
// gzip member.
void SnapshotShardWriter::flush(std::size_t size) {
  for (std::size_t at = 0; at < size; at += gzip_block) {
    const auto piece = std::span(frames_).subspan(at, std::min(gzip_block, size - at));
    if (!is_gzip_) {
      put(piece);
      continue;
    }
    members_.push_back(shard_.bytes);
    put(gzip_member(piece));
  }
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(size));
}

void SnapshotShardWriter::put(std::span<const std::byte> bytes) {
  object_->write(bytes);
  checksum_ = crc32c(bytes, checksum_);
  shard_.bytes += bytes.size();
}

void SnapshotShardWriter::put_beside(const std::string& url, const Index& index) {
  const auto object = storage_.create(url, {});
  object->write(encode(index));
  object->commit();
}

// Returns the stat of the file that another process has written under the same name. Throws Refused unless that file
// has the bytes that this process has made. commit() then writes the index, because the other process may have been
// killed before it did.
ObjectStat SnapshotShardWriter::stat_of_same() {
  const std::optional<ObjectStat> stat = storage_.stat(url_);
  if (!stat) throw Error(url_ + ": was removed while the snapshot was made; keep others out of its folder");
  const auto reader = storage_.open(url_, *stat);
  Bytes piece(gzip_block);
  std::uint32_t checksum = 0;
  for (std::uint64_t left = stat->size; left > 0 && stat->size == shard_.bytes;) {
    const auto next = std::span(piece).first(std::min<std::uint64_t>(left, piece.size()));
    if (reader->read(next) != ReadResult::complete) break;
    checksum = crc32c(next, checksum);
    left -= next.size();
  }
  if (stat->size != shard_.bytes || checksum != checksum_)
    throw_other(url_,
                "is there already, and holds other rows than those that come now: what makes them does not give "
                "the same each time");
  return *stat;
}

std::vector<IndexedFile> open_shards(const SnapshotFolder& folder, const SnapshotManifest& manifest,
                                     std::size_t files_at_once, const Log& log, const std::function<void()>& opened) {
  std::vector<IndexedFile> files;
  const auto inflaters = std::make_shared<InflaterCache>();
  map_in_order(
      manifest.shards.size(), files_at_once,
      [&](std::size_t shard) { return open_shard(folder, shard, manifest.shards[shard], inflaters, log); },
      [&](std::size_t, IndexedFile file) {
        files.push_back(std::move(file));
        opened();
      });
  return files;
}

}  // namespace carrack::data
