// Jobs whose manifest has a snapshot: what they read, what tells it from other data, what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>

#include "dataloader/pipeline/snapshots/snapshot_manifest.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"
#include "trainer/loop/data/data_start.h"

namespace carrack::train {
namespace {

using Ids = std::vector<std::int64_t>;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

const Stage some = Filter{"record", 3, 8};

// Three files of 5, 2 and 4 records, numbered from 0, batches of four in two lanes.
class ASnapshot : public testing::Test {
 protected:
  ASnapshot() {
    std::filesystem::create_directories(here.path() + "/data");
    std::int64_t next = 0;
    for (const auto& [name, count] : {std::pair("a", 5), {"b", 2}, {"c", 4}}) {
      data::Bytes file;
      for (const std::int64_t end = next + count; next < end; ++next) {
        const data::NamedValues values[] = {{"record", std::span<const std::int64_t>(&next, 1)}};
        data::frame::append(file, data::example_of(values));
      }
      std::ofstream(here.path() + "/data/" + name + ".tfrecord", std::ios::binary)
          .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }
    launch.config.ps = {1, 1};
    launch.config.model = Tally{"record", 11};
    launch.config.data.files = {here.path() + "/data/*.tfrecord"};
    launch.config.data.features = {{"record", FeatureType::int64, 1}, {"z", FeatureType::float32, 1}};
    launch.config.data.stages = {some, snapshot};
    launch.config.training.batch = 4;
    launch.config.training.lanes = 2;
    launch.config.checkpoint.folder = here.path() + "/checkpoints";
  }

  RoleContext context() const {
    RoleContext context = some_surroundings(storages);
    context.log = [this](const std::string& line) { lines.push_back(line); };
    return context;
  }

  std::unique_ptr<Input> open(std::vector<Stage> stages) {
    launch.config.data.stages = std::move(stages);
    const auto setup = setup_from(launch.config);
    JobData begun =
        open_data_as_coordinator(launch, setup, context(), [&](const data::IndexingProgress& now) { told = now; });
    return std::get<std::unique_ptr<Input>>(std::move(begun));
  }

  Ids epoch(std::vector<Stage> stages) {
    const std::unique_ptr<Input> input = open(std::move(stages));
    Ids all;
    for (std::uint64_t step = 0; step < input->order().steps_in_epoch(); ++step) {
      const data::Batch read = input->read({step, {0, 2}});
      const auto& column = std::get<data::LargeVector<std::int64_t>>(read.rows.column("record").values);
      all.insert(all.end(), column.begin(), column.end());
    }
    return all;
  }

  std::string contents(std::vector<Stage> stages) { return open(std::move(stages))->found().order.text; }

