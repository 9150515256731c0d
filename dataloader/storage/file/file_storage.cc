#include "dataloader/storage/file/file_storage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "dataloader/error.h"
#include "dataloader/storage/file/file_list.h"
#include "dataloader/storage/file/numbered_file.h"
#include "dataloader/storage/file/temporary_file.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

ObjectStat stat_from(const struct stat& status) {
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const timespec& changed = status.st_mtim;
  return {size, {std::to_string(changed.tv_sec) + "s" + std::to_string(changed.tv_nsec) + "ns" + std::to_string(size)}};
}

// What is something else, such as a device or a link to a file, is not replaced by a file.
void require_file_or_nothing(const std::string& path) {
  struct stat there {};
  const bool is_else = ::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
  if (is_else) throw Refused(path + ": is there and no regular file, so it is not replaced; write another name");
}

std::string path_of(const std::string& url) {
  std::string path = url_from(url).name;
  if (path.ends_with('/')) throw Refused(url + ": is the name of a folder; write the name of a file");
  return path;
}

const std::string stream = "write.";

class FileWriter : public ObjectWriter {
 public:
  FileWriter(const std::string& path, CreateOptions options, const std::string& unique)
      : path_(path), options_(options), written_(split_path(path).folder, stream + unique) {}

  bool keep() { return written_.keep(); }

  void write(std::span<const std::byte> bytes) override { write_all(written_.file(), bytes, path_); }

  std::optional<ObjectStat> commit() override {
    make_newer_than_present();
    sync(written_.file(), path_);
    if (!options_.must_not_exist) {
      written_.rename_to(path_);
    } else if (const auto linked = written_.link_to(path_); linked == TemporaryFile::Linked::removed) {
      throw Error(written_.path() + ": was removed while being written; keep other programs out of the folder");
    } else if (linked == TemporaryFile::Linked::name_taken) {
      return std::nullopt;
    }
    sync_folder(split_path(path_).folder);
    return stat_from(status_of(written_.file(), path_));
  }

 private:
  // A kernel's clock for files ticks a few hundred times a second, and two versions may be written within one tick.
  void make_newer_than_present() {
    struct stat present {};
    if (::stat(path_.c_str(), &present) != 0) return;
    timespec newer = present.st_mtim;
    newer.tv_nsec += 1;
    if (newer.tv_nsec == 1'000'000'000) newer = {newer.tv_sec + 1, 0};
    const timespec ours = status_of(written_.file(), path_).st_mtim;
    if (ours.tv_sec > newer.tv_sec || (ours.tv_sec == newer.tv_sec && ours.tv_nsec >= newer.tv_nsec)) return;
    const timespec times[2] = {{0, UTIME_OMIT}, newer};
    if (::futimens(written_.file().number(), times) != 0) throw_system_error(path_, "set its time");
  }

  const std::string path_;
  const CreateOptions options_;
  TemporaryFile written_;
};

}  // namespace

std::optional<ObjectStat> FileStorage::stat(const std::string& url) {
  const std::string path = path_of(url);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0)
    return S_ISREG(status.st_mode) ? std::optional(stat_from(status)) : std::nullopt;
  if (errno != ENOENT && errno != ENOTDIR) throw_system_error(path, "look at it");
  return std::nullopt;
}

std::vector<Listed> FileStorage::list(const std::string& pattern) {
  const Url url = pattern_from(pattern);
  std::vector<Listed> found;
  for (const std::string& path : paths_matching(url.name)) {
    const std::string name = url.prefix + path;
    if (const auto there = stat(name)) found.push_back({name, *there});
  }
  return found;
}

ReadResult FileStorage::read(const std::string& url, std::span<const Slice> slices,
                             const std::optional<Version>& version) {
  const std::string path = path_of(url);
  const std::optional<Descriptor> file = open_file(path);
  if (!file) return ReadResult::absent;
  const Version opened = stat_from(status_of(*file, path)).version;
  if (version && opened != *version) return ReadResult::changed;
  bool enough = true;
  for (const Slice& slice : slices) enough &= read_at(*file, slice.into, slice.offset, path) == slice.into.size();
  if (stat_from(status_of(*file, path)).version != opened) return ReadResult::changed;
  return enough ? ReadResult::complete : ReadResult::past_end;
}

std::unique_ptr<ObjectWriter> FileStorage::create(const std::string& url, CreateOptions options) {
  const std::string path = path_of(url);
  require_file_or_nothing(path);
  const std::string folder = split_path(path).folder;
  make_folder(folder);
  remove_abandoned(folder, stream);
  constexpr int tries = 100;  // Between its creation and its keeping, a file is another's to remove.
  for (int i = 0; i < tries; ++i) {
    auto writer = std::make_unique<FileWriter>(path, options, unique());
    if (writer->keep()) return writer;
  }
  throw Error(folder + ": files are removed as soon as they are made; see who does it");
}

bool FileStorage::remove(const std::string& url) {
  const std::string path = path_of(url);
  if (!stat(url)) return false;
  const bool removed = unlink_file(path);
  if (removed) sync_folder(split_path(path).folder);
  return removed;
}

std::optional<Latest> FileStorage::latest(const std::string& url) {
  return latest_numbered(path_of(url));
}

std::optional<Version> FileStorage::replace_if(const std::string& url, const std::optional<Version>& expected,
                                               std::span<const std::byte> bytes) {
  return replace_numbered(path_of(url), expected, bytes, unique());
}

std::string FileStorage::unique() {
  return std::to_string(nonce_) + "." + std::to_string(count_++);
}

}  // namespace carrack::data
