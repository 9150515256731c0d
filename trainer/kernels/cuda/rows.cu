#include "trainer/kernels/rows.h"

#include <cstddef>
#include <utility>

#include "trainer/kernels/cuda/elements.cuh"
#include "trainer/kernels/cuda/refuse.cuh"
#include "trainer/kernels/cuda/search.cuh"
#include "trainer/kernels/cuda/sum_of_lanes.cuh"

namespace carrack::train::cuda {
namespace {

__global__ void gather_kernel(Table shape, const float* table, const std::int64_t* indices, float* gathered,
                              std::size_t size, Refused* refused) {
  for_each_of_grid(size, [=](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t index = indices[at / shape.width], column = at % shape.width;
    if (is_inside(index, shape.rows)) {
      gathered[i] = table[index * shape.width + column];
    } else if (column == 0) {
      refuse(refused, index);
    }
  });
}

// Writes the numbers 0, 1, 2 and so on.
__global__ void enumerate_kernel(std::int64_t* numbers, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) { numbers[i] = static_cast<std::int64_t>(i); });
}

// One round of a merge sort: merges each two neighbouring runs of `run` updates into one run. `from` and `to` are
// numbers of updates, and each run is sorted by the indices of its updates. Updates of equal indices keep their order.
// The new position of an update is its position in its own run, plus the number of updates of the other run before it.
__global__ void merge_kernel(const std::int64_t* indices, const std::int64_t* from, std::int64_t* to, std::size_t size,
                             std::int64_t run) {
  for_each_of_grid(size, [=](std::size_t i) {
    const auto at = static_cast<std::int64_t>(i), count = static_cast<std::int64_t>(size);
    const std::int64_t begin = at - at % (2 * run);
    const std::int64_t middle = begin + run < count ? begin + run : count;
    const std::int64_t end = middle + run < count ? middle + run : count;
    const bool is_left = at < middle;
    const std::int64_t index = indices[from[at]];
    const std::int64_t other = partition_point(is_left ? Range{middle, end} : Range{begin, middle}, [=](auto place) {
      const std::int64_t there = indices[from[place]];
      return is_left ? there < index : there <= index;
    });
    to[at + other - middle] = from[at];
  });
}

// Updates, sorted by index: the update at position `place` has the number numbers[place].
struct SortedUpdates {
  const std::int64_t* indices;
  const std::int64_t* numbers;
  const float* updates;
  std::int64_t count;

  __device__ std::int64_t index_at(std::int64_t place) const { return indices[numbers[place]]; }

  // Returns the first position after `first` with another index. Most rows have few updates, so the search begins with
  // a small step and doubles it.
  __device__ std::int64_t end_of_row(std::int64_t first) const {
    const std::int64_t index = index_at(first);
    std::int64_t step = 1;
    while (first + step < count && index_at(first + step) == index) step *= 2;
    const std::int64_t end = first + step < count ? first + step : count;
    return partition_point({first + step / 2, end}, [=, this](std::int64_t place) { return index_at(place) == index; });
  }
};

// There is a thread for each update and column. The thread of a row's first update adds up all updates of the row for
// its column, and the threads of its other updates do nothing.
__global__ void scatter_add_kernel(Table shape, SortedUpdates sorted, float* table, LaneEnds lane_ends,
                                   Refused* refused) {
  for_each_of_grid(static_cast<std::size_t>(sorted.count * shape.width), [=](std::size_t i) {
    const std::int64_t first = static_cast<std::int64_t>(i) / shape.width;
    const std::int64_t column = static_cast<std::int64_t>(i) % shape.width;
    const std::int64_t index = sorted.index_at(first);
    if (first > 0 && sorted.index_at(first - 1) == index) return;
    if (!is_inside(index, shape.rows)) {
      if (column == 0) refuse(refused, index);
      return;
    }
    const std::int64_t end = sorted.end_of_row(first);
    std::int64_t next = first;
    table[index * shape.width + column] = sum_of_lanes(lane_ends, sorted.count, [&](Range lane) {
      const std::int64_t end_of_lane =
          partition_point({next, end}, [&](std::int64_t place) { return sorted.numbers[place] < lane.end; });
      float sum = 0;
      for (; next < end_of_lane; ++next) sum += sorted.updates[sorted.numbers[next] * shape.width + column];
      return sum;
    });
  });
}

__global__ void copy_columns_kernel(std::int64_t width, const float* from, std::int64_t from_stride, float* to,
                                    std::int64_t to_stride, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / width, column = static_cast<std::int64_t>(i) % width;
    to[row * to_stride + column] = from[row * from_stride + column];
  });
}

__global__ void reverse_kernel(std::int64_t length, std::int64_t width, const float* from, float* to,
                               std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / width, column = static_cast<std::int64_t>(i) % width;
    const std::int64_t place = row % length;
    to[(row - place + length - 1 - place) * width + column] = from[i];
  });
}

}  // namespace

void gather(Stream& stream, Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered,
            Refused* refused) {
  const std::size_t size = indices.size() * static_cast<std::size_t>(shape.width);
  if (size == 0) return;
  launch("cuda::gather", stream.handle(), launch_for(size), gather_kernel, shape, table, indices.data(), gathered, size,
         refused);
}

void scatter_add(Stream& stream, Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::int64_t* numbers, Refused* refused) {
  const auto width = static_cast<std::size_t>(shape.width), count = indices.size();
  stream.clear(std::as_writable_bytes(std::span(table, static_cast<std::size_t>(shape.rows) * width)));
  if (count * width == 0) return;
  std::int64_t *sorted = numbers, *merged = numbers + count;
  launch("cuda::scatter_add", stream.handle(), launch_for(count), enumerate_kernel, sorted, count);
  for (std::size_t run = 1; run < count; run *= 2) {
    launch("cuda::scatter_add", stream.handle(), launch_for(count), merge_kernel, indices.data(), sorted, merged, count,
           static_cast<std::int64_t>(run));
    std::swap(sorted, merged);
  }
  const SortedUpdates by{indices.data(), sorted, updates, static_cast<std::int64_t>(count)};
  launch("cuda::scatter_add", stream.handle(), launch_for(count * width), scatter_add_kernel, shape, by, table,
         lane_ends, refused);
}

void copy_columns(Stream& stream, std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride,
                  float* to, std::int64_t to_stride) {
  const auto size = static_cast<std::size_t>(rows * width);
  if (size == 0) return;
  launch("cuda::copy_columns", stream.handle(), launch_for(size), copy_columns_kernel, width, from, from_stride, to,
         to_stride, size);
}

void reverse(Stream& stream, std::int64_t rows, std::int64_t length, std::int64_t width, const float* from, float* to) {
  const auto size = static_cast<std::size_t>(rows * length * width);
  if (size == 0) return;
  launch("cuda::reverse", stream.handle(), launch_for(size), reverse_kernel, length, width, from, to, size);
}

}  // namespace carrack::train::cuda
