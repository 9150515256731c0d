#include "trainer/optimizer/gradient_norm.h"

#include <cmath>

#include "trainer/optimizer/optimizer.h"

namespace carrack::train {
namespace {

// True if updates train the elements of the block. A block belongs to one tensor, so all of it is in the first part
// that ends after the beginning of the block.
bool is_trained(std::span<const UpdatePart> parts, const Range& block) {
  for (const UpdatePart& part : parts) {
    if (block.begin < part.range.end) return part.rate_scale != 0 && !part.own_rate;
  }
  return true;
}

}  // namespace

bool clips_by_norm(const Training& training) {
  return training.clip && training.clip->norm;
}

std::vector<double> squares_of_blocks(const Training& training, std::span<const UpdatePart> parts,
                                      std::span<const Range> blocks, std::uint64_t records,
                                      std::span<const float> gradient_sum) {
  const GradientStep step = gradient_step(training, records);
  std::vector<double> squares;
  for (const Range& block : blocks) {
    const auto values =
        gradient_sum.subspan(static_cast<std::size_t>(block.begin), static_cast<std::size_t>(block.size()));
    squares.push_back(is_trained(parts, block) ? cpu::sum_of_squares(step, values) : 0);
  }
  return squares;
}

double squares_of(const Training& training, std::span<const UpdatePart> parts, std::span<const Range> blocks,
                  std::uint64_t records, std::span<const float> gradient_sum) {
  double total = 0;
  for (const double one : squares_of_blocks(training, parts, blocks, records, gradient_sum)) total += one;
  return total;
}

double norm_scale(const Training& training, double squares) {
  const double norm = std::sqrt(squares), limit = training.clip->norm.value();
  return norm <= limit ? 1 : limit / norm;
}

}  // namespace carrack::train
