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

// A tensor and its place in the flat buffer.
struct Placed {
  std::string name;
  Shape shape;
  Range range;
  std::int64_t rows;                              // the first dimension; a scalar has one row
  std::int64_t row_size;                          // elements of a row, at least one
  std::int64_t block_rows;                        // rows of each block but the last
  std::int64_t first_block;                       // the number of its first block in the layout
  std::optional<double> own_rate = std::nullopt;  // as in its NamedShape

  bool never_changes() const { return own_rate == 0.0; }
};

// The part of a tensor that lies in some range: whole rows.
struct Slice {
  std::string name;
  Shape shape;             // of the whole tensor
  std::int64_t row_begin;  // counted in the tensor
  std::int64_t row_count;
  std::int64_t offset;                            // the first element, counted in the flat buffer
  std::int64_t size;                              // in elements
  std::optional<double> own_rate = std::nullopt;  // as in the tensor's NamedShape

  bool never_changes() const { return own_rate == 0.0; }
  bool operator==(const Slice&) const = default;
};

class Layout {
 public:
  // Throws Error with Blame::bug if a name appears twice or a dimension is below 1.
  explicit Layout(const std::vector<NamedShape>& tensors);

  const std::vector<Placed>& tensors() const { return tensors_; }
  // Throws Error with Blame::bug if no tensor has this name.
  const Placed& tensor(const std::string& name) const;
  std::int64_t size() const;  // in elements
  std::int64_t block_count() const;
  // The elements of a block. Throws Error with Blame::bug if there is no block of this number.
  Range block(std::int64_t number) const;

 private:
  std::vector<Placed> tensors_;
};

// Returns one range for each parameter server, in order and without gaps. Cuts are between blocks, as near as possible
// to equal parts: no range is empty, and none is larger than an equal part plus one block. Throws Error with Blame::bug
// if there are no servers, or more servers than blocks.
std::vector<Range> ranges(const Layout& layout, int parameter_servers);

// Returns the blocks in `range`, in order, counted from its first element. Throws Error with Blame::bug unless the
// range begins and ends between blocks, as a result of ranges() does.
std::vector<Range> blocks(const Layout& layout, Range range);

// Returns the slices of the tensors that lie in `range`, in order. Throws Error with Blame::bug unless the range begins
// and ends between rows, as a result of ranges() does.
std::vector<Slice> slices(const Layout& layout, Range range);

}  // namespace carrack::train
