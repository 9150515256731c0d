#include "dataloader/images/image_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "dataloader/error.h"
#include "dataloader/images/image_header.h"
#include "dataloader/images/row_arithmetic.h"

namespace carrack::data {
namespace {

std::string dimensions(std::uint32_t one, std::uint32_t other) {
  return std::to_string(one) + "x" + std::to_string(other);
}

// Returns the factor by which libjpeg shrinks the image while it decodes it, which is faster: the largest of 1, 2, 4
// and 8 for which the box still has at least the requested size. It is 1 if the request does not allow shrinking.
std::uint32_t shrink_of(const ImageRequest& request, ImageKind kind, const Box& box) {
  std::uint32_t shrink = 1;
  if (!request.may_shrink || !request.size || kind != ImageKind::jpeg) return shrink;
  while (shrink < 8 && box.height / (2 * shrink) >= request.size->height &&
         box.width / (2 * shrink) >= request.size->width)
    shrink *= 2;
  return shrink;
}

// Returns how one axis of the box is resized to `into` pixels. The box may begin and end within a pixel of the shrunk
// image, so its beginning and length are computed as fractions of such pixels.
Stretch stretch_of(std::uint32_t begin, std::uint32_t length, std::uint32_t shrink, std::uint32_t into) {
  const std::uint32_t first = begin / shrink, end = (begin + length + shrink - 1) / shrink;
  const float by = 1 / static_cast<float>(shrink);
  return {end - first, static_cast<float>(begin % shrink) * by, static_cast<float>(length) * by, into};
}

std::variant<ImageKind, Undecodable> image_kind_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Undecodable{"it is empty"};
  const std::optional<std::string_view> format = image_format_of(bytes);
  if (!format) return Undecodable{"it begins neither as a JPEG nor as a PNG does"};
  if (format == "JPEG") return ImageKind::jpeg;
  if (format == "PNG") return ImageKind::png;
  return Undecodable{(format == "AVIF" ? "it is an " : "it is a ") + std::string(*format) +
                     ", and only JPEG and PNG are decoded"};
}

}  // namespace

ImageDecoder::ImageDecoder(const ImageRequest& request) : request_(request) {
  if (request.channels == 2 || request.channels > 4)
    throw Refused("images have 1, 3 or 4 channels, or with 0 those that there are; not " +
                  std::to_string(request.channels));
  if (request.size && (request.size->height == 0 || request.size->width == 0))
    throw Refused("images cannot be resized to " + dimensions(request.size->height, request.size->width) + " pixels");
  for (const auto& numbers : {request.scale, request.offset})
    if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }))
      throw Refused("the values of images cannot be scaled by a number that is not finite");
  scaled_ = request.scale != ImageRequest().scale || request.offset != ImageRequest().offset;
}

std::variant<ImageInfo, Undecodable> ImageDecoder::info_of(std::span<const std::byte> bytes) {
  const auto kind = image_kind_of(bytes);
  if (const Undecodable* fault = std::get_if<Undecodable>(&kind)) return *fault;
  reader_ = &jpeg_;
  if (std::get<ImageKind>(kind) == ImageKind::png) reader_ = &png_;
  return reader_->open(bytes, request_);
}

std::optional<ImageShape> ImageDecoder::shape_of(const ImageInfo& image, const Crop& crop) const {
  const std::optional<Box> box = box_of(crop, image.size);
  if (!box) return {};
  const ImageSize size = request_.size.value_or(ImageSize{box->height, box->width});
  return ImageShape{size.height, size.width, request_.channels != 0 ? request_.channels : image.channels};
}

