#include "dataloader/pipeline/streams/sequence_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/buffer_order.h"

namespace carrack::data {
namespace {

StateWriter state_of(std::uint64_t number) {
  StateWriter state;
  state.number(number);
  return state;
}

// Applies the functions one after the other. With OnDamage::stop, first removes the rows from the first lost row on.
// This must happen before a function drops other rows, because then the index of the lost row no longer says which rows
// are before it.
void apply(const std::vector<RowsFunction>& functions, OnDamage on_damage, Rows& rows) {
  for (const RowsFunction& function : functions) {
    if (on_damage == OnDamage::stop) cut_at_first_lost(rows);
    if (rows.count == 0) return;
    function(rows);
  }
}

// An endless stream ends after this many epochs without rows. It is more than one because random draws, such as those
// of a shuffle before a filter, may leave a row in few epochs only.
constexpr std::uint64_t epochs_without_rows_max = 1000;

// Reads a sequence from front to back as a stream. Many threads read its chunks.
class SequenceStream final : public Stream {
 public:
  SequenceStream(Sequence sequence, SequenceStreamOptions options, Workers& workers)
      : sequence_(std::move(sequence)),
        functions_(std::make_shared<const std::vector<RowsFunction>>(std::move(options.functions))),
        buffer_(std::move(options.buffer)),
        first_epoch_(options.first_epoch),
        size_(sequence_.size()),
        end_(repeated(size_, options.epochs).size),
        on_damage_(options.ahead.on_damage),
        chunk_(elements_of_chunk(sequence_, options.chunk_bytes)),
        in_order_(workers, options.ahead, [this] { return next_job(); }) {
    in_order_.set_state(state_of(0));
    if (buffer_ && end_ > 0) order_.emplace(size_, buffer_->size, buffer_->random, first_epoch_);
  }

  std::optional<Rows> next() override {
    if (end_ >= endless && places_without_rows_ / epochs_without_rows_max >= size_) return std::nullopt;
    std::optional<Rows> rows = in_order_.next();
    const bool has_rows = rows && (rows->count > 0 || rows->is_batch);
    places_without_rows_ = has_rows ? 0 : places_without_rows_ + chunk_;
    return rows;
  }
  std::uint64_t batch() const override { return sequence_.batch(); }
  void save(StateWriter& state) const override { state.append(in_order_.state()); }
  void restore(StateReader& state) override {
    place_ = state.number();
    if (place_ > end_)
      throw Error("the state is that of other data: it has " + std::to_string(end_) + " elements, and goes on from " +
                  std::to_string(place_));
    // The state of a buffer shuffle depends on all earlier draws, so repeats them.
    if (order_)
      for (std::uint64_t i = 0; i < place_; ++i) order_->next();
    in_order_.set_state(state_of(place_));
  }

 private:
  // Returns how many elements one job reads: a single batch, or about `bytes` of rows. With fewer rows, passing chunks
  // between threads would cost much compared with reading them.
  static std::uint64_t elements_of_chunk(const Sequence& sequence, std::uint64_t bytes) {
    constexpr std::uint64_t max = 4096, if_size_is_unknown = 256;
    if (sequence.batch() > 0) return 1;
    if (sequence.element_bytes() == 0) return if_size_is_unknown;
    return std::clamp<std::uint64_t>(bytes / sequence.element_bytes(), 1, max);
  }

  std::optional<InOrder::Job> next_job() {
    std::vector<Place> places(std::min(chunk_, end_ - place_));
    if (places.empty()) return std::nullopt;
    for (Place& place : places) {
      place = order_ ? order_->next() : Place{first_epoch_ + place_ / size_, place_ % size_};
      ++place_;
    }
    return InOrder::Job{
        [sequence = sequence_, functions = functions_, on_damage = on_damage_, places = std::move(places)] {
          Rows rows = sequence.read(places);
          rows.is_batch = sequence.batch() > 0;
          apply(*functions, on_damage, rows);
          return rows;
        },
        state_of(place_)};
  }

  const Sequence sequence_;
  const std::shared_ptr<const std::vector<RowsFunction>> functions_;
  const std::optional<SequenceStreamOptions::Buffer> buffer_;
  const std::uint64_t first_epoch_;
  const std::uint64_t size_;
  const std::uint64_t end_;  // number of places in all epochs
  const OnDamage on_damage_;
  const std::uint64_t chunk_;  // number of elements that are read as one chunk
  std::optional<BufferOrder> order_;
  std::uint64_t place_ = 0;                // where the next job begins, counted over all epochs
  std::uint64_t places_without_rows_ = 0;  // number of places in the last results of next(), which had no rows
  InOrder in_order_;
};

// Applies a function to the chunks of a stream on many threads. One thread at a time reads the stream itself.
class MappedStream final : public Stream {
 public:
  MappedStream(StreamPtr input, RowsFunction function, Workers& workers, AheadLimits limits)
      : input_(std::move(input)),
        function_(std::make_shared<const RowsFunction>(std::move(function))),
        in_order_(workers, limits, [this] { return next_job(); }) {
    in_order_.set_state(saved(*input_));
  }

  std::optional<Rows> next() override { return in_order_.next(); }
  std::uint64_t batch() const override { return input_->batch(); }
  void save(StateWriter& state) const override { state.append(in_order_.state()); }
  void restore(StateReader& state) override {
    input_->restore(state);
    in_order_.set_state(saved(*input_));
  }

 private:
  static StateWriter saved(const Stream& stream) {
    StateWriter state;
    stream.save(state);
    return state;
  }
  std::optional<InOrder::Job> next_job() {
    if (input_is_cut_) return std::nullopt;
    std::optional<Rows> rows = input_->next();
    if (!rows) return std::nullopt;
    input_is_cut_ = rows->is_cut;
    auto shared = std::make_shared<Rows>(*std::move(rows));
    return InOrder::Job{[shared, function = function_] {
                          if (shared->count > 0) (*function)(*shared);
                          return std::move(*shared);
                        },
                        saved(*input_)};
  }

  StreamPtr input_;
  std::shared_ptr<const RowsFunction> function_;
  bool input_is_cut_ = false;
  InOrder in_order_;
};

}  // namespace

StreamPtr sequence_stream(Sequence sequence, SequenceStreamOptions options, Workers& workers) {
  return std::make_unique<SequenceStream>(std::move(sequence), std::move(options), workers);
}

StreamPtr mapped(StreamPtr input, RowsFunction function, Workers& workers, AheadLimits limits) {
  return std::make_unique<MappedStream>(std::move(input), std::move(function), workers, limits);
}

}  // namespace carrack::data
