// bench_recurrent lstm|gru ROWS STEPS INPUTS UNITS THREADS: our recurrent kernels, forward and backward.
// Prints the sequences of the fastest of some turns, in sequences a second; what its parts took; and the sums of the
// squares of its states and of its gradients of weights, so that the peer can be seen to compute the same.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "trainer/kernels/recurrent.h"
#include "trainer/kernels/sums.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train {
namespace {

constexpr int turns = 30;

struct Times {
  double forward_ms = 1e9, backward_ms = 1e9, weights_ms = 1e9, all_ms = 1e9;
};

template <class Function>
double milliseconds(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Layer {
  RecurrentShape shape;
  std::int64_t gates;
  cpu::ThreadPool* threads;
  std::int64_t all_steps = shape.rows * shape.steps, width = gates * shape.units;

  static std::vector<float> floats(std::int64_t rows, std::int64_t columns, float factor = 1) {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = factor * (static_cast<float>(i * 7 % 17) * 0.02f - 0.16f);
    return values;
  }

  std::vector<float> x = floats(all_steps, shape.inputs), w = floats(shape.inputs, width);
  std::vector<float> r = floats(shape.units, width, 8.0f / static_cast<float>(shape.units)), bias = floats(1, width),
                     of_y = floats(all_steps, shape.units);
  std::vector<float> y = of_y, cells = of_y, joined = floats(all_steps, 1 + shape.inputs + shape.units);
  std::vector<float> activated = floats(all_steps, width), of_sums = activated, of_state_sums = activated;
  std::vector<float> of_weights = floats(1 + shape.units + (gates == 4 ? shape.inputs : 0), width);
  std::vector<float> of_w = gates == 4 ? std::vector<float>() : w, of_bias = gates == 4 ? std::vector<float>() : bias;

  void forward() {
    const cpu::RecurrentOptions options{.threads = threads};
    if (gates == 4) {
      cpu::lstm(shape, {x.data(), w.data(), r.data(), bias.data(), y.data(), cells.data(), activated.data()}, options);
    } else {
      cpu::gru(shape,
               {x.data(), w.data(), r.data(), bias.data(), bias.data(), y.data(), activated.data(), cells.data()},
               options);
    }
  }

  void backward() {
    const cpu::RecurrentOptions options{.threads = threads};
    if (gates == 4) {
      cpu::lstm_gradient(shape, {of_y.data(), cells.data(), activated.data(), r.data(), of_sums.data()}, options);
    } else {
      cpu::gru_gradient(
          shape,
          {of_y.data(), y.data(), activated.data(), cells.data(), r.data(), of_sums.data(), of_state_sums.data()},
          options);
    }
  }

  void weights() {
    const cpu::GemmOptions options{.threads = threads};
    if (gates == 4) {
      const std::int64_t terms = 1 + shape.inputs + shape.units;
      cpu::step_inputs(shape, x.data(), y.data(), joined.data(), threads);
      cpu::gemm({.transpose_a = true, .m = terms, .n = width, .k = all_steps}, joined.data(), of_sums.data(),
                of_weights.data(), options);
    } else {
      cpu::gemm({.transpose_a = true, .m = shape.inputs, .n = width, .k = all_steps}, x.data(), of_sums.data(),
                of_w.data(), options);
      cpu::reduce_sum({1, all_steps, width}, of_sums.data(), of_bias.data());
      RecurrentShape state = shape;
      state.inputs = 0;
      cpu::step_inputs(state, nullptr, y.data(), joined.data(), threads);
      cpu::gemm({.transpose_a = true, .m = 1 + shape.units, .n = width, .k = all_steps}, joined.data(),
                of_state_sums.data(), of_weights.data(), options);
    }
  }
};

double sum_of_squares(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  return sum;
}

Times measured(Layer& layer) {
  Times best;
  for (int i = 0; i < turns; ++i) {
    Times turn;
    turn.all_ms = milliseconds([&] {
      turn.forward_ms = milliseconds([&] { layer.forward(); });
      turn.backward_ms = milliseconds([&] { layer.backward(); });
      turn.weights_ms = milliseconds([&] { layer.weights(); });
    });
    if (turn.all_ms < best.all_ms) best = turn;
  }
  return best;
}

}  // namespace
}  // namespace carrack::train

int main(int argc, char** argv) {
  const std::string_view kind = argc == 7 ? argv[1] : "";
  if (kind != "lstm" && kind != "gru") {
    std::fputs("usage: bench_recurrent lstm|gru ROWS STEPS INPUTS UNITS THREADS\n", stderr);
    return 2;
  }
  carrack::train::cpu::ThreadPool threads(std::atoi(argv[6]));
  carrack::train::Layer layer{
      .shape = {std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5])},
      .gates = kind == "lstm" ? 4 : 3,
      .threads = threads.threads() > 1 ? &threads : nullptr};
  const carrack::train::Times times = carrack::train::measured(layer);
  using carrack::train::sum_of_squares;
  const double of_weights =
      sum_of_squares(layer.of_weights) + sum_of_squares(layer.of_w) + sum_of_squares(layer.of_bias);
  std::printf("%.1f forward_ms=%.3f backward_ms=%.3f weights_ms=%.3f states=%.9g gradients=%.9g\n",
              1000 * static_cast<double>(layer.shape.rows) / times.all_ms, times.forward_ms, times.backward_ms,
              times.weights_ms, sum_of_squares(layer.y), of_weights);
  return 0;
}
