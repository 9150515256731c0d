// Guesses what a file is that turned out to hold no TFRecords, from its first bytes, for the message to the user. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace carrack::data::cli {

// How many bytes to pass to guess_format(), from the beginning of the file. Pass all of a shorter file.
constexpr std::size_t guess_bytes = 512;

// Returns a description of the format for the user: "text", "JSON", "a Parquet file", "compressed with zstd", "a PNG
// image of 500x375". Returns "of unknown kind" if it recognizes no format. An image is recognized only if `first_bytes`
// contains its width and height.
std::string guess_format(std::span<const std::byte> first_bytes);

}  // namespace carrack::data::cli
