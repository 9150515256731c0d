// Reads and writes the frame of one record in a TFRecord file, docs/formats/tfrecord.md. A frame is 8 bytes of length,
// 4 bytes of checksum of the length, the data, and 4 bytes of checksum of the data. All readers and writers of TFRecord
// files use these functions. A length is used only after its checksum has been verified. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/records/corrupt.h"

namespace carrack::data::frame {

constexpr std::size_t header_size = 12;                      // the length and its checksum
constexpr std::size_t footer_size = 4;                       // the data's checksum
constexpr std::size_t overhead = header_size + footer_size;  // bytes of a frame besides the data

// The maximum number of bytes of data in a record: 2 GiB. Readers report a longer record as Fault::too_long. Otherwise
// a few compressed bytes, or a forged index, could make them allocate any amount of memory. Protobuf messages, and so
// all Examples, are shorter.
constexpr std::uint64_t record_bytes_max = std::uint64_t{2} << 30;

using Header = std::span<const std::byte, header_size>;

// Returns the length of the data that follows a header; nullopt if the header's checksum does not match. The length may
// be above record_bytes_max.
std::optional<std::uint64_t> length_in(Header header);

// Returns the size in bytes of a frame with `length` bytes of data. If the sum overflows, returns the largest number.
constexpr std::uint64_t size_of(std::uint64_t length) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  return length > largest - overhead ? largest : length + overhead;
}

// True if the checksum at the end of `data_and_footer`, which has at least footer_size bytes, matches the data before
// it.
bool checksum_matches(std::span<const std::byte> data_and_footer);

// Checks `bytes`, which should be exactly one frame, because an index says so. Returns nullopt if they are a good
// frame. Otherwise returns what is wrong: bad_length or bad_data if a checksum does not match, and too_long if the
// frame claims more than record_bytes_max bytes of data. If the frame in fact has another size than `bytes`, the index
// is of another version of the file: `changed`. There are exceptions. A frame that exceeds `bytes` is `truncated` if
// `ends_the_file`, which says that `bytes` are the last bytes of the file. Any other wrong size is bad_length in
// inflated bytes, as one version of their file is read, and for less than `overhead` bytes.
std::optional<Fault> fault_in(std::span<const std::byte> bytes, bool ends_the_file, bool is_inflated = false);

// Appends the frame of one record to the bytes of a file. Does not check its length.
void append(std::vector<std::byte>& file, std::span<const std::byte> data);

}  // namespace carrack::data::frame
