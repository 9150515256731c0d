// Recurrent layers over one sequence, from the sums of their inputs, in double precision. kernels/recurrent.h says what
// they compute.
#pragma once

#include <cstddef>
#include <vector>

namespace carrack::train::reference {

double sigmoid(double x);

// Of all steps, one behind another.
struct Sequence {
  std::vector<double> y;       // the states
  std::vector<double> gates;   // behind their activation functions
  std::vector<double> beside;  // the cells of an LSTM; h R and its bias, of the gate n of a GRU
};

// From b + x W [steps, 4 units] and R [units, 4 units].
Sequence lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& r);

// From b + x W [steps, 3 units] and R [units, 3 units]. `state_biases` [steps, 3 units] are added to h R.
Sequence gru(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& state_biases,
             const std::vector<double>& r);

}  // namespace carrack::train::reference
