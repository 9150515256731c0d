#include "trainer/checkpoint/survey.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/storage/url.h"
#include "trainer/checkpoint/retention.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::size_t piece_bytes = std::size_t{4} << 20;

// Returns what is wrong with the file; nullopt if it is as the manifest says.
std::optional<std::string> damage_of(data::Storage& storage, const std::string& url, const StoredFile& file) {
  const std::optional<data::ObjectStat> stat = storage.stat(url);
  if (!stat) return "is missing";
  if (stat->size != file.size) {
    return "has " + std::to_string(stat->size) + " bytes, and its manifest says " + std::to_string(file.size);
  }
  const auto reader = storage.open(url, *stat);
  data::Bytes piece(std::min<std::uint64_t>(piece_bytes, file.size));
  std::uint32_t crc = 0;
  for (std::uint64_t left = file.size; left > 0;) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), left));
    if (reader->read(part) != data::ReadResult::complete) return "changes while it is read";
    crc = data::crc32c(part, crc);
    left -= part.size();
  }
  if (crc != file.crc32c) return "does not match its checksum";
  return std::nullopt;
}

train::Error no_head(const std::string& name, CheckpointFolder& folder) {
  return {train::Blame::user, name + ": " + folder.absence_of("HEAD")};
}

}  // namespace

CheckpointName parse_checkpoint_name(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  const std::string last = slash == name.npos ? name : name.substr(slash + 1);
  const std::string folder = slash == name.npos ? "." : name.substr(0, slash);
  if (last == best_name) return {folder, std::nullopt, true};
  const std::optional<Cut> cut = cut_of_file(last);
  if (!cut) return {name, std::nullopt};
  return {folder, manifest_name(*cut)};
}

Manifest manifest_of(const CheckpointName& name, CheckpointFolder& folder) {
  if (name.manifest) return folder.manifest_named(*name.manifest);
  if (name.is_best) {
    const std::optional<Best> best = folder.best();
    if (best) return folder.manifest(best->checkpoint);
    throw train::Error(
        train::Blame::user,
        name.folder + ": " + folder.absence_of("BEST", "no checkpoint there was evaluated; see spec.data.eval"));
  }
  const std::optional<Head> head = folder.head();
  if (!head) throw no_head(name.folder, folder);
  if (!head->committed && head->taken_over && head->taken_over->kept) return folder.manifest(*head->taken_over->kept);
  if (!head->committed) throw train::Error(train::Blame::user, name.folder + ": holds no checkpoint yet");
  return folder.manifest(*head->committed);
}

Survey survey(data::Storage& storage, const std::string& folder) {
  CheckpointFolder checkpoints(storage, folder);
  const std::optional<Head> head = checkpoints.head();
  if (!head) throw no_head(folder, checkpoints);
  std::vector<std::pair<Cut, std::string>> found;
  for (const data::Listed& one : storage.list(data::in_folder(folder, "checkpoint-*.manifest"))) {
    std::string name = one.url.substr(one.url.rfind('/') + 1);
    const std::optional<Cut> cut = cut_of_file(name);
    if (cut && manifest_name(*cut) == name) found.emplace_back(*cut, std::move(name));
  }
  std::ranges::sort(found, {}, [](const auto& one) {
    return std::tuple(one.first.attempt, one.first.incarnation, one.first.step, one.first.number);
  });
  Survey result{.head = *head, .best = checkpoints.best(), .manifests = {}};
  for (auto& [cut, name] : found) result.manifests.push_back(std::move(name));
  return result;
}

std::vector<std::string> damage_in(data::Storage& storage, const std::string& folder, const Manifest& manifest) {
  std::vector<std::string> damage;
  for (const StoredFile& file : manifest.files) {
    const std::string url = data::in_folder(folder, file.name);
    if (const auto found = damage_of(storage, url, file)) damage.push_back(url + ": " + *found);
  }
  return damage;
}

}  // namespace carrack::checkpoint
