// Recurrent layers over one sequence (one row), from the sums of their inputs, in double precision. The initial state
// is zero. kernels/recurrent.h defines what they compute, and the order of the gates.
#pragma once

#include <cstddef>
#include <vector>

namespace carrack::train::reference {

double sigmoid(double x);

// The results of all steps, one step after another.
struct Sequence {
  std::vector<double> y;       // [steps, units]: the states
  std::vector<double> gates;   // [steps, gates * units]: the gates, after their activation functions
  std::vector<double> beside;  // [steps, units]: the cells of an LSTM; of a GRU h R and its bias, for the gate n
};

// `input_sums` are b + x W [steps, 4 units], and `r` is [units, 4 units].
Sequence lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& r);

// `input_sums` are b + x W [steps, 3 units], and `r` is [units, 3 units]. `state_biases` [steps, 3 units] are added to
// h R at each step.
Sequence gru(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& state_biases,
             const std::vector<double>& r);

}  // namespace carrack::train::reference
