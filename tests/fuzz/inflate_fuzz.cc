// Any bytes as GZIP, as ZLIB and as deflated bytes within either, in pieces of any size: ISA-L inflates them to what
// zlib does, and finds damage where zlib does.
#include "tests/dataloader/records/inflating.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

constexpr std::size_t inflated_max = std::size_t{1} << 20;

void check(std::span<const std::byte> bytes, Compression compression, const Pieces& pieces) {
  if (inflate_all<BlockInflater>(bytes, compression, {}).bytes.size() > inflated_max) return;
  must(difference_from_zlib(bytes, compression, pieces).empty(), "it inflates as with zlib");
}

// With the header of a stream in front.
Bytes framed(std::span<const std::byte> bytes, Compression compression) {
  Bytes framed = {std::byte{0x78}, std::byte{0x9c}};
  if (compression == Compression::gzip) {
    framed = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}};
    framed.resize(10);
  }
  framed.insert(framed.end(), bytes.begin(), bytes.end());
  return framed;
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::size_t piece = size == 0 ? 1 : std::size_t{1} + data[size - 1];
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    for (const Pieces& pieces : {Pieces(), Pieces{piece, piece}, Pieces{piece, 100'000}, Pieces{100'000, piece}}) {
      check(bytes, compression, pieces);
      check(framed(bytes, compression), compression, pieces);
    }
  }
  return 0;
}
