// Recurrent layers over one sequence, from the sums of their inputs, in double precision. kernels/recurrent.h defines
// what they compute.
#pragma once

#include <cstddef>
#include <vector>

namespace carrack::train::reference {

double sigmoid(double x);

// The results of all steps, one step after another.
struct Sequence {
  std::vector<double> y;       // the states
  std::vector<double> gates;   // after their activation functions
  std::vector<double> beside;  // of an LSTM the cells; of a GRU h R and its bias, for the gate n
};

// `input_sums` are b + x W [steps, 4 units], and `r` is [units, 4 units].
Sequence lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& r);

// `input_sums` are b + x W [steps, 3 units], and `r` is [units, 3 units]. `state_biases` [steps, 3 units] are added to
// h R.
Sequence gru(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& state_biases,
             const std::vector<double>& r);

}  // namespace carrack::train::reference
