// LSTM and GRU over all time steps of one record, in double precision, to compare the kernels with. They begin after
// the product with the input: the caller passes b + x W of each step. The initial state is zero. kernels/recurrent.h
// has the formulas and the order of the gates. Matrices are row-major.
#pragma once

#include <cstddef>
#include <vector>

namespace carrack::train::reference {

// Returns 1 / (1 + e^-x).
double sigmoid(double x);

// The results of all steps of one record, one step after the other.
struct Sequence {
  std::vector<double> y;      // [steps, units]: the output h of each step
  std::vector<double> gates;  // [steps, gates * units]: the gates, after their activation functions
  std::vector<double> extra;  // [steps, units]: of an LSTM the cells c; of a GRU h R + state bias of the gate n
};

// `input_sums` are b + x W [steps, 4 units], and `r` is [units, 4 units]. The number of steps follows from the size of
// `input_sums`. Sizes are not checked.
Sequence lstm(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& r);

// As lstm(), with `input_sums` [steps, 3 units] and `r` [units, 3 units]. `state_biases` [steps, 3 units] are added to
// h R at each step; the model's state bias is the same for each step.
Sequence gru(std::size_t units, const std::vector<double>& input_sums, const std::vector<double>& state_biases,
             const std::vector<double>& r);

}  // namespace carrack::train::reference
