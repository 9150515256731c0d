// CSV, JSON lines, arrays and programs as sources of pipelines: their order, going on anywhere, and what is wrong.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "dataloader/error.h"
#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/records/example_writer.h"
#include "tests/dataloader/pipeline/numbered_rows.h"
#include "tests/dataloader/pipeline/written_files.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/sources/arrays.h"

namespace carrack::data {
namespace {

using Floats = LargeVector<float>;
using Strings = LargeVector<std::string_view>;

const std::vector<Feature> features{{"id", Dtype::int64}, {"name", Dtype::bytes}};

// Of many lengths, some over several lines; empty lines between.
std::string csv_rows(std::int64_t begin, std::int64_t end) {
  std::string text = "name,id\n";
  for (std::int64_t id = begin; id < end; ++id) {
    const std::string filler(static_cast<std::size_t>(id * 7 % 50), 'x');
    text +=
        "\"" + filler + (id % 3 == 0 ? "\n,\"\"" : "") + "\"," + std::to_string(id) + (id % 5 == 0 ? "\r\n\n" : "\n");
  }
  return text;
}

std::string json_rows(std::int64_t begin, std::int64_t end) {
  std::string text;
  for (std::int64_t id = begin; id < end; ++id)
    text += R"({"name": "a\"b", "id": )" + std::to_string(id) + (id % 5 == 0 ? "}\n  \n" : "}\n");
  return text;
}

Bytes ids_as_npy(std::int64_t begin, std::int64_t end) {
  Ids all;
  for (std::int64_t id = begin; id < end; ++id) all.push_back(id);
  return npy_of(dictionary("<i8", "(" + std::to_string(end - begin) + ",)"), data::numbers(all));
}

Bytes ids_as_records(std::int64_t begin, std::int64_t end) {
  Bytes file;
  for (std::int64_t id = begin; id < end; ++id) {
    const NamedValues values[] = {{"id", std::span<const std::int64_t>(&id, 1)}};
    frame::append(file, example_of(values));
  }
  return file;
}

// Three files of 40 rows each and one of none, in each way; each row tells its number.
class PipelineSources : public testing::Test {
 protected:
  PipelineSources() {
    for (std::int64_t file = 0; file < 4; ++file) {
      const std::int64_t begin = std::min<std::int64_t>(file, 2) * 40, end = file == 2 ? 80 : begin + 40;
      const std::string number = std::to_string(file);
      files_.write("x-" + number + ".csv", csv_rows(begin, end));
      files_.write("x-" + number + ".jsonl", json_rows(begin, end));
      files_.write("x-" + number + ".csv.gz", compressed(file_with(csv_rows(begin, end)), Compression::gzip));
      files_.write("x-" + number + ".jsonl.gz", compressed(file_with(json_rows(begin, end)), Compression::gzip));
      files_.write("x-" + number + ".npy", ids_as_npy(begin, end));
      files_.write("x-" + number + ".npz",
                   zip_of({{"id.npy", ids_as_npy(begin, end)}, {"z.npy", ids_as_npy(begin, end), true}}));
    }
    files_.write("records", ids_as_records(0, 120));
  }

  std::string all(const std::string& ending) const { return files_.path("x-*." + ending); }
  Dataset program() const {
    return Dataset::program({{"cat", files_.path("records")}, {}}).parse({{"id", Dtype::int64}});
  }
  std::vector<Dataset> by_place() const {
    return {Dataset::csv({all("csv")}, features), Dataset::json_lines({all("jsonl")}, features),
            Dataset::arrays({all("npy")}, "id"), Dataset::arrays({all("npz")})};
  }
  std::vector<Dataset> in_turn() const {
    return {Dataset::csv({all("csv.gz")}, features), Dataset::json_lines({all("jsonl.gz")}, features), program()};
  }

  const WrittenFiles files_;
};

