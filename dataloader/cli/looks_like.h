// What a file that holds no records looks like to a person, by its first bytes. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace carrack::data::cli {

// So many bytes tell.
constexpr std::size_t telling_bytes = 512;

// "text", "JSON", "a Parquet file", "a JPEG image of 500x375"; "of unknown kind".
std::string looks_like(std::span<const std::byte> bytes);

}  // namespace carrack::data::cli
