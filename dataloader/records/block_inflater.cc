#include "dataloader/records/block_inflater.h"

#include "dataloader/records/zlib_stream.h"

namespace carrack::data {

BlockInflater::BlockInflater(Compression compression) : stream_(new_zlib_stream<::inflateEnd>()) {
  require_memory(::inflateInit2(stream_.get(), window_bits_of(compression)));
}

BlockInflater::Step BlockInflater::inflate(std::span<const std::byte> from, std::span<std::byte> into) {
  Step step;
  while (!at_an_end_ || step.taken < from.size()) {
    stream_->next_in = reinterpret_cast<const Bytef*>(from.data() + step.taken);
    stream_->avail_in = zlib_count_of(from.size() - step.taken);
    stream_->next_out = reinterpret_cast<Bytef*>(into.data() + step.made);
    stream_->avail_out = zlib_count_of(into.size() - step.made);
    const int result = ::inflate(stream_.get(), Z_BLOCK);
    require_memory(result);
    step.taken = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(stream_->next_in) - from.data());
    step.made = static_cast<std::size_t>(reinterpret_cast<std::byte*>(stream_->next_out) - into.data());
    at_an_end_ = result == Z_STREAM_END;
    if (at_an_end_) {
      // Another stream may follow in the same file, such as the next GZIP member.
      ::inflateReset(stream_.get());
      return step;
    }
    if (result == Z_BUF_ERROR) return step;  // Not an error: zlib needs more input, or more room for output.
    if (result != Z_OK) {
      step.damage = stream_->msg != nullptr ? stream_->msg : "needs a dictionary";
      return step;
    }
    if (at_block_end()) return step;
  }
  return step;
}

// zlib.h explains these bits of data_type at inflate(): 128 is set at the end of a block or of a header, and 64 in the
// last block of a stream.
bool BlockInflater::at_block_end() const {
  constexpr int block_end = 128, last_block = 64;
  return !at_an_end_ && (stream_->data_type & (block_end | last_block)) == block_end;
}

unsigned BlockInflater::bits_left() const {
  return static_cast<unsigned>(stream_->data_type & 7);
}

Bytes BlockInflater::window() const {
  Bytes window(std::size_t{1} << MAX_WBITS);
  uInt size = 0;
  ::inflateGetDictionary(stream_.get(), reinterpret_cast<Bytef*>(window.data()), &size);
  window.resize(size);
  return window;
}

}  // namespace carrack::data
