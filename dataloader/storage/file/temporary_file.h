// A file that is being written, under a name that list() hides, and the two ways in which it gets its own name at once.
//
// The destructor removes it. What a killed writer leaves is removed by the next: of replace_if when it succeeds, of
// create at its start, which is why a stream's file is kept with a lock; nobody ever waits for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dataloader/storage/file/descriptor.h"

namespace carrack::data {

constexpr std::string_view temporary_prefix = ".carrack.";

class TemporaryFile {
 public:
  // `unique` is a part of the name that nobody else gives in this folder.
  TemporaryFile(const std::string& folder, const std::string& unique);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Has remove_abandoned() leave it while this process lives. False if that has it already.
  bool keep();

  const Descriptor& file() const { return file_; }
  const std::string& path() const { return path_; }

  enum class Linked { yes, name_taken, removed };
  // Gives it the name too, which nobody may have; `removed` if somebody removed it meanwhile.
  // Throws Error where the file system has no hard links.
  Linked link_to(const std::string& path);
  void rename_to(const std::string& path);

 private:
  std::string path_;
  Descriptor file_;
};

// Removes the files of that kind in the folder that no living process keeps. `kind` is how `unique` began.
void remove_abandoned(const std::string& folder, const std::string& kind);

}  // namespace carrack::data
