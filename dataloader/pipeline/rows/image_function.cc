#include "dataloader/pipeline/rows/image_function.h"

#include <cmath>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/images/image_decoder.h"
#include "dataloader/order/random.h"

namespace carrack::data {
namespace {

double between(double min, double max, std::uint32_t drawn) {
  return min + (max - min) * drawn * 0x1p-32;
}

// Decides how to crop and mirror the image of each row. Random choices are a function of the seed, the column and the
// place of the row, so they can be repeated.
class CropDrawer {
 public:
  explicit CropDrawer(const ImageFunction& options)
      : options_(options), random_(options.seed, "image " + options.column) {
    needs_draws_ = options.mirror || std::holds_alternative<RandomCropRange>(options.crop);
  }

  CropAndMirror crop_and_mirror(const Rows& rows, std::size_t row) const {
    if (!needs_draws_) return {fixed(), false};
    if (rows.places.empty())
      throw Error("images: what is drawn depends on the record's place, and these rows have none");
    const Place place = rows.places[row];
    const Draw draw = random_.draw(place.epoch, place.number);
    CropAndMirror result{fixed(), options_.mirror && draw[3] % 2 == 1};
    if (const auto* drawn = std::get_if<RandomCropRange>(&options_.crop)) {
      // A draw has only four numbers, and all are in use. The complement of the place is larger than any place, so no
      // other row uses this second draw.
      const Draw more = random_.draw(place.epoch, ~place.number);
      result.crop =
          RandomCrop{.area = between(drawn->min_area, drawn->max_area, draw[0]),
                     .aspect = std::exp(between(std::log(drawn->min_aspect), std::log(drawn->max_aspect), draw[1])),
                     .from_top = between(0, 1, draw[2]),
                     .from_left = between(0, 1, more[0])};
    }
    return result;
  }

 private:
  // Returns the crop without random draws: a part that is the same for all rows, or the whole image.
  Crop fixed() const {
    if (const auto* fraction = std::get_if<CentralFraction>(&options_.crop)) return *fraction;
    if (const auto* box = std::get_if<Box>(&options_.crop)) return *box;
    return WholeImage();
  }

  ImageFunction options_;
  Random random_;
  bool needs_draws_ = false;
};

Corrupt corrupt(const Rows& rows, std::size_t row, const std::string& column, const Undecodable& why) {
  Corrupt bad = bad_row(rows, row, Fault::bad_example, "the image in \"" + column + "\": " + why.message);
  if (why.offset) bad.message += ", at its byte " + std::to_string(*why.offset);
  return bad;
}

template <typename Value>
void decode(const ImageFunction& options, const CropDrawer& crops, const std::vector<std::size_t>& shape, Rows& rows) {
  ImageDecoder decoder(options.request);
  NamedColumn& column = rows.column(options.column);
  const auto* encoded = std::get_if<LargeVector<std::string_view>>(&column.values);
  if (encoded == nullptr || encoded->size() != rows.count)
    throw Error("images: column \"" + options.column + "\" holds no encoded image in each row");
  const std::size_t size = shape[0] * shape[1] * shape[2];
  LargeVector<Value> pixels(rows.count * size);
  std::vector<BadRow> bad;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::span<Value> into = std::span(pixels).subspan(row * size, size);
    const auto why = decoder.decode(std::as_bytes(std::span((*encoded)[row])), crops.crop_and_mirror(rows, row), into);
    if (why) bad.push_back({row, corrupt(rows, row, options.column, *why)});
  }
  column = {options.column, std::move(pixels), shape, {}};
  drop_bad_rows(rows, std::move(bad));
}

std::vector<std::size_t> shape_of(const ImageFunction& options) {
  const auto* box = std::get_if<Box>(&options.crop);
  if (options.request.channels == 0) throw Error("images: name the number of channels, as a batch has one shape");
  if (!options.request.size && box == nullptr) throw Error("images: name the size, as a batch has one shape");
  const ImageSize size = options.request.size ? *options.request.size : ImageSize{box->height, box->width};
  if (options.request.layout == Layout::channels_first) return {options.request.channels, size.height, size.width};
  return {size.height, size.width, options.request.channels};
}

}  // namespace

RowsFunction decode_images(const ImageFunction& options) {
  const ImageDecoder checks_the_request(options.request);  // Throws an Error for a request that makes no sense.
  return [options, crops = CropDrawer(options), shape = shape_of(options)](Rows& rows) {
    if (options.as_bytes) {
      decode<std::uint8_t>(options, crops, shape, rows);
    } else {
      decode<float>(options, crops, shape, rows);
    }
  };
}

}  // namespace carrack::data
