// What a worker's Alive says of a step that the trainer computes, and of one that a program of the user's computes.
#include "trainer/loop/roles/worker_alive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"

namespace carrack::train {
namespace {

using Kind = Worker::Doing::Kind;

// A job of one file with one record.
class AliveOfAWorker : public testing::Test {
 protected:
  AliveOfAWorker() {
    std::filesystem::create_directories(here_.path() + "/data");
    const float number[1] = {1};
    const data::NamedValues values[] = {{"x", std::span<const float>(number)}, {"y", std::span<const float>(number)}};
    data::Bytes file;
    data::frame::append(file, data::example_of(values));
    std::ofstream(here_.path() + "/data/0", std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    launch_.config.data = {{here_.path() + "/data/*"},
                           {{"x", FeatureType::float32, 1}, {"y", FeatureType::float32, 1}}};
    launch_.config.training.batch = 1;
    launch_.config.workers.min = 0;  // Nobody is waited for.
  }

  TrainingData data() {
    setup_.emplace(setup_from(launch_.config));
    JobData found = open_data_as_coordinator(launch_, *setup_, context_, [](const data::IndexingProgress&) {});
    return {std::move(found), launch_, *setup_, context_};
  }

 private:
  const data::TemporaryFolder here_;
  const data::Storages storages_{data::StorageSettings{}};
  Launch launch_ = some_launch("job", here_.path() + "/checkpoints");
  const RoleContext context_ = some_surroundings(storages_);
  std::optional<train::Setup> setup_;
};

TEST_F(AliveOfAWorker, SaysWhetherAProgramComputes) {
  const TrainingData read = data();
  for (const bool has_program : {false, true}) {
    WorkerAlive alive(read, has_program);
    const Instant now = std::chrono::steady_clock::now();
    alive.does({Kind::awaits_parameters, 7, 3, 1}, now);
    EXPECT_EQ(alive.take().work().kind(), wire::Work::PARAMETERS);
    alive.does({Kind::computes, 7, 3}, now);
    EXPECT_EQ(alive.say_now().work().kind(), has_program ? wire::Work::PROGRAM : wire::Work::COMPUTING);
  }
}

}  // namespace
}  // namespace carrack::train
