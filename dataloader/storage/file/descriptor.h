// Open files and folders, and the system calls on them: each does all of its work or throws Error naming the path.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carrack::data {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Of the last system call: "PATH: cannot DO: REASON".
[[noreturn]] void throw_system_error(const std::string& path, const std::string& what);

// Nothing if there is no such file; a folder is none.
std::optional<Descriptor> open_file(const std::string& path);
struct stat status_of(const Descriptor& file, const std::string& path);
// How many bytes there were; fewer only at the end of the file.
std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset, const std::string& path);
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);
void sync(const Descriptor& file, const std::string& path);

// In no order; none if there is no such folder.
std::vector<std::filesystem::directory_entry> entries_in(const std::string& folder);
// Names in the folder are durable after this.
void sync_folder(const std::string& folder);
// With all above it, durably.
void make_folder(const std::string& folder);
// False if there was none.
bool unlink_file(const std::string& path);

struct FilePath {
  std::string folder;  // "." for a name alone.
  std::string name;
};
FilePath split_path(const std::string& path);

}  // namespace carrack::data
