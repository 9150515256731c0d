// PrivateFolder is a new folder in /tmp that only this user can enter. LocalCluster uses it for the sockets and the key
// of a `carrack run`. The destructor removes it with its content. If the process is killed, the next PrivateFolder that
// this user creates removes it.
#pragma once

#include <string>

namespace carrack::control {

class PrivateFolder {
 public:
  // Creates the folder. Throws Error with Blame::platform if that fails.
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  // Such as "/tmp/carrack-sockets-a1B2c3". Short, because the path of a Unix socket has at most 107 characters.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // a descriptor of the folder, which is locked until it is closed
};

}  // namespace carrack::control
