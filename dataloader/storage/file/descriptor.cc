#include "dataloader/storage/file/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

bool means_absent(int error) {
  return error == ENOENT || error == ENOTDIR;
}

// True if trying again cannot help.
bool is_permanent(int error) {
  constexpr int permanent[] = {EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR, EPERM, EROFS};
  return std::find(std::begin(permanent), std::end(permanent), error) != std::end(permanent);
}

[[noreturn]] void throw_error(const std::string& text, int error) {
  const std::string message = text + ": " + std::generic_category().message(error);
  if (is_permanent(error)) throw Refused(message);
  throw Error(message);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

void throw_system_error(const std::string& path, const std::string& action) {
  throw_error(path + ": cannot " + action, errno);
}

std::optional<Descriptor> open_file(const std::string& path) {
  // O_NONBLOCK is needed because opening a pipe must not wait for its writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    if (means_absent(errno)) return std::nullopt;
    throw_system_error(path, "open it");
  }
  if (!S_ISREG(status_of(file, path).st_mode)) return std::nullopt;
  return file;
}

struct stat status_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw_system_error(path, "read its size");
  return status;
}

std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset, const std::string& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto at = static_cast<off_t>(offset + done);
    const ssize_t count = ::pread(file.number(), into.data() + done, into.size() - done, at);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) throw_system_error(path, "read it");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) throw_system_error(path, "write it");
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void begin_write_back(const Descriptor& file, std::uint64_t offset, std::uint64_t size) {
  ::sync_file_range(file.number(), static_cast<off_t>(offset), static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE);
}

void sync(const Descriptor& file, const std::string& path) {
  if (::fsync(file.number()) != 0) throw_system_error(path, "bring it to the disk");
}

std::vector<std::filesystem::directory_entry> entries_in(const std::string& folder) {
  std::vector<std::filesystem::directory_entry> found;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (means_absent(error.value())) return found;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) found.push_back(*entry);
  if (error) throw_error(folder + ": cannot list the folder", error.value());
  return found;
}

void sync_folder(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0) throw_system_error(folder, "open the folder");
  sync(opened, folder);
}

void make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) return sync_folder(split_path(folder).folder);
  if (errno == EEXIST) return;
  if (errno != ENOENT) throw_system_error(folder, "make the folder");
  make_folder(split_path(folder).folder);
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    // The folders above exist, but this file system cannot make folders here, as in /proc.
    if (errno == ENOENT) throw Refused(folder + ": cannot make the folder: there can be none");
    throw_system_error(folder, "make the folder");
  }
  sync_folder(split_path(folder).folder);
}

bool unlink_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (!means_absent(errno)) throw_system_error(path, "remove it");
  return false;
}

FilePath split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace carrack::data
