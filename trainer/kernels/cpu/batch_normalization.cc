#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "trainer/kernels/elementwise.h"
#include "trainer/kernels/normalization.h"
#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {
namespace {

// Some rows of one lane. Each chunk is summed separately, and the sums of chunks are then added in order. So threads
// can share a lane, and the bits of its sum do not depend on their number.
struct Chunk {
  std::int64_t lane;
  Range rows;
};

// Working memory, which a thread reuses in each call, so that most calls allocate nothing. All arrays but the first two
// have an element for each column of each lane. rounded_means and inverses normalize the elements. mean_changes and
// shares are means for the gradient; add_up() uses the same memory for its sums.
struct Memory {
  std::vector<Chunk> chunks;           // of all lanes, in order
  std::vector<double> sums_of_chunks;  // of each chunk, one or two sums for each column
  std::vector<double> means, variances;
  std::vector<float> rounded_means, inverses, mean_changes, shares;
};

// Resizes the array. If it must grow, frees the old memory first, and then allocates exactly `size` elements: resize()
// alone would need both at the same time, and may reserve more.
template <class T>
void make_room(std::vector<T>& array, std::size_t size) {
  if (array.capacity() < size) array = std::vector<T>();
  array.resize(size);
}

// If there are fewer chunks than threads, several threads divide the columns of a chunk into blocks of at least this
// many. 16 floats fill a cache line of 64 bytes, so threads rarely write to the same line, which would be slow.
constexpr std::int64_t block_columns = 16;

void add(std::int64_t width, const double* __restrict more, double* __restrict sums) {
  for (std::int64_t i = 0; i < width; ++i) sums[i] += more[i];
}

void add(std::int64_t width, const float* __restrict more, double* __restrict sums) {
  for (std::int64_t i = 0; i < width; ++i) sums[i] += double{more[i]};
}

void add_squares(std::int64_t width, const float* __restrict x, const double* __restrict means,
                 double* __restrict sums) {
  for (std::int64_t i = 0; i < width; ++i) {
    const double difference = x[i] - means[i];
    sums[i] += difference * difference;
  }
}

void add_products(std::int64_t width, const float* __restrict of_normalized, const float* __restrict x,
                  const float* __restrict means, const float* __restrict inverses, double* __restrict sums) {
  for (std::int64_t i = 0; i < width; ++i) {
    sums[i] += double{of_normalized[i]} * double{normalized_of(x[i], means[i], inverses[i])};
  }
}

// Where a kernel reads and writes some columns of a row of a chunk.
struct Place {
  std::int64_t at;        // index of the first of these columns in the table
  std::int64_t in_lanes;  // index of the same column in the arrays of Memory
  double* sums;           // the sums of the chunk, from the same column on
  std::int64_t columns;
};

// One call of batch_normalization() or its gradient.
class Call {
 public:
  Call(const BatchNormalization& by, ThreadPool* threads)
      : by_(by), width_(by.shape.width), threads_(threads), memory_(memory_of_thread()) {
    by.lane_ends.require(by.shape.rows);
    memory_.chunks.clear();
    memory_.chunks.reserve(
        static_cast<std::size_t>(by.shape.rows / normalization_chunk_rows + std::min(by.lanes(), by.shape.rows)));
    for (std::int64_t lane = 0; lane < by.lanes(); ++lane) {
      const Range rows = rows_of(lane);
      for (std::int64_t begin = rows.begin; begin < rows.end; begin += normalization_chunk_rows) {
        memory_.chunks.push_back({lane, {begin, std::min(begin + normalization_chunk_rows, rows.end)}});
      }
    }
  }

