#include "dataloader/order/mix.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dataloader/error.h"
#include "dataloader/order/place.h"

namespace carrack::data {
namespace {

// Returns how many places of a round (1,024 places) each sequence gets, in proportion to its weight, rounded down. The
// remaining places go to the sequences that lost most by rounding.
std::vector<std::uint64_t> shares_of(const std::vector<double>& weights, std::uint64_t round) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> shares;
  std::vector<std::size_t> by_loss;
  std::vector<double> losses;
  for (const double weight : weights) {
    const double exact = weight / sum * static_cast<double>(round);
    shares.push_back(static_cast<std::uint64_t>(exact));
    losses.push_back(exact - std::floor(exact));
    by_loss.push_back(by_loss.size());
  }
  std::ranges::stable_sort(by_loss, std::greater{}, [&](std::size_t i) { return losses[i]; });
  std::uint64_t left = round - std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  for (const std::size_t i : by_loss) {
    if (left == 0) break;
    ++shares[i];
    --left;
  }
  return shares;
}

}  // namespace

Mix::Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random) {
  if (sizes.empty() || sizes.size() != weights.size()) {
    throw Error("mix: " + std::to_string(sizes.size()) + " inputs have " + std::to_string(weights.size()) + " weights");
  }
  if (!std::ranges::all_of(weights, [](double weight) { return weight > 0 && std::isfinite(weight); })) {
    throw Error("mix: each weight is a number above 0");
  }
  if (!std::isfinite(std::accumulate(weights.begin(), weights.end(), 0.0))) {
    throw Error("mix: the weights are too large: their sum is infinite");
  }
  shares_ = shares_of(weights, round);
  if (std::ranges::find(shares_, 0) != shares_.end()) throw Error("mix: a weight is less than a thousandth of all");
  std::vector<std::uint64_t> ends = shares_, taken(sizes.size());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  // Divides 1,024 slots among the sequences by their shares. A walk through the slots with a fixed step makes the
  // pattern of a round. The step is odd, so the walk visits each slot once. The step is about 1,024 divided by the
  // golden ratio, so slots that are visited one after the other are far apart, and each sequence is spread evenly.
  constexpr std::uint64_t step = 633;
  std::uint64_t slot = random.bits(0, 0) % round;
  for (Element& element : round_) {
    element.sequence = static_cast<std::size_t>(std::ranges::upper_bound(ends, slot) - ends.begin());
    element.number = taken[element.sequence]++;
    slot = (slot + step) % round;
  }
  size_ = endless;
  for (std::uint64_t place = 0; place < round; ++place) {
    const auto [sequence, number] = round_[place];
    if (sizes[sequence] >= endless) continue;
    // This place needs an element of the same sequence in every round. Computes the number of rounds for which the
    // sequence has that element; the mix ends in the round after them.
    const std::uint64_t rounds = sizes[sequence] <= number ? 0 : (sizes[sequence] - number - 1) / shares_[sequence] + 1;
    // With so many rounds the mix counts as endless. The product below would not fit into 64 bits.
    if (rounds >= endless / round) continue;
    size_ = std::min(size_, rounds * round + place);
  }
}

Mix::Element Mix::at(std::uint64_t place) const {
  const auto [sequence, number] = round_[place % round];
  return {sequence, place / round * shares_[sequence] + number};
}

}  // namespace carrack::data
