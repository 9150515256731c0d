#include "dataloader/sources/generated_records.h"

namespace carrack::data {

std::variant<Records, EndOfFile, Corrupt> GeneratedRecords::next() {
  offset_ += bytes_.size();
  bytes_.clear();
  std::vector<std::size_t> ends;
  while (!has_ended_ && bytes_.size() < piece_) {
    const auto record = generate_();
    has_ended_ = !record;
    if (!record) break;
    bytes_.insert(bytes_.end(), record->begin(), record->end());
    ends.push_back(bytes_.size());
  }
  if (ends.empty()) return EndOfFile{};
  // The records point into bytes_, which moves in memory while it grows. So they are made only now.
  records_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    records_.push_back({std::span(bytes_).subspan(begin, end - begin), offset_ + begin});
    begin = end;
  }
  number_ += records_.size();
  return Records{number_ - records_.size(), records_};
}

}  // namespace carrack::data
