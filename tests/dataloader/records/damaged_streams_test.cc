// What is lost of a compressed file that is damaged, before or after it is indexed: records up to the next stream or
// seek point, none silently, and never is another record read.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/inflated_source.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

struct Reading {
  std::vector<std::string> records;  // good ones
  std::uint64_t lost = 0;            // bytes of the others
  std::vector<Fault> faults;
};

// All records of the file where the index says that they are.
Reading read_by(const Index& index, const Bytes& file) {
  std::unique_ptr<const ByteSource> source = std::make_unique<const MemorySource>(file);
  if (index.seek_points())
    source = inflated(std::move(source), index.seek_points(), index.file().size, std::make_shared<InflaterCache>());
  Reading reading;
  for (std::uint64_t record = 0; record < index.records(); ++record) {
    const auto [offset, size] = index.at(record);
    Bytes frame(size);
    EXPECT_EQ(source->read_at(offset, frame), ReadResult::complete);
    if (const auto fault = frame::fault_in(frame, offset + size == index.file().size)) {
      reading.lost += size;
      reading.faults.push_back(*fault);
    } else {
      const auto data = std::span(frame).subspan(frame::header_size, size - frame::overhead);
      reading.records.emplace_back(wire::text_of(data));
    }
  }
  return reading;
}

std::variant<Index, Corrupt> built(const Bytes& file, DamagedFile damage) {
  return build_index(MemorySource(file), 1000, damage);
}

Index index_of(const Bytes& file, DamagedFile damage = DamagedFile::refused) {
  return std::get<Index>(built(file, damage));
}

// Twelve records in three streams, of which none begins with a record.
class DamagedStreams : public testing::TestWithParam<Compression> {
 protected:
  DamagedStreams() {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      text += "record " + std::to_string(i * i * 7919);
      texts_.push_back(text.substr(0, 10 + i));
    }
    plain_ = file_of({texts_.begin(), texts_.end()});
    for (const std::size_t end : {std::size_t{130}, std::size_t{260}, plain_.size()}) {
      const Bytes packed = compressed(std::span(plain_).subspan(begins_.back(), end - begins_.back()), GetParam());
      file_.insert(file_.end(), packed.begin(), packed.end());
      begins_.push_back(end);
      ends_.push_back(file_.size());
    }
  }

  // Those of the records that have no byte in the stream, without the first one behind it: the record in which the
  // stream ends may seem to reach into that.
  std::vector<std::string> outside(std::size_t stream) const {
    std::vector<std::string> outside;
    std::size_t offset = 0;
    bool is_first_behind = true;
    for (const std::string& text : texts_) {
      const std::size_t end = offset + text.size() + frame::overhead;
      const bool is_behind = offset >= begins_[stream + 1];
      if (end <= begins_[stream] || (is_behind && !is_first_behind)) outside.push_back(text);
      is_first_behind = is_first_behind && !is_behind;
      offset = end;
    }
    return outside;
  }

  // Of GZIP and ZLIB without any options.
  static std::size_t header_size() { return GetParam() == Compression::gzip ? 10 : 2; }

  std::vector<std::string> texts_;
  Bytes plain_;
  Bytes file_;
  std::vector<std::size_t> begins_{0};  // of the streams, inflated, and the end
  std::vector<std::size_t> ends_;       // of the streams in the file
};

INSTANTIATE_TEST_SUITE_P(Of, DamagedStreams, testing::Values(Compression::gzip, Compression::zlib),
                         [](const auto& compression) { return std::string(name_of(compression.param)); });

TEST_P(DamagedStreams, AreReadWholeIfTheyAreNotDamaged) {
  const Index index = index_of(file_);
  EXPECT_EQ(read_by(index, file_).records, texts_);
  EXPECT_EQ(index.contents(), index_of(plain_).contents());
  EXPECT_EQ(index_of(file_, DamagedFile::indexed), index);
}

TEST_P(DamagedStreams, WithoutRecordsAreNotDamaged) {
  for (const DamagedFile damage : {DamagedFile::refused, DamagedFile::indexed}) {
    const Index index = index_of(compressed({}, GetParam()), damage);
    EXPECT_EQ(index.records(), 0);
    EXPECT_EQ(index, index_of(compressed({}, GetParam())));
  }
}

TEST_P(DamagedStreams, AreRefusedWithThePlaceOfTheFirstBadRecord) {
  Bytes plain = plain_;
  plain[frame::overhead + texts_[0].size() + frame::header_size] ^= std::byte{1};
  Bytes file = compressed(plain, GetParam());
  flip_bit(file, file.size() - 1);
  EXPECT_EQ(text(std::get<Corrupt>(built(file, DamagedFile::refused))),
            "x.tfrecord: record 1 at byte 24 of the inflated data: the data does not match its checksum");
}