  std::string refusal(std::vector<Stage> stages) {
    try {
      epoch(std::move(stages));
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  std::map<std::string, std::filesystem::file_time_type> all_files() const {
    std::map<std::string, std::filesystem::file_time_type> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(here.path()))
      if (entry.is_regular_file()) all.emplace(entry.path().string(), entry.last_write_time());
    return all;
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  const Stage snapshot = Snapshot{here.path() + "/prepared"};
  mutable std::vector<std::string> lines;
  data::IndexingProgress told;
  Launch launch = some_launch("job", here.path());
};

TEST_F(ASnapshot, IsWhatIsReadFromThereOn) {
  EXPECT_EQ(epoch({some, snapshot}), (Ids{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(epoch({some, snapshot, Interleave{2, 1}}), (Ids{3, 5, 4, 6, 7, 8}));
  EXPECT_EQ(epoch({some, Filter{"record", {}, 5}, snapshot, Skip{1}}), (Ids{4, 5}));
  EXPECT_EQ(epoch({snapshot, Take{3}}), (Ids{0, 1, 2}));
  Ids shuffled = epoch({some, snapshot, Shuffle{}});
  EXPECT_NE(shuffled, epoch({some, snapshot}));
  std::ranges::sort(shuffled);
  EXPECT_EQ(shuffled, epoch({some, snapshot}));
}

TEST_F(ASnapshot, IsWrittenBeforeTheJobBeginsAndNotAgainForAnother) {
  const std::size_t given = all_files().size();
  epoch({some, snapshot});
  EXPECT_EQ(told.files_total, 3u);
  EXPECT_THAT(lines, ElementsAre(StartsWith("snapshot: 0 of 3 files, 0 of "),
                                 StartsWith("snapshot: made " + here.path() + "/prepared/")));
  const auto written = all_files();
  // Three files with an index and a part each, and the manifest. No index of a source, anywhere.
  EXPECT_EQ(written.size(), given + 10);
  for (const auto& [name, time] : written) EXPECT_FALSE(name.starts_with(here.path() + "/checkpoints")) << name;
  lines.clear();
  launch.job_uid = "another";
  launch.config.checkpoint.folder = here.path() + "/other";
  epoch({some, snapshot, Shuffle{}});
  EXPECT_EQ(all_files(), written);
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(ASnapshot, DoesNotHangWhileItIsWrittenOrRead) {
  const auto setup = setup_from(launch.config);
  std::atomic<int> went_on = 0;
  RoleContext counted = context();
  counted.goes_on = [&] { ++went_on; };
  const auto open_data = [&] {
    open_data_as_coordinator(launch, setup, counted, [](const data::IndexingProgress&) {});
  };
  open_data();
  EXPECT_GE(went_on.load(), 1 + 1 + 3 + 3) << "files are listed, writing begins, three are written and opened";
  went_on = 0;
  open_data();
  EXPECT_GE(went_on.load(), 1 + 3) << "files are listed, and three are opened";
}

TEST_F(ASnapshot, IsReadByWorkersAlike) {
  launch.member = {Role::worker, 0};
  const auto setup = setup_from(launch.config);
  std::optional<JobData> begun = open_data_as_worker(launch, setup, context());
  const auto& input = std::get<std::unique_ptr<Input>>(*begun);
  EXPECT_EQ(input->found().order.text, contents({some, snapshot}));
}

TEST_F(ASnapshot, IsKnownByWhatIsInItAndWhatWasLeftOut) {
  launch.config.training.deterministic = true;
  EXPECT_EQ(contents({snapshot, Skip{1}}), contents({Skip{1}})) << "the records are the same";
  const std::string filtered = contents({some, snapshot, Shuffle{}});
  EXPECT_TRUE(filtered.starts_with("carrack-order v2 files=3 records=6 bytes=")) << filtered;
  EXPECT_TRUE(filtered.ends_with(" stage=filter feature=record min=3 max=8 stage=shuffle kind=full")) << filtered;
  EXPECT_EQ(contents({some, Snapshot{here.path() + "/elsewhere"}, Shuffle{}}), filtered);
  EXPECT_NE(contents({some, Filter{"record", 0, {}}, snapshot, Shuffle{}}), filtered) << "though it leaves the same";
}

TEST_F(ASnapshot, OfAChangedFileIsMadeAnew) {
  const std::string before = contents({some, snapshot});
  std::filesystem::copy_file(here.path() + "/data/b.tfrecord", here.path() + "/data/c.tfrecord",
                             std::filesystem::copy_options::overwrite_existing);
  lines.clear();
  EXPECT_EQ(epoch({some, snapshot}), (Ids{3, 4, 5, 6, 5, 6}));
  EXPECT_NE(contents({some, snapshot}), before);
  EXPECT_TRUE(lines.front().ends_with("/manifest: file://" + here.path() + "/data/c.tfrecord has changed"))
      << lines.front();
}

TEST_F(ASnapshot, HoldsSomethingToTrainOn) {
  EXPECT_EQ(refusal({Filter{"record", 11, {}}, snapshot}),
            "spec.data.train.stages: no record of the files' is within the bounds of each filter");
  // Files are read at the same time, and any of them may be the first to fail.
  EXPECT_THAT(refusal({Filter{"z", 0, {}}, snapshot}),
              MatchesRegex(here.path() + "/data/[abc].tfrecord: record 0 at byte 12: there is no feature \"z\""));
  std::filesystem::resize_file(here.path() + "/data/b.tfrecord", 40);
  EXPECT_THAT(refusal({some, snapshot}), StartsWith(here.path() + "/data/b.tfrecord: record 1 at byte "));
}

TEST_F(ASnapshot, IsNotAmongTheFilesThatItIsOf) {
  launch.config.data.files = {here.path() + "/**.tfrecord"};
  EXPECT_EQ(refusal({some, snapshot}),
            "spec.data.train.files: " + here.path() + "/**.tfrecord matches " + data::fingerprint_of({}) +
                "/rows-00000.tfrecord, which the job itself writes to "
                "spec.data.train.stages[1].snapshot.folder; give it a folder apart, or say more of the files' names");
}

TEST_F(ASnapshot, IsNoBeginningBeforeTheDataIsIndexed) {
  launch.config.training.lanes = 1;
  launch.config.data.stages = {Shuffle{}};
  const auto setup = setup_from(launch.config);
  JobData begun = open_data_as_coordinator(launch, setup, context(), [](const data::IndexingProgress&) {});
  ASSERT_TRUE(std::holds_alternative<data::FirstPass>(begun));
  claimed(launch, storages, found_in(std::move(begun)));
  EXPECT_THAT(refusal({some, snapshot}), StartsWith("spec.training: the job, or that of spec.checkpoint.resume, began "
                                                    "before its data was indexed"));
}

}  // namespace
}  // namespace carrack::train
