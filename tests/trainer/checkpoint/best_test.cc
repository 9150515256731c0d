#include "trainer/checkpoint/best.h"

#include <gtest/gtest.h>

#include <limits>

#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

const Best best{{"checkpoint-1200-1-3-7.manifest", 0x0badf00d}, 0.0123};

// The worked example of docs/formats/checkpoint.md.
const std::string text = R"(carrack best 1
manifest checkpoint-1200-1-3-7.manifest 0badf00d
loss 0.0123
crc32c 8c873aff
)";

std::string problem(const std::string& bytes) {
  const Decoded<Best> decoded = decode_best(bytes);
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

std::string problem_with(const std::string& piece, const std::string& by) {
  std::string changed = text.substr(0, text.rfind("crc32c "));
  changed.replace(changed.find(piece), piece.size(), by);
  return problem(seal(changed));
}

TEST(Best, HasTheDocumentedText) {
  EXPECT_EQ(encode_best(best), text);
}

TEST(Best, IsReadBackExactly) {
  for (const double loss : {0.0, -3.5, 0.1, 1e-300, 1.7976931348623157e308}) {
    const Best one{best.checkpoint, loss};
    EXPECT_EQ(std::get<Best>(decode_best(encode_best(one))), one);
  }
}

TEST(Best, IsRefusedWhenItIsCutOrChangedAnywhere) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(problem(text.substr(0, i)), "no problem");
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    EXPECT_NE(problem(flipped), "no problem") << i;
  }
}

TEST(Best, SaysWhichLineIsWrong) {
  EXPECT_EQ(problem_with("best 1", "best 2"), "carrack best: starts with 'carrack best 2', not 'carrack best 1'");
  EXPECT_EQ(problem_with("loss 0.0123\n", ""), "carrack best: ends before 'loss'");
  for (const char* loss : {"", "much", "0.0123x", "1e999", "nan", "inf", "1.23e-2", "0.01230", "+0.0123"}) {
    EXPECT_EQ(problem_with("0.0123", loss), "carrack best: has a 'loss' that is not a number") << loss;
  }
  EXPECT_EQ(problem_with("manifest checkpoint", "manifest ../checkpoint"),
            "carrack best: has '../checkpoint-1200-1-3-7.manifest' for a name of letters, digits, '.', '_' and '-'");
}

TEST(Best, ThatWouldNotBeReadBackIsNotWritten) {
  EXPECT_THROW(encode_best({best.checkpoint, std::numeric_limits<double>::infinity()}), train::Error);
  EXPECT_THROW(encode_best({{"two words", 0}, 0.5}), train::Error);
}

}  // namespace
}  // namespace carrack::checkpoint
