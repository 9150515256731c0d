// Guesses the format of a file that holds no TFRecords from its first bytes. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace carrack::data::cli {

// guess_format() looks at no more than this.
constexpr std::size_t guess_bytes = 512;

// For people: "text", "JSON", "a Parquet file", "a JPEG image of 500x375"; "of unknown kind".
std::string guess_format(std::span<const std::byte> first_bytes);

}  // namespace carrack::data::cli