TEST_P(DamagedStreams, LoseOnlyRecordsOfTheStreamThatIsDamaged) {
  const std::set<std::string> known(texts_.begin(), texts_.end());
  for (std::size_t at = 0; at < file_.size(); ++at) {
    for (const unsigned bit : {0u, 3u, 7u}) {
      Bytes file = file_;
      file[at] ^= std::byte{1} << bit;
      const std::size_t stream = at < ends_[0] ? 0 : at < ends_[1] ? 1 : 2;
      const auto refused = built(file, DamagedFile::refused);
      const Index index = index_of(file, DamagedFile::indexed);
      const Reading reading = read_by(index, file);
      for (const std::string& record : reading.records) EXPECT_TRUE(known.contains(record)) << at << " " << bit;
      if (at >= 8) {  // Else the file may not be told to be compressed any more.
        for (const std::string& record : outside(stream))
          EXPECT_EQ(std::ranges::count(reading.records, record), 1) << at << " " << bit << ": " << record;
      }
      const bool is_told = reading.lost > 0;
      EXPECT_TRUE(is_told || reading.records == texts_) << at << " " << bit;
      EXPECT_TRUE(is_told || std::holds_alternative<Index>(refused)) << at << " " << bit;
    }
  }
}

TEST_P(DamagedStreams, AreReadBehindAFirstOneOfWhichNothingIsLeft) {
  Bytes file = file_;
  file[header_size()] = std::byte{0xff};  // No block is of this type.
  const Index index = index_of(file, DamagedFile::indexed);
  const Reading reading = read_by(index, file);
  for (const std::string& record : outside(0)) EXPECT_EQ(std::ranges::count(reading.records, record), 1) << record;
  EXPECT_GT(reading.lost, ends_[0] / 2);
}

TEST_P(DamagedStreams, WithinRecordsAreNotTakenForTheFile) {
  Bytes file = file_of({wire::text_of(file_), "two", "three"});
  std::copy_n(file_.begin(), 8, file.begin());  // A damaged length that looks like the beginning of a stream.
  file[header_size()] = std::byte{0xff};
  EXPECT_EQ(read_by(index_of(file, DamagedFile::indexed), file).records, (std::vector<std::string>{"two", "three"}));
}

TEST_P(DamagedStreams, AreReadByTheIndexOfTheGoodFile) {
  const Index index = index_of(file_);
  const std::set<std::string> known(texts_.begin(), texts_.end());
  for (std::size_t at = 0; at < file_.size(); ++at) {
    Bytes file = file_;
    file[at] ^= std::byte{8};
    const Reading reading = read_by(index, file);
    EXPECT_EQ(reading.records.size() + reading.faults.size(), texts_.size());
    for (const std::string& record : reading.records) EXPECT_TRUE(known.contains(record)) << at;
  }
}

TEST_P(DamagedStreams, ThatAreCutAreReadUpToThere) {
  for (std::size_t size = ends_[0] + 1; size < file_.size(); ++size) {
    const Bytes file = front(file_, size);
    const auto refused = built(file, DamagedFile::refused);
    if (size == ends_[1]) continue;  // The end of a stream may be that of the file, but within a record.
    ASSERT_TRUE(std::holds_alternative<Corrupt>(refused)) << size;
    const Corrupt& corrupt = std::get<Corrupt>(refused);
    EXPECT_EQ(corrupt.fault, Fault::truncated) << size;
    EXPECT_EQ(corrupt.message, "the file ends within its compressed data");
    EXPECT_TRUE(corrupt.inflated);
    const Reading reading = read_by(index_of(file, DamagedFile::indexed), file);
    EXPECT_EQ(std::vector(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(reading.records.size())),
              reading.records);
    EXPECT_GT(reading.lost, 0);
  }
}

TEST(DamagedStream, OfGzipIsRefusedWithItsPlace) {
  Bytes file = compressed(file_of({"one", "two"}), Compression::gzip);
  flip_bit(file, file.size() - 8);
  EXPECT_EQ(
      text(std::get<Corrupt>(built(file, DamagedFile::refused))),
      "x.tfrecord: record 2 at byte 38 of the inflated data: the compressed data is damaged: incorrect data check");
  file = compressed(file_of({"one", "two"}), Compression::gzip);
  file.resize(12);
  EXPECT_EQ(text(std::get<Corrupt>(built(file, DamagedFile::refused))),
            "x.tfrecord: record 0 at byte 0 of the inflated data: the file ends within its compressed data");
}

// Half a megabyte that would need an index of 50 MB, and four times that to build it.
TEST(HostileStream, OfEmptyRecordsWithoutEndIsRefused) {
  const Bytes member = compressed(file_of(std::vector<std::string_view>(1 << 20)), Compression::gzip);
  Bytes file;
  for (int i = 0; i < 24; ++i) file.insert(file.end(), member.begin(), member.end());
  for (const DamagedFile damage : {DamagedFile::refused, DamagedFile::indexed}) {
    const Corrupt corrupt = std::get<Corrupt>(built(file, damage));
    EXPECT_EQ(corrupt.fault, Fault::wrong_kind);
    EXPECT_TRUE(corrupt.message.starts_with("it inflates to more records than can be indexed, ")) << corrupt.message;
    EXPECT_TRUE(corrupt.message.ends_with(" of " + std::to_string(file.size()) +
                                          " compressed bytes; `carrack data convert` with --shards cuts it into "
                                          "smaller files"))
        << corrupt.message;
  }
}

TEST(DamagedStream, OfAFileThatChangesIsRefused) {
  MemorySource source(compressed(file_of({"one", "two"}), Compression::gzip));
  source.bytes.clear();
  EXPECT_EQ(std::get<Corrupt>(build_index(source)).fault, Fault::changed);
}

}  // namespace
}  // namespace carrack::data
