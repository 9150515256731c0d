// What a first pass says of files and folders that cannot be used: what is said of an indexed job's, too.
#include <set>

#include "tests/contract/storage_objects.h"
#include "tests/dataloader/pipeline/unindexed_data.h"
#include "tests/dataloader/records/files.h"

namespace carrack::data {
namespace {

class FirstPassFaults : public UnindexedData {
 protected:
  std::string problem(const std::vector<Feature>& features = {{"id", Dtype::int64, 1}}) {
    FirstPassBatches alone = reader(features);
    for (std::uint64_t step = 0; step < 100; ++step) {
      const auto read = alone.read(step, {0, lanes});
      if (const auto* corrupt = std::get_if<Corrupt>(&read)) return text(*corrupt);
      if (std::holds_alternative<FirstPass::Totals>(read)) return "none";
    }
    return "no end";
  }
  std::uint64_t offset(std::size_t file, std::uint64_t record) {
    const StoredObject source(storage, name(file), storage.stat(name(file)).value());
    return std::get<Index>(build_index(source)).at(record).offset;
  }
};

TEST_F(FirstPassFaults, AreToldWithFileRecordAndByte) {
  const std::uint64_t fourth = offset(5, 3);
  const std::string at = name(5) + ": record 3 at byte " + std::to_string(fourth) + ": ";
  const Bytes good = bytes_of(5);
  const auto changed = [&](std::uint64_t byte) {
    Bytes bad = good;
    flip_bit(bad, byte);
    put(5, bad);
    return problem();
  };
  EXPECT_EQ(changed(fourth + 20), at + "the data does not match its checksum");
  EXPECT_EQ(changed(fourth), at + "the length does not match its checksum");
  const std::uint64_t last = offset(3, 39);
  Bytes cut = bytes_of(3);
  cut.pop_back();
  put(5, good);
  put(3, cut);
  EXPECT_EQ(problem(), name(3) + ": record 39 at byte " + std::to_string(last) + ": the file ends within the record");
}

using Step = std::vector<std::vector<std::int64_t>>;

// The steps without these records, which leave gaps in their lanes.
std::vector<Step> without(std::vector<Step> steps, const std::set<std::int64_t>& ids) {
  for (Step& step : steps) {
    for (std::vector<std::int64_t>& lane : step) std::erase_if(lane, [&](std::int64_t id) { return ids.contains(id); });
  }
  return steps;
}

// File 3 has the records 20 to 59, file 5 those from 61 to 82.
TEST_F(FirstPassFaults, AreLeftOutAndNoOtherRecordChangesItsPlace) {
  const std::vector<Step> good = all_steps();
  const std::uint64_t fourth = offset(5, 3);
  Bytes damaged = bytes_of(5), cut = bytes_of(3);
  flip_bit(damaged, offset(5, 0) + frame::header_size);
  flip_bit(damaged, fourth);  // a length
  cut.pop_back();
  put(5, damaged);
  put(3, cut);
  forget_indexes();
  EXPECT_EQ(all_steps(OnDamage::skip), without(good, {61, 64, 59}));
  EXPECT_EQ(all_steps(OnDamage::skip), without(good, {61, 64, 59})) << "with the indexes of the first reader";
  const auto totals = pass().totals();
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->records, 123u) << "each has its place";
  // As other readers that skip damage index the file.
  const StoredObject source(storage, name(5), storage.stat(name(5)).value());
  const auto published = index_from(read_whole(storage, index_of(5)).value());
  const auto built = build_index(source, std::nullopt, DamagedFile::indexed);
  EXPECT_TRUE(std::get<Index>(published) == std::get<Index>(built));
  EXPECT_EQ(problem(), name(5) + ": record 0 at byte 0: the data does not match its checksum")
      << "a reader that stops finds the same";
}

TEST_F(FirstPassFaults, OfCompressedFilesAreLeftOut) {
  const std::uint64_t fourth = offset(5, 3);
  Bytes damaged = bytes_of(5);
  put(5, compressed(damaged, Compression::gzip));
  const std::vector<Step> good = all_steps();
  flip_bit(damaged, fourth + frame::header_size);
  put(5, compressed(damaged, Compression::gzip));
  forget_indexes();
  EXPECT_EQ(problem(), name(5) + ": record 3 at byte " + std::to_string(fourth) +
                           " of the inflated data: the data does not match its checksum");
  forget_indexes();
  EXPECT_EQ(all_steps(OnDamage::skip), without(good, {64}));
}

TEST_F(FirstPassFaults, OfFeaturesAreToldAsEver) {
  EXPECT_NE(problem({{"y", Dtype::float32, 1}}).find(": record 0 at byte 12: there is no feature \"y\""),
            std::string::npos);
}

TEST_F(FirstPassFaults, AreThoseOfTheIndexWhereNoneCanBe) {
  const std::vector<unsigned char> gzip = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0};
  for (const std::string& bytes : {std::string(gzip.begin(), gzip.end()), std::string("version https://git-lfs."),
                                   std::string("no record, whatever it is")}) {
    put(6, bytes_from(bytes));
    const StoredObject source(storage, name(6), storage.stat(name(6)).value());
    EXPECT_EQ(problem(), text(std::get<Corrupt>(build_index(source))));
  }
}