TEST_F(PipelineSources, GiveAllRowsInTheOrderOfTheirFiles) {
  for (const Dataset& dataset : by_place()) {
    EXPECT_EQ(all_of(dataset), up_to(120)) << kind_of(dataset.plan().stage);
    EXPECT_EQ(all_of(dataset.repeat(2).skip(100).take(40).batch(7)).size(), 40u);
    const Ids two = all_of(dataset.shuffle({.seed = 3}).repeat(2).batch(32));
    EXPECT_EQ(two, all_of(ids(0, 120).shuffle({.kind = Shuffle::Kind::full, .seed = 3}).repeat(2)));
  }
  for (const Dataset& dataset : in_turn()) {
    EXPECT_EQ(all_of(dataset), up_to(120)) << kind_of(dataset.plan().stage);
    EXPECT_EQ(all_of(dataset.repeat(2)).size(), 240u);
    EXPECT_EQ(all_of(dataset.cache(1 << 20).shuffle({.seed = 3})), all_of(ids(0, 120).shuffle({.seed = 3})));
  }
}

TEST_F(PipelineSources, GiveAllColumns) {
  for (const Dataset& dataset : {Dataset::csv({all("csv")}, features), Dataset::csv({all("csv.gz")}, features)}) {
    Reading reading(dataset.batch(120), storages, {.cpus = 2});
    const Rows rows = reading.next().value();
    EXPECT_EQ(std::get<Strings>(rows.column("name").values)[8], "xxxxxx");
    EXPECT_EQ(std::get<Strings>(rows.column("name").values)[51], std::string(7, 'x') + "\n,\"");
  }
  Reading reading(Dataset::arrays({all("npz")}).batch(120), storages, {.cpus = 2});
  const Rows rows = reading.next().value();
  EXPECT_EQ(rows.column("id").values, rows.column("z").values);
}

TEST_F(PipelineSources, GiveListsOfJsonAndItemsOfArrays) {
  files_.write("lists.jsonl", "{\"l\": [1, 2]}\n{}\n{\"l\": 3}\n");
  const Feature list{.name = "l", .shape = Shape::padded};
  Reading reading(Dataset::json_lines({files_.path("lists.jsonl")}, {list}).padded_batch(3), storages, {});
  EXPECT_EQ(std::get<Floats>(reading.next().value().column("l").values), (Floats{1, 2, 0, 0, 3, 0}));
  files_.write("items.npy",
               npy_of(dictionary("<f4", "(2, 2, 3)"), data::numbers(Floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})));
  Reading items(Dataset::arrays({files_.path("items.npy")}).shard(2, 1), storages, {});
  const Rows rows = items.next().value();
  EXPECT_EQ(rows.column("values").item, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(std::get<Floats>(rows.column("values").values), (Floats{6, 7, 8, 9, 10, 11}));
}

// From every batch on, with other numbers of threads.
void expect_to_go_on(const Dataset& dataset, Resume resume) {
  const Ids all = all_of(dataset);
  Reading reading(dataset, storages, {.cpus = 2});
  EXPECT_EQ(reading.resume(), resume);
  Ids before;
  for (bool more = true; more;) {
    const std::string state = reading.state();
    EXPECT_LT(state.size(), 100u);
    Reading again(dataset, storages, {.cpus = static_cast<unsigned>(1 + before.size() % 3)});
    again.restore(state);
    Ids whole = before;
    const Ids rest = rest_of(again);
    whole.insert(whole.end(), rest.begin(), rest.end());
    ASSERT_EQ(whole, all) << kind_of(dataset.plan().stage) << " from " << before.size();
    const std::optional<Rows> rows = reading.next();
    more = rows.has_value();
    if (rows) before.insert(before.end(), ids_in(*rows).begin(), ids_in(*rows).end());
  }
  EXPECT_EQ(before, all);
}

TEST_F(PipelineSources, GoOnFromAnyBatchWithOtherThreads) {
  for (const Dataset& dataset : by_place()) expect_to_go_on(dataset.shuffle().batch(7).repeat(2), Resume::exact);
  for (const Dataset& dataset : {in_turn()[0], in_turn()[1]})
    expect_to_go_on(dataset.batch(17).repeat(2), Resume::exact);
  expect_to_go_on(program().batch(17).repeat(2), Resume::exact_state);
}

TEST_F(PipelineSources, GiveEachReaderItsShareOfABatch) {
  for (const Dataset& dataset : {by_place()[0], by_place()[1], by_place()[2], in_turn()[0], in_turn()[2]}) {
    const std::vector<Ids> whole = batches_of(dataset.batch(50));
    std::vector<Ids> together(whole.size());
    for (const BatchShare share : {BatchShare{0, 3}, BatchShare{1, 3}, BatchShare{2, 3}}) {
      const std::vector<Ids> shares = batches_of(dataset.batch(50), share);
      ASSERT_EQ(shares.size(), whole.size());
      for (std::size_t i = 0; i < shares.size(); ++i)
        together[i].insert(together[i].end(), shares[i].begin(), shares[i].end());
    }
    EXPECT_EQ(together, whole);
  }
}

