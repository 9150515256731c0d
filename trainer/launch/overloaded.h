// Helpers for std::variant. Do not add a generic `[](const auto&)` case to `overloaded`: without one, a visit that
// forgets an alternative does not compile.
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

// Calls `visitor` with the value of each variant, in order.
template <class Variants, class Visitor>
void visit_each(Variants&& variants, const Visitor& visitor) {
  for (auto& variant : variants) std::visit(visitor, variant);
}

// Makes `variant` hold the default value of the alternative whose kind_of() is `kind`. Changes nothing if it holds this
// alternative already.
template <class Kind, class... Alternatives>
void set_kind(std::variant<Alternatives...>& variant, Kind kind) {
  if (kind_of(variant) == kind) return;
  const auto hold_if_of_kind = [&](auto alternative) {
    if (kind_of(alternative) == kind) variant = std::move(alternative);
  };
  (hold_if_of_kind(Alternatives()), ...);
}

}  // namespace carrack::train
