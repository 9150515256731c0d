#include "trainer/comm/transport/key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

std::string text_of(const Key& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()), key.bytes().size()};
}

class KeyFile : public testing::Test {
 protected:
  std::string refusal(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    try {
      Key::from_file(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::platform);
      return error.what();
    }
    return "read";
  }

  const data::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/key";
};

TEST_F(KeyFile, IsTheKeyAsItIs) {
  for (const std::size_t size : {Key::bytes_min, Key::bytes_max}) {
    const std::string text = std::string(size - 2, 'k') + '\0' + '\n';
    std::ofstream(path_, std::ios::binary) << text;
    EXPECT_EQ(text_of(*Key::from_file(path_)), text);
  }
}

TEST_F(KeyFile, IsRefusedWithoutBeingShown) {
  EXPECT_EQ(refusal("secret"), "the job's key: " + path_ + " has 6 bytes, not 32 to 1024");
  EXPECT_EQ(refusal(std::string(1025, 's')), "the job's key: " + path_ + " has more than 1024 bytes, not 32 to 1024");
  EXPECT_EQ(refusal(""), "the job's key: " + path_ + " has 0 bytes, not 32 to 1024");
}

TEST_F(KeyFile, IsMissing) {
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      Key::from_file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(refusal(path_), "the job's key: cannot read " + path_ + ": No such file or directory");
  EXPECT_EQ(refusal(folder_.path()), "the job's key: cannot read " + folder_.path() + ": Is a directory");
}

// The flags of the mapping that has this address, as /proc/PID/smaps shows them; "dd" keeps it out of core dumps.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') is_here = begin <= wanted && wanted < end;
    if (is_here && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(Key, IsInNoCoreDump) {
  const Key key("a key that is as long as it has to be");
  EXPECT_NE(flags_of(key.bytes().data()).find(" dd "), std::string::npos);
  const std::string other;
  EXPECT_EQ(flags_of(&other).find(" dd "), std::string::npos) << "this test can fail";
}

}  // namespace
}  // namespace carrack::train
