#include "trainer/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include "tests/trainer/checkpoint/any_bytes.h"

namespace carrack::checkpoint {
namespace {

std::string problem(const Decoded<SafeTensors>& decoded) {
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

// Of a header with so many bytes behind it.
Decoded<SafeTensors> decoded(const std::string& header, std::uint64_t data_size = 0) {
  return decode_safetensors(header, safetensors_size_bytes + header.size() + data_size);
}

std::string problem_in(const std::string& header, std::uint64_t data_size = 0) {
  return problem(decoded(header, data_size));
}

// Of a tensor `w` with these fields, in a file with eight bytes of data.
std::string problem_of(const std::string& fields) {
  return problem_in("{\"w\":{" + fields + "}}", 8);
}

std::string size_problem(std::uint64_t header_size, std::uint64_t file_size) {
  std::string first;
  put_fixed64(first, header_size);
  const auto size = safetensors_header_size(first, file_size);
  const auto* corrupt = std::get_if<Corrupt>(&size);
  return corrupt ? corrupt->text : "no problem";
}

// The worked example of docs/formats/safetensors.md.
TEST(SafeTensors, AreFoundByTheHeader) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string first;
  put_fixed64(first, header.size());
  EXPECT_EQ(first, std::string("\x36\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(std::get<std::uint64_t>(safetensors_header_size(first, 70)), 54U);
  EXPECT_EQ(std::get<SafeTensors>(decode_safetensors(header, 70)),
            (SafeTensors{{"w", {"F32", DType::float32, {2}, 62, 8}}}));
}

TEST(SafeTensors, HaveAnyTypeAndShape) {
  const std::string header =
      R"({ "__metadata__": {"format": "pt"}, "b\u00e9": {"data_offsets": [8, 10], "shape": [1, 1],
    "dtype": "BF16", "more": [{}]}, "a": {"dtype": "F64", "shape": [], "data_offsets": [0, 8]},
    "none": {"dtype": "I64", "shape": [0, 9], "data_offsets": [8, 8]},
    "later": {"dtype": "F4", "shape": [3], "data_offsets": [10, 12]}}   )";
  const std::uint64_t data = 8 + header.size();
  EXPECT_EQ(std::get<SafeTensors>(decoded(header, 12)),
            (SafeTensors{{"b\xc3\xa9", {"BF16", DType::bfloat16, {1, 1}, data + 8, 2}},
                         {"a", {"F64", DType::float64, {}, data, 8}},
                         {"none", {"I64", DType::int64, {0, 9}, data + 8, 0}},
                         {"later", {"F4", std::nullopt, {3}, data + 10, 2}}}));
  EXPECT_EQ(std::get<SafeTensors>(decoded("{}")), SafeTensors());
}

TEST(SafeTensors, OfAFileThatIsCutOrNoneAreRefused) {
  EXPECT_EQ(std::get<Corrupt>(safetensors_header_size("1234567", 7)).text,
            "has 7 bytes; the size of its header alone takes 8");
  EXPECT_EQ(size_problem(55, 62), "its header has 55 bytes, and there are 54; it is cut, or no safetensors file");
  EXPECT_EQ(size_problem(~std::uint64_t{0}, 62),
            "its header has 18446744073709551615 bytes, and there are 54; it is cut, or no safetensors file");
  EXPECT_EQ(size_problem(1 << 24, 1 << 30), "no problem");
  EXPECT_EQ(size_problem((1 << 24) + 1, 1 << 30), "its header has 16777217 bytes; at most 16777216 are read");
}

TEST(SafeTensors, OfAHeaderThatIsNoJsonAreRefused) {
  EXPECT_EQ(problem_in(""), "the header does not begin with {");
  EXPECT_EQ(problem_in(" {}"), "the header does not begin with {");
  EXPECT_EQ(problem_in("{} x"), "the header has text after its object");
  EXPECT_EQ(problem_in("{1:2}"), "the header is wrong at its byte 1: a name in quotes was expected");
  EXPECT_EQ(problem_in("{\"a\" 2}"), "the header is wrong at its byte 5: a colon was expected");
  EXPECT_EQ(problem_in("{\"a\":2}"), "the header is wrong at its byte 5: an object was expected");
  EXPECT_EQ(problem_in("{\"a"), "the header is wrong at its byte 3: a string does not end");
  EXPECT_EQ(problem_in("{\"__metadata__\":{}"), "the header is wrong at its byte 18: a comma or } was expected");
  EXPECT_EQ(problem_in("{\"__metadata__\":" + std::string(100, '[')),
            "the header is wrong at its byte 81: values are nested deeper than 64");
}

TEST(SafeTensors, WithWrongFieldsAreRefused) {
  EXPECT_EQ(problem_of(R"("dtype":"F32","shape":[2])"), "tensor \"w\" lacks dtype, shape or data_offsets");
  EXPECT_EQ(problem_of(R"("dtype":3)"), "the header is wrong at its byte 14: a text in quotes was expected");
  EXPECT_EQ(problem_of(R"("dtype":"F32","dtype":"F32")"),
            "the header is wrong at its byte 28: the field is there twice");
  EXPECT_EQ(problem_of(R"("shape":2)"), "the header is wrong at its byte 14: a list was expected");
  EXPECT_EQ(problem_of(R"("shape":[2)"), "the header is wrong at its byte 16: a comma or ] was expected");
  const std::string number = "a whole number from 0 to 9223372036854775807 was expected";
  EXPECT_EQ(problem_of(R"("shape":[-1])"), "the header is wrong at its byte 17: " + number);
  EXPECT_EQ(problem_of(R"("shape":[1.5])"), "the header is wrong at its byte 18: " + number);
  EXPECT_EQ(problem_of(R"("shape":[9223372036854775808])"), "the header is wrong at its byte 34: " + number);
  std::string ones = "1";
  for (int i = 0; i < 32; ++i) ones += ",1";
  EXPECT_EQ(problem_of("\"shape\":[" + ones + "]"),
            "the header is wrong at its byte 80: the list is longer than 32 numbers");
}

TEST(SafeTensors, OfASizeThatDoesNotFitAreRefused) {
  EXPECT_EQ(problem_of(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"),
            "tensor \"w\" has 8 bytes for 3 elements of F32");
  EXPECT_EQ(problem_of(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])"),
            "tensor \"w\" has the impossible shape [4294967296,4294967296]");
  for (const char* offsets : {"[]", "[0]", "[0,4,8]", "[8,0]"}) {
    EXPECT_EQ(problem_of(R"("dtype":"F32","shape":[2],"data_offsets":)" + std::string(offsets)),
              "tensor \"w\" has data_offsets that are no range of bytes");
  }
  EXPECT_EQ(problem_of(R"("dtype":"F32","shape":[2],"data_offsets":[1,9])"),
            "tensor \"w\" ends at byte 9 of the data, which has 8");
}

TEST(SafeTensors, ShareNoByteAndLeaveNoneOut) {
  const auto two = [](const std::string& first, const std::string& second, std::uint64_t data_size) {
    const std::string one = R"({"dtype":"F16","shape":[1],"data_offsets":[)";
    return problem_in("{\"v\":" + one + first + "]},\"w\":" + one + second + "]}}", data_size);
  };
  EXPECT_EQ(two("2,4", "0,2", 4), "no problem");
  EXPECT_EQ(two("0,2", "1,3", 4), "tensor \"w\" begins at byte 1 of the data, and what is before it ends at 2");
  EXPECT_EQ(two("0,2", "0,2", 4), "tensor \"w\" begins at byte 0 of the data, and what is before it ends at 2");
  EXPECT_EQ(two("0,2", "3,5", 5), "tensor \"w\" begins at byte 3 of the data, and what is before it ends at 2");
  EXPECT_EQ(two("0,2", "2,4", 5), "the data has 1 byte after its last tensor");
  EXPECT_EQ(problem_in("{}", 3), "the data has 3 bytes after its last tensor");
  const std::string tensor = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(problem_in("{\"\\u001b\":" + tensor + ",\"\\u001b\":" + tensor + "}", 1),
            "tensor \"\\x1b\" is there twice");
}

TEST(SafeTensors, AreRefusedWhereverTheirFileIsCut) {
  std::string file;
  const std::string header = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  put_fixed64(file, header.size());
  file += header + "12345678";
  EXPECT_TRUE(any_bytes::as_safetensors(file));
  for (std::size_t i = 0; i < file.size(); ++i) EXPECT_FALSE(any_bytes::as_safetensors(file.substr(0, i))) << i;
}

}  // namespace
}  // namespace carrack::checkpoint
