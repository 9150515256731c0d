#include "dataloader/pipeline/sequences/held_run.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/pipeline/execution/in_order.h"

namespace carrack::data {
namespace {

// A run is stored in about this many pieces. A piece remains in memory until all of its rows were returned. So the
// smaller the pieces, the less memory contains rows that were returned already.
constexpr std::uint64_t pieces_of_run = 64;

std::uint64_t overhead_bytes(const Rows& rows) {
  return sizeof rows + rows.columns.size() * sizeof(NamedColumn) + rows.places.size() * sizeof(Place);
}

}  // namespace

HeldRun::HeldRun(const Rows& rows, const std::vector<RowSlot>& slots, std::uint64_t first_place)
    : slot_of_row_(slots.size()),
      is_returned_(slots.size()),
      slots_in_piece_(std::max<std::size_t>(slots.size() / pieces_of_run, 1)) {
  for (std::size_t i = 0; i < slots.size(); ++i) slot_of_row_[slots[i].row] = static_cast<std::uint32_t>(i);
  auto lost = rows.lost.begin();
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < slots.size(); begin += slots_in_piece_) {
    const std::size_t end = std::min(begin + slots_in_piece_, slots.size()), first_row = row;
    Rows own;
    for (std::size_t i = begin; i < end; ++i) {
      if (lost != rows.lost.end() && lost->index == i)
        own.lost.push_back({i - begin, lost++->why});
      else
        ++row;
    }
    Piece& piece =
        pieces_.emplace_back(Piece{.rows = {}, .last_place = slots[end - 1].place, .unreturned = end - begin});
    if (piece.last_place < first_place) continue;  // No call needs these rows any more.
    append(own, rows, {first_row, row});
    own = with_own_memory(std::move(own));
    piece.size = {end - begin, bytes_of(own) + overhead_bytes(own)};
    piece.rows = std::make_shared<const Rows>(std::move(own));
    size_.rows += piece.size.rows;
    size_.bytes += piece.size.bytes;
  }
  CHECK_EQ(row, rows.count);
}

bool HeldRun::locate(std::span<const RowRequest> requests, std::vector<RowLocation>& locations) {
  // Checks all requests before the first change, because a call that fails must change nothing.
  for (const RowRequest& request : requests)
    if (request.row >= slot_of_row_.size() || !piece_of(slot_of_row_[request.row]).rows) return false;
  for (const RowRequest& request : requests) {
    const std::uint32_t slot = slot_of_row_[request.row];
    Piece& piece = piece_of(slot);
    locations[request.index] = {piece.rows, slot % slots_in_piece_};
    if (is_returned_[slot]) continue;
    CHECK_GT(piece.unreturned, 0u);
    --piece.unreturned;
    is_returned_[slot] = true;
  }
  for (Piece& piece : pieces_)
    if (piece.unreturned == 0) free(piece);
  return true;
}

void HeldRun::drop_before(std::uint64_t place) {
  for (Piece& piece : pieces_) {
    if (piece.last_place >= place) return;
    free(piece);
  }
}

void HeldRun::free(Piece& piece) {
  if (!piece.rows) return;
  CHECK_GE(size_.rows, piece.size.rows);
  CHECK_GE(size_.bytes, piece.size.bytes);
  size_.rows -= piece.size.rows;
  size_.bytes -= piece.size.bytes;
  piece.rows.reset();
}

void append(Rows& rows, const HeldRun::RowLocation& location, std::size_t index) {
  CHECK(location.piece != nullptr);
  const std::vector<Lost>& lost = location.piece->lost;
  const auto next = std::ranges::lower_bound(lost, location.slot, {}, &Lost::index);
  const std::size_t row = location.slot - static_cast<std::size_t>(next - lost.begin());
  if (next != lost.end() && next->index == location.slot)
    rows.lost.push_back({index, next->why});
  else
    append(rows, *location.piece, {row, row + 1});
}

}  // namespace carrack::data
