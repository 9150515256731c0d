#include "dataloader/records/inflater.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>

#include "dataloader/check.h"

namespace carrack::data {
namespace {

// ISA-L inflates ahead, into its own buffer, while that buffer has fewer bytes than this.
constexpr std::int32_t ahead = 2 * ISAL_DEF_HIST_SIZE;
// The size of the part of ISA-L's state that comes before its buffer. decode() saves this part, which is small, to be
// able to inflate again after damage.
constexpr std::size_t head_size = offsetof(inflate_state, tmp_out_buffer);
// ISA-L reads bytes one by one from an input of at most this many bytes, which decode_again() needs.
constexpr std::size_t short_input = 7;

// Limits a size to 1 GiB, as ISA-L counts in 32 bits.
std::uint32_t count_of(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::size_t{1} << 30));
}

std::uint8_t* isal_bytes(const std::byte* bytes) {
  return reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes));
}

std::string text_of(int error) {
  return error == ISAL_INVALID_BLOCK      ? "invalid block"
         : error == ISAL_INVALID_LOOKBACK ? "invalid distance too far back"
                                          : "invalid code";
}

}  // namespace

Inflater::Inflater(Compression compression) : Inflater(compression, Raw()) {
  CHECK(compression != Compression::none);
}

Inflater::Inflater(Compression compression, Raw)
    : compression_(compression),
      state_(std::make_unique<inflate_state>().release(), [](inflate_state* state) { delete state; }),
      header_(compression),
      trailer_(compression) {
  ::isal_inflate_init(state_.get());
}

Inflater::Inflater(Compression compression, const Middle& middle) : Inflater(compression) {
  part_ = Part::deflated;
  at_an_end_ = false;
  trailer_.verify_nothing();
  state_->read_in = middle.value;
  state_->read_in_length = static_cast<std::int32_t>(middle.bits);
  const auto size = static_cast<std::uint32_t>(middle.window.size());
  CHECK(::isal_inflate_set_dict(state_.get(), isal_bytes(middle.window.data()), size) == 0);
}

Inflater Inflater::of_raw_deflate() {
  return {Compression::none, Raw()};
}

std::size_t Inflater::memory_bytes() {
  return sizeof(inflate_state);
}

Inflater::Step Inflater::inflate(std::span<const std::byte> from, std::span<std::byte> into) {
  Step step;
  while (inflate_part(from, into, step)) continue;
  return step;
}

// Returns the bytes to inflate next: those in held_ or, if there are none, the part of `from` that was not used yet.
std::span<const std::byte> Inflater::input_of(std::span<const std::byte> from, const Step& step) const {
  return held_.empty() ? from.subspan(step.taken) : std::span<const std::byte>(held_);
}

// Handles the next part of the input: a stream's header, its deflated bytes or its trailer. Returns false if inflate()
// must return.
bool Inflater::inflate_part(std::span<const std::byte> from, std::span<std::byte> into, Step& step) {
  if (damage_) {
    give_rest(into, step);
    return false;
  }
  if (part_ == Part::deflated) return inflate_deflated(from, into, step);
  const std::span<const std::byte> input = input_of(from, step);
  std::span<const std::byte> left = input;
  if (part_ == Part::header) {
    if (left.empty() || (at_an_end_ && step.made > 0 && step.made == into.size())) return false;
    at_an_end_ = false;
    damage_ = header_.take(left);
    if (header_.is_complete()) part_ = Part::deflated;
  } else {
    if (left.empty() && !trailer_.is_complete()) return false;
    damage_ = trailer_.take(left);
    if (trailer_.is_complete() && !damage_) begin_stream();
  }
  pass(static_cast<std::ptrdiff_t>(input.size() - left.size()), input, step);
  return true;
}

bool Inflater::inflate_deflated(std::span<const std::byte> from, std::span<std::byte> into, Step& step) {
  const std::span<const std::byte> input = input_of(from, step);
  const std::span<std::byte> room = into.subspan(step.made);
  const Decoded decoded = decode(input, room);
  trailer_.add(room.first(decoded.made));
  step.made += decoded.made;
  pass(decoded.taken, input, step);
  if (decoded.is_last) part_ = Part::trailer;
  if (damage_ || decoded.is_last) return true;
  const bool has_moved = decoded.taken > 0 || decoded.made > 0;
  const bool has_more = !held_.empty() || step.taken < from.size() || rest() > 0;
  return has_moved && has_more && step.made < into.size();
}

