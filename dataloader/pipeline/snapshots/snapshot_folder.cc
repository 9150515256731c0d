#include "dataloader/pipeline/snapshots/snapshot_folder.h"

#include <algorithm>
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
  throw Refused(url + ": " + why + remove_hint);
}

}  // namespace

SnapshotFolder::SnapshotFolder(Storage& storage, const std::string& all_snapshots, const std::string& fingerprint,
                               Compression compression)
    : storage_(storage),
      all_(without_slash(all_snapshots)),
      url_(all_ + "/" + fingerprint),
      compression_(compression) {}

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
  std::set<std::string> found;
  for (Listed& one : storage_.list(url_ + "/*" + part_ending)) found.insert(std::move(one.url));
  std::vector<bool> parts(shards);
  for (std::size_t shard = 0; shard < shards; ++shard) parts[shard] = found.contains(part_url(shard));
  return parts;
}

void SnapshotFolder::put(const SnapshotManifest& manifest, const Log& log) const {
  if (put_at(url_ + manifest_name, manifest)) log("snapshot: made " + url_);
}

void SnapshotFolder::put_part(std::size_t shard, const SnapshotManifest& part) const {
  put_at(part_url(shard), part);
}

void SnapshotFolder::log_other_snapshots(const std::vector<SnapshotOrigin>& origins, const Log& log) const {
  for (const Listed& other : storage_.list(all_ + "/*" + manifest_name)) {
    const std::string subject = "snapshot: does not use " + other.url + ": ";
    try {
      const std::optional<SnapshotManifest> manifest = manifest_at(other.url);
      if (!manifest) continue;
      // Origins of different versions of the format have different texts. So this compares with the requested origin of
      // the same version, if there is one.
      const auto same_version = std::ranges::find(origins, manifest->origin.version, &SnapshotOrigin::version);
      const SnapshotOrigin& wanted = same_version != origins.end() ? *same_version : origins.front();
      log(subject + difference(manifest->origin, wanted));
    } catch (const Error& error) {
      log(subject + error.what());
    }
  }
}

std::optional<SnapshotManifest> SnapshotFolder::manifest_at(const std::string& url) const {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // enough for a million files
  const std::optional<Bytes> bytes =
      read_whole(storage_, url, {max_bytes, std::string(", and is not a manifest of a snapshot") + remove_hint});
  if (!bytes) return std::nullopt;
  auto parsed = parse_snapshot_manifest({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (const auto* why = std::get_if<std::string>(&parsed)) throw_unusable(url, *why);
  return std::get<SnapshotManifest>(std::move(parsed));
}

// Writes a manifest, unless one exists at this URL. Returns whether this call has written it.
bool SnapshotFolder::put_at(const std::string& url, const SnapshotManifest& manifest) const {
  const auto object = storage_.create(url, {.must_not_exist = true});
  const std::string text = to_text(manifest);
  object->write(std::as_bytes(std::span(text)));
  return object->commit().has_value();
}

}  // namespace carrack::data
