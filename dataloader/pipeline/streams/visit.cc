// Sequences read through by many threads: visit(). And mapped() streams, which are run the same way.
#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/buffer_order.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {
namespace {

StateWriter state_of(std::uint64_t number) {
  StateWriter state;
  state.number(number);
  return state;
}

void apply(const std::vector<RowsFunction>& functions, Rows& rows) {
  for (const RowsFunction& function : functions) {
    if (rows.count == 0) return;
    function(rows);
  }
}

class Visited final : public Stream {
 public:
  Visited(SequencePtr sequence, Visit how, Workers& workers)
      : sequence_(std::move(sequence)),
        functions_(std::make_shared<const std::vector<RowsFunction>>(std::move(how.functions))),
        buffer_(std::move(how.buffer)),
        first_epoch_(how.first_epoch),
        size_(sequence_->size()),
        end_(repeated(size_, how.epochs).size),
        chunk_(chunk_of(*sequence_, how.chunk_bytes)),
        in_order_(workers, how.ahead, [this] { return next_job(); }) {
    in_order_.restored(state_of(0));
    if (buffer_ && end_ > 0) order_.emplace(size_, buffer_->size, buffer_->random, first_epoch_);
  }

  std::optional<Rows> next() override { return in_order_.next(); }
  std::uint64_t batch() const override { return sequence_->batch(); }
  void save(StateWriter& state) const override { state.append(in_order_.state()); }
  void restore(StateReader& state) override {
    place_ = state.number();
    if (place_ > end_)
      throw Error("the state is that of other data: it has " + std::to_string(end_) + " elements, and goes on from " +
                  std::to_string(place_));
    if (order_)
      for (std::uint64_t i = 0; i < place_; ++i) order_->next();
    in_order_.restored(state_of(place_));
  }

 private:
  // A batch at a time; of rows as many as are read in about the time that handing them over costs little of.
  static std::uint64_t chunk_of(const Sequence& sequence, std::uint64_t bytes) {
    constexpr std::uint64_t most = 4096, unknown = 256;
    if (sequence.batch() > 0) return 1;
    if (sequence.element_bytes() == 0) return unknown;
    return std::clamp<std::uint64_t>(bytes / sequence.element_bytes(), 1, most);
  }

  std::optional<InOrder::Job> next_job() {
    std::vector<Place> places(std::min(chunk_, end_ - place_));
    if (places.empty()) return std::nullopt;
    for (Place& place : places) {
      place = order_ ? order_->next() : Place{first_epoch_ + place_ / size_, place_ % size_};
      ++place_;
    }
    return InOrder::Job{[sequence = sequence_, functions = functions_, places = std::move(places)] {
                          Rows rows = sequence->read(places);
                          apply(*functions, rows);
                          return rows;
                        },
                        state_of(place_)};
  }

  const SequencePtr sequence_;
  const std::shared_ptr<const std::vector<RowsFunction>> functions_;
  const std::optional<Visit::Buffer> buffer_;
  const std::uint64_t first_epoch_;
  const std::uint64_t size_;
  const std::uint64_t end_;  // places in all epochs
  const std::uint64_t chunk_;
  std::optional<BufferOrder> order_;
  std::uint64_t place_ = 0;  // of the next job
  InOrder in_order_;
};

// Its state is that of its input: whoever goes on may map otherwise, as with another share of batches.
class MappedStream final : public Stream {
 public:
  MappedStream(StreamPtr of, RowsFunction function, Workers& workers, AheadLimits limits)
      : of_(std::move(of)),
        function_(std::make_shared<const RowsFunction>(std::move(function))),
        in_order_(workers, limits, [this] { return next_job(); }) {
    in_order_.restored(saved(*of_));
  }

  std::optional<Rows> next() override { return in_order_.next(); }
  std::uint64_t batch() const override { return of_->batch(); }
  void save(StateWriter& state) const override { state.append(in_order_.state()); }
  void restore(StateReader& state) override {
    of_->restore(state);
    in_order_.restored(saved(*of_));
  }

 private:
  static StateWriter saved(const Stream& stream) {
    StateWriter state;
    stream.save(state);
    return state;
  }
  std::optional<InOrder::Job> next_job() {
    std::optional<Rows> rows = of_->next();
    if (!rows) return std::nullopt;
    auto shared = std::make_shared<Rows>(*std::move(rows));
    return InOrder::Job{[shared, function = function_] {
                          if (shared->count > 0) (*function)(*shared);
                          return std::move(*shared);
                        },
                        saved(*of_)};
  }

  StreamPtr of_;
  std::shared_ptr<const RowsFunction> function_;
  InOrder in_order_;
};

}  // namespace

StreamPtr visit(SequencePtr sequence, Visit how, Workers& workers) {
  return std::make_unique<Visited>(std::move(sequence), std::move(how), workers);
}

StreamPtr mapped(StreamPtr of, RowsFunction function, Workers& workers, AheadLimits limits) {
  return std::make_unique<MappedStream>(std::move(of), std::move(function), workers, limits);
}

}  // namespace carrack::data