std::optional<Undecodable> ImageDecoder::decode(std::span<const std::byte> bytes, const CropAndMirror& cut,
                                                ImageRow into) {
  const auto opened = info_of(bytes);
  if (const Undecodable* fault = std::get_if<Undecodable>(&opened)) return *fault;
  const ImageInfo& image = std::get<ImageInfo>(opened);
  const std::optional<Box> box = box_of(cut.crop, image.size);
  if (!box) {
    const Box& requested = std::get<Box>(cut.crop);
    return Undecodable{"its " + dimensions(image.size.height, image.size.width) + " pixels do not hold the crop of " +
                       dimensions(requested.height, requested.width) + " at row " + std::to_string(requested.top) +
                       ", column " + std::to_string(requested.left)};
  }
  const ImageShape shape = shape_of(image, cut.crop).value();
  const std::size_t room = std::visit([](const auto& row) { return row.size(); }, into);
  if (room != shape.values())
    return Undecodable{"it becomes " + dimensions(shape.height, shape.width) + "x" + std::to_string(shape.channels) +
                       " values, and the row has room for " + std::to_string(room)};
  if (auto fault = start(image, cut, *box, shape)) return fault;
  const bool is_copy = !scaled_ && !cut.mirrored && request_.layout == Layout::channels_last &&
                       shape.height == box->height && shape.width == box->width;
  const auto fill_row = [&](auto row) {
    if constexpr (std::is_same_v<decltype(row), std::span<std::uint8_t>>)
      if (is_copy) return copy(row, shape);
    return fill(row, shape);
  };
  if (auto fault = std::visit(fill_row, into)) return fault;
  return reader_->finish();
}

std::optional<Undecodable> ImageDecoder::start(const ImageInfo& image, const CropAndMirror& cut, const Box& box,
                                               const ImageShape& shape) {
  const std::uint32_t shrink = shrink_of(request_, image.kind, box);
  Resampling resampling;
  resampling.down = stretch_of(box.top, box.height, shrink, shape.height);
  resampling.across = stretch_of(box.left, box.width, shrink, shape.width);
  resampling.channels = shape.channels;
  resampling.mirrored = cut.mirrored;
  resampling.interpolation = request_.interpolation;
  const Box shrunk = {box.top / shrink, box.left / shrink, resampling.down.pixels, resampling.across.pixels};
  if (auto fault = reader_->start({shape.channels, shrunk, shrink})) return fault;
  resampler_.start(*reader_, resampling);
  return {};
}

std::optional<Undecodable> ImageDecoder::copy(std::span<std::uint8_t> into, const ImageShape& shape) {
  const std::size_t size = std::size_t{shape.width} * shape.channels;
  for (; !into.empty(); into = into.subspan(size)) {
    const auto row = reader_->next();
    if (const Undecodable* fault = std::get_if<Undecodable>(&row)) return *fault;
    std::memcpy(into.data(), std::get<const std::uint8_t*>(row), size);
  }
  return {};
}

template <typename Value>
std::optional<Undecodable> ImageDecoder::fill(std::span<Value> into, const ImageShape& shape) {
  const std::size_t size = std::size_t{shape.width} * shape.channels;
  const std::size_t plane = std::size_t{shape.height} * shape.width;
  const bool planes = request_.layout == Layout::channels_first;
  row_.resize(size);
  bytes_.resize(size);
  scale_.resize(size);
  offset_.resize(size);
  for (std::size_t i = 0; scaled_ && i < size; ++i) {
    scale_[i] = request_.scale[i % shape.channels];
    offset_[i] = request_.offset[i % shape.channels];
  }
  for (std::size_t number = 0; number < shape.height; ++number) {
    std::span<float> row = row_;
    if constexpr (std::is_same_v<Value, float>)
      if (!planes) row = into.subspan(number * size, size);
    if (auto fault = resampler_.next(row)) return fault;
    if (scaled_) rows::scale(scale_.data(), offset_.data(), row);
    if constexpr (std::is_same_v<Value, float>) {
      if (planes) rows::to_planes(row, shape.channels, plane, &into[number * shape.width]);
    } else {
      rows::round(row, planes ? bytes_.data() : &into[number * size]);
      if (planes) rows::to_planes(bytes_, shape.channels, plane, &into[number * shape.width]);
    }
  }
  return {};
}

}  // namespace carrack::data
