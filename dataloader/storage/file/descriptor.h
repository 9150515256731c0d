// Descriptor: owns a POSIX file descriptor. With it are functions for the system calls on files and folders that
// FileStorage needs; google_token.cc reads credentials with them. They throw Error if the call fails, or Refused (an
// Error) if trying again cannot help; the message names the path. Reads and writes that a signal interrupts are
// repeated.
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
  // Owns the open file `number`, which the destructor closes. Less than 0 means no file.
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

// Call this directly after a system call has failed. Throws the Error for errno, such as "x: cannot open it: Permission
// denied" for the path "x" and the action "open it"; it is a Refused if trying again cannot help.
[[noreturn]] void throw_system_error(const std::string& path, const std::string& action);

// Opens a file for reading; symbolic links are followed. Returns nullopt if it does not exist, or is not a regular
// file, such as a folder or a pipe. But a socket cannot be opened, so for it this throws Error.
std::optional<Descriptor> open_file(const std::string& path);
// Returns the result of fstat(). In all functions with a `file`, `path` is used only in messages.
struct stat status_of(const Descriptor& file, const std::string& path);
// Fills `into` from `offset` on. Returns the number of bytes read, which is less than requested only at the end of the
// file.
std::size_t read_at(const Descriptor& file, std::span<std::byte> into, std::uint64_t offset, const std::string& path);
// Writes all bytes at the current position of the file.
void write_all(const Descriptor& file, std::span<const std::byte> bytes, const std::string& path);
// Makes the kernel begin to write this part of the file to its disk, so that a later sync() takes less time. Does not
// wait, and ignores a failure: only sync() makes content durable.
void begin_write_back(const Descriptor& file, std::uint64_t offset, std::uint64_t size);
// Waits until the file's content is on its disk (fsync), so that it survives a crash of the machine.
void sync(const Descriptor& file, const std::string& path);

// Returns the entries of a folder, without `.` and `..`, in no particular order; empty if the folder does not exist.
std::vector<std::filesystem::directory_entry> entries_in(const std::string& folder);
// Waits until the names in the folder are on its disk: a new or renamed file survives a crash only after this, too.
void sync_folder(const std::string& folder);
// Makes the folder and missing folders above it, durably. Does nothing if the folder exists, and also if a file has
// that name.
void make_folder(const std::string& folder);
// Removes the name of a file; sync_folder() makes that durable. Returns false if the file did not exist.
bool unlink_file(const std::string& path);

struct FilePath {
  std::string folder;  // the text before the last slash; "." if there is none, "/" if that is the first character
  std::string name;
};
// Splits at the last slash, without reading the file system.
FilePath split_path(const std::string& path);

}  // namespace carrack::data
