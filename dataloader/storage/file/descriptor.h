// Descriptor, which owns an open file, and functions for the system calls on files and folders. They throw Error if the
// call fails, or Refused if trying again cannot help; the message names the path. Reads and writes that a signal
// interrupts are repeated.
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
  explicit Descriptor(int number) : number_(number) {}  // takes ownership; less than 0: no file
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Throws the Error for errno, with the message "PATH: cannot ACTION: REASON"; a Refused if trying again cannot help.
[[noreturn]] void throw_system_error(const std::string& path, const std::string& action);

// Opens a file for reading. Returns nullopt if it does not exist, or is not a regular file; symbolic links are
// followed. Here and below `path` is used only in messages if there is a `file`.
std::optional<Descriptor> open_file(const std::string& path);
struct stat status_of(const Descriptor& file, const std::string& path);
// Fills `into` from `offset` on. Returns the number of bytes read, which is less than requested only at the end of the
// file.
std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset, const std::string& path);
// Writes all bytes at the current position of the file.
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);
// Asks the kernel to begin writing this part of the file to its disk. Does not wait, and ignores a failure: only sync()
// makes content durable.
void begin_write_back(const Descriptor& file, std::uint64_t offset, std::uint64_t size);
// Returns when the file's content is durable.
void sync(const Descriptor& file, const std::string& path);

// Returns the entries of a folder, without `.` and `..`, in no particular order; empty if the folder does not exist.
std::vector<std::filesystem::directory_entry> entries_in(const std::string& folder);
// Returns when the names in the folder are durable.
void sync_folder(const std::string& folder);
// Makes the folder and missing folders above it, durably. Does nothing if a file or folder already has that name.
void make_folder(const std::string& folder);
// Removes the name of a file; sync_folder() makes that durable. Returns false if the file did not exist.
bool unlink_file(const std::string& path);

struct FilePath {
  std::string folder;  // "." for a name without a folder; without a slash at its end, except "/"
  std::string name;
};
// Splits at the last slash, without reading the file system.
FilePath split_path(const std::string& path);

}  // namespace carrack::data
