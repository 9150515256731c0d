#include "trainer/checkpoint/head.h"

#include <gtest/gtest.h>

#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

const Head head{"0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d",
                1,
                3,
                "5f0c9a7e21d34b86",
                Committed{"checkpoint-1200-1-3-7.manifest", 0x0badf00d},
                std::nullopt,
                false};

// The worked example of docs/formats/checkpoint.md.
const std::string text = R"(carrack head 1
job 0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d
attempt 1
incarnation 3
nonce 5f0c9a7e21d34b86
manifest checkpoint-1200-1-3-7.manifest 0badf00d
crc32c 335efe50
)";

// That of a job that began before its data was indexed.
const std::string text_of_a_pass = R"(carrack head 2
job 0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d
attempt 1
incarnation 3
nonce 5f0c9a7e21d34b86
pass first
manifest checkpoint-1200-1-3-7.manifest 0badf00d
crc32c 2dbe0a47
)";

// That of a job that took the folder over from two others, and replaces what they trained.
const std::string text_of_a_taken_folder = R"(carrack head 3
job 0b2e4c1a-5d7f-4a53-9c1e-6f1d2b3a4c5d
attempt 1
incarnation 3
nonce 5f0c9a7e21d34b86
attempts 4
replaced 4
owner 55cfe1a3-7a0c-43a5-8f7e-0f1f4d8a9b21
owner 9d4f0c6e-2b1a-4e57-b0c3-7c5a1e9f6d32
kept checkpoint-1200-3-1-7.manifest 0badf00d
crc32c 401b68be
)";

Head of_a_taken_folder() {
  Head one = head;
  one.committed.reset();
  one.taken_over = TakenOver{{"55cfe1a3-7a0c-43a5-8f7e-0f1f4d8a9b21", "9d4f0c6e-2b1a-4e57-b0c3-7c5a1e9f6d32"},
                             4,
                             4,
                             Committed{"checkpoint-1200-3-1-7.manifest", 0x0badf00d}};
  return one;
}

Head of_a_pass() {
  Head one = head;
  one.first_pass = true;
  return one;
}

std::string problem(const std::string& bytes) {
  const Decoded<Head> decoded = decode_head(bytes);
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

std::string problem_with(const std::string& piece, const std::string& by) {
  std::string changed = text.substr(0, text.rfind("crc32c "));
  changed.replace(changed.find(piece), piece.size(), by);
  return problem(seal(changed));
}

TEST(Head, HasTheDocumentedText) {
  EXPECT_EQ(encode_head(head), text);
  EXPECT_EQ(encode_head(of_a_pass()), text_of_a_pass);
  EXPECT_EQ(encode_head(of_a_taken_folder()), text_of_a_taken_folder);
}

TEST(Head, IsReadBackWithAndWithoutAManifest) {
  EXPECT_EQ(std::get<Head>(decode_head(encode_head(head))), head);
  Head claimed = head;
  claimed.committed.reset();
  EXPECT_EQ(std::get<Head>(decode_head(encode_head(claimed))), claimed);
  claimed.resumed = head.committed;
  EXPECT_EQ(std::get<Head>(decode_head(encode_head(claimed))), claimed);
  claimed.first_pass = true;
  EXPECT_EQ(std::get<Head>(decode_head(encode_head(claimed))), claimed);
  EXPECT_EQ(std::get<Head>(decode_head(text_of_a_pass)), of_a_pass());
  for (const bool first_pass : {false, true}) {
    Head taken = of_a_taken_folder();
    taken.first_pass = first_pass;
    taken.resumed = head.committed;
    EXPECT_EQ(std::get<Head>(decode_head(encode_head(taken))), taken);
    taken.taken_over->kept.reset();
    std::swap(taken.resumed, taken.committed);
    EXPECT_EQ(std::get<Head>(decode_head(encode_head(taken))), taken);
  }
}

TEST(Head, IsRefusedWhenItIsCutOrChangedAnywhere) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(problem(text.substr(0, i)), "no problem");
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    EXPECT_NE(problem(flipped), "no problem") << i;
  }
}

TEST(Head, SaysWhichLineIsWrong) {
  EXPECT_EQ(problem_with("head 1", "head 4"), "carrack head: starts with 'carrack head 4', not 'carrack head 1'");
  EXPECT_EQ(problem_with("head 1", "head 3"),
            "carrack head: has 'manifest checkpoint-1200-1-3-7.manifest 0badf00d' where 'attempts ...' belongs");
  EXPECT_EQ(problem_with("manifest checkpoint", "attempts 1\nreplaced 0\nmanifest checkpoint"),
            "carrack head: has 'attempts 1' after its end");
  EXPECT_EQ(problem_with("head 1", "head 2"),
            "carrack head: has 'manifest checkpoint-1200-1-3-7.manifest 0badf00d' where 'pass ...' belongs");
  EXPECT_EQ(problem_with("5f0c9a7e21d34b86\n", "5f0c9a7e21d34b86\npass first\n"),
            "carrack head: has 'pass first' after its end");
  EXPECT_EQ(problem_with("attempt 1\n", ""), "carrack head: has 'incarnation 3' where 'attempt ...' belongs");
  EXPECT_EQ(problem_with("incarnation 3", "incarnation -3"), "carrack head: has '-3' for a number");
  EXPECT_EQ(problem_with("nonce 5f0c9a7e21d34b86\n", "nonce \n"),
            "carrack head: has '' for a name of letters, digits, '.', '_' and '-'");
  EXPECT_EQ(problem_with(" 0badf00d", ""), "carrack head: has 1 values for 'manifest', not 2");
  EXPECT_EQ(problem_with(" 0badf00d", " badf00d"), "carrack head: has 'badf00d' for a CRC of eight hexadecimal digits");
  EXPECT_EQ(problem_with("manifest checkpoint", "manifest ../checkpoint"),
            "carrack head: has '../checkpoint-1200-1-3-7.manifest' for a name of letters, digits, '.', '_' and '-'");
  EXPECT_EQ(problem_with("0badf00d\n", "0badf00d\nmanifest a 00000000\n"),
            "carrack head: has 'manifest a 00000000' after its end");
  EXPECT_EQ(problem_with("manifest checkpoint", "resumed a 00000000\nmanifest checkpoint"),
            "carrack head: has 'manifest checkpoint-1200-1-3-7.manifest 0badf00d' after its end");
}

TEST(Head, OfAnotherPassIsRefused) {
  std::string changed = text_of_a_pass.substr(0, text_of_a_pass.rfind("crc32c "));
  changed.replace(changed.find("pass first"), 10, "pass second");
  EXPECT_EQ(problem(seal(changed)), "carrack head: has a 'pass' that is not 'first'");
}

TEST(Head, ThatWouldNotBeReadBackIsNotWritten) {
  Head wrong = head;
  wrong.nonce = "two words";
  EXPECT_THROW(encode_head(wrong), train::Error);
}

}  // namespace
}  // namespace carrack::checkpoint
