// A stream whose rows are shuffled through a buffer, as in tf.data.
#pragma once

#include <cstdint>

#include "dataloader/order/random.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// The buffer's rows are part of the state. Throws an Error for a buffer of 0 rows.
StreamPtr shuffled(StreamPtr input, std::uint64_t buffer_rows, const Random& random, std::uint64_t epoch);

}  // namespace carrack::data
