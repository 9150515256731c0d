// Descriptor, which owns an open file, and functions for the system calls on files and folders. They repeat interrupted
// calls, and throw Error or Refused with a message that names `path`.
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
  explicit Descriptor(int number) : number_(number) {}  // less than 0: no file
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Throws the Error for errno, "PATH: cannot ACTION: REASON"; a Refused if trying again cannot help.
[[noreturn]] void throw_system_error(const std::string& path, const std::string& action);

// Opens a file for reading. Returns nullopt if it does not exist, or is not a regular file.
std::optional<Descriptor> open_file(const std::string& path);
struct stat status_of(const Descriptor& file, const std::string& path);
// Returns how many bytes were read; fewer than requested only at the end of the file.
std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset, const std::string& path);
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);
// Asks the kernel to begin writing this part of the file to its disk. A failure is ignored: only sync() makes content
// durable.
void begin_write_back(const Descriptor& file, std::uint64_t offset, std::uint64_t size);
// Returns when the file's content is durable.
void sync(const Descriptor& file, const std::string& path);

// Returns the entries in no particular order; empty if the folder does not exist.
std::vector<std::filesystem::directory_entry> entries_in(const std::string& folder);
// Returns when the names in the folder are durable.
void sync_folder(const std::string& folder);
// Makes the folder and missing folders above it, durably. Does nothing if a file or folder already has that name.
void make_folder(const std::string& folder);
// Removes a name; sync_folder() makes that durable. Returns false if the file did not exist.
bool unlink_file(const std::string& path);

struct FilePath {
  std::string folder;  // "." for a name without a folder; without a slash at its end, except "/"
  std::string name;
};
FilePath split_path(const std::string& path);

}  // namespace carrack::data
