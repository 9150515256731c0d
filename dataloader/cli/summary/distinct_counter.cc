#include "dataloader/cli/summary/distinct_counter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace carrack::data::cli {
namespace {

constexpr std::size_t recent_size = 1024;  // entries of the cache that drops most repetitions of a value

}  // namespace

void DistinctCounter::add(double value) {
  add_hash(mix_bits(std::bit_cast<std::uint64_t>(value + 0.0)));  // -0.0 becomes 0.0, so that both count as one value.
}

void DistinctCounter::add(std::string_view value) {
  add_hash(mix_bits(std::hash<std::string_view>()(value)));
}

// SplitMix64 (Steele, Lea and Flood): every bit of the result depends on every bit of the input.
std::uint64_t DistinctCounter::mix_bits(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

void DistinctCounter::add_hash(std::uint64_t hash) {
  ++added_;
  if (hash >= limit_) return;
  if (recent_.empty()) {
    recent_.resize(recent_size);
    // All entries are 0 now. Entry 0 would seem to hold the hash 0, so it gets the hash 1, which never belongs to it.
    recent_[0] = 1;
  }
  std::uint64_t& recent = recent_[hash % recent_size];
  if (recent == hash) return;
  recent = hash;
  hashes_.push_back(hash);
  if (hashes_.size() >= 2 * hashes_max) keep_smallest();
}

void DistinctCounter::merge(const DistinctCounter& other) {
  added_ += other.added_;
  limit_ = std::min(limit_, other.limit_);
  hashes_.insert(hashes_.end(), other.hashes_.begin(), other.hashes_.end());
  keep_smallest();
}

void DistinctCounter::keep_smallest() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  hashes_.erase(std::lower_bound(hashes_.begin(), hashes_.end(), limit_), hashes_.end());
  if (hashes_.size() <= hashes_max) return;
  limit_ = hashes_[hashes_max];
  hashes_.resize(hashes_max);
}

DistinctCounter::Count DistinctCounter::count() const {
  DistinctCounter all = *this;
  all.keep_smallest();
  if (all.limit_ == std::numeric_limits<std::uint64_t>::max()) return {all.hashes_.size(), true};
  // Only hashes below the limit are stored. Hashes are spread evenly, so the number of different values is about the
  // number of stored hashes divided by the share of all possible hashes that is below the limit.
  const double share = std::ldexp(static_cast<double>(all.limit_), -64);
  const auto estimate = static_cast<std::uint64_t>(std::llround(static_cast<double>(all.hashes_.size()) / share));
  return {std::min(estimate, added_), false};
}

}  // namespace carrack::data::cli
