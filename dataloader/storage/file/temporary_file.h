// TemporaryFile: a file that is being written, under a name that FileStorage::list() hides, and the two ways to give it
// its final name. It does not sync: call sync() before and sync_folder() after giving the name.
//
// The destructor removes the temporary name. A writer that is killed leaves its temporary file in the folder, and a
// later writer removes it. FileStorage::replace_if() removes the files of older writers after it has succeeded.
// FileStorage::create() removes abandoned files when it begins. It calls lock() on its own file, so that another
// create() does not consider that file abandoned while the writer exists. No process waits for that lock.
#pragma once

#include <string>
#include <string_view>

#include "dataloader/storage/file/descriptor.h"

namespace carrack::data {

// The beginning of the names of all temporary files.
constexpr std::string_view temporary_prefix = ".carrack.";

class TemporaryFile {
 public:
  // Creates the file in `folder`, which must exist. `unique_name` becomes a part of its name; no other writer in this
  // folder may use the same one. Throws Error if the file cannot be created; the message names `final_path`, which the
  // user knows.
  TemporaryFile(const std::string& folder, const std::string& unique_name, const std::string& final_path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Locks the file, so that remove_abandoned() does not remove it while this object exists. Returns false if another
  // process has already locked or removed it: make another file then. On a file system without locks this returns true
  // unless the file was removed, and remove_abandoned() removes no file.
  bool lock();

  const Descriptor& file() const { return file_; }
  const std::string& path() const { return path_; }

  enum class LinkResult { linked, name_taken, removed };
  // Gives the file this name, or returns `name_taken` if another file has it. `removed` means that another process has
  // removed the temporary file. Throws Refused if the file system has no hard links.
  LinkResult link_to(const std::string& path);
  // Gives the file this name, and replaces a file that has it.
  void rename_to(const std::string& path);

 private:
  std::string path_;
  Descriptor file_;
};

// Removes the temporary files in the folder whose `unique_name` begins with `prefix` and that no process has locked.
// Files that cannot be opened or locked remain. Throws Error if the folder cannot be listed.
void remove_abandoned(const std::string& folder, const std::string& prefix);

}  // namespace carrack::data
