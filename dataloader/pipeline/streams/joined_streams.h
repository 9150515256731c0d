// Streams (rows that can only be read from front to back, stream.h) made of several others. The functions of these
// names in sequences/sequence.h do the same with sequences. Each input is opened once, for epoch 0. Inputs must have
// rows, not batches; this is not checked.
#pragma once

#include <cstdint>
#include <vector>

#include "dataloader/order/random.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Returns all rows of the first input, then all rows of the second, and so on. Without inputs it is empty.
StreamPtr concatenated(const std::vector<OpenStream>& inputs);
// Returns rows of the inputs in turns, as in order/interleave.h. Opens each input when its first turn comes. Throws an
// Error for a cycle or block of 0.
StreamPtr interleaved(std::vector<OpenStream> inputs, std::uint64_t cycle, std::uint64_t block);
// Returns rows of the inputs by their weights, see order/mix.h. Ends when the input whose turn it is has no row left.
// Throws an Error for weights that make no sense, and without inputs.
StreamPtr mixed(const std::vector<OpenStream>& inputs, const std::vector<double>& weights, const Random& random);
// Returns the rows of the inputs side by side, as many as the shortest input has. There must be at least one input.
// Lost rows are skipped in each input separately: if one input loses row i, its next row is combined with row i of the
// others. next() throws an Error if two inputs have a column of the same name.
StreamPtr zipped(const std::vector<OpenStream>& inputs);

}  // namespace carrack::data
