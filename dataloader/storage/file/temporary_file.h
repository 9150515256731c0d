// TemporaryFile: a file that FileStorage writes under a hidden name, such as .carrack.<unique_name>, and that gets its
// final name once it is complete, so that no reader sees a part of a file. FileStorage::list() hides the temporary
// names. This class does not sync: call sync() (descriptor.h) before giving the name, and sync_folder() after that.
//
// The destructor removes the temporary name. A writer that is killed leaves its temporary file in the folder. A later
// create() removes it by remove_abandoned(), and a writer of create() calls lock() so that its own file is not removed.
// The files of replace_if() are not locked: a later replace_if() removes them (numbered_file.cc).
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

  // Locks the file, so that remove_abandoned() does not remove it while this object exists. Does not wait. Returns
  // false if remove_abandoned() of another writer has already locked or removed it: make another file then. On a file
  // system without locks this returns true unless the file was removed, and remove_abandoned() removes no file.
  bool lock();

  const Descriptor& file() const { return file_; }
  const std::string& path() const { return path_; }

  enum class LinkResult { linked, name_taken, removed };
  // Gives the file the name `path` unless another file has it: then returns `name_taken` and changes nothing. `removed`
  // means that another process has removed the temporary file. Throws Refused if the file system has no hard links.
  LinkResult link_to(const std::string& path);
  // Gives the file the name `path`, and replaces a file that has it. Throws Error if that fails.
  void rename_to(const std::string& path);

 private:
  std::string path_;
  Descriptor file_;
};

// Removes the temporary files in the folder whose `unique_name` begins with `prefix` and that no process has locked:
// those of writers that were killed. Files that cannot be opened or locked remain. Throws Error if the folder cannot be
// listed.
void remove_abandoned(const std::string& folder, const std::string& prefix);

}  // namespace carrack::data
