// Files in a folder of a test's own, as they are written down.
#pragma once

#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {

class WrittenFiles {
 public:
  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  std::string write(const std::string& name, std::string_view text) const {
    return write(name, std::as_bytes(std::span(text)));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  const TemporaryFolder folder_;
};

}  // namespace carrack::data
