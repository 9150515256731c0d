// Any bytes as a TFRecord file, in pieces of any size: the reader accounts for each byte once, as a record or as lost,
// and an index made of the file finds what the reader found. Checksums would keep the fuzzer from ever getting past the
// first length, so the bytes are tried once as they are and once with good checksums put where they belong.
#include <cstring>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/record_reader.h"
#include "tests/dataloader/records/memory_source.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

void put(std::byte* at, std::uint32_t number) {
  std::memcpy(at, &number, sizeof number);
}

Bytes sealed(Bytes file) {
  std::size_t at = 0;
  while (file.size() - at >= frame::header_size) {
    file[at + 2] = file[at + 3] = file[at + 4] = file[at + 5] = std::byte{0};  // Few mutations give a short length.
    put(&file[at + 8], masked_crc32c(std::span(file).subspan(at, 8)));
    const auto length = number_at<std::uint64_t>(&file[at]);
    const std::size_t left = file.size() - at;
    if (left < frame::overhead || length > left - frame::overhead) break;
    const auto data = std::span(file).subspan(at + frame::header_size, length);
    // A record that begins so keeps its bad checksum.
    if (data.empty() || data[0] != std::byte{0xbd}) put(data.data() + length, masked_crc32c(data));
    at += frame::overhead + length;
  }
  return file;
}

// Where the good records begin.
struct Seen {
  std::vector<std::uint64_t> offsets;
  bool faults = false;
};

Seen read(const ByteSource& file, std::size_t piece) {
  Seen seen;
  std::uint64_t offset = 0;
  RecordReader reader(file, {.piece = piece});
  for (;;) {
    const auto next = reader.next();
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      must(corrupt->offset == offset && corrupt->lost > 0, "a fault is where the reader is, and something is lost");
      offset += corrupt->lost;
      seen.faults = true;
    } else if (const Records* chunk = std::get_if<Records>(&next)) {
      must(!chunk->records.empty(), "a chunk holds a record");
      for (const Record& record : chunk->records) {
        must(record.offset == offset, "a record begins where the one before it ends");
        offset += frame::overhead + record.data.size();
        seen.offsets.push_back(record.offset);
      }
    } else {
      must(offset == file.stat().size, "records and what is lost are the whole file");
      return seen;
    }
  }
}

void check(const Bytes& bytes, std::size_t piece) {
  const MemorySource file(bytes);
  const Seen seen = read(file, piece);
  must(seen.offsets == read(file, ReadOptions().piece).offsets, "the size of pieces changes nothing");
  const auto built = build_index(file);
  const Index* index = std::get_if<Index>(&built);
  if (!seen.faults) must(index != nullptr && index->records() == seen.offsets.size(), "a good file has an index");
  if (index == nullptr || seen.faults) return;
  for (std::size_t i = 0; i < seen.offsets.size(); ++i)
    must(index->at(i).offset == seen.offsets[i], "the index knows where each record is");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto input = std::as_bytes(std::span(data, size));
  const Bytes bytes(input.begin(), input.end());
  const std::size_t piece = size == 0 ? 1 : 1 + data[size - 1];
  check(bytes, piece);
  check(sealed(bytes), piece);
  return 0;
}
