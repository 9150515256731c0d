#include "dataloader/pipeline/sequences/held_run.h"

#include <algorithm>
#include <utility>

#include "dataloader/pipeline/execution/in_order.h"

namespace carrack::data {
namespace {

// Of what was given of a run, no more than such a part is held still.
constexpr std::uint64_t pieces_of_run = 64;

std::uint64_t bytes_beside(const Rows& rows) {
  return sizeof rows + rows.columns.size() * sizeof(NamedColumn) + rows.places.size() * sizeof(Place);
}

}  // namespace

HeldRun::HeldRun(const Rows& rows, const std::vector<Coming>& coming, std::uint64_t first_place)
    : comes_(coming.size()), given_(coming.size()), in_piece_(std::max<std::size_t>(coming.size() / pieces_of_run, 1)) {
  for (std::size_t i = 0; i < coming.size(); ++i) comes_[coming[i].row] = static_cast<std::uint32_t>(i);
  auto lost = rows.lost.begin();
  for (std::size_t begin = 0, row = 0; begin < coming.size(); begin += in_piece_) {
    const std::size_t end = std::min(begin + in_piece_, coming.size()), first = row;
    Rows own;
    for (std::size_t i = begin; i < end; ++i) {
      if (lost != rows.lost.end() && lost->asked == i)
        own.lost.push_back({i - begin, lost++->why});
      else
        ++row;
    }
    Piece& piece = pieces_.emplace_back(Piece{.rows = {}, .last_place = coming[end - 1].place, .left = end - begin});
    if (piece.last_place < first_place) continue;
    append(own, rows, {first, row});
    own = with_own_memory(std::move(own));
    piece.size = {end - begin, bytes_of(own) + bytes_beside(own)};
    piece.rows = std::make_shared<const Rows>(std::move(own));
    size_.rows += piece.size.rows;
    size_.bytes += piece.size.bytes;
  }
}

bool HeldRun::give(std::span<const Wish> wishes, std::vector<Answer>& answers) {
  for (const auto& [row, asked] : wishes)
    if (row >= comes_.size() || !piece_of(comes_[row]).rows) return false;
  for (const auto& [row, asked] : wishes) {
    const std::uint32_t number = comes_[row];
    Piece& piece = piece_of(number);
    answers[asked] = {piece.rows, number % in_piece_};
    if (!given_[number]) --piece.left;
    given_[number] = true;
  }
  for (Piece& piece : pieces_)
    if (piece.left == 0) let_go(piece);
  return true;
}

void HeldRun::let_go(std::uint64_t place) {
  for (Piece& piece : pieces_) {
    if (piece.last_place >= place) return;
    let_go(piece);
  }
}

void HeldRun::let_go(Piece& piece) {
  if (!piece.rows) return;
  size_.rows -= piece.size.rows;
  size_.bytes -= piece.size.bytes;
  piece.rows.reset();
}

void append(Rows& rows, const HeldRun::Answer& answer, std::size_t asked) {
  const std::vector<Lost>& lost = answer.piece->lost;
  const auto next = std::ranges::lower_bound(lost, answer.number, {}, &Lost::asked);
  const std::size_t row = answer.number - static_cast<std::size_t>(next - lost.begin());
  if (next != lost.end() && next->asked == answer.number)
    rows.lost.push_back({asked, next->why});
  else
    append(rows, *answer.piece, {row, row + 1});
}

}  // namespace carrack::data
