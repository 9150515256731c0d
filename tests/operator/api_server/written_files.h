// Files of one test, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "operator/error.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::control {

// What the Error says that it throws; "" where it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class WrittenFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    std::string path = folder.path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << content;
    return path;
  }
  const data::TemporaryFolder folder;
};

}  // namespace carrack::control
