// Random numbers as a function of what they are for, never of what was drawn before: Philox4x32-10 (Salmon et al.
// 2011). The same arguments give the same number on any machine and in any order, so that any part of a tensor can be
// drawn alone.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace carrack::train {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a number is drawn for. The numbers are part of every checkpoint's meaning: new ones go at the end.
enum class Purpose : std::uint32_t { initial_value = 1 };

// Evenly from the 2^24 floats k 2^-24 in [0, 1). `name` says of which tensor, by its FNV-1a hash.
float uniform(std::uint64_t seed, Purpose purpose, std::string_view name, std::uint64_t element);

}  // namespace carrack::train
