// Where each named tensor lies in the flat buffer that parameters, gradients and optimizer state share; how that buffer
// falls into blocks, and how it is cut over parameter servers. A function of names and shapes alone, in the order
// given. A block is a run of whole rows of one tensor: as many as fit in 4,096 elements, at least one. Ranges begin at
// blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/range.h"
#include "trainer/kernels/shape.h"

namespace carrack::train {

inline constexpr std::int64_t block_elements_max = 4096;

struct NamedShape {
  std::string name;
  Shape shape;
  bool operator==(const NamedShape&) const = default;
};

struct Placed {
  std::string name;
  Shape shape;
  Range range;
  std::int64_t rows;      // The first dimension; a scalar has one row.
  std::int64_t row_size;  // At least one element.
  std::int64_t block_rows;
  std::int64_t first_block;
};

// The part of a tensor that lies in some range: whole rows, from `offset` of the flat buffer on.
struct Slice {
  std::string name;
  Shape shape;  // Of the whole tensor.
  std::int64_t row_begin;
  std::int64_t row_count;
  std::int64_t offset;
  std::int64_t size;
  bool operator==(const Slice&) const = default;
};

class Layout {
 public:
  // Throws a bug for a name that comes twice or a dimension below one.
  explicit Layout(const std::vector<NamedShape>& tensors);

  const std::vector<Placed>& tensors() const { return tensors_; }
  const Placed& tensor(const std::string& name) const;
  std::int64_t size() const;
  std::int64_t block_count() const;
  Range block(std::int64_t number) const;

 private:
  std::vector<Placed> tensors_;
};

// One range for each parameter server, in order, without gaps, cut at the blocks nearest to equal parts: none is empty,
// and none is larger than an equal part and one block. Throws a bug where there are more servers than blocks.
std::vector<Range> ranges(const Layout& layout, int parameter_servers);

// What of each tensor lies in a range that begins and ends at rows, as those above do.
std::vector<Slice> slices(const Layout& layout, Range range);

}  // namespace carrack::train
