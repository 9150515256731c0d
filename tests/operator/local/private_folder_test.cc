#include "operator/local/private_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace carrack::control {
namespace {

// The folder of a process that was killed while it had one.
std::string left_by_a_dead_process() {
  int told[2];
  EXPECT_EQ(pipe(told), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const PrivateFolder folder;
    std::ofstream(folder.path() + "/key") << "secret";
    const auto size = static_cast<ssize_t>(folder.path().size());
    if (write(told[1], folder.path().data(), folder.path().size()) != size) _exit(1);
    pause();
  }
  close(told[1]);
  char path[128];
  const ssize_t size = read(told[0], path, sizeof path);
  close(told[0]);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

TEST(PrivateFolder, IsItsOwnersAloneAndGoesWithIt) {
  std::optional<PrivateFolder> folder(std::in_place);
  const std::string path = folder->path();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(), perms::owner_all);
  std::ofstream(path + "/key") << "secret";
  {
    const PrivateFolder other;
    EXPECT_NE(other.path(), path);
    EXPECT_TRUE(std::filesystem::exists(path + "/key")) << "the owner of this one lives";
  }
  folder.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateFolder, IsRemovedByTheNextWhereItsOwnerWasKilled) {
  const std::string left = left_by_a_dead_process();
  ASSERT_TRUE(std::filesystem::exists(left + "/key"));
  const PrivateFolder next;
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace carrack::control
