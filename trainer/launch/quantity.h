// Quantities of memory and processors as Kubernetes writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace carrack::train {

// "1.5Gi" is 1,610,612,736. Accepts positive decimal numbers with the suffixes k, M, G, T, Ki, Mi, Gi, Ti or none;
// nullopt for anything else. The result is rounded down and at most 2^62.
std::optional<std::uint64_t> parse_quantity(std::string_view text);

}  // namespace carrack::train
