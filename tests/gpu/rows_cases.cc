// Rows of tables, and parts of rows: their bits must be those of the CPU.
#include <algorithm>
#include <utility>

#include "tests/gpu/bits.h"
#include "tests/gpu/cases.h"
#include "tests/trainer/kernels/naive.h"
#include "trainer/kernels/rows.h"

namespace carrack::gpu_test {
namespace {

using namespace train;

// Of the rows of a table: the first ones often, some never.
std::vector<std::int64_t> indices_of(std::int64_t rows, std::size_t size) {
  std::vector<std::int64_t> indices(size);
  std::uint32_t state = 1;
  for (std::int64_t& index : indices) {
    state = state * 1664525u + 1013904223u;
    const std::int64_t limit = (state >> 8) % 3 == 0 ? std::min<std::int64_t>(rows, 2) : rows;
    index = static_cast<std::int64_t>(state >> 12) % limit;
  }
  return indices;
}

std::string text_of(Table shape, std::size_t indices) {
  return std::to_string(indices) + " of " + std::to_string(shape.rows) + "x" + std::to_string(shape.width);
}

std::vector<float> table_of(Table shape) {
  return naive::numbers(static_cast<std::size_t>(shape.rows * shape.width), 1);
}

struct Lookup {
  Table shape;
  std::size_t indices;
};
constexpr Lookup lookups[] = {{{1, 1}, 0},   {{3, 0}, 7},     {{1, 1}, 1},     {{1, 3}, 33},
                              {{5, 7}, 100}, {{300, 2}, 257}, {{70, 33}, 300}, {{1 << 12, 1}, 1000}};

void check_gather(Table shape, std::size_t count) {
  cuda::Stream stream;
  const std::vector<float> table = table_of(shape);
  const std::vector<std::int64_t> indices = indices_of(shape.rows, count);
  std::vector<float> expected(count * static_cast<std::size_t>(shape.width));
  cpu::gather(shape, table.data(), indices, expected.data());
  const cuda::Buffer device_table(table);
  const cuda::Array<std::int64_t> device_indices{std::span(indices)};
  cuda::Array<Refused> refused{std::vector<Refused>(1)};
  cuda::Buffer gathered(expected.size());
  cuda::gather(stream, shape, device_table.data(), span_of(device_indices), gathered.data(), refused.data());
  stream.wait();
  check_bits("gather", text_of(shape, count), gathered, expected);
  check(value_of(refused).found == 0, "gather refused an index of " + text_of(shape, count));
}

void gathered_rows_are_those_of_the_table() {
  for (const auto& [shape, count] : lookups) check_gather(shape, count);
}

void more_elements_than_a_grid_has_threads_are_gathered() {
  check_gather({3, 800}, 700);
}

// Adds to the table on the device, and returns what it refused.
Refused scatter_on_device(Table shape, const std::vector<std::int64_t>& indices, const std::vector<float>& updates,
                          cuda::Buffer& table, const std::vector<std::int64_t>& rows, std::int64_t per_row) {
  cuda::Stream stream;
  const cuda::Array<std::int64_t> device_indices{std::span(indices)}, device_rows{std::span(rows)};
  const cuda::Buffer device_updates(updates);
  cuda::Array<std::int64_t> numbers(cuda::scatter_add_numbers(indices.size()));
  cuda::Array<Refused> refused{std::vector<Refused>(1)};
  cuda::scatter_add(stream, shape, span_of(device_indices), device_updates.data(), table.data(),
                    {span_of(device_rows), per_row}, numbers.data(), refused.data());
  stream.wait();
  return value_of(refused);
}

void scattered_updates_give_the_bits_of_the_cpu() {
  std::vector<std::int64_t> by_index;
  for (const auto& [shape, count] : lookups) {
    const std::vector<std::int64_t> indices = indices_of(shape.rows, count);
    std::vector<float> updates = naive::numbers(count * static_cast<std::size_t>(shape.width), 2);
    if (updates.size() > 5) updates[5] = -0.0f;
    const std::int64_t per_row = count % 4 == 0 ? 4 : 1;
    for (const auto& rows : lane_ends_of(static_cast<std::int64_t>(count) / per_row)) {
      std::vector<float> expected = table_of(shape);
      cuda::Buffer table(expected);
      cpu::scatter_add(shape, indices, updates.data(), expected.data(), LaneEnds(rows, per_row), by_index);
      const Refused refused = scatter_on_device(shape, indices, updates, table, rows, per_row);
      const std::string of = text_of(shape, count) + " in " + std::to_string(rows.size()) + " lanes";
      check_bits("scatter_add", of, table, expected);
      check(refused.found == 0, "scatter_add refused an index of " + of);
    }
  }
}

void indices_outside_of_the_table_are_refused() {
  cuda::Stream stream;
  const Table shape{5, 3};
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{5}, std::int64_t{1} << 62, -(std::int64_t{1} << 62)}) {
    std::vector<std::int64_t> indices = indices_of(shape.rows, 100);
    indices[37] = indices[99] = bad;
    const std::vector<float> updates = naive::numbers(300, 2);
    cuda::Buffer table(table_of(shape)), gathered(300);
    const cuda::Array<std::int64_t> device_indices{std::span<const std::int64_t>(indices)};
    cuda::Array<Refused> refused{std::vector<Refused>(1)};
    cuda::gather(stream, shape, table.data(), span_of(device_indices), gathered.data(), refused.data());
    stream.wait();
    const Refused by_gather = value_of(refused);
    check(by_gather.found != 0 && by_gather.integer == bad, "gather took " + std::to_string(bad));
    const Refused by_scatter = scatter_on_device(shape, indices, updates, table, {}, 1);
    check(by_scatter.found != 0 && by_scatter.integer == bad, "scatter_add took " + std::to_string(bad));
  }
}