// Calls ISA-L once. If ISA-L finds damage while it inflates ahead, restores its state and inflates again up to the
// damage, so that its buffer has exactly the bytes before the damage. give_rest() then returns these bytes.
Inflater::Decoded Inflater::decode(std::span<const std::byte> input, std::span<std::byte> into) {
  const bool inflates_ahead = state_->tmp_out_valid < ahead;
  std::array<std::byte, head_size> before;
  if (inflates_ahead) std::memcpy(before.data(), state_.get(), head_size);
  state_->next_in = isal_bytes(input.data());
  state_->avail_in = count_of(input.size());
  state_->next_out = isal_bytes(into.data());
  state_->avail_out = std::min(count_of(into.size()), room_for_ahead());
  const int result = ::isal_inflate(state_.get());
  if (result < 0) damage_ = text_of(result);
  if (inflates_ahead && (result == ISAL_INVALID_SYMBOL || result == ISAL_INVALID_LOOKBACK)) {
    std::memcpy(state_.get(), before.data(), head_size);
    decode_again(input);
    return {.taken = 0, .made = 0, .is_last = false};
  }
  Decoded decoded{.taken = state_->next_in - isal_bytes(input.data()),
                  .made = static_cast<std::size_t>(state_->next_out - isal_bytes(into.data())),
                  .is_last = state_->block_state == ISAL_BLOCK_FINISH && !damage_};
  // ISA-L reads input ahead. At the end of a stream it may have read bytes after the stream, which do not belong in
  // Decoded::taken. Newer versions of ISA-L move next_in back themselves, perhaps to before the beginning of `input`,
  // so Decoded::taken may be negative.
  if (decoded.is_last) decoded.taken -= state_->read_in_length / 8;
  return decoded;
}

// Returns how many bytes of output ISA-L may write in one call. ISA-L inflates into its own buffer and copies from
// there to the output. Once the buffer is empty, it would inflate straight into the output. This limit is one byte too
// small for that, because decode_again() needs the bytes in the buffer. Once ISA-L has decoded the whole stream, the
// limit is what the buffer still has.
std::uint32_t Inflater::room_for_ahead() const {
  if (state_->block_state == ISAL_BLOCK_INPUT_DONE) return count_of(rest());
  return static_cast<std::uint32_t>(std::max(state_->tmp_out_valid, ahead) - state_->tmp_out_processed - 1);
}

// Inflates again up to the damage, all into ISA-L's buffer. If the distance of a copy is damaged, ISA-L counts the
// bytes of the copy as made although it has not written them. It does not do so if its input is short, so this
// passes the input in short parts.
void Inflater::decode_again(std::span<const std::byte> input) {
  state_->next_in = isal_bytes(input.data());
  state_->next_out = nullptr;
  state_->avail_out = 0;
  for (std::size_t left = count_of(input.size()); left > 0;) {
    state_->avail_in = static_cast<std::uint32_t>(std::min(left, short_input));
    const std::uint8_t* begin = state_->next_in;
    if (::isal_inflate(state_.get()) < 0 || state_->next_in == begin) return;
    left -= static_cast<std::size_t>(state_->next_in - begin);
  }
}

// Returns the number of bytes that ISA-L has inflated ahead, into its own buffer.
std::size_t Inflater::rest() const {
  return static_cast<std::size_t>(state_->tmp_out_valid - state_->tmp_out_processed);
}

// Moves the bytes that were inflated before the damage to `into`. Reports the damage once all of them have been moved.
void Inflater::give_rest(std::span<std::byte> into, Step& step) {
  const std::size_t size = std::min(rest(), into.size() - step.made);
  if (size > 0) std::memcpy(into.data() + step.made, state_->tmp_out_buffer + state_->tmp_out_processed, size);
  state_->tmp_out_processed += static_cast<std::int32_t>(size);
  step.made += size;
  if (rest() == 0) step.damage = damage_;
}

// Counts the next `taken` bytes of the input as used. If `taken` is negative, the last -taken bytes of earlier inputs
// were counted too early. They go into held_, and come before the next input.
void Inflater::pass(std::ptrdiff_t taken, std::span<const std::byte> input, Step& step) {
  if (taken < 0) {
    held_.insert(held_.begin(), recent_.end() + taken, recent_.end());
    return;
  }
  const std::span<const std::byte> last = input.first(static_cast<std::size_t>(taken));
  const std::size_t kept = std::min(last.size(), recent_.size());
  std::shift_left(recent_.begin(), recent_.end(), static_cast<std::ptrdiff_t>(kept));
  std::ranges::copy(last.last(kept), recent_.end() - static_cast<std::ptrdiff_t>(kept));
  if (held_.empty())
    step.taken += last.size();
  else
    held_.erase(held_.begin(), held_.begin() + taken);
}

void Inflater::begin_stream() {
  ::isal_inflate_reset(state_.get());
  part_ = Part::header;
  header_ = StreamHeader(compression_);
  trailer_ = StreamTrailer(compression_);
  at_an_end_ = true;
}

}  // namespace carrack::data