TEST_F(FirstPassFaults, TellOfAFileThatIsReplacedOnTheWay) {
  FirstPassBatches alone = reader();
  ASSERT_TRUE(std::holds_alternative<Batch>(alone.read(0, {0, lanes})));
  for (std::size_t file = 0; file < records.size(); ++file) {
    std::filesystem::remove(name(file));
    put(file, examples(0, 50));
  }
  std::string found;
  for (std::uint64_t step = 1; step < 30 && found.empty(); ++step) {
    const auto read = alone.read(step, {0, lanes});
    if (const auto* corrupt = std::get_if<Corrupt>(&read)) found = corrupt->message;
  }
  EXPECT_EQ(found, "the file has changed since it was opened");
}

TEST_F(FirstPassFaults, OfAFolderWhereNoIndexCanBeKeptEndIt) {
  std::ofstream(folder.path() + "/indexes") << "no folder";
  FirstPassBatches alone = reader();
  EXPECT_THROW(
      {
        for (std::uint64_t step = 0; step < 100; ++step) alone.read(step, {0, lanes});
      },
      Error);
}

class Unreadable final : public FileStorage {
 public:
  using FileStorage::FileStorage;
  std::optional<ObjectStat> stat(const std::string& url) override {
    if (fails && url.ends_with(".index")) throw Error(url + ": cannot be read");
    return FileStorage::stat(url);
  }
  bool fails = false;
};

// Else a lane that has ended would be taken for one before the end of the pass.
TEST_F(FirstPassFaults, OfAFolderThatCannotBeReadAreNoMissingIndexes) {
  const std::uint64_t end = all_steps().size();
  forget_indexes();
  Unreadable failing(9);
  const auto of = [&](const std::string&) -> Storage& { return failing; };
  FirstPass first(KnownIndexes(of, data_files(failing, folder.path() + "/data/x-*", how().log), how()), seed, batching);
  FirstPassBatches late(std::move(first), parse_examples({{"id", Dtype::int64, 1}}), OnDamage::stop);
  all_steps();
  failing.fails = true;
  EXPECT_THROW(late.read(end, {0, 1}), Error);
  failing.fails = false;
  EXPECT_TRUE(std::holds_alternative<FirstPass::Totals>(late.read(end, {0, 1})));
}

TEST_F(FirstPassFaults, OfAnIndexThatIsOfNoUseAreMended) {
  all_steps();
  Bytes broken = read_whole(storage, index_of(3)).value();
  forget_indexes();
  std::filesystem::create_directories(folder.path() + "/indexes");
  flip_bit(broken, broken.size() / 2);
  std::ofstream(index_of(3), std::ios::binary)
      .write(reinterpret_cast<const char*>(broken.data()), static_cast<std::streamsize>(broken.size()));
  all_steps();
  EXPECT_TRUE(pass().totals());
}

}  // namespace
}  // namespace carrack::data
