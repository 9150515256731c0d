// A file of rows in text, from where its reader stands, as far as it wants to see it: the bytes lie in one piece of
// memory, which the reader may write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/file_stream.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

class RowFile {
 public:
  // The file must outlive it.
  RowFile(const ByteSource& file, std::size_t piece);

  // Behind the mark of UTF-8; another encoding, which has one too, is a fault.
  std::optional<Corrupt> begin();
  // Goes on at this place, which is not before the present one.
  std::optional<Corrupt> go_to(TextPlace place);
  TextPlace place() const { return {offset_, row_}; }

  std::span<std::byte> bytes() const { return {memory_.get() + begin_, end_ - begin_}; }
  // Brings more bytes behind them, to another place in memory. False where none come: see problem().
  bool more();
  // Goes on behind so many of them, which hold so many rows, and stay where they are until more come.
  void pass(std::size_t size, std::size_t rows);

  // A row `at` which there is something wrong, behind so many others.
  Corrupt corrupt(Fault fault, std::size_t at, std::string what, std::size_t rows = 0) const;
  // The row that comes next, of so many bytes, is none: it is told, and passed, by lost().
  void lose(Corrupt corrupt, std::size_t size);
  std::optional<Corrupt> lost();
  // How many rows are worth a look at once, of so many that are wanted: few behind one that was lost, and twice as many
  // at each call. Else where many are lost all that follow would be looked at again behind each.
  std::size_t reach(std::size_t most);
  // Nothing of the file comes any more.
  Corrupt close(Fault fault, std::string what);

  const std::optional<ByteStream::Problem>& problem() const { return stream_.problem(); }
  Seek resume() const { return stream_.resume(); }

 private:
  bool pass_to(std::uint64_t offset);

  const std::string name_;
  FileStream stream_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t begin_ = 0;  // of bytes() in it
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_ in the file
  std::uint64_t row_ = 0;     // at begin_
  std::optional<Corrupt> lost_;
  std::size_t reach_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace carrack::data
