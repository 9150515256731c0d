// Helpers for std::variant. With `overloaded`, a visit that forgets an alternative does not compile, so add no generic
// `[](const auto&)` case to it.
#pragma once

#include <utility>
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

// Calls `visitor` with what each variant holds, in order.
template <class Variants, class Visitor>
void visit_each(Variants&& variants, const Visitor& visitor) {
  for (auto& variant : variants) std::visit(visitor, variant);
}

// Makes `variant` hold the alternative of this kind, by the variant's kind_of(), with its default values; unchanged if
// it does already.
template <class Kind, class... Alternatives>
void set_kind(std::variant<Alternatives...>& variant, Kind kind) {
  if (kind_of(variant) == kind) return;
  const auto hold_if_of_kind = [&](auto alternative) {
    if (kind_of(alternative) == kind) variant = std::move(alternative);
  };
  (hold_if_of_kind(Alternatives()), ...);
}

}  // namespace carrack::train
