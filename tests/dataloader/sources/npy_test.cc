// Arrays of numpy's: every type that is read, any range of rows, and what is refused by name.
#include "dataloader/sources/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "dataloader/error.h"
#include "dataloader/sources/memory_bytes.h"
#include "tests/dataloader/sources/arrays.h"

namespace carrack::data {
namespace {

using Ints = LargeVector<std::int64_t>;
using Floats = LargeVector<float>;

std::variant<ArrayRows, Corrupt> open(Bytes file) {
  return open_npy(std::make_unique<MemoryByteSource>("x.npy", std::move(file)));
}

std::string fault_of(Bytes file) {
  const auto found = open(std::move(file));
  const Corrupt* corrupt = std::get_if<Corrupt>(&found);
  return corrupt == nullptr ? "" : text(*corrupt);
}

Values all_of(const ArrayRows& array, Dtype dtype) {
  return std::get<Column>(array.read(0, array.rows(), dtype)).values;
}

template <typename Number>
Values values_of(const std::string& descr, const std::vector<Number>& stored, Dtype dtype) {
  const auto found = open(npy_of(dictionary(descr, "(" + std::to_string(stored.size()) + ",)"), numbers(stored)));
  return all_of(std::get<ArrayRows>(found), dtype);
}

TEST(Npy, ReadsEachTypeOfNumber) {
  EXPECT_EQ(values_of<std::uint8_t>("|b1", {0, 1, 2}, Dtype::int64), Values(Ints{0, 1, 1}));
  EXPECT_EQ(values_of<std::uint8_t>("|u1", {0, 255}, Dtype::int64), Values(Ints{0, 255}));
  EXPECT_EQ(values_of<std::int8_t>("|i1", {-128, 127}, Dtype::float32), Values(Floats{-128, 127}));
  EXPECT_EQ(values_of<std::uint16_t>("<u2", {65535}, Dtype::int64), Values(Ints{65535}));
  EXPECT_EQ(values_of<std::int16_t>("=i2", {-2}, Dtype::int64), Values(Ints{-2}));
  EXPECT_EQ(values_of<std::uint32_t>("<u4", {4294967295}, Dtype::int64), Values(Ints{4294967295}));
  EXPECT_EQ(values_of<std::int32_t>("<i4", {-3}, Dtype::float32), Values(Floats{-3}));
  EXPECT_EQ(values_of<std::uint64_t>("<u8", {1, std::uint64_t{1} << 63}, Dtype::float32), Values(Floats{1, 0x1p63f}));
  EXPECT_EQ(values_of<std::uint64_t>("<u8", {5}, Dtype::int64), Values(Ints{5}));
  EXPECT_EQ(values_of<std::int64_t>("<i8", {-4}, Dtype::int64), Values(Ints{-4}));
  EXPECT_EQ(values_of<std::uint16_t>("<f2", {0x3c00, 0xc000}, Dtype::float32), Values(Floats{1, -2}));
  EXPECT_EQ(values_of<float>("<f4", {1.5f}, Dtype::float32), Values(Floats{1.5f}));
  EXPECT_EQ(values_of<double>("<f8", {0.1, 1e300}, Dtype::float32),
            Values(Floats{0.1f, std::numeric_limits<float>::infinity()}));
}

TEST(Npy, ReadsBigEndianNumbers) {
  EXPECT_EQ(values_of<std::uint16_t>(">i2", {0x0100, 0xfeff}, Dtype::int64), Values(Ints{1, -2}));
  EXPECT_EQ(values_of<std::uint32_t>(">f4", {0x0000c03f}, Dtype::float32), Values(Floats{1.5}));
  EXPECT_EQ(values_of<std::uint64_t>(">u8", {0x0700000000000000}, Dtype::int64), Values(Ints{7}));
  EXPECT_EQ(values_of<std::uint8_t>(">u1", {7}, Dtype::int64), Values(Ints{7}));
}

TEST(Npy, ReadsAnyRangeOfRows) {
  Floats all(100'000 * 3);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i);
  std::vector<double> wide(all.begin(), all.end());
  const auto same = open(npy_of(dictionary("<f4", "(100000, 3)"), numbers(all)));
  const auto converted = open(npy_of(dictionary("<f8", "(100000, 1, 3)"), numbers(wide)));
  for (const auto* found : {&same, &converted}) {
    const ArrayRows& array = std::get<ArrayRows>(*found);
    EXPECT_EQ(array.rows(), 100'000u);
    EXPECT_EQ(array.count(), 3u);
    for (const auto& [first, rows] :
         {std::pair<std::size_t, std::size_t>{0, 0}, {0, 1}, {99'999, 1}, {7, 50'000}, {100'000, 0}}) {
      const Column column = std::get<Column>(array.read(first, rows, Dtype::float32));
      EXPECT_TRUE(std::ranges::equal(std::get<Floats>(column.values), std::span(all).subspan(first * 3, rows * 3)));
      EXPECT_TRUE(column.splits.empty());
    }
  }
}

TEST(Npy, SupportsThreeVersions) {
  for (const std::uint8_t major : std::to_array<std::uint8_t>({1, 2, 3}))
    EXPECT_EQ(
        all_of(std::get<ArrayRows>(open(npy_of(dictionary("<i8", "(1,)"), numbers(Ints{6}), major))), Dtype::int64),
        Values(Ints{6}));
  const std::string padded = dictionary("<i8", "(1,)") + std::string(70'000, ' ');
  EXPECT_EQ(all_of(std::get<ArrayRows>(open(npy_of(padded, numbers(Ints{6}), 2))), Dtype::int64), Values(Ints{6}));
}

TEST(Npy, MayBeEmpty) {
  EXPECT_EQ(std::get<ArrayRows>(open(npy_of(dictionary("<f4", "(0, 3)"), {}))).rows(), 0u);
  const auto found = open(npy_of(dictionary("<f4", "(5, 0)"), {}));
  EXPECT_EQ(all_of(std::get<ArrayRows>(found), Dtype::float32), Values(Floats{}));
}

TEST(Npy, MayBeSliceOfAnArrayInMemory) {
  const std::vector<std::int32_t> array = {1, 2, 3, 4, 5, 6};
  const ArrayRows rows(std::make_unique<MemoryByteSource>("array", std::as_bytes(std::span(array))), 0,
                       {ArrayType::Number::int32, false}, {3, 2});
  EXPECT_EQ(std::get<Column>(rows.read(1, 2, Dtype::int64)).values, Values(Ints{3, 4, 5, 6}));
}

TEST(Npy, AcceptsHeadersAsPythonWritesThem) {
  const NpyArray expected{{ArrayType::Number::float64, false}, {2, 3}};
  for (const char* text : {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
                           "{\"shape\":(2L,3L,),\"descr\":\"<f8\",\"fortran_order\":False,}   \n",
                           "{'fortran_order':False ,'shape' : ( 2 , 3 ) , 'descr':'=f8'}"})
    EXPECT_EQ(std::get<NpyArray>(parse_npy_header(text)), expected) << text;
  EXPECT_EQ(std::get<NpyArray>(parse_npy_header("{'descr': '|u1', 'fortran_order': True, 'shape': (4,)}")).shape,
            std::vector<std::uint64_t>{4});
}

TEST(OddNpy, NamesUnsupportedArrays) {
  const auto refused = [](const std::string& descr) {
    return std::get<std::string>(parse_npy_header(dictionary(descr, "(1,)")));
  };
  const std::string read = "; what is read is bool, int8 to int64, uint8 to uint64, float16 to float64";
  EXPECT_EQ(refused("|O"), "it holds '|O', which is not a type");
  EXPECT_EQ(refused("|O8"), "it holds '|O8', Python objects" + read);
  EXPECT_EQ(refused("<U5"), "it holds '<U5', strings" + read);
  EXPECT_EQ(refused("|S5"), "it holds '|S5', strings" + read);
  EXPECT_EQ(refused("|V2"), "it holds '|V2', raw bytes or records" + read);
  EXPECT_EQ(refused("<c16"), "it holds '<c16', complex numbers" + read);
  EXPECT_EQ(refused("<M8[ns]"), "it holds '<M8[ns]', times" + read);
  EXPECT_EQ(refused("<f16"), "it holds '<f16', numbers of no type that is known here" + read);
  EXPECT_EQ(refused("|i4"), "it holds '|i4', which says no order of bytes");
  EXPECT_EQ(std::get<std::string>(parse_npy_header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}")),
            "it holds records of several fields, which are not read; save each field as an array");
  EXPECT_EQ(std::get<std::string>(parse_npy_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}")),
            "it is in Fortran order, in which no row lies together; save numpy.ascontiguousarray of it");
  EXPECT_EQ(std::get<std::string>(parse_npy_header(dictionary("<f4", "()"))),
            "it is a single number, and has no axis along which there are rows");
}

TEST(OddNpy, RefusesOtherHeaders) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_EQ(std::get<std::string>(parse_npy_header(text)),
              "its header is not as numpy writes it: " + std::string(text).substr(0, 80))
        << text;
}

TEST(OddNpy, ReportsOtherAndTruncatedFiles) {
  EXPECT_EQ(fault_of(file_with("a,b\n")), "x.npy: row 0 at byte 0: it does not begin as an array of numpy's does");
  const Bytes good = npy_of(dictionary("<f4", "(2,)"), numbers(Floats{1, 2}));
  EXPECT_EQ(fault_of(front(good, 9)), "x.npy: row 0 at byte 0: the file ends within its header");
  EXPECT_EQ(fault_of(front(good, 40)), "x.npy: row 0 at byte 0: the file ends within its header");
  EXPECT_EQ(fault_of(front(good, good.size() - 1)),
            "x.npy: row 0 at byte 0: the file ends within the array: 8 bytes are said, and 7 are there");
  EXPECT_EQ(fault_of(joined(good, good)),
            "x.npy: row 0 at byte 0: " + std::to_string(good.size()) + " bytes follow the array");
  EXPECT_EQ(fault_of(npy_of("", {}, 4)), "x.npy: row 0 at byte 0: it is of version 4.0, and 1.0, 2.0 and 3.0 are read");
  EXPECT_EQ(
      fault_of(npy_of(dictionary("<f8", "(4294967296, 4294967296)"), {})),
      "x.npy: row 0 at byte 0: the file ends within the array: more bytes than any file has are said, and 0 are there");
  EXPECT_EQ(fault_of(npy_of(std::string(1'048'577, ' '), {}, 2)),
            "x.npy: row 0 at byte 0: its header is longer than 1 MiB");
}

TEST(OddNpy, NamesTheRowWithAUint64ThatIsTooLarge) {
  const Bytes file =
      npy_of(dictionary("<u8", "(3, 2)"), numbers(std::vector<std::uint64_t>{0, 1, 2, 3, 4, std::uint64_t{1} << 63}));
  const auto array = open(file);
  const Corrupt corrupt = std::get<Corrupt>(std::get<ArrayRows>(array).read(1, 2, Dtype::int64));
  EXPECT_EQ(text(corrupt),
            "x.npy: row 2 at byte " + std::to_string(file.size() - 8) + ": it holds a uint64 that no int64 holds");
  EXPECT_EQ(corrupt.lost, 16u);
}

TEST(OddNpy, ReportsAFileThatChangesWhileItIsRead) {
  const auto array = [] {
    auto source = std::make_unique<MemorySource>(npy_of(dictionary("<f4", "(2,)"), numbers(Floats{1, 2})), "x.npy");
    MemorySource& file = *source;
    auto found = open_npy(std::move(source));
    file.bytes.clear();
    return found;
  }();
  EXPECT_EQ(text(std::get<Corrupt>(std::get<ArrayRows>(array).read(1, 1, Dtype::float32))).substr(0, 20),
            "x.npy: row 1 at byte");
}

TEST(OddNpy, RefusesRowsAndTypesThatItDoesNotHave) {
  const auto words = [](std::uint64_t first, std::size_t rows, Dtype dtype) -> std::string {
    const auto array = open(npy_of(dictionary("<f4", "(2,)"), numbers(Floats{1, 2})));
    try {
      std::get<ArrayRows>(array).read(first, rows, dtype);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words(1, 2, Dtype::float32), "x.npy: it has 2 rows, and rows 1 to 3 are needed");
  EXPECT_EQ(words(0, 1, Dtype::int64), "x.npy: it holds float32 numbers, and int64 was asked for");
  EXPECT_EQ(words(0, 1, Dtype::bytes), "x.npy: it holds float32 numbers, and bytes was asked for");
}

}  // namespace
}  // namespace carrack::data
