// Any bytes as an index: a problem in words, or an index whose records fill its file and which is encoded as it came.
// They are tried as they are and with a good checksum behind them.
#include "dataloader/crc32c.h"
#include "dataloader/records/index.h"
#include "dataloader/records/little_endian.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

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
  return 0;
}
