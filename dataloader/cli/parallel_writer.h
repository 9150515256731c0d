// Writes a file whose pieces several threads encode at once. The pieces are written in the order of add(), so the file
// does not depend on the number of threads. A writer that is destroyed before commit() leaves no file. For one caller
// at a time.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

class ParallelFileWriter {
 public:
  // The number of input bytes that make a piece worth a thread.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  using EncodePiece = std::function<Bytes()>;

  // `threads` is at least one.
  ParallelFileWriter(std::unique_ptr<ObjectWriter> object, unsigned threads)
      : object_(std::move(object)), threads_(threads) {}

  // Waits while `threads` pieces are being encoded. An exception of an earlier piece is thrown when its turn to be
  // written comes.
  void add(EncodePiece encode);
  // Writes the remaining pieces, then as ObjectWriter::commit(). Call it once, after the last add().
  std::optional<ObjectStat> commit();

 private:
  void write_first();

  std::unique_ptr<ObjectWriter> object_;
  const unsigned threads_;
  std::deque<std::future<Bytes>> pieces_;
};

}  // namespace carrack::data::cli
