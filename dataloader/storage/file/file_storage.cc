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

// The version of a file consists of the time of its last change and its size.
ObjectStat stat_from(const struct stat& status) {
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const timespec& changed = status.st_mtim;
  return {size, {std::to_string(changed.tv_sec) + "s" + std::to_string(changed.tv_nsec) + "ns" + std::to_string(size)}};
}

// Throws Refused for the name of a device, a symbolic link or the like, which must not be replaced by a file.
void require_file_or_nothing(const std::string& path) {
  struct stat present {};
  const bool is_other_kind =
      ::lstat(path.c_str(), &present) == 0 && !S_ISREG(present.st_mode) && !S_ISDIR(present.st_mode);
  if (is_other_kind) throw Refused(path + ": is there and no regular file, so it is not replaced; write another name");
}

std::string path_of(const std::string& url) {
  std::string path = url_from(url).name;
  if (path.ends_with('/')) throw Refused(url + ": is the name of a folder; write the name of a file");
  return path;
}

// A large file is flushed to the disk while it is written, in pieces of this size, so that commit() waits mostly for
// the last piece.
constexpr std::uint64_t write_back_bytes = std::uint64_t{8} << 20;

// The beginning of the unique names of the temporary files of create().
constexpr char writer_prefix[] = "write.";

class FileWriter : public ObjectWriter {
 public:
  FileWriter(const std::string& path, CreateOptions options, const std::string& unique)
      : path_(path), options_(options), file_(split_path(path).folder, writer_prefix + unique, path) {}

  bool lock() { return file_.lock(); }

  void write(std::span<const std::byte> bytes) override {
    write_all(file_.file(), bytes, path_);
    written_ += bytes.size();
    if (written_ - begun_ < write_back_bytes) return;
    begin_write_back(file_.file(), begun_, written_ - begun_);
    begun_ = written_;
  }

  std::optional<ObjectStat> commit() override {
    make_newer_than_present();
    sync(file_.file(), path_);
    if (!options_.must_not_exist) {
      file_.rename_to(path_);
    } else if (const auto linked = file_.link_to(path_); linked == TemporaryFile::LinkResult::removed) {
      throw Error(file_.path() + ": was removed while being written; keep other programs out of the folder");
    } else if (linked == TemporaryFile::LinkResult::name_taken) {
      return std::nullopt;
    }
    sync_folder(split_path(path_).folder);
    return stat_from(status_of(file_.file(), path_));
  }

 private:
  // Sets a later time than that of the file that is replaced. File times advance only a few hundred times a second, so
  // otherwise two versions could have the same time.
  void make_newer_than_present() {
    struct stat present {};
    if (::stat(path_.c_str(), &present) != 0) return;
    timespec newer = present.st_mtim;
    newer.tv_nsec += 1;
    if (newer.tv_nsec == 1'000'000'000) newer = {newer.tv_sec + 1, 0};
    const timespec ours = status_of(file_.file(), path_).st_mtim;
    if (ours.tv_sec > newer.tv_sec || (ours.tv_sec == newer.tv_sec && ours.tv_nsec >= newer.tv_nsec)) return;
    const timespec times[2] = {{0, UTIME_OMIT}, newer};
    if (::futimens(file_.file().number(), times) != 0) throw_system_error(path_, "set its time");
  }

  const std::string path_;
  const CreateOptions options_;
  TemporaryFile file_;
  std::uint64_t written_ = 0;  // number of bytes that were written
  std::uint64_t begun_ = 0;    // number of bytes whose flush has begun
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
    if (const auto found_stat = stat(name)) found.push_back({name, *found_stat});
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
  bool is_complete = true;
  for (const Slice& slice : slices) is_complete &= read_at(*file, slice.into, slice.offset, path) == slice.into.size();
  if (stat_from(status_of(*file, path)).version != opened) return ReadResult::changed;
  return is_complete ? ReadResult::complete : ReadResult::past_end;
}

std::unique_ptr<ObjectWriter> FileStorage::create(const std::string& url, CreateOptions options) {
  const std::string path = path_of(url);
  require_file_or_nothing(path);
  const std::string folder = split_path(path).folder;
  make_folder(folder);
  remove_abandoned(folder, writer_prefix);
  constexpr int tries = 100;  // because another process may remove the file before it is locked
  for (int i = 0; i < tries; ++i) {
    auto writer = std::make_unique<FileWriter>(path, options, unique_name());
    if (writer->lock()) return writer;
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
  return replace_numbered(path_of(url), expected, bytes, unique_name());
}

std::string FileStorage::unique_name() {
  return std::to_string(nonce_) + "." + std::to_string(count_++);
}

}  // namespace carrack::data
