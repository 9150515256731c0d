// Where each named tensor lies in the flat buffers of parameters, gradients and optimizer state, which all have the
// same layout; how a buffer is divided into blocks; and how blocks are divided among parameter servers. All of it
// depends only on names and shapes, in the order given. A block is a run of whole rows of one tensor: as many as fit
// into 4,096 elements, but at least one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

inline constexpr std::int64_t block_elements_max = 4096;

struct NamedShape {
  std::string name;
  Shape shape;
  // Set for a tensor that the optimizer does not train. Instead each update moves it by this share of the way to the
  // mean of what the records of the batch report for it. 0: it never changes.
  std::optional<double> own_rate = std::nullopt;
  bool operator==(const NamedShape&) const = default;
};

// A tensor and where it lies in the flat buffer.
struct Placed {
  std::string name;
  Shape shape;
  Range range;
  std::int64_t rows;                              // size of the first dimension; a scalar has one row
  std::int64_t row_size;                          // elements of a row, at least 1
  std::int64_t block_rows;                        // rows of each of its blocks; the last block may have fewer
  std::int64_t first_block;                       // number of its first block in the whole layout
  std::optional<double> own_rate = std::nullopt;  // as in its NamedShape

  bool never_changes() const { return own_rate == 0.0; }
};

// The part of a tensor that lies in some range: whole rows.
struct Slice {
  std::string name;
  Shape shape;             // the shape of the whole tensor
  std::int64_t row_begin;  // index of the first row in the tensor
  std::int64_t row_count;
  std::int64_t offset;                            // index of the first element in the flat buffer
  std::int64_t size;                              // number of elements
  std::optional<double> own_rate = std::nullopt;  // as in the tensor's NamedShape

  bool never_changes() const { return own_rate == 0.0; }
  bool operator==(const Slice&) const = default;
};

class Layout {
 public:
  // Throws Error with Blame::bug if a name appears twice or a dimension is below 1. `tensors` may be empty.
  explicit Layout(const std::vector<NamedShape>& tensors);

  const std::vector<Placed>& tensors() const { return tensors_; }
  // Searches all names one by one. Throws Error with Blame::bug if no tensor has this name.
  const Placed& tensor(const std::string& name) const;
  std::int64_t size() const;  // number of elements of all tensors
  std::int64_t block_count() const;
  // Returns where block `number`, from 0, lies in the flat buffer. Throws Error with Blame::bug if no block has this
  // number.
  Range block(std::int64_t number) const;

 private:
  std::vector<Placed> tensors_;
};

// Returns one range of the flat buffer for each parameter server, in order and without gaps. Cuts are between blocks,
// as near as possible to equal parts: no range is empty, and none is larger than an equal part plus one block. Throws
// Error with Blame::bug if there are no servers, or more servers than blocks.
std::vector<Range> ranges(const Layout& layout, int parameter_servers);

// Returns the blocks in `range`, in order, with indices that count from the first element of `range`. Throws Error with
// Blame::bug if the range is empty or does not begin and end between blocks; ranges() returns only ranges that do.
std::vector<Range> blocks(const Layout& layout, Range range);

// Returns the slices of the tensors that lie in `range`, in order. Throws Error with Blame::bug if the range does not
// begin and end between rows; ranges() returns only ranges that do.
std::vector<Slice> slices(const Layout& layout, Range range);

}  // namespace carrack::train
