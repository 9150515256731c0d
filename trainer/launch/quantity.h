// Quantities of memory and CPUs in the notation of Kubernetes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace carrack::train {

// Returns 1,610,612,736 for "1.5Gi". Accepts positive decimal numbers, of at most 17 characters with their suffix,
// which is k, M, G, T, Ki, Mi, Gi, Ti or none; returns nullopt for any other text. Rounds down; returns at most 2^62.
std::optional<std::uint64_t> parse_quantity(std::string_view text);

}  // namespace carrack::train
