// interop_pipelines FOLDER: our side of pipelines_test.py, which says how pipelines are written as JSON, one a line of
// standard input. Prints what each gives: ids apart by commas, batches by |, and rows of a padded batch by semicolons.
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "dataloader/pipeline/reading.h"

namespace carrack::data {
namespace {

using Json = nlohmann::json;
using Ids = LargeVector<std::int64_t>;

Rows numbers(std::int64_t begin, std::int64_t end) {
  Ids ids;
  for (std::int64_t id = begin; id < end; ++id) ids.push_back(id);
  return {.count = ids.size(), .columns = {{"id", ids}}};
}

Dataset generated(std::int64_t begin, std::int64_t end) {
  return Dataset::generate(std::to_string(begin) + " to " + std::to_string(end), [=]() -> Generator {
    return [=, at = begin]() mutable -> std::optional<Rows> {
      if (at >= end) return std::nullopt;
      const std::int64_t first = std::exchange(at, std::min(end, at + 7));
      return numbers(first, at);
    };
  });
}

RowsFunction renamed(const std::string& name) {
  return [name](Rows& rows) { rows.column("id").name = name; };
}

void join_pair(Rows& rows) {
  Ids& left = std::get<Ids>(rows.column("left").values);
  const Ids& right = std::get<Ids>(rows.column("right").values);
  for (std::size_t row = 0; row < rows.count; ++row) left[row] = left[row] * 1000 + right[row];
  rows.column("left").name = "id";
  rows.columns.pop_back();
}

// A list of as many of the id as it is modulo 5.
void make_list(Rows& rows) {
  Ids values;
  std::vector<std::size_t> splits{0};
  for (const std::int64_t id : std::get<Ids>(rows.column("id").values)) {
    values.insert(values.end(), static_cast<std::size_t>(id % 5), id);
    splits.push_back(values.size());
  }
  rows.columns = {{"id", std::move(values), {}, {std::move(splits)}}};
}

Dataset with(const Dataset& from, const Json& stage) {
  const std::string name = stage[0];
  const auto number = [&](std::size_t i) { return stage[i].get<std::uint64_t>(); };
  if (name == "skip") return from.skip(number(1));
  if (name == "take") return from.take(number(1));
  if (name == "repeat") return stage.size() > 1 ? from.repeat(number(1)) : from.repeat();
  if (name == "shard") return from.shard(number(1), number(2));
  if (name == "batch") return from.batch(number(1), stage[2]);
  if (name == "padded") return from.map("list", make_list).padded_batch(number(1), {{"id", Ids{-1}}}, stage[2]);
  if (name == "filter")
    return from.filter("thirds", [](const Rows& rows) {
      std::vector<bool> kept;
      for (const std::int64_t id : std::get<Ids>(rows.column("id").values)) kept.push_back(id % 3 != 0);
      return kept;
    });
  return from.map("plus one", [](Rows& rows) {
    for (std::int64_t& id : std::get<Ids>(rows.column("id").values)) ++id;
  });
}

Dataset dataset(const Json& pipeline, const std::string& folder);

std::vector<Dataset> datasets(const Json& pipelines, const std::string& folder) {
  std::vector<Dataset> all;
  for (const Json& pipeline : pipelines) all.push_back(dataset(pipeline, folder));
  return all;
}

Dataset source(const Json& from, const std::string& folder) {
  const std::string kind = from[0];
  if (kind == "range") return Dataset::rows(numbers(from[1], from[2]));
  if (kind == "generated") return generated(from[1], from[2]);
  if (kind == "file")
    return Dataset::records({folder + "/" + std::to_string(from[1].get<int>())}).parse({{"id", Dtype::int64, 1}});
  const std::vector<Dataset> inputs = datasets(from[1], folder);
  if (kind == "concatenate") return Dataset::concatenate(inputs);
  if (kind == "interleave") return Dataset::interleave(inputs, from[2], from[3]);
  return Dataset::zip({inputs[0].map("left", renamed("left")), inputs[1].map("right", renamed("right"))})
      .map("pair", join_pair);
}

Dataset dataset(const Json& pipeline, const std::string& folder) {
  Dataset made = source(pipeline["from"], folder);
  for (const Json& stage : pipeline["stages"]) made = with(made, stage);
  return made;
}

std::string joined(const Rows& rows) {
  const NamedColumn& column = rows.column("id");
  const Ids& ids = std::get<Ids>(column.values);
  std::string text;
  for (std::size_t row = 0; row < rows.count; ++row) {
    if (row > 0) text += column.item.empty() ? "," : ";";
    for (std::size_t i = 0; i < column.item_size(); ++i)
      text += (i > 0 ? "," : "") + std::to_string(ids[row * column.item_size() + i]);
  }
  return text;
}

std::string given(const Dataset& made, bool has_batches) {
  const Storages storages{StorageSettings{}};
  Reading reading(made, storages, {.cpus = 3});
  std::string text;
  bool is_first = true;
  while (const std::optional<Rows> rows = reading.next()) {
    if (!std::exchange(is_first, false)) text += has_batches ? "|" : ",";
    text += joined(*rows);
  }
  return text;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  if (argc != 2) return 2;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      const Json pipeline = Json::parse(line);
      std::printf("%s\n", given(dataset(pipeline, argv[1]), pipeline["batches"]).c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
