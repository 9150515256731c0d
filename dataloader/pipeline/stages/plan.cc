#include "dataloader/pipeline/stages/plan.h"

#include <utility>

#include "dataloader/check.h"

namespace carrack::data {
namespace {

// True for a stage that opens its input itself. Snapshot does, because it needs the input only to write missing files.
template <typename AnyStage>
constexpr bool opens_its_input = requires(const AnyStage& stage, const Plan& input, const OpenContext& context) {
  stage.open(input, context);
};

// The open() of a stage has a parameter for its one input, for several inputs, or for none. Calls the open() that this
// stage has.
template <typename AnyStage>
Opened open_stage(const AnyStage& stage, std::vector<Opened> inputs, const OpenContext& context) {
  if constexpr (requires { stage.open(context); }) {
    CHECK(inputs.empty());
    return stage.open(context);
  } else if constexpr (requires { stage.open(std::move(inputs), context); }) {
    return stage.open(std::move(inputs), context);
  } else {
    static_assert(
        requires { stage.open(std::move(inputs.front()), context); },
        "give the stage one of the functions open() that record_stages.h lists");
    CHECK_EQ(inputs.size(), std::size_t{1});
    return stage.open(std::move(inputs.front()), context);
  }
}

}  // namespace

std::string kind_of(const Stage& stage) {
  return std::visit([](const auto& one) { return std::string(one.kind); }, stage);
}

std::string describe(const Stage& stage) {
  return std::visit([](const auto& one) { return one.description(); }, stage);
}

std::vector<std::string> file_patterns(const Stage& stage) {
  return std::visit(
      [](const auto& one) -> std::vector<std::string> {
        if constexpr (requires { one.files.patterns; }) {
          return one.files.patterns;
        } else if constexpr (requires { one.patterns; }) {
          return one.patterns;
        } else {
          return {};
        }
      },
      stage);
}

Opened open(const Plan& plan, const OpenContext& context, const OnOpened& on_opened) {
  Opened opened = std::visit(
      [&]<typename AnyStage>(const AnyStage& stage) {
        if constexpr (opens_its_input<AnyStage>) {
          CHECK_EQ(plan.inputs.size(), std::size_t{1});
          return stage.open(*plan.inputs.front(), context);
        } else {
          std::vector<Opened> inputs;
          for (const PlanPtr& input : plan.inputs) inputs.push_back(open(*input, context, on_opened));
          return open_stage(stage, std::move(inputs), context);
        }
      },
      plan.stage);
  on_opened(plan.stage, opened);
  return opened;
}

std::string canonical(const Plan& plan) {
  std::string text;
  for (const PlanPtr& input : plan.inputs) text += (text.empty() ? "" : ", ") + canonical(*input);
  if (plan.inputs.size() > 1) text = "[" + text + "]";
  return text + (text.empty() ? "" : " > ") +
         std::visit([](const auto& stage) { return stage.canonical(); }, plan.stage);
}

OpenedStage opened_stage(const Stage& stage, const Opened& opened) {
  OpenedStage result{.kind = kind_of(stage),
                     .description = describe(stage),
                     .is_sequence = opened.is_sequence(),
                     .batch = opened.batch,
                     .facts = opened.facts};
  if (!result.is_sequence) return result;
  result.elements = opened.sequence().size();
  result.element_bytes = opened.sequence().element_bytes();
  return result;
}

}  // namespace carrack::data