  // Computes the mean and variance of each column of each lane, and from them rounded_means and inverses. For a lane
  // without rows the results are NaN, which no other function uses.
  void find_moments(const float* x) {
    for (auto* array : {&memory_.means, &memory_.variances}) make_room(*array, columns_of_lanes());
    for (auto* array : {&memory_.rounded_means, &memory_.inverses}) make_room(*array, columns_of_lanes());
    find_means(1, {memory_.means.data()}, [=](const Place& row) { add(row.columns, x + row.at, row.sums); });
    const double* const means = memory_.means.data();
    find_means(1, {memory_.variances.data()},
               [=](const Place& row) { add_squares(row.columns, x + row.at, means + row.in_lanes, row.sums); });
    for_each_lane_column([this](std::size_t i) {
      memory_.rounded_means[i] = static_cast<float>(memory_.means[i]);
      memory_.inverses[i] = static_cast<float>(1 / std::sqrt(memory_.variances[i] + by_.epsilon));
    });
  }

  void normalize(const float* x, float* normalized) {
    const float *const all_means = memory_.rounded_means.data(), *const all_inverses = memory_.inverses.data();
    for_each_row(0, [=](const Place& row) {
      const float *const means = all_means + row.in_lanes, *const inverses = all_inverses + row.in_lanes;
      for (std::int64_t i = 0; i < row.columns; ++i) {
        normalized[row.at + i] = normalized_of(x[row.at + i], means[i], inverses[i]);
      }
    });
  }

  // Call it after find_moments(). Multiplies the mean and variance of each lane by its number of records, and adds the
  // products along the fixed tree of lanes (lanes.h), whose order is the same for any number of workers.
  void add_up(Moments moments) {
    std::vector<float>&means = memory_.mean_changes, &variances = memory_.shares;
    make_room(means, columns_of_lanes());
    make_room(variances, columns_of_lanes());
    for_each_lane_column([&](std::size_t i) {
      const std::int64_t rows = rows_of(static_cast<std::int64_t>(i) / width_).size();
      const auto records = static_cast<double>(rows / by_.rows_per_record);
      means[i] = rows == 0 ? 0.0f : static_cast<float>(memory_.means[i] * records);
      variances[i] = rows == 0 ? 0.0f : static_cast<float>(memory_.variances[i] * records);
    });
    const auto width = static_cast<std::size_t>(width_), size = columns_of_lanes();
    for (std::size_t step = width; step < size; step *= 2) {
      for (std::size_t first = 0; first + step < size; first += 2 * step) {
        accumulate(std::span(means).subspan(first, width), std::span(means).subspan(first + step, width));
        accumulate(std::span(variances).subspan(first, width), std::span(variances).subspan(first + step, width));
      }
    }
    std::copy_n(means.begin(), width, moments.means);
    std::copy_n(variances.begin(), width, moments.variances);
  }

  // Call it after find_moments(). Computes the gradient of x from the gradient of the normalized elements.
  void find_gradient(const float* of_normalized, const float* x, float* of_x) {
    const float *const means = memory_.rounded_means.data(), *const inverses = memory_.inverses.data();
    // The gradient needs only rounded_means and inverses. So `means` and `variances` are free for its own two means.
    find_means(2, {memory_.means.data(), memory_.variances.data()}, [=, this](const Place& row) {
      add(row.columns, of_normalized + row.at, row.sums);
      add_products(row.columns, of_normalized + row.at, x + row.at, means + row.in_lanes, inverses + row.in_lanes,
                   row.sums + width_);
    });
    make_room(memory_.mean_changes, columns_of_lanes());
    make_room(memory_.shares, columns_of_lanes());
    for_each_lane_column([this](std::size_t i) {
      memory_.mean_changes[i] = static_cast<float>(memory_.means[i]);
      memory_.shares[i] = static_cast<float>(memory_.variances[i]);
    });
    const float *const mean_changes = memory_.mean_changes.data(), *const shares = memory_.shares.data();
    for_each_row(0, [=](const Place& row) {
      for (std::int64_t i = 0; i < row.columns; ++i) {
        const std::int64_t at = row.at + i, in_lanes = row.in_lanes + i;
        const float normalized = normalized_of(x[at], means[in_lanes], inverses[in_lanes]);
        of_x[at] = gradient_before_normalization(inverses[in_lanes], of_normalized[at], mean_changes[in_lanes],
                                                 normalized, shares[in_lanes]);
      }
    });
  }

 private:
  static Memory& memory_of_thread() {
    static thread_local Memory memory;
    return memory;
  }

