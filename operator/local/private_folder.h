// A folder in /tmp that only this user can enter, for the sockets and the key of a run. The destructor removes it; if
// the process is killed, the next one that creates such a folder removes it.
#pragma once

#include <string>

namespace carrack::control {

class PrivateFolder {
 public:
  // Throws Error (platform) if the folder cannot be created.
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // of the folder, held while this object lives
};

}  // namespace carrack::control
