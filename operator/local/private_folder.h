// A new folder in /tmp that only this user can enter, for the sockets and the key of a run. The destructor removes it
// with its content. If the process is killed, the next PrivateFolder that this user creates removes it.
#pragma once

#include <string>

namespace carrack::control {

class PrivateFolder {
 public:
  // Throws Error with Blame::platform if the folder cannot be created.
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // a descriptor of the folder, which is locked until it is closed
};

}  // namespace carrack::control
