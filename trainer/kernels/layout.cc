#include "trainer/kernels/layout.h"

#include <algorithm>
#include <set>

#include "trainer/error.h"

namespace carrack::train {
namespace {

PlacedTensor placed(const NamedShape& tensor, std::int64_t begin, std::int64_t first_block) {
  const std::int64_t size = element_count(tensor.shape);
  const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape.front();
  const std::int64_t row_size = size / rows;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_elements_max / row_size);
  return {tensor.name, tensor.shape, {begin, begin + size}, rows, row_size, block_rows, first_block, tensor.own_rate};
}

std::int64_t blocks_of(const PlacedTensor& tensor) {
  return (tensor.rows + tensor.block_rows - 1) / tensor.block_rows;
}

// Returns the number of the block whose first element is nearest to `at`, or block_count() if the end of the buffer is
// nearer.
std::int64_t nearest_block(const Layout& layout, std::int64_t at) {
  std::int64_t low = 0, high = layout.block_count();  // the last block that begins at or before `at` is in [low, high)
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (layout.block(middle).begin <= at ? low : high) = middle;
  }
  const Range block = layout.block(low);
  return at - block.begin < block.end - at ? low : low + 1;
}

}  // namespace

Layout::Layout(const std::vector<NamedShape>& tensors) {
  std::set<std::string> names;
  std::int64_t begin = 0, first_block = 0;
  for (const NamedShape& tensor : tensors) {
    const bool positive = std::ranges::all_of(tensor.shape, [](std::int64_t dimension) { return dimension > 0; });
    if (!positive) throw Error(Blame::bug, "Layout: " + tensor.name + " has a dimension below one");
    if (!names.insert(tensor.name).second) throw Error(Blame::bug, "Layout: two tensors are named " + tensor.name);
    tensors_.push_back(placed(tensor, begin, first_block));
    begin = tensors_.back().range.end;
    first_block += blocks_of(tensors_.back());
  }
}

const PlacedTensor& Layout::tensor(const std::string& name) const {
  const auto found = std::ranges::find(tensors_, name, &PlacedTensor::name);
  if (found == tensors_.end()) throw Error(Blame::bug, "Layout: no tensor is named " + name);
  return *found;
}

std::int64_t Layout::size() const {
  return tensors_.empty() ? 0 : tensors_.back().range.end;
}

std::int64_t Layout::block_count() const {
  return tensors_.empty() ? 0 : tensors_.back().first_block + blocks_of(tensors_.back());
}

Range Layout::block(std::int64_t number) const {
  if (number < 0 || number >= block_count()) throw Error(Blame::bug, "Layout: no block " + std::to_string(number));
  const PlacedTensor& tensor = *std::prev(std::ranges::upper_bound(tensors_, number, {}, &PlacedTensor::first_block));
  const std::int64_t block_size = tensor.block_rows * tensor.row_size;
  const std::int64_t begin = tensor.range.begin + (number - tensor.first_block) * block_size;
  return {begin, std::min(begin + block_size, tensor.range.end)};
}

std::vector<Range> ranges_by_server(const Layout& layout, int parameter_servers) {
  const std::int64_t blocks = layout.block_count();
  if (parameter_servers < 1) throw Error(Blame::bug, "ranges_by_server: no parameter servers");
  if (parameter_servers > blocks) {
    throw Error(Blame::bug, "ranges_by_server: " + std::to_string(parameter_servers) + " parameter servers for " +
                                std::to_string(blocks) + " blocks");
  }
  std::vector<Range> ranges;
  std::int64_t begin = 0;
  for (int part = 1; part <= parameter_servers; ++part) {
    // This is size * part / parameter_servers, in a form that does not overflow.
    const std::int64_t ideal =
        layout.size() / parameter_servers * part + layout.size() % parameter_servers * part / parameter_servers;
    // The limits leave at least one block for this server and for each of the servers after it.
    const std::int64_t end = std::clamp(nearest_block(layout, ideal), begin + 1, blocks - (parameter_servers - part));
    ranges.push_back({layout.block(begin).begin, layout.block(end - 1).end});
    begin = end;
  }
  return ranges;
}

std::vector<Range> blocks(const Layout& layout, Range range) {
  std::vector<Range> found;
  for (std::int64_t number = nearest_block(layout, range.begin); number < layout.block_count(); ++number) {
    const Range block = layout.block(number);
    if (block.begin >= range.end) break;
    found.push_back({block.begin - range.begin, block.end - range.begin});
  }
  const bool fits = !found.empty() && found.front().begin == 0 && found.back().end == range.size();
  if (!fits) throw Error(Blame::bug, "blocks: the range cuts a block");
  return found;
}

std::vector<Slice> slices(const Layout& layout, Range range) {
  std::vector<Slice> found;
  for (const PlacedTensor& tensor : layout.tensors()) {
    const std::int64_t begin = std::max(range.begin, tensor.range.begin);
    const std::int64_t end = std::min(range.end, tensor.range.end);
    if (begin >= end) continue;
    const std::int64_t from = begin - tensor.range.begin;
    if (from % tensor.row_size != 0 || (end - begin) % tensor.row_size != 0) {
      throw Error(Blame::bug, "slices: the range cuts a row of " + tensor.name);
    }
    found.push_back({tensor.name, tensor.shape, from / tensor.row_size, (end - begin) / tensor.row_size, begin,
                     end - begin, tensor.own_rate});
  }
  return found;
}

}  // namespace carrack::train
