#include "dataloader/cli/distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace carrack::data::cli {
namespace {

constexpr std::size_t recent_size = 1024;

}  // namespace

void Distinct::add(double value) {
  add_hash(mixed(std::bit_cast<std::uint64_t>(value + 0.0)));  // -0 and 0 are one number.
}

void Distinct::add(std::string_view value) {
  add_hash(mixed(std::hash<std::string_view>()(value)));
}

// Steele, Lea and Flood's SplitMix64: every bit of the result depends on every bit of the input.
std::uint64_t Distinct::mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

void Distinct::add_hash(std::uint64_t hash) {
  ++added_;
  if (hash >= limit_) return;
  if (recent_.empty()) recent_.resize(recent_size);
  std::uint64_t& recent = recent_[hash % recent_size];
  if (recent == hash) return;
  recent = hash;
  hashes_.push_back(hash);
  if (hashes_.size() >= 2 * most_kept) keep_smallest();
}

void Distinct::merge(const Distinct& other) {
  added_ += other.added_;
  limit_ = std::min(limit_, other.limit_);
  hashes_.insert(hashes_.end(), other.hashes_.begin(), other.hashes_.end());
  keep_smallest();
}

void Distinct::keep_smallest() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  hashes_.erase(std::lower_bound(hashes_.begin(), hashes_.end(), limit_), hashes_.end());
  if (hashes_.size() <= most_kept) return;
  limit_ = hashes_[most_kept];
  hashes_.resize(most_kept);
}

Distinct::Count Distinct::count() const {
  Distinct all = *this;
  all.keep_smallest();
  if (all.limit_ == std::numeric_limits<std::uint64_t>::max()) return {all.hashes_.size(), true};
  // Of hashes spread evenly, so many lie below the limit.
  const double share = std::ldexp(static_cast<double>(all.limit_), -64);
  const auto about = static_cast<std::uint64_t>(std::llround(static_cast<double>(all.hashes_.size()) / share));
  return {std::min(about, added_), false};
}

}  // namespace carrack::data::cli
