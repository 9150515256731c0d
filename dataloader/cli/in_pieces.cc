#include "dataloader/cli/in_pieces.h"

#include <utility>

namespace carrack::data::cli {

void InPieces::add(Make make) {
  while (made_.size() >= threads_) write_first();
  made_.push_back(std::async(std::launch::async, std::move(make)));
}

std::optional<ObjectStat> InPieces::commit() {
  while (!made_.empty()) write_first();
  return object_->commit();
}

void InPieces::write_first() {
  std::future<Bytes> first = std::move(made_.front());
  made_.pop_front();
  object_->write(first.get());
}

}  // namespace carrack::data::cli
