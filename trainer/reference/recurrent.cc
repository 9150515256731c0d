#include "trainer/reference/recurrent.h"

#include <algorithm>
#include <cmath>

#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// Returns one column of h R, the product of the last output h and the recurrent weights R. R is [units, gates * units],
// so a column is a unit of a gate.
double state_sum(const Doubles& h, const Doubles& r, std::size_t column) {
  const std::size_t width = r.size() / h.size();
  double sum = 0;
  for (std::size_t i = 0; i < h.size(); ++i) sum += h[i] * r[i * width + column];
  return sum;
}

struct Sizes {
  std::size_t rows, steps, units;
  std::size_t width;  // number of columns of all gates together
};

// Returns the sizes of a layer from the shape of its output Y.
Sizes sizes_of(const Shape& y, std::size_t gates) {
  const auto units = static_cast<std::size_t>(y[2]);
  return {static_cast<std::size_t>(y[0]), static_cast<std::size_t>(y[1]), units, gates * units};
}

// Returns b + x W of all steps of a row: the part of the sums of all gates that does not depend on earlier steps.
Doubles input_sums_of(const Call& call, const Sizes& sizes, std::size_t row) {
  const Doubles &x = call.in(0), &w = call.in(1), &bias = call.in(3);
  const std::size_t inputs = w.size() / sizes.width;
  Doubles sums;
  for (std::size_t step = row * sizes.steps; step < (row + 1) * sizes.steps; ++step) {
    for (std::size_t column = 0; column < sizes.width; ++column) {
      double sum = bias[column];
      for (std::size_t i = 0; i < inputs; ++i) sum += x[step * inputs + i] * w[i * sizes.width + column];
      sums.push_back(sum);
    }
  }
  return sums;
}

// Writes `part` to one row of `all`, [rows, ...].
void write_row(const Doubles& part, std::size_t row, Doubles& all) {
  std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(row * part.size()));
}

void lstm_layer(const Call& call) {
  const Sizes sizes = sizes_of(call.out_shape(), 4);
  for (std::size_t row = 0; row < sizes.rows; ++row) {
    const Sequence of_row = lstm(sizes.units, input_sums_of(call, sizes, row), call.in(2));
    write_row(of_row.y, row, call.out(0));
    write_row(of_row.gates, row, call.out(1));
    write_row(of_row.extra, row, call.out(2));
  }
}

void gru_layer(const Call& call) {
  const Sizes sizes = sizes_of(call.out_shape(), 3);
  Doubles state_biases;
  for (std::size_t step = 0; step < sizes.steps; ++step) {
    state_biases.insert(state_biases.end(), call.in(4).begin(), call.in(4).end());
  }
  for (std::size_t row = 0; row < sizes.rows; ++row) {
    const Sequence of_row = gru(sizes.units, input_sums_of(call, sizes, row), state_biases, call.in(2));
    write_row(of_row.y, row, call.out(0));
    write_row(of_row.gates, row, call.out(1));
    write_row(of_row.extra, row, call.out(2));
  }
}

// Returns the gradient of h from the gradients of the next step's sums: their product with R transposed.
Doubles gradient_of_state(const double* of_sums, const Doubles& r, const Sizes& sizes) {
  Doubles of_h(sizes.units);
  for (std::size_t i = 0; i < sizes.units; ++i) {
    for (std::size_t column = 0; column < sizes.width; ++column) {
      of_h[i] += of_sums[column] * r[i * sizes.width + column];
    }
  }
  return of_h;
}

// Input 0 is the gradient of the output Y, 1 the gates of all steps, 2 the cells, and 3 the recurrent weights R.
void lstm_gradient(const Call& call) {
  const Sizes sizes = sizes_of(call.in_shape(0), 4);
  const std::size_t units = sizes.units;
  for (std::size_t row = 0; row < sizes.rows; ++row) {
    Doubles of_h(units), of_c(units);
    for (std::size_t step = sizes.steps; step-- > 0;) {
      const std::size_t at = row * sizes.steps + step;
      const double* const gates = &call.in(1)[at * sizes.width];
      double* const of_sums = &call.out()[at * sizes.width];
      for (std::size_t j = 0; j < units; ++j) {
        const double i = gates[j], f = gates[units + j], g = gates[2 * units + j], o = gates[3 * units + j];
        const double shown = std::tanh(call.in(2)[at * units + j]);
        const double before = step == 0 ? 0 : call.in(2)[(at - 1) * units + j];
        const double of_state = call.in(0)[at * units + j] + of_h[j];
        const double of_cell = of_c[j] + of_state * o * (1 - shown * shown);
        of_sums[j] = of_cell * g * i * (1 - i);
        of_sums[units + j] = of_cell * before * f * (1 - f);
        of_sums[2 * units + j] = of_cell * i * (1 - g * g);
        of_sums[3 * units + j] = of_state * shown * o * (1 - o);
        of_c[j] = of_cell * f;
      }
      of_h = gradient_of_state(of_sums, call.in(3), sizes);
    }
  }
}

