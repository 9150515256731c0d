#include "dataloader/records/record_writer.h"

#include <utility>

#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// RecordWriter collects encoded records until they have at least this many bytes, and then writes them in one call.
constexpr std::size_t piece = std::size_t{256} << 10;

}  // namespace

RecordWriter::RecordWriter(std::unique_ptr<ObjectWriter> object, Compression compression) : object_(std::move(object)) {
  if (compression != Compression::none) deflater_.emplace(compression);
}

void RecordWriter::write(std::span<const std::byte> record) {
  frame::append(frames_, record);
  if (frames_.size() >= piece) flush();
}

std::optional<ObjectStat> RecordWriter::commit() {
  flush();
  if (deflater_) {
    deflater_->finish(deflated_);
    object_->write(deflated_);
  }
  return object_->commit();
}

void RecordWriter::flush() {
  if (deflater_) {
    deflater_->deflate(frames_, deflated_);
    object_->write(deflated_);
    deflated_.clear();
  } else {
    object_->write(frames_);
  }
  frames_.clear();
}

}  // namespace carrack::data
