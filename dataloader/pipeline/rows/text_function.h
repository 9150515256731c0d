// text_ids(): a function that replaces the strings of a column by whole numbers (int64), for embeddings and labels:
// docs/formats/text_ids.md. The trainer uses it for features with `words` or `buckets`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// A string that is one of the words becomes `buckets` + its index in `words`. Any other string becomes its
// fingerprint64() modulo `buckets`, as in TensorFlow's StringToHashBucketFast. With words {"cat", "dog"} and 3 buckets,
// "cat" becomes 3, "dog" 4, and any other string 0, 1 or 2.
struct TextIds {
  std::string column;  // may have lists; they keep their lengths
  std::vector<std::string> words = {};
  std::int64_t buckets = 0;  // 0: each string must be one of the words
};

// text_ids() throws an Error if a word occurs twice, if there are neither words nor buckets, or if `buckets` is
// negative. If there are no buckets, the returned function moves rows with a string that is not one of the words to
// Rows::lost. The function throws an Error if the column is missing or does not consist of strings.
RowsFunction text_ids(const TextIds& options);

}  // namespace carrack::data
