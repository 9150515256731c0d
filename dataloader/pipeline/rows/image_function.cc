#include "dataloader/pipeline/rows/image_function.h"

#include <cmath>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/images/image_decoder.h"
#include "dataloader/order/random.h"

namespace carrack::data {
namespace {

double between(double least, double most, std::uint32_t drawn) {
  return least + (most - least) * drawn * 0x1p-32;
}

class Cutter {
 public:
  explicit Cutter(const ImageFunction& asked) : asked_(asked), random_(asked.seed, "image " + asked.column) {
    needs_draws_ = asked.mirror || std::holds_alternative<DrawnCrop>(asked.crop);
  }

  Cut cut(const Rows& rows, std::size_t row) const {
    if (!needs_draws_) return {fixed(), false};
    if (rows.places.empty())
      throw Error("images: what is drawn depends on the record's place, and these rows have none");
    const Place place = rows.places[row];
    const Draw draw = random_.draw(place.epoch, place.number);
    Cut cut{fixed(), asked_.mirror && draw[3] % 2 == 1};
    if (const auto* drawn = std::get_if<DrawnCrop>(&asked_.crop)) {
      const Draw more = random_.draw(place.epoch, ~place.number);
      cut.crop =
          RandomCrop{.area = between(drawn->least_area, drawn->most_area, draw[0]),
                     .aspect = std::exp(between(std::log(drawn->least_aspect), std::log(drawn->most_aspect), draw[1])),
                     .from_top = between(0, 1, draw[2]),
                     .from_left = between(0, 1, more[0])};
    }
    return cut;
  }

 private:
  Crop fixed() const {
    if (const auto* fraction = std::get_if<CentralFraction>(&asked_.crop)) return *fraction;
    if (const auto* box = std::get_if<Box>(&asked_.crop)) return *box;
    return WholeImage();
  }

  ImageFunction asked_;
  Random random_;
  bool needs_draws_ = false;
};

Corrupt corrupt(const Rows& rows, std::size_t row, const std::string& column, const Undecodable& why) {
  Corrupt bad = bad_row(rows, row, Fault::bad_example, "the image in \"" + column + "\": " + why.message);
  if (why.offset) bad.message += ", at its byte " + std::to_string(*why.offset);
  return bad;
}

template <typename Value>
void decode(const ImageFunction& asked, const Cutter& cutter, const std::vector<std::size_t>& shape, Rows& rows) {
  ImageDecoder decoder(asked.request);
  NamedColumn& column = rows.column(asked.column);
  const auto* encoded = std::get_if<LargeVector<std::string_view>>(&column.values);
  if (encoded == nullptr || encoded->size() != rows.count)
    throw Error("images: column \"" + asked.column + "\" holds no encoded image in each row");
  const std::size_t size = shape[0] * shape[1] * shape[2];
  LargeVector<Value> pixels(rows.count * size);
  std::vector<BadRow> bad;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::span<Value> into = std::span(pixels).subspan(row * size, size);
    const auto why = decoder.decode(std::as_bytes(std::span((*encoded)[row])), cutter.cut(rows, row), into);
    if (why) bad.push_back({row, corrupt(rows, row, asked.column, *why)});
  }
  column = {asked.column, std::move(pixels), shape, {}};
  lose(rows, std::move(bad));
}

std::vector<std::size_t> shape_of(const ImageFunction& asked) {
  const auto* box = std::get_if<Box>(&asked.crop);
  if (asked.request.channels == 0) throw Error("images: name the number of channels, as a batch has one shape");
  if (!asked.request.size && box == nullptr) throw Error("images: name the size, as a batch has one shape");
  const ImageSize size = asked.request.size ? *asked.request.size : ImageSize{box->height, box->width};
  if (asked.request.layout == Layout::channels_first) return {asked.request.channels, size.height, size.width};
  return {size.height, size.width, asked.request.channels};
}

}  // namespace

RowsFunction decode_images(const ImageFunction& asked) {
  const ImageDecoder refuses_what_makes_no_sense(asked.request);
  return [asked, cutter = Cutter(asked), shape = shape_of(asked)](Rows& rows) {
    if (asked.as_bytes) {
      decode<std::uint8_t>(asked, cutter, shape, rows);
    } else {
      decode<float>(asked, cutter, shape, rows);
    }
  };
}

}  // namespace carrack::data
