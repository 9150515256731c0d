// Snapshots while they are made: by several at once, by some that are killed, of sources that change.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>

#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/memory_storage.h"
#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/snapshots.h"
#include "tests/dataloader/pipeline/stopped_writers.h"

namespace carrack::data {
namespace {

const std::string in_memory = "memory://of/this/test";
const SnapshotOptions small{.shard_rows = 30};
const SnapshotOptions packed{.compression = Compression::gzip, .shard_rows = 30};

// Each gives 100 rows: known by place, or only as they come; in the last file fewer than in the others, or none.
std::vector<Dataset> inputs() {
  return {ids(0, 100), generated(0, 100), ids(0, 200).filter("even", even()), generated(0, 90)};
}

TEST(ASnapshotWhoseMakerIsStoppedAnywhere, IsFinishedByTheNextAndNothingThatWasThereIsWrittenAgain) {
  for (const Dataset& dataset : inputs()) {
    for (const SnapshotOptions& options : {small, packed}) {
      const Ids expected = all_of(dataset);
      std::set<std::string> whole;
      int point = 1;
      for (bool stopped = true; stopped; ++point) {
        MemoryStorage storage;
        WatchedStorage watched(storage, stop_at(point, [] { throw Killed(); }));
        stopped = false;
        try {
          rows_in(watched, dataset, in_memory, options);
        } catch (const Killed&) {
          stopped = true;
        }
        const auto left = objects_in(storage, in_memory);
        for (int time = 0; time < 2; ++time)
          EXPECT_EQ(ids_in(rows_in(storage, dataset, in_memory, options)), expected) << point;
        const auto now = objects_in(storage, in_memory);
        for (const auto& [url, stat] : left) {
          const bool may_be_written_again = url.ends_with(".index") || url.ends_with(".members");
          EXPECT_TRUE(may_be_written_again || now.at(url) == stat) << url;
        }
        std::set<std::string> names;
        for (const auto& [url, stat] : now) names.insert(url);
        if (whole.empty()) whole = names;
        EXPECT_EQ(names, whole);
      }
      // Before and after each of a file, its index, its part, and once the manifest.
      EXPECT_EQ(point - 2, 2 * static_cast<int>(whole.size()));
    }
  }
}

TEST(ASnapshotWhoseMakerIsKilledAnywhere, IsFinishedByTheNext) {
  const Dataset dataset = generated(0, 100);
  bool ended = false;
  int point = 1;
  for (; !ended; ++point) {
    const TemporaryFolder folder;
    ended = has_ended(started([&] {
      FileStorage storage(2);
      WatchedStorage watched(storage, stop_at(point, [] { raise(SIGKILL); }));
      rows_in(watched, dataset, folder.path(), small);
    }));
    FileStorage storage(1);
    EXPECT_EQ(ids_in(rows_in(storage, dataset, folder.path(), small)), up_to(100)) << point;
    EXPECT_EQ(ids_in(rows_in(storage, dataset, folder.path(), small)), up_to(100)) << point;
    EXPECT_EQ(storage.list(folder.path() + "/**").size(), 13u);
  }
  EXPECT_EQ(point - 2, 26);
}

TEST(ASnapshotThatManyMakeAtOnce, IsOneForAllThreads) {
  for (const Dataset& dataset : inputs()) {
    const Ids expected = all_of(dataset);
    MemoryStorage storage;
    std::vector<std::thread> makers;
    std::array<Ids, 8> got;
    for (std::size_t maker = 0; maker < got.size(); ++maker)
      makers.emplace_back([&, maker] {
        got[maker] = ids_in(rows_in(storage, dataset, in_memory, packed, {maker % 4, 4}, 2));
      });
    for (std::thread& maker : makers) maker.join();
    for (const Ids& one : got) EXPECT_EQ(one, expected);
    EXPECT_EQ(storage.list(in_memory + "/*/manifest").size(), 1u);
  }
}

TEST(ASnapshotThatManyMakeAtOnce, IsOneForAllProcesses) {
  for (const Dataset& dataset : inputs()) {
    const Ids expected = all_of(dataset);
    const TemporaryFolder folder;
    std::vector<pid_t> makers;
    for (std::uint64_t maker = 0; maker < 4; ++maker) {
      makers.push_back(fork());
      if (makers.back() > 0) continue;
      try {
        FileStorage storage(maker + 2);
        _exit(ids_in(rows_in(storage, dataset, folder.path(), small, {maker % 2, 2}, 2)) == expected ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
    for (const pid_t maker : makers) {
      int status = 0;
      waitpid(maker, &status, 0);
      EXPECT_EQ(status, 0);
    }
    FileStorage storage(1);
    EXPECT_EQ(storage.list(folder.path() + "/*/manifest").size(), 1u);
    EXPECT_EQ(ids_in(rows_in(storage, dataset, folder.path(), small)), expected);
  }
}

TEST(ASnapshotThatManyMake, IsMadeByEachInAShareOfItsOwn) {
  MemoryStorage storage;
  std::atomic<int> calls = 0;
  const Dataset dataset = ids(0, 300).map("counts", [&](Rows& rows) { calls += static_cast<int>(rows.count); });
  // One that stops behind its own share: three of ten files, with an index and a part each.
  WatchedStorage watched(storage, stop_at(18, [] { throw Killed(); }));
  EXPECT_THROW(rows_in(watched, dataset, in_memory, small, {2, 4}), Killed);
  EXPECT_EQ(calls.exchange(0), 90);
  EXPECT_EQ(ids_in(rows_in(storage, dataset, in_memory, small, {0, 4})), up_to(300));
  EXPECT_EQ(calls, 210);
}

TEST(ASnapshotOfAStreamWhoseFilesAreAllThere, IsNotReadAgainForItsManifest) {
  MemoryStorage storage;
  std::atomic<int> calls = 0;
  const Dataset dataset = generated(0, 100).map("counts", [&](Rows&) { ++calls; });
  // Four files, with an index and a part each.
  WatchedStorage watched(storage, stop_at(24, [] { throw Killed(); }));
  EXPECT_THROW(rows_in(watched, dataset, in_memory, small), Killed);
  calls = 0;
  EXPECT_EQ(ids_in(rows_in(storage, dataset, in_memory, small)), up_to(100));
  EXPECT_EQ(calls, 0);
}

TEST(ASnapshotOfWhatDiffersFromTimeToTime, IsRefusedWhereItWouldBeMixed) {
  const std::string anew = "remove the snapshot's folder, and it is made again";
  std::int64_t more = 0;
  const Dataset dataset = Dataset::generate("changes", [&more]() -> Generator {
    return [&more, at = 0]() mutable -> std::optional<Rows> {
      if (at++ > 0) return std::nullopt;
      return numbers(more, 70 + 2 * more);
    };
  });
  const auto second_time = [&](int point) {
    more = 0;
    MemoryStorage storage;
    WatchedStorage watched(storage, stop_at(point, [] { throw Killed(); }));
    EXPECT_THROW(rows_in(watched, dataset, in_memory, small), Killed);
    more = -25;
    const std::string said = problem([&] { rows_in(storage, dataset, in_memory, small); });
    return said.substr(said.find("/rows-"));
  };
  // Behind the first file, and behind the second file's part.
  EXPECT_EQ(second_time(2),
            "/rows-00000.tfrecord: is there already, and holds other rows than those that come now: what "
            "makes them does not give the same each time; " +
                anew);
  EXPECT_EQ(second_time(12),
            "/rows-00001.tfrecord: holds another number of rows than come now: what makes them does not "
            "give the same each time; " +
                anew);
}

TEST(ASnapshotWhoseSourcesChange, IsNotMade) {
  const ExamplesOnDisk files(2, 50);
  const TemporaryFolder folder;
  const auto touch = [&](std::size_t file) {
    const auto time = std::filesystem::last_write_time(files.name(file));
    std::filesystem::last_write_time(files.name(file), time + std::chrono::seconds(1));
  };
  const auto changes_once = [&](std::size_t file) {
    return [=, touched = std::make_shared<std::atomic<bool>>(false)](Rows&) {
      if (!touched->exchange(true)) touch(file);
    };
  };
  const Dataset records = Dataset::records({files.pattern()});
  const Dataset dataset = records.parse({{"id", Dtype::int64}})
                              .map("changes a source", changes_once(1))
                              .snapshot(folder.path(), {.shard_rows = 50});
  // Also where bad rows are left out.
  EXPECT_EQ(problem([&] { all_of(dataset, {.cpus = 1, .on_damage = OnDamage::skip}); }),
            files.name(1) + ": the file has changed since it was opened");
  EXPECT_EQ(all_of(dataset), up_to(100));
  // What is made of the second input, once the first is opened, changes that.
  const Dataset late = ids(0, 1).map("changes a source", changes_once(0)).snapshot(folder.path());
  EXPECT_EQ(problem([&] {
              all_of(Dataset::concatenate({records, late}).snapshot(folder.path()));
            }),
            "snapshot: its sources change while they are opened; open it again once nobody writes them");
}

TEST(ASnapshotOnAFullDisk, SaysSoAndIsFinishedOnceThereIsRoom) {
  MemoryStorage storage;
  WatchedStorage full(storage, stop_at(8, [] { throw Error("/x/y: cannot write it: No space left on device"); }));
  EXPECT_EQ(problem([&] { rows_in(full, ids(0, 100), in_memory, small); }),
            "/x/y: cannot write it: No space left on device");
  EXPECT_EQ(ids_in(rows_in(storage, ids(0, 100), in_memory, small)), up_to(100));
}

}  // namespace
}  // namespace carrack::data
