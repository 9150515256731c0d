// A folder in /tmp that is this process's alone, for sockets and a key. It goes when its owner goes: the owner removes
// it, or, where the owner was killed, the next process that makes one.
#pragma once

#include <string>

namespace carrack::control {

class PrivateFolder {
 public:
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // Held as long as the owner lives.
};

}  // namespace carrack::control
