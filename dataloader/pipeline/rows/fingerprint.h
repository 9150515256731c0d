// FarmHash's Fingerprint64: the hash that TensorFlow's StringToHashBucketFast uses, and Keras' Hashing layer without a
// salt. docs/formats/text_ids.md defines it. A pure function of the bytes of the text, which may be empty.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::data {

std::uint64_t fingerprint64(std::string_view text);

}  // namespace carrack::data
