// Any bytes as an index: a problem in words, or an index whose records fill its file and which is encoded as it came.
// They are tried as they are and with a good checksum behind them.
#include "dataloader/crc32c.h"
#include "dataloader/records/index.h"
#include "dataloader/records/inflated_source.h"
#include "dataloader/records/little_endian.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

// A source that has the bytes over and over again: no compressed file, but none that the points could know.
class Repeated final : public ByteSource {
 public:
  Repeated(ObjectStat stat, const Bytes& bytes) : ByteSource("x", std::move(stat)), bytes_(bytes) {}
  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      for (std::size_t i = 0; i < slice.into.size(); ++i) slice.into[i] = bytes_[(slice.offset + i) % bytes_.size()];
    }
    return ReadResult::complete;
  }

 private:
  const Bytes& bytes_;
};

void check_points(const Index& index, const Bytes& bytes) {
  const auto source = inflated(std::make_unique<const Repeated>(index.stored(), bytes), index.seek_points(),
                               index.file().size, std::make_shared<InflaterCache>());
  for (const SeekPoint& point : index.seek_points()->points) {
    Bytes into(std::min<std::uint64_t>(index.file().size - point.out, 100));
    must(source->read_at(point.out, into) == ReadResult::complete, "any place can be read");
  }
}

void check(const Bytes& bytes) {
  const auto decoded = index_from(bytes);
  if (const std::string* problem = std::get_if<std::string>(&decoded)) {
    must(!problem->empty(), "a problem says what is wrong");
    return;
  }
  const Index& index = std::get<Index>(decoded);
  must(encode(index) == bytes, "an index is encoded as it came");
  std::uint64_t end = 0;
  for (std::uint64_t record = 0; record < index.records(); ++record) {
    const Index::Extent extent = index.at(record);
    must(extent.offset == end && extent.size > 0, "records lie behind each other");
    end += extent.size;
  }
  must(end == index.file().size, "records fill their file");
  if (index.seek_points() && index.stored().size < 1'000'000) check_points(index, bytes);
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto input = std::as_bytes(std::span(data, size));
  Bytes bytes(input.begin(), input.end());
  check(bytes);
  append_number(bytes, masked_crc32c(bytes));
  check(bytes);
  // The points of a compressed file with a good index behind them.
  Bytes points(input.begin(), input.end());
  append_number(points, masked_crc32c(points));
  const std::uint64_t offset = 0;
  const Bytes plain = encode(Index({1000, {"1"}}, {&offset, 1}, 0));
  points.insert(points.end(), plain.begin(), plain.end());
  check(points);
  return 0;
}
