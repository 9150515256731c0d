// Streams made of several others, as the functions of these names in sequences/sequence.h make sequences. Each input is
// opened once, for epoch 0.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/random.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// All rows of the first input, then all of the second, and so on.
StreamPtr concatenated(const std::vector<OpenStream>& inputs);
// Rows of the inputs in turns, as in order/interleave.h. Opens each input when its turn comes. Throws an Error for a
// cycle or block of 0.
StreamPtr interleaved(std::vector<OpenStream> inputs, std::uint64_t cycle, std::uint64_t block);
// Rows of the inputs by their weights, see order/mix.h. Ends where an input has no row for its turn. Throws an Error
// for weights that make no sense.
StreamPtr mixed(const std::vector<OpenStream>& inputs, const std::vector<double>& weights, const Random& random);
// Rows side by side, as many as the shortest input has. If an input loses a row, its next rows move up by one against
// the other inputs. Reading throws an Error if two inputs have a column of the same name.
StreamPtr zipped(const std::vector<OpenStream>& inputs);

}  // namespace carrack::data
