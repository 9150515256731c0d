// Parses sizes in bytes in the notation of Kubernetes, such as the memory limit 512Mi.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace carrack::train {

// Returns the number of bytes: parse_quantity("1.5Gi") -> 1,610,612,736. Accepts a positive decimal number with the
// suffix k, M, G, T (powers of 1,000), Ki, Mi, Gi, Ti (powers of 1,024) or none, of at most 17 characters together.
// Returns nullopt for any other text, such as "0", "-1", "1e3" or "500m". Rounds down, so "0.5" is 0. Larger quantities
// than 2^62 become 2^62.
std::optional<std::uint64_t> parse_quantity(std::string_view text);

}  // namespace carrack::train
