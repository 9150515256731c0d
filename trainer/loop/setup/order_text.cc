#include "trainer/loop/setup/order_text.h"

#include <algorithm>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/launch/launch.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/setup/columns.h"

namespace carrack::train {
namespace {

using std::to_string;

// Escapes spaces and `=`, so that a text can be divided into its pairs in only one way.
std::string escaped(std::string_view value) {
  return data::percent_escaped(value, " =");
}

std::string bound(const std::optional<double>& value) {
  return value ? data::exact_text(*value) : "-";
}

// Returns the stages that affect the order, with the settings that they have on this data. So stages with equal effects
// have equal texts: a shuffle of kind by_place becomes a full or a block shuffle.
std::vector<Stage> effective(const std::vector<Stage>& stages, const OrderContext& context) {
  std::vector<Stage> all;
  for (Stage stage : stages) {
    // A snapshot needs no text of its own: the text has the filters before it, and the checksum of its records.
    if (std::holds_alternative<Snapshot>(stage)) continue;
    if (auto* shuffle = std::get_if<Shuffle>(&stage)) {
      if (shuffle->kind == ShuffleKind::by_place) {
        shuffle->kind = context.by_blocks ? ShuffleKind::block : ShuffleKind::full;
      }
      if (shuffle->kind == ShuffleKind::full) *shuffle = {.kind = ShuffleKind::full};
      if (shuffle->kind == ShuffleKind::block) {
        shuffle->window = static_cast<std::int64_t>(data::window_of_lane(data_shuffle(*shuffle), context.lanes));
      }
    }
    all.push_back(std::move(stage));
  }
  return all;
}

std::string pairs_of(const Shuffle& shuffle) {
  switch (shuffle.kind) {
    case ShuffleKind::full:
      return "shuffle kind=full";
    case ShuffleKind::block:
      return "shuffle kind=block block=" + to_string(shuffle.block) + " window=" + to_string(shuffle.window);
    case ShuffleKind::by_place:
      break;
  }
  throw Error(Blame::bug, "a shuffle by place has no order of its own");
}

std::string pairs_of(const Stage& stage) {
  return " stage=" +
         std::visit(overloaded{[](const Interleave& one) {
                                 return "interleave cycle=" + to_string(one.cycle) + " block=" + to_string(one.block);
                               },
                               [](const Shard& one) {
                                 return "shard count=" + to_string(one.count) + " index=" + to_string(one.index);
                               },
                               [](const Skip& one) { return "skip records=" + to_string(one.records); },
                               [](const Take& one) { return "take records=" + to_string(one.records); },
                               [](const Shuffle& one) { return pairs_of(one); },
                               [](const Repeat& one) { return "repeat times=" + to_string(one.times); },
                               // The memory of a cache does not affect the order.
                               [](const Cache&) { return std::string("cache"); },
                               [](const Filter& one) {
                                 return "filter feature=" + escaped(one.feature) + " min=" + bound(one.min) +
                                        " max=" + bound(one.max);
                               },
                               [](const Snapshot&) { return std::string("snapshot"); }},
                    stage);
}

std::string pairs_of(const std::vector<Stage>& stages, const OrderContext& context) {
  std::string text;
  for (const Stage& stage : effective(stages, context)) text += pairs_of(stage);
  return text;
}

std::string pairs_of(const OrderedSet& set, std::uint64_t lanes) {
  return "files=" + to_string(set.records.files) + " records=" + to_string(set.records.records) +
         " bytes=" + to_string(set.records.bytes) + " crc32c=" + data::crc32c_hex(set.records.crc32c) +
         pairs_of(set.stages, {set.by_blocks, lanes});
}

// Returns the text that older releases wrote for the same stages. Jobs continue from checkpoints of these releases, so
// it must never change.
std::string legacy_text(const std::vector<Stage>& stages, const OrderContext& context) {
  std::string text;
  for (const Stage& stage : effective(stages, context)) {
    const auto* shuffle = std::get_if<Shuffle>(&stage);
    text += "; " + (std::holds_alternative<Cache>(stage) ? std::string("cache") : to_launch_line(stage));
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::block) text += " by runs";
  }
  return text;
}

std::string legacy_text(const OrderedSet& set, std::uint64_t lanes) {
  const std::string stages = legacy_text(set.stages, {set.by_blocks, lanes});
  const bool is_usual = stages == "; " + to_launch_line(Shuffle{.kind = ShuffleKind::full});
  return data::data_fingerprint_of(set.records) + (is_usual ? "" : stages.empty() ? "; no stages" : stages);
}

// Appends the number of lanes (shares of a batch) if each lane reads runs of its own: the order depends on it then.
Order with_lanes(Order order, const OrderContext& context, bool own_runs) {
  if (!own_runs) return order;
  return {order.text + " lanes=" + to_string(context.lanes),
          order.legacy + "; in " + to_string(context.lanes) + " lanes"};
}

}  // namespace

Order order_of_set(const OrderedSet& set, const OrderContext& context, bool own_runs) {
  return with_lanes({std::string(order_prefix) + pairs_of(set, context.lanes), legacy_text(set, context.lanes)},
                    context, own_runs);
}

Order order_of_mix(const std::vector<OrderedSet>& sets, const std::vector<Stage>& stages, const OrderContext& context,
                   bool own_runs) {
  Order order{std::string(order_prefix) + "mix=" + to_string(sets.size()), ""};
  for (const OrderedSet& set : sets) {
    const std::string weight = data::exact_text(set.weight);
    order.text += " weight=" + weight + " " + pairs_of(set, context.lanes);
    order.legacy += (order.legacy.empty() ? "" : ", ") + weight + " of (" + legacy_text(set, context.lanes) + ")";
  }
  order.text += " mixed=" + to_string(sets.size()) + pairs_of(stages, context);
  order.legacy += legacy_text(stages, context);
  return with_lanes(std::move(order), context, own_runs);
}

Order order_of_first_pass(const data::FirstPass& pass) {
  const data::FileTotals& files = pass.file_totals();
  return {std::string(order_prefix) + "pass=first lanes=" + to_string(pass.streams().lanes()) + " files=" +
              to_string(files.files) + " bytes=" + to_string(files.bytes) + " crc32c=" + data::crc32c_hex(files.crc32c),
          pass.data_fingerprint()};
}

}  // namespace carrack::train
