// Reads records of any files where their indexes say they are: neighbours in one piece, each file in one call, all into
// one memory as long as what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/pipeline/indexed_file.h"

namespace carrack::data {

struct Wanted {
  RecordId id;
  std::size_t row = 0;                    // of the batch
  Index::Extent extent;                   // of its frame in the file
  std::span<const std::byte> frame = {};  // once it is fetched
};

struct Fetched {
  std::unique_ptr<std::byte[]> memory;
  const Wanted* changed = nullptr;  // A record whose file is no longer what it was: then not all are fetched.
};

// Sorts `wanted` by files and offsets, and points each to its bytes.
Fetched fetch(const std::vector<IndexedFile>& files, std::span<Wanted> wanted);

}  // namespace carrack::data
