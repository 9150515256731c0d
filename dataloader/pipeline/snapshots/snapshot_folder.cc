#include "dataloader/pipeline/snapshots/snapshot_folder.h"

#include <cstdint>
#include <cstdio>
#include <set>
#include <span>
#include <utility>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr const char* manifest_name = "/manifest";
constexpr const char* part_ending = ".part";

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

[[noreturn]] void throw_unusable(const std::string& url, const std::string& why) {
  throw Refused(url + ": " + why + made_anew);
}

}  // namespace

SnapshotFolder::SnapshotFolder(Storage& storage, const std::string& all, const std::string& fingerprint,
                               Compression compression)
    : storage_(storage), all_(without_slash(all)), url_(all_ + "/" + fingerprint), compression_(compression) {}

std::string SnapshotFolder::shard_url(std::size_t shard) const {
  char number[24];
  std::snprintf(number, sizeof number, "%05zu", shard);
  return url_ + "/rows-" + number + ".tfrecord" + (compression_ == Compression::gzip ? ".gz" : "");
}

std::optional<SnapshotManifest> SnapshotFolder::manifest(const SnapshotOrigin& origin) const {
  const std::string url = url_ + manifest_name;
  std::optional<SnapshotManifest> manifest = manifest_at(url);
  if (manifest && manifest->origin != origin)
    throw_unusable(url, "it is that of another snapshot: " + difference(manifest->origin, origin));
  return manifest;
}

std::string SnapshotFolder::part_url(std::size_t shard) const {
  return shard_url(shard) + part_ending;
}

std::optional<SnapshotManifest> SnapshotFolder::part(std::size_t shard) const {
  std::optional<SnapshotManifest> part = manifest_at(part_url(shard));
  if (part && part->shards.size() != 1)
    throw_unusable(part_url(shard), "tells of " + std::to_string(part->shards.size()) + " files, and one is its own");
  return part;
}

std::vector<bool> SnapshotFolder::parts(std::size_t shards) const {
  std::set<std::string> there;
  for (Listed& one : storage_.list(url_ + "/*" + part_ending)) there.insert(std::move(one.url));
  std::vector<bool> parts(shards);
  for (std::size_t shard = 0; shard < shards; ++shard) parts[shard] = there.contains(part_url(shard));
  return parts;
}

bool SnapshotFolder::put(const SnapshotManifest& manifest) const {
  return put_at(url_ + manifest_name, manifest);
}

void SnapshotFolder::put_part(std::size_t shard, const SnapshotManifest& part) const {
  put_at(part_url(shard), part);
}

void SnapshotFolder::tell_others(const SnapshotOrigin& origin, const Log& log) const {
  for (const Listed& other : storage_.list(all_ + "/*" + manifest_name)) {
    const std::string subject = "snapshot: does not use " + other.url + ": ";
    try {
      if (const auto manifest = manifest_at(other.url)) log(subject + difference(manifest->origin, origin));
    } catch (const Error& error) {
      log(subject + error.what());
    }
  }
}

std::optional<SnapshotManifest> SnapshotFolder::manifest_at(const std::string& url) const {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;  // Some hundred for each file, be they a million.
  const std::optional<Bytes> bytes =
      read_whole(storage_, url, {most_bytes, std::string(", and is no manifest of a snapshot") + made_anew});
  if (!bytes) return std::nullopt;
  auto found = snapshot_manifest_from({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (const auto* why = std::get_if<std::string>(&found)) throw_unusable(url, *why);
  return std::get<SnapshotManifest>(std::move(found));
}

bool SnapshotFolder::put_at(const std::string& url, const SnapshotManifest& manifest) const {
  const auto object = storage_.create(url, {.must_not_exist = true});
  const std::string text = text_of(manifest);
  object->write(std::as_bytes(std::span(text)));
  return object->commit().has_value();
}

}  // namespace carrack::data
