#include "dataloader/pipeline/rows/text_function.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/fingerprint.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

// The numbers that replace texts. A word in the list has the number of buckets plus its position. Any other text has
// the number of its bucket, which is computed from a hash of the text.
class Ids {
 public:
  explicit Ids(TextIds options) : options_(std::move(options)) {
    const std::string column = "text: column \"" + options_.column + "\" ";
    if (options_.buckets < 0) throw Error(column + "has " + std::to_string(options_.buckets) + " buckets");
    if (options_.buckets == 0 && options_.words.empty()) throw Error(column + "has neither words nor buckets");
    for (const std::string& word : options_.words) {
      const std::int64_t id = options_.buckets + static_cast<std::int64_t>(of_words_.size());
      if (!of_words_.emplace(word, id).second) throw Error(column + "has " + excerpt(word) + " twice among its words");
    }
  }
  Ids(const Ids&) = delete;  // of_words_ has views into options_.
  Ids& operator=(const Ids&) = delete;

  const std::string& column() const { return options_.column; }

  // Returns nullopt if `text` is not one of the words and there are no buckets.
  std::optional<std::int64_t> of(std::string_view text) const {
    if (const auto found = of_words_.find(text); found != of_words_.end()) return found->second;
    if (options_.buckets == 0) return std::nullopt;
    return static_cast<std::int64_t>(fingerprint64(text) % static_cast<std::uint64_t>(options_.buckets));
  }

 private:
  const TextIds options_;
  std::unordered_map<std::string_view, std::int64_t> of_words_;
};

Corrupt unknown(const Rows& rows, std::size_t row, const std::string& column, std::string_view text) {
  return bad_row(rows, row, Fault::bad_example,
                 "feature \"" + column + "\" is " + excerpt(text) + ", which is not one of its words");
}

// Returns the index of the row that has the value with this index.
std::size_t row_of(const NamedColumn& column, std::size_t value) {
  std::size_t place = value / column.item_size();
  for (auto level = column.splits.rbegin(); level != column.splits.rend(); ++level)
    place = static_cast<std::size_t>(std::ranges::upper_bound(*level, place) - level->begin()) - 1;
  return place;
}

void replace(const Ids& ids, Rows& rows) {
  NamedColumn& column = rows.column(ids.column());
  const auto* strings = std::get_if<LargeVector<std::string_view>>(&column.values);
  if (strings == nullptr) throw Error("text: column \"" + ids.column() + "\" holds no strings");
  LargeVector<std::int64_t> numbers(strings->size());
  std::vector<BadRow> bad;
  for (std::size_t i = 0; i < strings->size(); ++i) {
    const std::optional<std::int64_t> id = ids.of((*strings)[i]);
    numbers[i] = id.value_or(0);
    if (id) continue;
    const std::size_t row = row_of(column, i);
    if (bad.empty() || bad.back().row != row) bad.push_back({row, unknown(rows, row, ids.column(), (*strings)[i])});
  }
  column.values = std::move(numbers);
  drop_bad_rows(rows, std::move(bad));
}

}  // namespace

RowsFunction text_ids(const TextIds& options) {
  return [ids = std::make_shared<const Ids>(options)](Rows& rows) { replace(*ids, rows); };
}

}  // namespace carrack::data
