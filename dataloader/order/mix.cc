#include "dataloader/order/mix.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dataloader/error.h"
#include "dataloader/order/permutation.h"

namespace carrack::data {
namespace {

// Whole shares of a round: what rounding down leaves goes to those that lost most.
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

Mix::Mix(const std::vector<std::uint64_t>& sizes, const std::vector<double>& weights, const Random& random)
    : random_(random) {
  if (sizes.empty() || sizes.size() != weights.size()) {
    throw Error("mix: " + std::to_string(sizes.size()) + " inputs have " + std::to_string(weights.size()) + " weights");
  }
  if (!std::ranges::all_of(weights, [](double weight) { return weight > 0 && std::isfinite(weight); })) {
    throw Error("mix: each weight is a number above 0");
  }
  ends_ = shares_of(weights, round);
  if (std::ranges::find(ends_, 0) != ends_.end()) throw Error("mix: a weight is less than a thousandth of all");
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  // Whole rounds that all have elements for, and then as far as the next round goes.
  std::uint64_t rounds = endless / round;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < endless) rounds = std::min(rounds, sizes[i] / (ends_[i] - (i > 0 ? ends_[i - 1] : 0)));
  }
  if (rounds == endless / round) {
    size_ = endless;
    return;
  }
  size_ = rounds * round;
  for (const auto lacks = [&](const Element& e) { return e.place.number >= sizes[e.sequence]; };
       !lacks(at({0, size_}));)
    ++size_;
}

Mix::Element Mix::at(Place place) const {
  const std::uint64_t number = place.number / round;
  const std::uint64_t slot = Permutation(round, random_, place.epoch << 40 | number).at(place.number % round);
  const auto sequence = std::ranges::upper_bound(ends_, slot) - ends_.begin();
  const std::uint64_t begin = sequence > 0 ? ends_[static_cast<std::size_t>(sequence) - 1] : 0;
  const std::uint64_t share = ends_[static_cast<std::size_t>(sequence)] - begin;
  return {static_cast<std::size_t>(sequence), {place.epoch, number * share + slot - begin}};
}

}  // namespace carrack::data
