// Streams made of several others, as the stages of the same names are made of sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/random.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// These open each input once, for epoch 0.
StreamPtr concatenated(const std::vector<OpenStream>& inputs);
// Opens each input when its turn comes. Throws an Error for a cycle or block of 0.
StreamPtr interleaved(std::vector<OpenStream> inputs, std::uint64_t cycle, std::uint64_t block);
// Ends with the first input that ends.
StreamPtr mixed(const std::vector<OpenStream>& inputs, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest input has.
StreamPtr zipped(const std::vector<OpenStream>& inputs);

}  // namespace carrack::data
