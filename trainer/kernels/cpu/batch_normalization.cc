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

struct Chunk {
  std::int64_t lane;
  Range rows;
};

// Working memory, which the calling thread keeps. All arrays but the first two have an element for each column of each
// lane.
struct Memory {
  std::vector<Chunk> chunks;           // of all lanes, in order
  std::vector<double> sums_of_chunks;  // of each chunk, one or two sums for each column
  std::vector<double> means, variances;
  std::vector<float> rounded_means, inverses, mean_changes, shares;
};

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

// One call of batch_normalization() or its gradient.
class Call {
 public:
  Call(const BatchNormalization& by, ThreadPool* threads)
      : by_(by), width_(by.shape.width), threads_(threads), memory_(memory_of_thread()) {
    by.lane_ends.require(by.shape.rows);
    memory_.chunks.clear();
    for (std::int64_t lane = 0; lane < by.lanes(); ++lane) {
      const Range rows = rows_of(lane);
      for (std::int64_t begin = rows.begin; begin < rows.end; begin += normalization_chunk_rows) {
        memory_.chunks.push_back({lane, {begin, std::min(begin + normalization_chunk_rows, rows.end)}});
      }
    }
  }

  // Computes the means and variances of all columns of all lanes, and by what they are normalized. Those of lanes
  // without rows have no meaning.
  void find_moments(const float* x) {
    const std::size_t size = columns_of_lanes();
    memory_.means.resize(size);
    memory_.variances.resize(size);
    memory_.rounded_means.resize(size);
    memory_.inverses.resize(size);
    find_means(1, {memory_.means.data()},
               [=, this](std::int64_t at, std::int64_t, double* sums) { add(width_, x + at, sums); });
    find_means(1, {memory_.variances.data()}, [=, this](std::int64_t at, std::int64_t lane, double* sums) {
      add_squares(width_, x + at, memory_.means.data() + lane, sums);
    });
    for (std::size_t i = 0; i < size; ++i) {
      memory_.rounded_means[i] = static_cast<float>(memory_.means[i]);
      memory_.inverses[i] = static_cast<float>(1 / std::sqrt(memory_.variances[i] + by_.epsilon));
    }
  }

  void normalize(const float* x, float* normalized) {
    for_each_row([=, this](std::int64_t at, std::int64_t lane) {
      const float *const means = memory_.rounded_means.data() + lane, *const inverses = memory_.inverses.data() + lane;
      for (std::int64_t i = 0; i < width_; ++i) normalized[at + i] = normalized_of(x[at + i], means[i], inverses[i]);
    });
  }

  // After find_moments(): adds up means and variances, each times the records of the lane, along the tree of lanes.
  void add_up(Moments moments) {
    std::vector<float>&means = memory_.mean_changes, &variances = memory_.shares;
    means.resize(columns_of_lanes());
    variances.resize(columns_of_lanes());
    for (std::int64_t lane = 0; lane < by_.lanes(); ++lane) {
      const std::int64_t rows = rows_of(lane).size();
      const auto records = static_cast<double>(rows / by_.rows_per_record);
      const auto begin = static_cast<std::size_t>(lane * width_), end = begin + static_cast<std::size_t>(width_);
      for (std::size_t i = begin; i < end; ++i) {
        means[i] = rows == 0 ? 0.0f : static_cast<float>(memory_.means[i] * records);
        variances[i] = rows == 0 ? 0.0f : static_cast<float>(memory_.variances[i] * records);
      }
    }
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

  // After find_moments().
  void find_gradient(const float* of_normalized, const float* x, float* of_x) {
    const float *const means = memory_.rounded_means.data(), *const inverses = memory_.inverses.data();
    // The means and variances are not needed any more.
    find_means(2, {memory_.means.data(), memory_.variances.data()},
               [=, this](std::int64_t at, std::int64_t lane, double* sums) {
                 add(width_, of_normalized + at, sums);
                 add_products(width_, of_normalized + at, x + at, means + lane, inverses + lane, sums + width_);
               });
    memory_.mean_changes.assign(memory_.means.begin(), memory_.means.end());
    memory_.shares.assign(memory_.variances.begin(), memory_.variances.end());
    const float *const mean_changes = memory_.mean_changes.data(), *const shares = memory_.shares.data();
    for_each_row([=, this](std::int64_t at, std::int64_t lane) {
      for (std::int64_t i = 0; i < width_; ++i) {
        const float normalized = normalized_of(x[at + i], means[lane + i], inverses[lane + i]);
        of_x[at + i] = gradient_before_normalization(inverses[lane + i], of_normalized[at + i], mean_changes[lane + i],
                                                     normalized, shares[lane + i]);
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

  // Calls function(chunk number) for all chunks, divided among threads.
  template <class Function>
  void for_each_chunk(const Function& function) {
    divide(threads_, std::ssize(memory_.chunks), by_.shape.rows * width_, [&](Range range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) function(static_cast<std::size_t>(i));
    });
  }

  // Calls function(at, lane) for each row: the indices of its first element, and of the first column of its lane.
  template <class Function>
  void for_each_row(const Function& function) {
    for_each_chunk([&](std::size_t number) {
      const Chunk& chunk = memory_.chunks[number];
      for (std::int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) {
        function(row * width_, chunk.lane * width_);
      }
    });
  }

  // Writes the means over the rows of each lane, for each column, to `count` arrays. add_row(at, lane, sums) adds a row
  // to the sums of its chunk, which has `count` sums for each column.
  template <class AddRow>
  void find_means(std::size_t count, std::initializer_list<double*> means, const AddRow& add_row) {
    const std::size_t of_chunk = count * static_cast<std::size_t>(width_);
    memory_.sums_of_chunks.assign(memory_.chunks.size() * of_chunk, 0.0);
    double* const all_sums = memory_.sums_of_chunks.data();
    for_each_chunk([&](std::size_t number) {
      const Chunk& chunk = memory_.chunks[number];
      double* const sums = all_sums + number * of_chunk;
      for (std::int64_t row = chunk.rows.begin; row < chunk.rows.end; ++row) {
        add_row(row * width_, chunk.lane * width_, sums);
      }
    });
    const double* sums = all_sums;
    for (double* const array : means) std::fill_n(array, columns_of_lanes(), 0.0);
    for (const Chunk& chunk : memory_.chunks) {
      for (double* const array : means) {
        add(width_, sums, array + chunk.lane * width_);
        sums += width_;
      }
    }
    for (std::int64_t lane = 0; lane < by_.lanes(); ++lane) {
      const auto rows = static_cast<double>(rows_of(lane).size());
      for (double* const array : means) {
        for (std::int64_t i = 0; i < width_; ++i) array[lane * width_ + i] /= rows;
      }
    }
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