// Input 0 is the gradient of the output Y, 1 the gates of all steps, 2 the sums h R + bias of the gate n, 3 Y, and 4
// the recurrent weights R.
void gru_gradient(const Call& call) {
  const Sizes sizes = sizes_of(call.in_shape(0), 3);
  const std::size_t units = sizes.units;
  for (std::size_t row = 0; row < sizes.rows; ++row) {
    Doubles of_h(units);
    for (std::size_t step = sizes.steps; step-- > 0;) {
      const std::size_t at = row * sizes.steps + step;
      const double* const gates = &call.in(1)[at * sizes.width];
      double *const of_sums = &call.out(0)[at * sizes.width], *const of_state_sums = &call.out(1)[at * sizes.width];
      Doubles passed(units);
      for (std::size_t j = 0; j < units; ++j) {
        const double z = gates[j], reset = gates[units + j], n = gates[2 * units + j];
        const double before = step == 0 ? 0 : call.in(3)[(at - 1) * units + j];
        const double of_y = call.in(0)[at * units + j] + of_h[j];
        const double of_n = of_y * (1 - z) * (1 - n * n);
        of_sums[j] = of_state_sums[j] = of_y * (before - n) * z * (1 - z);
        of_sums[units + j] = of_state_sums[units + j] = of_n * call.in(2)[at * units + j] * reset * (1 - reset);
        of_sums[2 * units + j] = of_n;
        of_state_sums[2 * units + j] = of_n * reset;
        passed[j] = of_y * z;
      }
      of_h = gradient_of_state(of_state_sums, call.in(4), sizes);
      for (std::size_t j = 0; j < units; ++j) of_h[j] += passed[j];
    }
  }
}

// Writes for each step 1, x, and y of the step before, which is zeros for the first step. The product of its
// transpose with the gradients of the sums yields the gradients of b, W and R.
void step_inputs(const Call& call) {
  const Sizes sizes = sizes_of(call.in_shape(0), 1);
  const std::size_t inputs = call.inputs.size() > 1 ? static_cast<std::size_t>(call.in_shape(1)[2]) : 0;
  const std::size_t width = 1 + inputs + sizes.units;
  for (std::size_t at = 0; at < sizes.rows * sizes.steps; ++at) {
    double* const to = &call.out()[at * width];
    to[0] = 1;
    for (std::size_t i = 0; i < inputs; ++i) to[1 + i] = call.in(1)[at * inputs + i];
    if (at % sizes.steps == 0) continue;
    for (std::size_t j = 0; j < sizes.units; ++j) to[1 + inputs + j] = call.in(0)[(at - 1) * sizes.units + j];
  }
}

constexpr Function functions[] = {
    {"LSTM", lstm_layer},          {"LSTMGradient", lstm_gradient}, {"GRU", gru_layer},
    {"GRUGradient", gru_gradient}, {"StepInputs", step_inputs},
};

}  // namespace

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

Sequence lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& r) {
  Sequence all;
  Doubles h(units), c(units);
  for (std::size_t at = 0; at < input_sums.size(); at += 4 * units) {
    Doubles gates(4 * units), next(units);
    for (std::size_t j = 0; j < units; ++j) {
      const auto sum = [&](std::size_t gate) {
        return input_sums[at + gate * units + j] + state_sum(h, r, gate * units + j);
      };
      const double i = sigmoid(sum(0)), f = sigmoid(sum(1)), g = std::tanh(sum(2)), o = sigmoid(sum(3));
      gates[j] = i, gates[units + j] = f, gates[2 * units + j] = g, gates[3 * units + j] = o;
      c[j] = f * c[j] + i * g;
      next[j] = o * std::tanh(c[j]);
    }
    h = next;
    all.y.insert(all.y.end(), h.begin(), h.end());
    all.gates.insert(all.gates.end(), gates.begin(), gates.end());
    all.extra.insert(all.extra.end(), c.begin(), c.end());
  }
  return all;
}

Sequence gru(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& state_biases,
             const std::vector<double>& r) {
  Sequence all;
  Doubles h(units);
  for (std::size_t at = 0; at < input_sums.size(); at += 3 * units) {
    Doubles gates(3 * units), of_n(units), next(units);
    for (std::size_t j = 0; j < units; ++j) {
      const auto state = [&](std::size_t gate) {
        return state_biases[at + gate * units + j] + state_sum(h, r, gate * units + j);
      };
      const double z = sigmoid(input_sums[at + j] + state(0)), reset = sigmoid(input_sums[at + units + j] + state(1));
      of_n[j] = state(2);
      const double n = std::tanh(input_sums[at + 2 * units + j] + reset * of_n[j]);
      gates[j] = z, gates[units + j] = reset, gates[2 * units + j] = n;
      next[j] = z * h[j] + (1 - z) * n;
    }
    h = next;
    all.y.insert(all.y.end(), h.begin(), h.end());
    all.gates.insert(all.gates.end(), gates.begin(), gates.end());
    all.extra.insert(all.extra.end(), of_n.begin(), of_n.end());
  }
  return all;
}

std::span<const Function> recurrent_functions() {
  return functions;
}

}  // namespace carrack::train::reference
