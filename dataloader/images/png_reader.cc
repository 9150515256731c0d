#include "dataloader/images/png_reader.h"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace carrack::data {

// The state of libpng for one image, and the functions that libpng calls.
struct PngReader::Library {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> bytes;
  std::size_t taken = 0;   // number of bytes that libpng has read
  std::string error_text;  // why decoding failed

  explicit Library(std::span<const std::byte> encoded);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { png_destroy_read_struct(&png, &info, nullptr); }

  // Returns false if libpng reports an error. An error leaves `call` by longjmp, so no object in `call` may have a
  // destructor.
  template <typename Call>
  bool succeeds(const Call& call) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    call();
    return true;
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp text) {
    std::string& error_text = static_cast<Library*>(png_get_error_ptr(png))->error_text;
    error_text = text;
    error_text.insert(0, "libpng: ");
    png_longjmp(png, 1);
  }
  // libpng's warnings are ignored, because they are about chunks that do not contain the pixels.
  static void ignore_warning(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep into, std::size_t size) {
    Library& library = *static_cast<Library*>(png_get_io_ptr(png));
    if (library.bytes.size() - library.taken < size) {
      library.taken = library.bytes.size();
      library.error_text = "it is cut short: its bytes end before the image does";
      png_longjmp(png, 1);
    }
    std::memcpy(into, library.bytes.data() + library.taken, size);
    library.taken += size;
  }
};

PngReader::Library::Library(std::span<const std::byte> encoded) : bytes(encoded) {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore_warning);
  if (png != nullptr) info = png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    throw std::bad_alloc();
  }
  png_set_read_fn(png, this, read);
}

namespace {

// The maximum memory for a chunk other than the pixels, such as a colour profile.
constexpr png_alloc_size_t chunk_max_bytes = 8'000'000;

// One compressed byte becomes at most this many bytes in the deflate format. So a small file cannot have many pixels.
constexpr std::uint64_t inflation_max = 1032;

// Chunks that are skipped, because they do not change the pixels and some can be inflated to far more bytes than the
// image. Each name ends with a zero byte.
constexpr png_byte skipped_chunks[] = "tEXt\0zTXt\0iTXt\0eXIf\0tIME\0pHYs\0sPLT\0hIST\0bKGD\0oFFs\0pCAL\0sCAL";

// Returns the channels of the decoded image. The colours of a palette have 3, or 4 if it has a tRNS chunk (opacity).
std::uint32_t channels_of(png_structp png, png_infop info) {
  if (png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE) return png_get_channels(png, info);
  return png_get_valid(png, info, PNG_INFO_tRNS) != 0 ? 4 : 3;
}

// Returns an upper bound of the memory for decoding: libpng needs a few rows of up to 8 bytes a pixel, and an
// interlaced image is stored completely.
std::uint64_t memory_for(png_structp png, png_infop info, std::uint32_t requested_channels, std::uint32_t channels) {
  constexpr std::uint64_t rows_max = 4, pixel_max_bytes = 8;
  const std::uint64_t width = png_get_image_width(png, info);
  const std::uint64_t row_bytes = width * (requested_channels != 0 ? requested_channels : channels);
  const bool is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  return rows_max * pixel_max_bytes * width + (is_interlaced ? row_bytes * png_get_image_height(png, info) : 0);
}

// Sets up the conversion to 8 bits a channel and to the requested channels, from 1 to 4. Grey is computed with the
// weights of JPEG.
void convert_to(std::uint32_t channels, png_structp png, png_infop info) {
  const unsigned type = png_get_color_type(png, info);
  const bool has_opacity = (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  const bool has_colour = (type & PNG_COLOR_MASK_COLOR) != 0;
  png_set_expand(png);
  png_set_strip_16(png);
  if (channels % 2 == 1 && has_opacity) png_set_strip_alpha(png);
  if (channels % 2 == 0 && !has_opacity) png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  if (channels < 3 && has_colour) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (channels >= 3 && !has_colour) png_set_gray_to_rgb(png);
}

}  // namespace

PngReader::PngReader() = default;
PngReader::~PngReader() = default;

Undecodable PngReader::fault() const {
  return {library_->error_text, library_->taken};
}

std::variant<ImageInfo, Undecodable> PngReader::open(std::span<const std::byte> bytes, const ImageRequest& request) {
  library_ = std::make_unique<Library>(bytes);
  const png_structp png = library_->png;
  const png_infop info = library_->info;
  const bool read = library_->succeeds([&] {
    png_set_chunk_malloc_max(png, std::min<png_alloc_size_t>(request.memory_max_bytes, chunk_max_bytes));
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped_chunks, sizeof skipped_chunks / 5);
    png_read_info(png, info);
  });
  if (!read) return fault();
  const ImageSize size = {png_get_image_height(png, info), png_get_image_width(png, info)};
  const std::uint64_t inflated = std::uint64_t{size.height} * (png_get_rowbytes(png, info) + 1);
  const std::uint32_t channels = channels_of(png, info);
  const ImageClaim claim = {size, inflated / inflation_max, memory_for(png, info, request.channels, channels)};
  if (auto refusal = check_claim(claim, bytes.size(), request)) return *refusal;
  return ImageInfo{ImageKind::png, size, channels};
}

std::optional<Undecodable> PngReader::start(const RowRequest& rows) {
  const png_structp png = library_->png;
  const png_infop info = library_->info;
  int passes = 1;
  const bool chosen = library_->succeeds([&] {
    convert_to(rows.channels, png, info);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
  });
  if (!chosen) return fault();
  begin_ = std::size_t{rows.box.left} * rows.channels;
  row_ = rows.box.top;
  end_ = rows.box.top + rows.box.height;
  row_size_ = png_get_rowbytes(png, info);
  interlaced_ = passes > 1;
  const std::uint32_t height = png_get_image_height(png, info);
  pixels_.resize(row_size_ * (interlaced_ ? height : 1) + padding_bytes);
  const bool come_to_box = library_->succeeds([&] {
    if (!interlaced_)
      for (std::uint32_t row = 0; row < row_; ++row) png_read_row(png, pixels_.data(), nullptr);
    for (int pass = 0; interlaced_ && pass < passes; ++pass)
      for (std::uint32_t row = 0; row < height; ++row) png_read_row(png, pixels_.data() + row * row_size_, nullptr);
  });
  if (!come_to_box) return fault();
  return {};
}

std::variant<const std::uint8_t*, Undecodable> PngReader::next() {
  const std::uint32_t row = row_++;
  if (interlaced_) return pixels_.data() + row * row_size_ + begin_;
  if (!library_->succeeds([&] { png_read_row(library_->png, pixels_.data(), nullptr); })) return fault();
  return pixels_.data() + begin_;
}

std::optional<Undecodable> PngReader::finish() {
  const png_structp png = library_->png;
  const bool finished = library_->succeeds([&] {
    for (; row_ < end_ && !interlaced_; ++row_) png_read_row(png, pixels_.data(), nullptr);
    if (end_ == png_get_image_height(png, library_->info)) png_read_end(png, nullptr);
  });
  return finished ? std::nullopt : std::optional(fault());
}

}  // namespace carrack::data
