// How often a process may join a job, by the functions that libcarrack.so exports. One test, because a process joins
// once.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/launch/launch.h"
#include "trainer/library/carrack.h"

namespace carrack::train {
namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// Sets the environment of a worker whose coordinator and data do not exist, with files in `folder`.
void set_environment(const std::string& folder) {
  Launch launch;
  launch.job_uid = "job";
  launch.member = {Role::worker, 0};
  launch.fence = {0, 1};
  launch.addresses.coordinator = "unix:" + folder + "/coordinator";
  launch.addresses.listen = "unix:" + folder + "/worker";
  launch.addresses.key_folder = folder;
  launch.config.strategy = Strategy::parameter_server;
  launch.config.ps = {1, 1};
  launch.config.model = OwnModel{{{"w", {3}, {OwnInitial::Kind::constant, 0}}}};
  launch.config.data = {{"file://" + folder + "/*.tfrecord"}, {{"x", FeatureType::float32, 1}}};
  launch.config.training = {.batch = 4, .lanes = 2, .epochs = 1, .optimizer = Sgd{1}};
  launch.config.checkpoint = {.folder = "file://" + folder + "/checkpoints", .resume = ""};
  for (const auto& [name, value] : to_environment(launch)) ::setenv(name.c_str(), value.c_str(), 1);
  write(folder + "/key", "0123456789abcdef0123456789abcdef");
  write(folder + "/config", to_config_text(launch.config));
  ::setenv(std::string(config_variable).c_str(), (folder + "/config").c_str(), 1);
}

TEST(Join, IsRefusedOnceTheProcessHasJoined) {
  const std::string refusal =
      "carrack_join: this process has joined its job before; a process joins once, so use the first worker";
  static carrack_worker* first = nullptr;  // never destroyed, so it must stay reachable for the leak check
  carrack_worker* second = nullptr;
  ::unsetenv(std::string(config_variable).c_str());
  EXPECT_EQ(carrack_join(nullptr, &first), CARRACK_FAILED);
  EXPECT_EQ(first, nullptr);

  const data::TemporaryFolder folder;
  set_environment(folder.path());
  ASSERT_EQ(carrack_join(nullptr, &first), CARRACK_OK) << carrack_last_error();
  size_t tensors = 0;
  EXPECT_STREQ(carrack_tensors(first, &tensors)->name, "w");

  EXPECT_EQ(carrack_join(nullptr, &second), CARRACK_MISUSE);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(carrack_last_error(), refusal);
  EXPECT_EQ(carrack_exit_code(nullptr), 81);

  carrack_leave(first);
  EXPECT_EQ(carrack_join(nullptr, &second), CARRACK_MISUSE) << "also after it has left";
  EXPECT_EQ(carrack_last_error(), refusal);
}

}  // namespace
}  // namespace carrack::train
