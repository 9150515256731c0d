// A file whose pieces are made by several threads at once and written in their order, so that it does not depend on how
// many there are.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

class InPieces {
 public:
  // About so many bytes of records make a piece worth a thread's while.
  static constexpr std::size_t piece = std::size_t{1} << 20;
  using Make = std::function<Bytes()>;

  InPieces(std::unique_ptr<ObjectWriter> object, unsigned threads) : object_(std::move(object)), threads_(threads) {}

  // Waits while as many are being made as there are threads. What one throws is thrown in its turn.
  void add(Make make);
  // As the object's. Called once, last.
  std::optional<ObjectStat> commit();

 private:
  void write_first();

  std::unique_ptr<ObjectWriter> object_;
  const unsigned threads_;
  std::deque<std::future<Bytes>> made_;
};

}  // namespace carrack::data::cli
