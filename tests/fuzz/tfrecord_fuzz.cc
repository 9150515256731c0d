// Any bytes as a TFRecord file, in pieces of any size: the reader accounts for each byte once, as a record or as lost,
// and an index made of the file finds what the reader found, damage too where asked. Checksums would keep the fuzzer
// from ever getting past the first length, so the bytes are tried once as they are and once with good checksums put
// where they belong. Deflated they give the same. They are also tried as deflated bytes, and as the text index of a
// small file.
#include <cstring>
#include <optional>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/little_endian.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/text_index.h"
#include "tests/dataloader/records/files.h"
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
    // A length that begins so, and data too, keeps its bad checksum.
    if (file[at] != std::byte{0xbd}) put(&file[at + 8], masked_crc32c(std::span(file).subspan(at, 8)));
    const auto length = number_at<std::uint64_t>(&file[at]);
    const std::size_t left = file.size() - at;
    if (left < frame::overhead || length > left - frame::overhead) break;
    const auto data = std::span(file).subspan(at + frame::header_size, length);
    if (data.empty() || data[0] != std::byte{0xbd}) put(data.data() + length, masked_crc32c(data));
    at += frame::overhead + length;
  }
  return file;
}

// A record's frame, or bytes that are lost.
struct Span {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::optional<Fault> fault;
  bool operator==(const Span&) const = default;
};

std::vector<Span> read(const ByteSource& file, ReadOptions options) {
  std::vector<Span> spans;
  std::uint64_t offset = 0;
  RecordReader reader(file, options);
  for (;;) {
    const auto next = reader.next();
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      spans.push_back({corrupt->offset, corrupt->lost, corrupt->fault});
    } else if (const Records* chunk = std::get_if<Records>(&next)) {
      must(!chunk->records.empty(), "a chunk holds a record");
      for (const Record& record : chunk->records)
        spans.push_back({record.offset, frame::overhead + record.data.size(), std::nullopt});
    } else {
      break;
    }
  }
  for (const Span& span : spans) {
    must(span.offset == offset, "a record or loss begins where the one before it ends");
    must(span.size > 0 || span.fault == Fault::bad_stream || span.fault == Fault::truncated,
         "but for the end of a stream, something is lost");
    offset += span.size;
  }
  return spans;
}

void check_index(const ByteSource& file, const std::vector<Span>& spans) {
  if (spans.empty() || spans[0].fault != Fault::wrong_kind) {
    const auto around = build_index(file, 1, DamagedFile::indexed);
    const Index* all = std::get_if<Index>(&around);
    must(all != nullptr && all->records() == spans.size(), "what is lost is indexed as a record");
    for (std::size_t i = 0; i < spans.size(); ++i)
      must(all->at(i) == Index::Extent{spans[i].offset, spans[i].size}, "and each is where the reader finds it");
    must(index_from(encode(*all)) == decltype(index_from({}))(*all), "and can be kept");
  }
  const auto built = build_index(file);
  const Index* index = std::get_if<Index>(&built);
  for (const Span& span : spans)
    if (span.fault) return;
  must(index != nullptr && index->records() == spans.size(), "a good file has an index");
  for (std::size_t i = 0; i < spans.size(); ++i)
    must(index->at(i) == Index::Extent{spans[i].offset, spans[i].size}, "the index knows where each record is");
  must(index_from_text(text_index_of(*index), file) == decltype(index_from_text({}, file))(*index),
       "as text it is the same index");
}

void check_records(const Bytes& bytes, std::size_t piece) {
  const MemorySource file(bytes);
  const ReadOptions options{.compression = Compression::none, .piece = piece};
  const std::vector<Span> spans = read(file, options);
  must(spans.empty() ? bytes.empty() : spans.back().offset + spans.back().size == bytes.size(),
       "records and what is lost are the whole file");
  must(spans == read(file, {.compression = Compression::none}), "the size of pieces changes nothing");
  check_index(file, spans);
  if (!spans.empty() && spans[0].fault == Fault::wrong_kind) return;
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    const MemorySource deflated(compressed(bytes, compression));
    must(read(deflated, {.piece = piece}) == spans, "deflated it is the same");
  }
}

void check_deflated(const Bytes& bytes, std::size_t piece) {
  const MemorySource file(bytes);
  must(read(file, {.piece = piece}) == read(file, {}), "the size of pieces changes nothing of a compressed file");
}

void check_text(const Bytes& bytes) {
  const MemorySource file(file_of({"one", "", "three"}));
  const auto index = index_from_text(wire::text_of(bytes), file);
  if (const std::string* problem = std::get_if<std::string>(&index))
    must(!problem->empty(), "a problem says what is wrong");
  else
    must(std::get<Index>(index) == std::get<Index>(build_index(file)), "a text that is taken gives the file's index");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto input = std::as_bytes(std::span(data, size));
  const Bytes bytes(input.begin(), input.end());
  const std::size_t piece = size == 0 ? 1 : 1 + data[size - 1];
  check_records(bytes, piece);
  check_records(sealed(bytes), piece);
  check_deflated(bytes, piece);
  check_text(bytes);
  return 0;
}
