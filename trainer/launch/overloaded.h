// Helpers for std::variant: std::visit() with one lambda for each alternative, and selection of an alternative by an
// enum. Do not pass a generic `[](const auto&)` to `overloaded`: without one, a visit that forgets an alternative does
// not compile.
#pragma once

#include <utility>
#include <variant>

namespace carrack::train {

// A callable with one overload for each lambda:
//   std::visit(overloaded{[](const A&) {...}, [](const B&) {...}}, variant);
template <class... Lambdas>
struct overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
overloaded(Lambdas...) -> overloaded<Lambdas...>;

// Calls `visitor` with the value in each element of `variants`, a range of variants, in order.
template <class Variants, class Visitor>
void visit_each(Variants&& variants, const Visitor& visitor) {
  for (auto& variant : variants) std::visit(visitor, variant);
}

// Replaces the value of `variant` by the default value of the alternative whose kind_of() is `kind`. Changes nothing if
// the variant has this alternative already, or if no alternative has this kind. A function kind_of(variant), such as
// that of Stage (stages.h), must exist.
template <class Kind, class... Alternatives>
void set_kind(std::variant<Alternatives...>& variant, Kind kind) {
  if (kind_of(variant) == kind) return;
  const auto hold_if_of_kind = [&](auto alternative) {
    if (kind_of(alternative) == kind) variant = std::move(alternative);
  };
  (hold_if_of_kind(Alternatives()), ...);
}

}  // namespace carrack::train
