// Random numbers for the initial values of parameters. There is no generator with a state: each number is a function of
// the seed, its purpose, the name of the tensor and the index of the element (by Philox4x32-10, a counter-based
// generator, Salmon et al. 2011). The same arguments give the same number on any machine and in any order, so a
// parameter server can draw its part of a tensor without the rest. For numbers by row of a batch see row_numbers.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace carrack::train {

// Returns the four numbers that Philox4x32-10 draws for this counter and key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a number is drawn for. Initial values follow from these constants, so they must never change; append new ones.
enum class Purpose : std::uint32_t { initial_value = 1, dropout = 2 };

// Returns the 32-bit FNV-1a hash.
std::uint32_t fnv1a(std::string_view text);

// Returns a number that is uniformly distributed over [0, 1): k / 2^24 for a whole number k. `name` is the name of the
// tensor; only its FNV-1a hash is used, so tensors with equal hashes get equal numbers. `element` is the index of the
// element in it.
float uniform(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);

// Returns a normally distributed number with mean 0 and standard deviation 1, to about seven digits.
double normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);
// Returns the same without numbers below -2 or above 2. So its standard deviation is truncated_deviation and not 1.
double truncated_normal(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);
inline constexpr double truncated_deviation = 0.87962566103423978;

}  // namespace carrack::train
