#include "trainer/checkpoint/folder.h"

#include <charconv>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/storage/url.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::checkpoint {
namespace {

// The name of the checkpoint folder in the folder of a `carrack run` whose manifest names no other folder.
constexpr const char* folder_in_run = "checkpoints";
constexpr std::uint64_t best_bytes_max = 4096;
// Limits far above what any checkpoint needs: a larger object was not written by Carrack.
constexpr std::uint64_t manifest_bytes_max = std::uint64_t{64} << 20;
constexpr std::uint64_t index_bytes_max = std::uint64_t{1} << 30;
constexpr std::uint64_t statistics_bytes_max = std::uint64_t{1} << 30;
constexpr const char* too_large = "; it is not what Carrack wrote; restore it, or use another folder";

std::string_view text_of(const data::Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <class Value>
Value decoded_or_throw(Decoded<Value> decoded, const std::string& url) {
  if (const auto* corrupt = std::get_if<Corrupt>(&decoded)) {
    throw train::Error(train::Blame::user, url + ": " + corrupt->text +
                                               "; it is not what Carrack wrote; restore it, or use another folder");
  }
  return std::get<Value>(std::move(decoded));
}

train::Error overwritten(const std::string& url) {
  return {train::Blame::user, url + ": is not what was committed; was it overwritten?"};
}

// Returns a version as a number, such as the generation of an object in Google Cloud Storage; 0 if it is not a number,
// as for local files.
std::uint64_t generation_of(const data::Version& version) {
  std::uint64_t number = 0;
  const char* end = version.text.data() + version.text.size();
  const auto [stopped, error] = std::from_chars(version.text.data(), end, number);
  return error == std::errc() && stopped == end ? number : 0;
}

}  // namespace

CheckpointFolder::CheckpointFolder(data::Storage& storage, std::string url) : storage_(storage), url_(std::move(url)) {
  if (!url_.ends_with('/')) url_ += '/';
}

std::optional<Claim> CheckpointFolder::present_claim() {
  const std::optional<data::Latest> latest = storage_.latest(url_of(head_name));
  if (!latest) return std::nullopt;
  return Claim{decoded_or_throw(decode_head(text_of(latest->bytes)), url_of(head_name)), latest->version};
}

std::optional<Head> CheckpointFolder::head() {
  std::optional<Claim> found = present_claim();
  if (!found) return std::nullopt;
  return std::move(found->head);
}

std::string CheckpointFolder::absence_of(const std::string& name, const std::string& otherwise) {
  std::string folder = url_;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (storage_.stat(folder)) return "is a file; " + otherwise;
  if (!storage_.is_remote() && !data::is_folder(storage_, folder)) return "does not exist; " + otherwise;
  const std::string in_run = url_ + folder_in_run;
  const bool is_run = storage_.latest(data::in_folder(in_run, head_name)).has_value();
  return "holds no " + name + "; " + (is_run ? "did you mean " + in_run + "?" : otherwise);
}

CheckpointFolder::SavedShard CheckpointFolder::save(const Cut& cut, std::uint32_t shard, std::uint32_t shards,
                                                    const std::function<void(ShardWriter&)>& tensors) {
  const std::string name = shard_name(prefix_of(cut), shard, shards);
  const train::CrashPoint point("folder.save_shard");
  const auto object = storage_.create(url_of(name), {.must_not_exist = true});
  ShardWriter writer([&](std::span<const std::byte> bytes) { object->write(bytes); });
  tensors(writer);
  const std::optional<data::ObjectStat> stat = object->commit();
  if (!stat) throw train::Error(train::Blame::bug, url_of(name) + ": exists already, yet no other cut has this name");
  const ShardReport& report = writer.report();
  return {report, {name, report.size, report.crc32c, generation_of(stat->version)}};
}

bool CheckpointFolder::commit(Claim& claim, Manifest manifest, const Bundle& bundle, const std::string& nonce) {
  manifest.files.insert(manifest.files.begin(), write_index(manifest.cut, bundle));
  // If a later process has claimed HEAD, it may have removed these shards, and a manifest must not name missing files.
  if (!holds(claim)) return false;
  Head head = claim.head;
  head.nonce = nonce;
  head.committed = write_manifest(manifest);
  head.resumed.reset();
  if (head.taken_over) head.taken_over->kept.reset();
  const std::string text = encode_head(head);
  const train::CrashPoint point("folder.commit");
  auto version = storage_.replace_if(url_of(head_name), claim.version, bytes_of(text));
  if (!version) return false;
  claim = Claim{std::move(head), std::move(*version)};
  return true;
}

std::optional<Statistics> CheckpointFolder::statistics() {
  const std::string url = url_of(statistics_name);
  const std::optional<data::Bytes> bytes = read_file(url, statistics_bytes_max);
  if (!bytes) return std::nullopt;
  return decoded_or_throw(decode_statistics(text_of(*bytes)), url);
}

bool CheckpointFolder::write_statistics(const Statistics& statistics, bool replaces) {
  const train::CrashPoint point("folder.write_statistics");
  const auto object = storage_.create(url_of(statistics_name), {.must_not_exist = !replaces});
  object->write(bytes_of(encode_statistics(statistics)));
  return object->commit().has_value();
}

void CheckpointFolder::remove_unneeded(const std::string& manifest, const Retention& retention,
                                       const std::function<bool()>& go_on) {
  for (const std::string& name : unneeded_files(names(), manifest, retention)) {
    if (!go_on()) return;
    const train::CrashPoint point("folder.remove");
    storage_.remove(url_of(name));
  }
}

// Returns the names of all objects in the folder that begin with "checkpoint-", as the files of cuts do.
std::vector<std::string> CheckpointFolder::names() const {
  std::vector<std::string> found;
  for (const data::Listed& one : storage_.list(url_of("checkpoint-*"))) {
    // The folder's own name may contain wildcards, which then match other folders, too.
    if (one.url.starts_with(url_)) found.push_back(one.url.substr(url_.size()));
  }
  return found;
}

std::optional<data::Bytes> CheckpointFolder::read_file(const std::string& url, std::uint64_t bytes_max) const {
  try {
    return data::read_whole(storage_, url, {bytes_max, too_large});
  } catch (const data::Refused& refused) {
    throw train::Error(train::Blame::user, refused.what());
  }
}

std::optional<Best> CheckpointFolder::best() {
  const std::string url = url_of(best_name);
  const std::optional<data::Bytes> bytes = read_file(url, best_bytes_max);
  if (!bytes) return std::nullopt;
  return decoded_or_throw(decode_best(text_of(*bytes)), url);
}

void CheckpointFolder::write_best(const Best& best) {
  const train::CrashPoint point("folder.write_best");
  const auto object = storage_.create(url_of(best_name), {});
  object->write(bytes_of(encode_best(best)));
  object->commit();
}

StoredFile CheckpointFolder::write_index(const Cut& cut, const Bundle& bundle) {
  const train::CrashPoint point("folder.write_index");
  return write(index_name(prefix_of(cut)), encode_index(bundle));
}

Committed CheckpointFolder::write_manifest(const Manifest& manifest) {
  const train::CrashPoint point("folder.write_manifest");
  const StoredFile file = write(manifest_name(manifest.cut), encode_manifest(manifest));
  return {file.name, file.crc32c};
}

StoredFile CheckpointFolder::write(const std::string& name, std::string_view text) {
  const auto object = storage_.create(url_of(name), {.must_not_exist = true});
  object->write(bytes_of(text));
  const std::optional<data::ObjectStat> stat = object->commit();
  if (!stat) throw train::Error(train::Blame::bug, url_of(name) + ": exists already, yet no other cut has this name");
  return {name, text.size(), data::crc32c(bytes_of(text)), generation_of(stat->version)};
}

Manifest CheckpointFolder::manifest(const Committed& committed) {
  const std::string url = url_of(committed.manifest);
  const std::optional<data::Bytes> bytes = read_file(url, manifest_bytes_max);
  if (!bytes)
    throw train::Error(
        train::Blame::user,
        url + ": HEAD or BEST names it, but it is not there; was it deleted, or removed by a job that still runs?");
  if (data::crc32c(*bytes) != committed.crc32c) throw overwritten(url);
  return decoded_or_throw(decode_manifest(text_of(*bytes)), url);
}

Manifest CheckpointFolder::manifest_named(const std::string& name) {
  const std::string url = url_of(name);
  const std::optional<data::Bytes> bytes = read_file(url, manifest_bytes_max);
  if (!bytes) throw train::Error(train::Blame::user, url + ": there is no such checkpoint");
  return decoded_or_throw(decode_manifest(text_of(*bytes)), url);
}

StoredBundle CheckpointFolder::open(const Manifest& manifest) {
  const std::string prefix = prefix_of(manifest.cut);
  const std::string url = url_of(index_name(prefix));
  const std::optional<data::Bytes> bytes = read_file(url, index_bytes_max);
  if (!bytes)
    throw train::Error(train::Blame::user, url + ": its manifest names it, but it is not there; was it deleted?");
  if (data::crc32c(*bytes) != manifest.files.front().crc32c) throw overwritten(url);
  Bundle bundle = decoded_or_throw(decode_index(text_of(*bytes)), url);
  const auto read = [this](const std::string& file, std::uint64_t offset, std::span<std::byte> into) -> std::size_t {
    const data::Slice slice{offset, into};
    const data::ReadResult result = storage_.read(url_of(file), {&slice, 1}, std::nullopt);
    if (result == data::ReadResult::complete) return into.size();
    throw train::Error(train::Blame::user,
                       url_of(file) + ": is missing or shorter than its checkpoint says; was it changed?");
  };
  return {prefix, std::move(bundle), read};
}

}  // namespace carrack::checkpoint
