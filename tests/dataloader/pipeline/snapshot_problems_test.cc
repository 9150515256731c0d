// Snapshots with something wrong about them: rows that were lost, damaged files, what makes no sense.
#include <filesystem>
#include <fstream>

#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/snapshots.h"

namespace carrack::data {
namespace {

namespace fs = std::filesystem;

const SnapshotOptions small{.shard_rows = 30};
const SnapshotOptions packed{.compression = Compression::gzip, .shard_rows = 30};
const std::vector<Feature> id_feature{{"id", Dtype::int64}};

std::string only_in(const std::string& path) {
  const std::set<std::string> folders = folders_in(path);
  EXPECT_EQ(folders.size(), 1u);
  return path + "/" + *folders.begin();
}

TEST(Snapshot, TellsAgainOfRowsThatWereLostWhenItWasMade) {
  const ExamplesOnDisk files(2, 50);
  files.flip_bit(1, 7);
  const std::string bad = files.name(1) + ": record 7 at byte " + std::to_string(files.offset(1, 7)) +
                          ": the data does not match its checksum";
  for (const bool is_stream : {false, true}) {
    const TemporaryFolder folder;
    const Dataset records = Dataset::records({files.pattern()}).parse(id_feature);
    const auto all = [](const Rows& rows) { return std::vector<bool>(rows.count, true); };
    const Dataset dataset = (is_stream ? records.filter("all", all) : records).snapshot(folder.path(), small);
    EXPECT_EQ(problem([&] { all_of(dataset); }), bad);
    for (int time = 0; time < 2; ++time) {
      Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
      EXPECT_EQ(rest_of(reading).size(), 99u);
      EXPECT_EQ(reading.lost(), 1u);
      ASSERT_EQ(reading.first_lost().size(), 1u);
      EXPECT_EQ(text(reading.first_lost()[0]), bad);
    }
    EXPECT_EQ(problem([&] { all_of(dataset); }),
              only_in(folder.path()) + ": lacks rows that could not be used when it was made (1), the first: " + bad +
                  "; read with OnDamage::skip");
  }
}

TEST(Snapshot, NamesARecordThatWasDamagedAfterwardsAndLosesNoOther) {
  for (const SnapshotOptions& options : {small, packed}) {
    const TemporaryFolder folder;
    const Dataset dataset = ids(0, 100).snapshot(folder.path(), options);
    EXPECT_EQ(all_of(dataset), up_to(100));
    const bool is_gzip = options.compression == Compression::gzip;
    const std::string file = only_in(folder.path()) + "/rows-00001.tfrecord" + (is_gzip ? ".gz" : "");
    const auto time = fs::last_write_time(file);
    flip_bit(file, is_gzip ? 100 : 14);
    fs::last_write_time(file, time);
    EXPECT_EQ(problem([&] { all_of(dataset); }),
              file + (is_gzip ? ": record 9 at byte 279 of the inflated data" : ": record 0 at byte 0") +
                  ": the data does not match its checksum; 31 bytes lost");
    Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
    EXPECT_EQ(rest_of(reading).size(), is_gzip ? 79u : 99u);
    EXPECT_EQ(reading.lost(), is_gzip ? 21u : 1u);
  }
}

TEST(Snapshot, ThatWasCopiedIsReadAndMakesItsIndexesAnew) {
  for (const SnapshotOptions& options : {small, packed}) {
    const TemporaryFolder folder, copy;
    all_of(ids(0, 50).snapshot(folder.path(), options));
    fs::copy(folder.path(), copy.path(), fs::copy_options::recursive);
    fs::last_write_time(
        only_in(copy.path()) + "/rows-00000.tfrecord" + (options.compression == Compression::gzip ? ".gz" : ""),
        fs::file_time_type::clock::now() - std::chrono::hours(1));
    Lines lines;
    EXPECT_EQ(all_of(ids(0, 50).snapshot(copy.path(), options), logging_to(lines)), up_to(50));
    EXPECT_FALSE(lines.take().empty());
  }
}

TEST(Snapshot, SaysWhatCannotBe) {
  const TemporaryFolder folder;
  const auto said = [&](const Dataset& from, const SnapshotOptions& options = {}) {
    return problem([&] { all_of(from.snapshot(folder.path() + "/s", options)); });
  };
  EXPECT_EQ(said(ids(0, 5).batch(2)), "snapshot: takes rows, and its input gives batches; snapshot before batch");
  EXPECT_EQ(said(ids(0, 5).repeat()), "snapshot: its input has no end; snapshot first, then repeat");
  EXPECT_EQ(said(ids(0, 5).filter("even", even()).repeat()),
            "snapshot: its input has no end; snapshot first, then repeat");
  EXPECT_EQ(said(Dataset::records({"/nowhere/x"})), "no file matches /nowhere/x");
  EXPECT_THROW(all_of(Dataset::records({"/nowhere/x"}).snapshot(folder.path() + "/s")), Refused);
  EXPECT_EQ(said(ids(0, 5), {.compression = Compression::zlib}),
            "snapshot: files are plain or GZIP, which are read anywhere; ZLIB's are not");
  for (const Dataset& from : {ids(0, 5'000), generated(0, 5'000)})
    EXPECT_EQ(said(from, {.max_bytes = 1000}),
              "snapshot: takes more than the 1000 bytes it may have; give it more, or leave it out");
  const auto column = [&](const NamedColumn& one) {
    return said(ids(0, 1).map("adds", [one](Rows& rows) { rows.columns.push_back(one); }));
  };
  EXPECT_EQ(column({"none", LargeVector<float>(), {2, 0}}),
            "column \"none: float32 [2,0]\" has items without values, and is not written; leave it out");
  EXPECT_EQ(column({"id", LargeVector<float>(1)}),
            "two columns would be the feature \"id\" of an Example; rename one of them");
  const auto grows = [](Rows& rows) {
    const auto side = static_cast<std::size_t>(ids_in(rows).front() / 7 + 1);
    rows.columns[0] = {"x", LargeVector<float>(rows.count * side), {side}};
  };
  EXPECT_EQ(said(generated(0, 14).map("grows", grows)),
            "snapshot: its rows are not all alike: some have (x: float32 [1]), and others (x: float32 [2])");
  std::ofstream(folder.path() + "/file") << "no folder";
  EXPECT_EQ(problem([&] { all_of(ids(0, 5).snapshot(folder.path() + "/file/s")); }),
            folder.path() + "/file/s/d3ce5b4bf0e30a11: cannot make the folder: Not a directory");
}

TEST(Snapshot, SaysWhichOfItsFilesIsNotWhatItsManifestSays) {
  const TemporaryFolder folder;
  const Dataset dataset = ids(0, 100).snapshot(folder.path(), packed);
  all_of(dataset);
  const std::string at = only_in(folder.path()), file = at + "/rows-00002.tfrecord.gz";
  const std::string anew = "; remove the snapshot's folder, and it is made again";
  const auto said_after = [&](const std::string& path, const std::function<void()>& change) {
    const TemporaryFolder kept;
    fs::copy(path, kept.path() + "/kept");
    const auto time = fs::last_write_time(path);
    change();
    const std::string said = problem([&] { all_of(dataset); });
    fs::copy(kept.path() + "/kept", path, fs::copy_options::overwrite_existing);
    fs::last_write_time(path, time);
    return said;
  };
  const auto size = fs::file_size(file);
  EXPECT_EQ(said_after(file, [&] { fs::remove(file); }), file + ": is not there" + anew);
  EXPECT_EQ(
      said_after(file, [&] { fs::resize_file(file, size - 1); }),
      file + ": has " + std::to_string(size - 1) + " bytes, and its manifest says " + std::to_string(size) + anew);
  EXPECT_EQ(said_after(file,
                       [&] {
                         flip_bit(file, 100);
                         fs::last_write_time(file, fs::file_time_type());  // So that its index is made anew.
                       }),
            file + ": holds other records than its manifest says" + anew);
  EXPECT_EQ(said_after(file + ".members", [&] { fs::remove(file + ".members"); }),
            file + ".members: is not there" + anew);
  EXPECT_EQ(said_after(file + ".members", [&] { flip_bit(file + ".members", 9); }),
            file + ".members: it does not match its checksum" + anew);
  EXPECT_EQ(said_after(file + ".members",
                       [&] {
                         fs::copy(at + "/rows-00003.tfrecord.gz.members", file + ".members",
                                  fs::copy_options::overwrite_existing);
                       }),
            file + ".members: it is that of another file" + anew);
  EXPECT_EQ(said_after(at + "/manifest", [&] { flip_bit(at + "/manifest", 30); }),
            at + "/manifest: it does not match its checksum" + anew);
  EXPECT_EQ(said_after(at + "/manifest", [&] { std::ofstream(at + "/manifest") << "carrack snapshot 3\nwhatever\n"; }),
            at + "/manifest: it is of version 3, and versions 1 and 2 are known here" + anew);
  EXPECT_EQ(said_after(at + "/manifest", [&] { fs::resize_file(at + "/manifest", std::uintmax_t{1} << 40); }),
            at + "/manifest: has 1099511627776 bytes, and is not a manifest of a snapshot" + anew);
  EXPECT_EQ(all_of(dataset), up_to(100));
  fs::remove(at + "/manifest");
  EXPECT_EQ(said_after(file + ".part", [&] { fs::resize_file(file + ".part", std::uintmax_t{1} << 40); }),
            file + ".part: has 1099511627776 bytes, and is not a manifest of a snapshot" + anew);
  EXPECT_EQ(all_of(dataset), up_to(100));
}

TEST(Snapshot, OfOtherRowsUnderItsNameIsRefusedAndBesideItOnlyLogged) {
  const TemporaryFolder folder, other;
  all_of(ids(0, 100).snapshot(folder.path(), small));
  all_of(ids(0, 50).snapshot(other.path(), small));
  const std::string at = only_in(folder.path()), beside = only_in(other.path());
  fs::remove_all(at);
  fs::rename(beside, at);
  EXPECT_EQ(problem([&] { all_of(ids(0, 100).snapshot(folder.path(), small)); }),
            at + "/manifest: it is that of another snapshot: it was made by \"rows count=50 crc32c=3d9ae56c > "
                 "snapshot compression=NONE shard_rows=30\", and \"rows count=100 crc32c=863682a9 > snapshot "
                 "compression=NONE shard_rows=30\" is asked for; remove the snapshot's folder, and it is made again");
  fs::resize_file(at + "/manifest", std::uintmax_t{1} << 40);
  Lines lines;
  EXPECT_EQ(all_of(ids(0, 50).snapshot(folder.path(), small), logging_to(lines)), up_to(50));
  EXPECT_EQ(lines.take().front(), "snapshot: does not use " + at + "/manifest: " + at +
                                      "/manifest: has 1099511627776 bytes, and is not a manifest of a snapshot; remove "
                                      "the snapshot's folder, and it "
                                      "is made again");
}

}  // namespace
}  // namespace carrack::data
