// One record's frame in a TFRecord file, docs/formats/tfrecord.md: its length and its data, each with a checksum.
// A length is believed only once its checksum holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/records/corrupt.h"

namespace carrack::data::frame {

constexpr std::size_t header_size = 12;  // the length and its checksum
constexpr std::size_t footer_size = 4;   // the data's checksum
constexpr std::size_t overhead = header_size + footer_size;

using Header = std::span<const std::byte, header_size>;

// The length of the data behind a header; nothing where its checksum does not hold.
std::optional<std::uint64_t> length_in(Header header);

// Of the whole frame of data of this length; the largest number there is where that is larger.
constexpr std::uint64_t size_of(std::uint64_t length) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  return length > largest - overhead ? largest : length + overhead;
}

// Whether the checksum behind `data_and_footer` is that of its data.
bool holds(std::span<const std::byte> data_and_footer);

// What is wrong with the bytes where an index says that a record stands, if anything is. What ends the file may be cut.
std::optional<Fault> fault_in(std::span<const std::byte> bytes, bool ends_the_file);

// Appends one record to a file's bytes.
void append(std::vector<std::byte>& file, std::span<const std::byte> data);

}  // namespace carrack::data::frame
