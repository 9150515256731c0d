#include "dataloader/cli/parallel_writer.h"

#include <utility>

namespace carrack::data::cli {

void ParallelFileWriter::add(EncodePiece encode) {
  while (pieces_.size() >= threads_) write_first();
  pieces_.push_back(std::async(std::launch::async, std::move(encode)));
}

std::optional<ObjectStat> ParallelFileWriter::commit() {
  while (!pieces_.empty()) write_first();
  return object_->commit();
}

void ParallelFileWriter::write_first() {
  std::future<Bytes> first = std::move(pieces_.front());
  pieces_.pop_front();
  object_->write(first.get());
}

}  // namespace carrack::data::cli
