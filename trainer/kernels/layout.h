// Where the tensors of a model lie in memory. All parameters of a model are in one flat buffer of floats, one tensor
// after the other; gradients and optimizer state have buffers of the same layout. Here is where each tensor lies in a
// buffer, how a buffer is divided into blocks, and how blocks are divided among parameter servers. All of it depends
// only on names and shapes, and on their order, so all processes of a job compute the same layout.
//
// A block is a number of neighbouring whole rows of one tensor: as many as fit into 4,096 elements, but at least one. A
// row is one index of the first dimension.
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
  // Set for a tensor that the optimizer does not train, such as the moving mean of a BatchNorm layer. Each update then
  // moves the tensor by this share of the way to the mean of what the records of the batch report for it: 0.01 for a
  // momentum of 0.99. 0: the tensor never changes.
  std::optional<double> own_rate = std::nullopt;
  bool operator==(const NamedShape&) const = default;
};

// A tensor and where it lies in the flat buffer.
struct PlacedTensor {
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

// The part of a tensor that lies in some range of the flat buffer: whole rows. A parameter server stores its slices in
// a checkpoint.
struct Slice {
  std::string name;
  Shape shape;             // the shape of the whole tensor
  std::int64_t row_begin;  // index of the first row in the tensor
  std::int64_t row_count;
  std::int64_t offset;                            // index of the first element in the whole flat buffer
  std::int64_t size;                              // number of elements
  std::optional<double> own_rate = std::nullopt;  // as in the tensor's NamedShape

  bool never_changes() const { return own_rate == 0.0; }
  bool operator==(const Slice&) const = default;
};

// Immutable after construction.
class Layout {
 public:
  // Places the tensors in this order, without gaps. Throws Error with Blame::bug if a name appears twice or a dimension
  // is below 1. `tensors` may be empty.
  explicit Layout(const std::vector<NamedShape>& tensors);

  const std::vector<PlacedTensor>& tensors() const { return tensors_; }  // in the order of the constructor's argument
  // Returns the tensor with this name. Searches all names one by one. Throws Error with Blame::bug if no tensor has
  // this name.
  const PlacedTensor& tensor(const std::string& name) const;
  std::int64_t size() const;         // number of elements of all tensors
  std::int64_t block_count() const;  // number of blocks of all tensors
  // Returns where block `number`, from 0, lies in the flat buffer. Throws Error with Blame::bug if no block has this
  // number.
  Range block(std::int64_t number) const;

 private:
  std::vector<PlacedTensor> tensors_;
};

// Divides the flat buffer among the parameter servers: returns one range for each, in order and without gaps. All
// ranges consist of whole blocks, and are as near as possible to equal parts: no range is empty, and none is larger
// than an equal part plus one block. Throws Error with Blame::bug if there are no servers, or more servers than blocks.
std::vector<Range> ranges_by_server(const Layout& layout, int parameter_servers);

// Returns the blocks in `range`, in order. Beware: their indices count from the first element of `range`, not of the
// flat buffer. Throws Error with Blame::bug if the range is empty or does not begin and end between blocks;
// ranges_by_server() returns only ranges that do.
std::vector<Range> blocks(const Layout& layout, Range range);

// Returns the slices of the tensors that lie in `range`, in order; none for an empty range. Throws Error with
// Blame::bug if the range does not begin and end between rows; ranges_by_server() returns only ranges that do.
std::vector<Slice> slices(const Layout& layout, Range range);

}  // namespace carrack::train
