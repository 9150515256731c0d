#include "trainer/export/text_numbers.h"

namespace carrack::train::tf {
namespace {

using saved_model::DT_BOOL;
using saved_model::DT_INT32;
using saved_model::DT_INT64;
using saved_model::DT_STRING;

std::string int64_number(std::int64_t number, GraphBuilder& to) {
  return to.add("Cast", {to.number(int32_of(number))}, {{"SrcT", attr(DT_INT32)}, {"DstT", attr(DT_INT64)}});
}

std::string hashed(std::int64_t buckets, const std::string& strings, GraphBuilder& to) {
  return to.add("StringToHashBucketFast", {strings}, {{"num_buckets", attr(buckets)}});
}

}  // namespace

std::string text_numbers(const Feature& feature, const std::string& strings, GraphBuilder& to) {
  if (feature.words.empty()) return hashed(feature.buckets, strings, to);
  const std::string each =
      to.add("ExpandDims", {strings, to.number(-1)}, {{"T", attr(DT_STRING)}, {"Tdim", attr(DT_INT32)}});
  const std::string is_word = to.add("Equal", {each, to.strings(feature.words)}, {{"T", attr(DT_STRING)}});
  const std::string is_any =
      to.add("Any", {is_word, to.number(-1)}, {{"Tidx", attr(DT_INT32)}, {"keep_dims", attr(false)}});
  const std::string ones = to.add("Cast", {is_word}, {{"SrcT", attr(DT_BOOL)}, {"DstT", attr(DT_INT32)}});
  const std::string place = to.add("ArgMax", {ones, to.number(-1)},
                                   {{"T", attr(DT_INT32)}, {"Tidx", attr(DT_INT32)}, {"output_type", attr(DT_INT64)}});
  const std::string number = to.add("AddV2", {place, int64_number(feature.buckets, to)}, {{"T", attr(DT_INT64)}});
  const std::string other = feature.buckets > 0 ? hashed(feature.buckets, strings, to) : int64_number(-1, to);
  return to.add("SelectV2", {is_any, number, other}, {{"T", attr(DT_INT64)}});
}

}  // namespace carrack::train::tf
