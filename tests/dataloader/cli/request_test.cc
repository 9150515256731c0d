#include "dataloader/cli/request.h"

#include <gtest/gtest.h>

#include "dataloader/cli/usage.h"

namespace carrack::data::cli {
namespace {

std::variant<Request, ImmediateReply> parse(std::vector<std::string> typed) {
  std::vector<char*> arguments;
  for (std::string& word : typed) arguments.push_back(word.data());
  return parse_request(arguments);
}

Request request(const std::vector<std::string>& typed) {
  return std::get<Request>(parse(typed));
}

std::string refused(const std::vector<std::string>& typed) {
  const auto reply = std::get<ImmediateReply>(parse(typed));
  EXPECT_EQ(reply.exit_code, 2);
  EXPECT_EQ(reply.out, "");
  return reply.err;
}

TEST(DataRequest, TakesEachOption) {
  EXPECT_EQ(request({"inspect", "a", "b*", "--json", "--all", "--threads=3"}),
            (Request{.command = Command::inspect, .inputs = {"a", "b*"}, .json = true, .all = true, .threads = 3}));
  EXPECT_EQ(request({"head", "-n", "7", "a"}), (Request{.command = Command::head, .inputs = {"a"}, .records = 7}));
  EXPECT_EQ(request({"index", "a", "--out", "to", "--text", "--check"}),
            (Request{.command = Command::index, .inputs = {"a"}, .text = true, .check = true, .out = "to"}));
  EXPECT_EQ(
      request({"convert", "a", "--to=b", "--compression", "ZLIB", "--shards", "10", "--on-damage", "skip", "--force"}),
      (Request{.command = Command::convert,
               .inputs = {"a"},
               .force = true,
               .on_damage = OnDamage::skip,
               .to = "b",
               .compression = Compression::zlib,
               .shards = 10}));
  EXPECT_EQ(request({"verify", "--", "--json"}), (Request{.command = Command::verify, .inputs = {"--json"}}));
  EXPECT_EQ(
      request({"bench", "a", "--seconds", "3", "--batch=7", "--timeline", "t", "--json"}),
      (Request{.command = Command::bench, .inputs = {"a"}, .json = true, .batch = 7, .seconds = 3, .timeline = "t"}));
  EXPECT_EQ(request({"explain", "a", "--parse", "--shuffle", "buffer=50"}),
            (Request{.command = Command::explain,
                     .inputs = {"a"},
                     .parse = true,
                     .shuffle = Shuffle{.kind = Shuffle::Kind::buffer, .buffer = 50}}));
  EXPECT_EQ(request({"explain", "a", "--shuffle=block"}).shuffle, Shuffle{.kind = Shuffle::Kind::block});
  EXPECT_EQ(request({"convert", "a", "--to=b", "--types", "a=b=int64,c=bytes", "--delimiter", "\\t"}),
            (Request{.command = Command::convert,
                     .inputs = {"a"},
                     .to = "b",
                     .types = {{"a=b", Dtype::int64}, {"c", Dtype::bytes}},
                     .delimiter = '\t'}));
  EXPECT_EQ(
      request({"convert", "a", "--to=b", "--types", "a=int64,c=bytes", "--types=b=float32,a=bytes"}).types,
      (std::vector<std::pair<std::string, Dtype>>{{"a", Dtype::bytes}, {"c", Dtype::bytes}, {"b", Dtype::float32}}));
  EXPECT_EQ(request({"convert", "a", "--to=b", "--join", "x=a,b..d", "--join=y=e"}).joins,
            (std::vector<Request::Join>{{"x", {"a", "b..d"}}, {"y", {"e"}}}));
  EXPECT_EQ(request({"convert", "a", "--to=b", "--fill", "x=mean,y=a=b", "--default=z=1"}).fills,
            (std::vector<Request::Fill>{{"--fill", "x", "mean"}, {"--fill", "y", "a=b"}, {"--default", "z", "1"}}));
  EXPECT_EQ(request({"bench", "a", "--missing", "NA,null", "--missing=-"}).missing,
            (std::vector<std::string>{"NA", "null", "-"}));
  const auto max_skipped = [](const std::string& typed) {
    return request({"convert", "a", "--to=b", "--on-damage=skip", "--max-skipped", typed}).max_skipped;
  };
  EXPECT_EQ(max_skipped("12"), (Request::SkipLimit{.typed = "12", .count = 12}));
  EXPECT_EQ(max_skipped("2.5%"), (Request::SkipLimit{.typed = "2.5%", .share = 0.025}));
  EXPECT_EQ(request({"stats", "a"}), (Request{.command = Command::stats, .inputs = {"a"}}));
}

TEST(DataRequest, TakesTheFirstInputForAProgramUnlessItIsTheNameOfAFile) {
  EXPECT_TRUE(request({"bench", "exec:sh x"}).reads_program);
  EXPECT_TRUE(request({"convert", "--to", "b", "exec:sh x"}).reads_program);
  EXPECT_FALSE(request({"bench", "--", "exec:sh x"}).reads_program);
  EXPECT_FALSE(request({"bench", "a", "exec:sh x"}).reads_program);
  EXPECT_FALSE(request({"inspect", "exec:sh x"}).reads_program);
}

TEST(DataRequest, TakesSizesInUnits) {
  const auto size = [](const std::string& typed) {
    return request({"convert", "a", "--to", "b", "--shard-size", typed}).shard_size;
  };
  EXPECT_EQ(size("1B"), 1U);
  EXPECT_EQ(size("150MB"), 150'000'000U);
  EXPECT_EQ(size("1.5GiB"), 1'610'612'736U);
  EXPECT_EQ(size("2kB"), 2'000U);
  for (const std::string bad : {"150", "MB", "-1MB", "0MB", "1mb", "1e30GB", "nanMB", "1 MB"})
    EXPECT_EQ(refused({"convert", "a", "--to", "b", "--shard-size", bad}),
              "carrack data convert: --shard-size: expects a size such as 150MB or 1.5GiB, not '" + bad +
                  "'; `carrack data convert --help` lists what it does\n");
}

TEST(DataRequest, RefusesWithTheReason) {
  const auto lists = [](const std::string& command) {
    return "; `carrack data " + command + " --help` lists what it does\n";
  };
  EXPECT_EQ(
      refused({"inspct", "a"}),
      "carrack data: does not know 'inspct'; did you mean 'inspect'?; `carrack data --help` lists what it does\n");
  EXPECT_EQ(
      refused({"zzzzzzzz", "a"}),
      "carrack data: does not know 'zzzzzzzz'; there are inspect, head, verify, index, stats, convert, bench, explain; "
      "`carrack data --help` lists what it does\n");
  EXPECT_EQ(refused({"head", "a", "--jsn"}),
            "carrack data head: does not know '--jsn'; did you mean '--json'?" + lists("head"));
  EXPECT_EQ(
      refused({"index", "a", "--zzzzzzzzz"}),
      "carrack data index: does not know '--zzzzzzzzz'; there are --text, --check, --threads, --out" + lists("index"));
  EXPECT_EQ(refused({"verify", "a", "--all"}),
            "carrack data verify: does not know '--all'; there are --json, --threads" + lists("verify"));
  EXPECT_EQ(refused({"head", "-n", "0", "a"}),
            "carrack data head: --records: expects a number, at least 1, not '0'" + lists("head"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--shards", "100000"}),
            "carrack data convert: --shards: expects a number from 1 to 99999, not '100000'" + lists("convert"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--types", "sqft=float64"}),
            "carrack data convert: --types: expects the type bytes, float32 or int64 for 'sqft', not 'float64'" +
                lists("convert"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--types", "sqft"}),
            "carrack data convert: --types: expects NAME=TYPE,..., not 'sqft'" + lists("convert"));
  EXPECT_EQ(refused({"head", "a", "-n"}), "carrack data head: --records needs a value" + lists("head"));
  EXPECT_EQ(refused({"head", "a", "--json=yes"}), "carrack data head: --json takes no value" + lists("head"));
  EXPECT_EQ(refused({"head", "--json"}), "carrack data head: names no file" + lists("head"));
  EXPECT_EQ(refused({"convert", "a"}), "carrack data convert: --to is missing: what is written" + lists("convert"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--compression", "zip"}),
            "carrack data convert: --compression: 'zip' is not a known compression of TFRecords; write NONE, "
            "GZIP or ZLIB" +
                lists("convert"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--shards", "2", "--shard-size", "1MB"}),
            "carrack data convert: --shards and --shard-size exclude each other" + lists("convert"));
  EXPECT_EQ(refused({"explain", "a", "--shuffle", "buffer"}),
            "carrack data explain: --shuffle: expects full, block or buffer=N, not 'buffer'" + lists("explain"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--on-damage", "drop"}),
            "carrack data convert: --on-damage: expects stop or skip, not 'drop'" + lists("convert"));
  EXPECT_EQ(refused({"convert", "a", "--to", "b", "--skip-corrupt"}),
            "carrack data convert: --skip-corrupt is called --on-damage skip" + lists("convert"));
  EXPECT_EQ(refused({"inspect", "a", "--all", "-n", "3"}),
            "carrack data inspect: --all and --records exclude each other" + lists("inspect"));
}

TEST(DataRequest, EscapesControlCharactersInMessages) {
  EXPECT_EQ(refused({"verify", "a", "--\x1b[2J"}),
            "carrack data verify: does not know '--\\x1b[2J'; there are --json, "
            "--threads; `carrack data verify --help` lists what it does\n");
}

TEST(DataRequest, RepliesWithItsUsage) {
  EXPECT_EQ(std::get<ImmediateReply>(parse({})), (ImmediateReply{2, "", std::string(usage())}));
  for (const std::string help : {"--help", "-h", "help"})
    EXPECT_EQ(std::get<ImmediateReply>(parse({help})), (ImmediateReply{0, std::string(usage()), ""}));
  EXPECT_EQ(std::get<ImmediateReply>(parse({"head"})), (ImmediateReply{2, "", std::string(usage(Command::head))}));
  for (const Command command : {Command::inspect, Command::head, Command::verify, Command::index, Command::stats,
                                Command::convert, Command::bench, Command::explain}) {
    const std::string name(name_of(command));
    EXPECT_EQ(std::get<ImmediateReply>(parse({name, "a", "--help"})),
              (ImmediateReply{0, std::string(usage(command)), ""}));
    EXPECT_TRUE(usage(command).starts_with("usage: carrack data " + name + " FILES...")) << name;
    EXPECT_NE(usage().find("\n  " + name + " "), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace carrack::data::cli