  Range rows_of(std::int64_t lane) const {
    if (by_.lane_ends.empty()) return {0, by_.shape.rows};
    const auto number = static_cast<std::size_t>(lane);
    return {lane == 0 ? 0 : by_.lane_ends[number - 1], by_.lane_ends[number]};
  }

  std::size_t columns_of_lanes() const { return static_cast<std::size_t>(by_.lanes() * width_); }

  // Calls function(i) for all indices of the arrays [lanes, columns] in Memory, divided among threads.
  template <class Function>
  void for_each_lane_column(const Function& function) {
    const auto size = static_cast<std::int64_t>(columns_of_lanes());
    parallel_for(threads_, size, size, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) function(static_cast<std::size_t>(i));
    });
  }

  // Calls function(place) for all rows of all chunks. Divides the chunks among threads, and also their columns if there
  // are few chunks. `sums` is the number of sums that a chunk has for each column in sums_of_chunks; 0 if the function
  // does not use them.
  template <class Function>
  void for_each_row(std::int64_t sums, const Function& function) {
    const std::int64_t chunks = std::ssize(memory_.chunks);
    if (chunks == 0 || width_ == 0) return;
    const std::int64_t threads = threads_ == nullptr ? 1 : threads_->threads();
    const std::int64_t blocks =
        std::clamp<std::int64_t>(threads / chunks, 1, std::max<std::int64_t>(1, width_ / block_columns));
    parallel_for(threads_, chunks * blocks, by_.shape.rows * width_, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const std::int64_t number = i / blocks;
        const Range columns = equal_part(width_, blocks, i % blocks);
        const Chunk& chunk = memory_.chunks[static_cast<std::size_t>(number)];
        double* const of_chunk = memory_.sums_of_chunks.data() + number * sums * width_ + columns.begin;
        for (std::int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) {
          function(Place{row * width_ + columns.begin, chunk.lane * width_ + columns.begin, of_chunk, columns.size()});
        }
      }
    });
  }

  // Computes `count` means over the rows of each lane, for each column, and writes each to one of the arrays `means`.
  // add_row(place) adds a row to the sums of its chunk, which has `count` sums for each column.
  template <class AddRow>
  void find_means(std::int64_t count, std::initializer_list<double*> means, const AddRow& add_row) {
    make_room(memory_.sums_of_chunks, memory_.chunks.size() * static_cast<std::size_t>(count * width_));
    std::ranges::fill(memory_.sums_of_chunks, 0.0);
    for_each_row(count, add_row);
    const std::int64_t chunks = std::ssize(memory_.chunks);
    parallel_for(threads_, width_, chunks * count * width_, [&](Range columns) {
      for (double* const array : means) {
        for (std::int64_t lane = 0; lane < by_.lanes(); ++lane) {
          std::fill_n(array + lane * width_ + columns.begin, columns.size(), 0.0);
        }
      }
      const double* sums = memory_.sums_of_chunks.data() + columns.begin;
      for (const Chunk& chunk : memory_.chunks) {
        for (double* const array : means) {
          add(columns.size(), sums, array + chunk.lane * width_ + columns.begin);
          sums += width_;
        }
      }
    });
    for_each_lane_column([&](std::size_t i) {
      const auto rows = static_cast<double>(rows_of(static_cast<std::int64_t>(i) / width_).size());
      for (double* const array : means) array[i] /= rows;
    });
  }

  const BatchNormalization& by_;
  std::int64_t width_;
  ThreadPool* threads_;
  Memory& memory_;
};

}  // namespace

void batch_normalization(const BatchNormalization& by, const float* x, float* normalized, Moments moments,
                         ThreadPool* threads) {
  Call call(by, threads);
  call.find_moments(x);
  call.normalize(x, normalized);
  call.add_up(moments);
}

void batch_normalization_gradient(const BatchNormalization& by, const float* of_normalized, const float* x, float* of_x,
                                  ThreadPool* threads) {
  Call call(by, threads);
  call.find_moments(x);
  call.find_gradient(of_normalized, x, of_x);
}

}  // namespace carrack::train::cpu