std::string problem(const std::function<void()>& of) {
  try {
    of();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_F(PipelineSources, NameABadRowOrLeaveItOutAlone) {
  const std::string csv = "id,name\n0,a\nb,b\n2,c\n3\n4,\"d\n";
  for (const std::string name : {"bad.csv", "bad.csv.gz"}) {
    const std::string path =
        files_.write(name, name.ends_with("gz") ? compressed(file_with(csv), Compression::gzip) : file_with(csv));
    const std::string inflated = name.ends_with("gz") ? " of the inflated data: " : ": ";
    const Dataset dataset = Dataset::csv({path}, features).batch(2);
    EXPECT_EQ(
        problem([&] { all_of(dataset); }),
        path + ": row 1 at byte 12" + inflated + "column \"id\" holds \"b\", and int64 was asked for; 4 bytes lost");
    Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
    EXPECT_EQ(rest_of(reading), (Ids{0, 2}));
    ASSERT_EQ(reading.lost(), 3u);
    EXPECT_EQ(text(reading.first_lost()[1]),
              path + ": row 3 at byte 20" + inflated + "it has 1 field, and the file 2 columns");
    EXPECT_EQ(text(reading.first_lost()[2]), path + ": row 4 at byte 24" + inflated +
                                                 "column \"name\": the file ends before the field's quotes are closed");
  }
  const std::string path = files_.write("bad.jsonl", "{\"id\": 0, \"name\": \"\"}\n\n{\"id\": 1.5}\n");
  EXPECT_EQ(problem([&] { all_of(Dataset::json_lines({path}, features)); }),
            path + ": row 1 at byte 30: feature \"id\" holds 1.5, and int64 was asked for; 12 bytes lost");
}

// All good rows and what is wrong with the others, or why the file cannot be read at all.
Lines told_of(const Dataset& dataset) {
  Lines lines;
  Reading reading(dataset, storages, {.cpus = 2, .on_damage = OnDamage::skip});
  for (const std::int64_t id : rest_of(reading)) lines.push_back(std::to_string(id));
  for (Corrupt fault : reading.first_lost()) {
    fault.file.clear();
    fault.inflated = false;
    lines.push_back(text(fault) + "; " + std::to_string(fault.lost) + " bytes lost");
  }
  return lines;
}

// Made of these parts at random; both ways of reading it agree on every row and every fault.
void expect_the_same_both_ways(const WrittenFiles& files, const std::vector<std::string>& parts,
                               const std::string& begin, const std::function<Dataset(const std::string&)>& dataset) {
  const Random random(1, "parts");
  std::size_t good = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::string content = begin;
    for (std::uint64_t at = 0; at < 60; ++at) content += parts[random.bits(seed, at) % parts.size()];
    const std::string packed = files.write("odd.gz", compressed(file_with(content), Compression::gzip));
    const Lines expected = told_of(dataset(packed));
    EXPECT_EQ(told_of(dataset(files.write("odd", content))), expected) << content;
    if (!expected.empty() && !expected[0].starts_with(":")) ++good;
  }
  EXPECT_GT(good, 10u);
}

TEST_F(PipelineSources, AreTheSameByPlaceAndInTurnWhateverTheyHold) {
  const std::vector<Feature> id{{"id", Dtype::int64}};
  expect_the_same_both_ways(files_, {"\"", ",", "\n", "\r", " ", "1", "a"}, "id,name\n",
                            [&](const std::string& name) { return Dataset::csv({name}, id); });
  expect_the_same_both_ways(files_, {"{\"id\": 1}", "{\"id\":", "2}", "\n", "\n", " ", "\"", "\\"}, "",
                            [&](const std::string& name) { return Dataset::json_lines({name}, id); });
}

TEST_F(PipelineSources, LoseOfAnArrayTheRowAlone) {
  const std::vector<std::uint64_t> values{1, std::uint64_t{1} << 63, 3};
  const std::string path = files_.write("u.npy", npy_of(dictionary("<u8", "(3,)"), data::numbers(values)));
  const Dataset dataset = Dataset::arrays({path}, "id");
  const std::string words = path + ": row 1 at byte " + std::to_string(std::filesystem::file_size(path) - 16) +
                            ": it holds a uint64 that no int64 holds";
  EXPECT_EQ(problem([&] { all_of(dataset); }), words + "; 8 bytes lost");
  Reading reading(dataset, storages, {.on_damage = OnDamage::skip});
  EXPECT_EQ(rest_of(reading), (Ids{1, 3}));
  EXPECT_EQ(text(reading.first_lost().at(0)), words);
}

TEST_F(PipelineSources, SayWhatMakesNoSense) {
  const auto opened = [](const Dataset& dataset) { return problem([&] { all_of(dataset); }); };
  const std::string none = files_.path("none-*");
  for (const Dataset& dataset :
       {Dataset::csv({none}, features), Dataset::json_lines({none}, features), Dataset::arrays({none})})
    EXPECT_EQ(opened(dataset), "no file matches " + none);
  EXPECT_EQ(opened(Dataset::csv({files_.path("x-0.csv")}, {{"other"}})),
            files_.path("x-0.csv") + ": row 0 at byte 8: there is no column \"other\"; there are \"name\" and \"id\"");
  const std::string other = files_.write("y.csv", "id,name\n");
  EXPECT_EQ(opened(Dataset::csv({files_.path("x-0.csv"), other}, features)),
            other + ": its columns are \"id\", \"name\", and those of " + files_.path("x-0.csv") +
                " are \"name\", \"id\"; files that are read together have the same");
  const std::string floats = files_.write("f.npy", npy_of(dictionary("<f4", "(1, 2)"), data::numbers(Floats{0, 1})));
  EXPECT_EQ(opened(Dataset::arrays({files_.path("x-0.npy"), floats}, "id")),
            floats + ": its rows are \"id\" of floats 2, and those of " + files_.path("x-0.npy") +
                " are \"id\" of whole numbers; files that are read together have the same");
  const std::string uneven = files_.write("u.npz", zip_of({{"a.npy", ids_as_npy(0, 3)}, {"b.npy", ids_as_npy(0, 2)}}));
  EXPECT_EQ(opened(Dataset::arrays({uneven})),
            uneven + ": array \"b\" has 2 rows, and \"a\" has 3; those of one file have as many");
  EXPECT_EQ(opened(Dataset::program({{"/nowhere/x", "y"}, {}})),
            "exec:/nowhere/x y: cannot be started: No such file or directory");
  EXPECT_EQ(opened(Dataset::program({{"sh", "-c", "echo why >&2; exit 3"}, {"PATH=/usr/bin:/bin"}})),
            "exec:sh -c echo why >&2; exit 3: record 0 at byte 0: the program ended with exit code 3; it said: why");
}

TEST_F(PipelineSources, OfProgramsTellWhereTheyGiveFewerRecords) {
  const Dataset dataset = Dataset::program({{"cat", files_.path("changing")}, {}}).parse({{"id", Dtype::int64}});
  files_.write("changing", ids_as_records(0, 10));
  Reading reading(dataset, storages, {});
  while (reading.next()) continue;
  const std::string state = reading.state();
  files_.write("changing", ids_as_records(0, 9));
  Reading again(dataset, storages, {});
  again.restore(state);
  EXPECT_EQ(problem([&] { again.next(); }),
            "exec:cat " + files_.path("changing") + ": gives fewer records than when the state was saved");
}

TEST_F(PipelineSources, OfEmptyFilesHaveNoRows) {
  files_.write("empty.csv", "");
  files_.write("names.csv", "id,name\n");
  files_.write("empty.jsonl", "");
  EXPECT_EQ(all_of(Dataset::csv({files_.path("empty.csv")}, features)), Ids());
  EXPECT_EQ(all_of(Dataset::csv({files_.path("names.csv"), files_.path("empty.csv")}, features).repeat().batch(3)),
            Ids());
  EXPECT_EQ(all_of(Dataset::json_lines({files_.path("empty.jsonl")}, features)), Ids());
  EXPECT_EQ(all_of(Dataset::program({{"true"}, {"PATH=/usr/bin:/bin"}})), Ids());
}

}  // namespace
}  // namespace carrack::data
