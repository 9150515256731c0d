// Helpers for std::variant. With `overloaded`, a visit that forgets an alternative does not compile, so add no generic
// `[](const auto&)` case to it.
#pragma once

#include <cstddef>
#include <variant>

namespace carrack::train {

// A callable with one overload for each lambda: std::visit(overloaded{[](const A&) {...}, [](const B&) {...}},
// variant).
template <class... Lambdas>
struct overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
overloaded(Lambdas...) -> overloaded<Lambdas...>;

// Makes `variant` hold the alternative with the index of `kind`, with its default values; unchanged if it does already.
template <class Variant, class Kind, std::size_t index = 0>
void set_kind(Variant& variant, Kind kind) {
  if constexpr (index < std::variant_size_v<Variant>) {
    if (static_cast<std::size_t>(kind) != index) return set_kind<Variant, Kind, index + 1>(variant, kind);
    if (variant.index() != index) variant.template emplace<index>();
  }
}

}  // namespace carrack::train
