// Counter-based random numbers, Philox4x32-10 (Salmon et al. 2011). The same arguments give the same number on any
// machine and in any order, so any part of a tensor can be drawn alone. All functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace carrack::train {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a number is drawn for. Initial values follow from these numbers, so they never change; add new ones at the end.
enum class Purpose : std::uint32_t { initial_value = 1, dropout = 2 };

std::uint32_t fnv1a(std::string_view text);

// Uniform over the 2^24 floats k 2^-24 in [0, 1). `name` is the tensor's; its FNV-1a hash is used.
float uniform(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);

// Normally distributed, with mean 0 and standard deviation 1, to about seven digits.
double normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);
// The same without numbers beyond -2 and 2, so with a standard deviation of truncated_deviation.
double truncated_normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);
inline constexpr double truncated_deviation = 0.87962566103423978;

}  // namespace carrack::train