void copied_columns_are_those_of_the_cpu() {
  cuda::Stream stream;
  struct Copied {
    std::int64_t rows, width, from_stride, to_stride;
  };
  for (const auto& [rows, width, from_stride, to_stride] :
       {Copied{0, 3, 3, 3}, Copied{3, 0, 1, 2}, Copied{1, 1, 1, 1}, Copied{7, 5, 5, 9}, Copied{101, 33, 40, 33},
        Copied{300, 2, 3, 7}}) {
    const std::vector<float> from = naive::numbers(static_cast<std::size_t>(rows * from_stride), 1);
    std::vector<float> expected = naive::numbers(static_cast<std::size_t>(rows * to_stride), 2);
    const cuda::Buffer device_from(from);
    cuda::Buffer to(expected);
    cpu::copy_columns(rows, width, from.data(), from_stride, expected.data(), to_stride);
    cuda::copy_columns(stream, rows, width, device_from.data(), from_stride, to.data(), to_stride);
    stream.wait();
    check_bits("copy_columns", std::to_string(rows) + " rows of " + std::to_string(width), to, expected);
  }
}

void reversed_rows_go_the_other_way() {
  cuda::Stream stream;
  struct Reversed {
    std::int64_t rows, length, width;
  };
  for (const auto& [rows, length, width] : {Reversed{0, 3, 2}, Reversed{1, 0, 2}, Reversed{1, 1, 1}, Reversed{1, 7, 3},
                                            Reversed{5, 2, 33}, Reversed{100, 3, 1}}) {
    const std::vector<float> from = naive::numbers(static_cast<std::size_t>(rows * length * width), 1);
    std::vector<float> expected(from.size());
    const std::int64_t stride = length * width;
    for (std::int64_t i = 0; i < length; ++i) {
      cpu::copy_columns(rows, width, from.data() + i * width, stride, expected.data() + (length - 1 - i) * width,
                        stride);
    }
    const cuda::Buffer device_from(from);
    cuda::Buffer to(from.size());
    cuda::reverse(stream, rows, length, width, device_from.data(), to.data());
    stream.wait();
    check_bits("reverse", std::to_string(rows) + " rows of " + std::to_string(length), to, expected);
  }
}

}  // namespace

std::vector<Case> rows_cases() {
  return {
      {"gathered_rows_are_those_of_the_table", gathered_rows_are_those_of_the_table},
      {"more_elements_than_a_grid_has_threads_are_gathered", more_elements_than_a_grid_has_threads_are_gathered},
      {"scattered_updates_give_the_bits_of_the_cpu", scattered_updates_give_the_bits_of_the_cpu},
      {"indices_outside_of_the_table_are_refused", indices_outside_of_the_table_are_refused},
      {"copied_columns_are_those_of_the_cpu", copied_columns_are_those_of_the_cpu},
      {"reversed_rows_go_the_other_way", reversed_rows_go_the_other_way},
  };
}

}  // namespace carrack::gpu_test
