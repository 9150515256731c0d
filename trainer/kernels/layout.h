// Where each named tensor lies in the flat buffers of parameters, gradients and optimizer state, which all have the
// same layout; how a buffer is divided into blocks, and how the blocks are divided among parameter servers. All of it
// depends only on names and shapes, in the order given. A block is a run of whole rows of one tensor: as many as fit
// into 4,096 elements, and at least one.
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
  // Of a tensor that the optimizer does not train, but that follows what the records of each batch say: each update
  // moves it by this share of the way to their mean. 0: it never changes.
  std::optional<double> own_rate = std::nullopt;
  bool operator==(const NamedShape&) const = default;
};

// A tensor and its place in the flat buffer.
struct Placed {
  std::string name;
  Shape shape;
  Range range;
  std::int64_t rows;      // The first dimension; a scalar has one row.
  std::int64_t row_size;  // Elements of a row, at least one.
  std::int64_t block_rows;
  std::int64_t first_block;
  std::optional<double> own_rate = std::nullopt;  // As of its NamedShape.

  bool never_changes() const { return own_rate == 0.0; }
};

// The whole rows of a tensor that lie in some range. They begin at `offset` of the flat buffer.
struct Slice {
  std::string name;
  Shape shape;  // Of the whole tensor.
  std::int64_t row_begin;
  std::int64_t row_count;
  std::int64_t offset;
  std::int64_t size;
  std::optional<double> own_rate = std::nullopt;  // As of the tensor's NamedShape.

  bool never_changes() const { return own_rate == 0.0; }
  bool operator==(const Slice&) const = default;
};

class Layout {
 public:
  // Throws a bug if a name appears twice or a dimension is below one.
  explicit Layout(const std::vector<NamedShape>& tensors);

  const std::vector<Placed>& tensors() const { return tensors_; }
  const Placed& tensor(const std::string& name) const;
  std::int64_t size() const;
  std::int64_t block_count() const;
  Range block(std::int64_t number) const;

 private:
  std::vector<Placed> tensors_;
};

// One range for each parameter server, in order and without gaps. Ranges are cut between blocks, as near as possible to
// equal parts: none is empty, and none is larger than an equal part plus one block. Throws a bug if there are more
// servers than blocks.
std::vector<Range> ranges(const Layout& layout, int parameter_servers);

// The blocks in `range`, in order, counted from its first element. It must begin and end between blocks, as those of
// ranges() do.
std::vector<Range> blocks(const Layout& layout, Range range);

// The slices of the tensors that lie in `range`, which must begin and end between rows, as those of ranges() do.
std::vector<Slice> slices(const Layout& layout, Range range);

}  // namespace carrack::train
