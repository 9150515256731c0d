#include "trainer/loop/setup/setup.h"

#include <limits>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/member_start.h"
#include "trainer/error.h"
#include "trainer/loop/setup/columns.h"

namespace carrack::train {

Setup setup_from(const Config& config) {
  ModelGraph model = model_graph(config.model, config.data);
  Layout layout = layout_of(model);
  std::vector<Range> by_server = ranges_by_server(layout, config.ps.max);
  data::RowsFunction columns = columns_of(model.features, config.training.seed);
  return {.model = std::move(model),
          .layout = std::move(layout),
          .ranges = std::move(by_server),
          .optimizer = config.training.optimizer,
          .columns = std::move(columns)};
}

namespace {

std::uint64_t batches_of_epochs(std::uint64_t batches_per_epoch, const Training& training) {
  const auto epochs = static_cast<std::uint64_t>(training.epochs);
  const std::uint64_t epochs_max = std::numeric_limits<std::int64_t>::max() / batches_per_epoch;
  if (epochs > epochs_max) {
    throw Error(Blame::user, "spec.training.epochs: is " + std::to_string(epochs) + "; with " +
                                 std::to_string(batches_per_epoch) + " batches in spec.data.train at most " +
                                 std::to_string(epochs_max) + " can be counted");
  }
  return batches_per_epoch * epochs;
}

DataPosition position_in_epochs(std::uint64_t step, std::uint64_t batches_per_epoch, const Training& training) {
  return {step / batches_per_epoch, step % batches_per_epoch * static_cast<std::uint64_t>(training.batch)};
}

}  // namespace

std::uint64_t batches_per_epoch(const data::FirstPass::Totals& first_pass, const Training& training) {
  return (first_pass.records - 1) / static_cast<std::uint64_t>(training.batch) + 1;
}

std::uint64_t total_batches(const data::FirstPass::Totals& first_pass, const Training& training) {
  const std::uint64_t per_epoch = batches_per_epoch(first_pass, training);
  return first_pass.steps + batches_of_epochs(per_epoch, training) - per_epoch;
}

std::optional<std::uint64_t> total_batches(const FoundData& data, const Training& training) {
  if (data.first_pass == nullptr) return batches_of_epochs(data.batches_per_epoch, training);
  const std::optional<data::FirstPass::Totals> totals = data.first_pass->totals();
  if (!totals) return std::nullopt;
  return total_batches(*totals, training);
}

DataPosition position_of(std::uint64_t step, const FoundData& data, const Training& training) {
  if (data.first_pass == nullptr) return position_in_epochs(step, data.batches_per_epoch, training);
  const std::optional<data::FirstPass::Totals> totals = data.first_pass->totals();
  if (!totals || step < totals->steps) return {0, data.first_pass->records_used(step)};
  DataPosition position = position_in_epochs(step - totals->steps, batches_per_epoch(*totals, training), training);
  ++position.epoch;
  return position;
}

wire::Hello hello_from(const Launch& launch, const std::string& address) {
  wire::Hello hello;
  hello.set_job_uid(launch.job_uid);
  hello.set_attempt(static_cast<std::uint32_t>(launch.fence.attempt));
  hello.set_role(wire_role(launch.member.role));
  hello.set_index(static_cast<std::uint32_t>(launch.member.index));
  hello.set_incarnation(static_cast<std::uint32_t>(launch.fence.incarnation));
  hello.set_address(address);
  hello.set_protocol(protocol_number);
  return hello;
}

data::Batching batching_of(const Training& training) {
  return {.batch = static_cast<std::uint64_t>(training.batch), .lanes = static_cast<std::uint64_t>(training.lanes)};
}

}  // namespace carrack::train
