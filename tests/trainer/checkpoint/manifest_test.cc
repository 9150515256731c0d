#include "trainer/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

Manifest manifest() {
  const std::string prefix = "checkpoint-1200-1-3-7";
  return {.job = "0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d",
          .cut = {1200, 1, 3, 7},
          .timeline = 2,
          .seed = 42,
          .epoch = 4,
          .position = 76800,
          .order = "carrack-order v2 files=2 records=20000 bytes=760000 crc32c=62ef409b stage=shuffle kind=full",
          .digest = 0x0badf00d,
          .shards = 2,
          .applied = {{3, 600, 601}, {4, 0, 500}, {4, 502, 503}},
          .files = {{prefix + ".index", 310, 0xaa, 5},
                    {prefix + ".data-00000-of-00002", 40000, 0xbb, 6},
                    {prefix + ".data-00001-of-00002", 40000, 0xcc, 0}}};
}

// The worked example of docs/formats/checkpoint.md.
const std::string text = R"(carrack checkpoint 1
job 0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d
step 1200
attempt 1
incarnation 3
cut 7
timeline 2
seed 42
epoch 4
position 76800
order carrack-order v2 files=2 records=20000 bytes=760000 crc32c=62ef409b stage=shuffle kind=full
digest 0badf00d
shards 2
applied 3 600 601
applied 4 0 500
applied 4 502 503
file checkpoint-1200-1-3-7.index 310 000000aa 5
file checkpoint-1200-1-3-7.data-00000-of-00002 40000 000000bb 6
file checkpoint-1200-1-3-7.data-00001-of-00002 40000 000000cc 0
crc32c 6b964b3f
)";

std::string problem(const std::string& bytes) {
  const Decoded<Manifest> decoded = decode_manifest(bytes);
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

// What the text with one piece changed, and sealed again, is refused with.
std::string problem_with(const std::string& piece, const std::string& by) {
  std::string changed = text.substr(0, text.rfind("crc32c "));
  changed.replace(changed.find(piece), piece.size(), by);
  return problem(seal(changed));
}

TEST(Manifest, HasTheDocumentedText) {
  EXPECT_EQ(encode_manifest(manifest()), text);
}

TEST(Manifest, IsReadBack) {
  EXPECT_EQ(std::get<Manifest>(decode_manifest(encode_manifest(manifest()))), manifest());
  Manifest least = manifest();
  least.applied.clear();
  least.order.clear();
  EXPECT_EQ(std::get<Manifest>(decode_manifest(encode_manifest(least))), least);
}

TEST(Manifest, OfVersionTwoHasAConfig) {
  Manifest with_config = manifest();
  with_config.config = "carrack-launch 6\nmodel.layer.0.name \ndata.feature float32 1 50% of \xc3\xa9\n";
  const std::string encoded = encode_manifest(with_config);
  EXPECT_TRUE(encoded.starts_with("carrack checkpoint 2\njob "));
  EXPECT_NE(encoded.find("digest 0badf00d\n"
                         "config carrack-launch 6\n"
                         "config model.layer.0.name \n"
                         "config data.feature float32 1 50%25 of %c3%a9\n"
                         "shards 2\n"),
            std::string::npos)
      << encoded;
  EXPECT_EQ(std::get<Manifest>(decode_manifest(encoded)), with_config);
}

TEST(Manifest, SaysThatItsConfigIsWrong) {
  const auto with_line = [](const std::string& line) {
    std::string changed = text.substr(0, text.rfind("crc32c "));
    changed.replace(changed.find("shards 2"), 0, line);
    changed.replace(changed.find("checkpoint 1"), 12, "checkpoint 2");
    return problem(seal(changed));
  };
  EXPECT_EQ(with_line(""), "carrack checkpoint: has 'shards 2' where 'config ...' belongs");
  for (const char* wrong :
       {"config %\n", "config %4\n", "config %4g\n", "config %C3\n", "config %41\n", "config %0a\n", "config \t\n"}) {
    EXPECT_EQ(with_line(wrong), "carrack checkpoint: has a line of 'config' that is not as it is written") << wrong;
  }
  EXPECT_EQ(problem_with("shards 2", "config a\nshards 2"),
            "carrack checkpoint: has 'config a' where 'shards ...' belongs");
}

TEST(Manifest, OfVersionThreeSaysWhatWasLeftOut) {
  Manifest with_skipped = manifest();
  with_skipped.config = "carrack-launch 10\n";
  with_skipped.skipped = {3, "gs://b/x 1: record 7 at byte 96: 50% of \xc3\xa9"};
  const std::string encoded = encode_manifest(with_skipped);
  EXPECT_TRUE(encoded.starts_with("carrack checkpoint 3\njob ")) << encoded;
  EXPECT_NE(encoded.find("config carrack-launch 10\n"
                         "skipped 3 gs://b/x%201:%20record%207%20at%20byte%2096:%2050%25%20of%20%c3%a9\n"
                         "shards 2\n"),
            std::string::npos)
      << encoded;
  EXPECT_EQ(std::get<Manifest>(decode_manifest(encoded)), with_skipped);
  const auto with_line = [&](const std::string& line) {
    std::string changed = encoded.substr(0, encoded.rfind("crc32c "));
    const std::size_t begin = changed.find("skipped ");
    changed.replace(begin, changed.find('\n', begin) - begin, line);
    return problem(seal(changed));
  };
  for (const char* wrong : {"skipped 0 x", "skipped 3 %41", "skipped 3 %"}) {
    EXPECT_EQ(with_line(wrong), "carrack checkpoint: has a line of 'skipped' that is not as it is written") << wrong;
  }
  EXPECT_EQ(with_line("skipped 3"), "carrack checkpoint: has 1 values for 'skipped', not 2");
  EXPECT_EQ(with_line("skipped x y"), "carrack checkpoint: has 'x' for a number");
}

TEST(Manifest, NamesFilesAfterTheCut) {
  EXPECT_EQ(prefix_of(manifest().cut), "checkpoint-1200-1-3-7");
  EXPECT_EQ(manifest_name(manifest().cut), "checkpoint-1200-1-3-7.manifest");
}

TEST(Manifest, IsRefusedWhenItIsCutAtAnyByte) {
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_NE(problem(text.substr(0, size)), "no problem");
  EXPECT_EQ(problem(text.substr(0, 300)),
            "carrack checkpoint: does not end with the checksum of its content; it is cut off or damaged");
  EXPECT_EQ(problem(""), "carrack checkpoint: starts with '', not 'carrack checkpoint 1'");
}

TEST(Manifest, IsRefusedWhenItIsOfAnotherKindOrVersion) {
  EXPECT_EQ(problem_with("checkpoint 1\n", "checkpoint 4\n"),
            "carrack checkpoint: starts with 'carrack checkpoint 4', not 'carrack checkpoint 1'");
  EXPECT_EQ(problem_with("carrack checkpoint 1\n", "\x1b[2J\n"),
            "carrack checkpoint: starts with '?[2J', not 'carrack checkpoint 1'");
}

TEST(Manifest, SaysWhichLineIsWrong) {
  EXPECT_EQ(problem_with("step 1200\n", ""), "carrack checkpoint: has 'attempt 1' where 'step ...' belongs");
  EXPECT_EQ(problem_with("step 1200", "step"), "carrack checkpoint: has 'step' where 'step ...' belongs");
  EXPECT_EQ(problem_with("step 1200", "step 01200"), "carrack checkpoint: has '01200' for a number");
  EXPECT_EQ(problem_with("step 1200", "step +1"), "carrack checkpoint: has '+1' for a number");
  EXPECT_EQ(problem_with("step 1200", "step 18446744073709551616"),
            "carrack checkpoint: has '18446744073709551616' for a number");
  EXPECT_EQ(problem_with("0badf00d", "0BADF00D"),
            "carrack checkpoint: has '0BADF00D' for a CRC of eight hexadecimal digits");
  EXPECT_EQ(problem_with("job 0b", "job ../"),
            "carrack checkpoint: has '../2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d' for a name of letters, digits, '.', '_' "
            "and '-'");
  EXPECT_EQ(problem_with("files=2", "files\t2"),
            "carrack checkpoint: has an 'order' with characters that are not printable ASCII");
  EXPECT_EQ(problem_with("shards 2", "shards 0"), "carrack checkpoint: has 0 shards");
}

TEST(Manifest, SaysWhichListIsWrong) {
  EXPECT_EQ(problem_with("applied 4 0 500", "applied 4 0"), "carrack checkpoint: has 2 values for 'applied', not 3");
  for (const char* touching : {"applied 4 500 503", "applied 4 503 502", "applied 3 700 800"}) {
    EXPECT_EQ(problem_with("applied 4 502 503", touching),
              "carrack checkpoint: has 'applied' ranges that do not ascend apart");
  }
  EXPECT_EQ(
      problem_with("file checkpoint-1200-1-3-7.index", "file checkpoint-1200-1-3-8.index"),
      "carrack checkpoint: has the file 'checkpoint-1200-1-3-8.index' where 'checkpoint-1200-1-3-7.index' belongs");
  EXPECT_EQ(problem_with("shards 2", "shards 1"),
            "carrack checkpoint: has the file 'checkpoint-1200-1-3-7.data-00000-of-00002' where "
            "'checkpoint-1200-1-3-7.data-00000-of-00001' belongs");
  EXPECT_EQ(problem_with("000000cc 0\n", "000000cc 0\nfile x 1 00000000 1\n"),
            "carrack checkpoint: has 'file x 1 00000000 1' after its end");
  EXPECT_EQ(problem_with("file checkpoint-1200-1-3-7.data-00001-of-00002 40000 000000cc 0\n", ""),
            "carrack checkpoint: ends before 'file'");
}

TEST(Manifest, ThatWouldNotBeReadBackIsNotWritten) {
  Manifest wrong = manifest();
  wrong.order = "two\nlines";
  try {
    encode_manifest(wrong);
    FAIL() << "it was written";
  } catch (const train::Error& error) {
    EXPECT_EQ(error.blame(), train::Blame::bug);
    EXPECT_STREQ(error.what(), "carrack checkpoint: has 'lines' where 'digest ...' belongs");
  }
}

}  // namespace
}  // namespace carrack::checkpoint
