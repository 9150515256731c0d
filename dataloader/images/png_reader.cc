#include "dataloader/images/png_reader.h"

#include <png.h>

#include <cstring>
#include <new>
#include <string>

namespace carrack::data {

// libpng's state of one image, and what it calls.
struct PngReader::Library {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> bytes;
  std::size_t taken = 0;
  std::string words;  // why it was given up

  explicit Library(std::span<const std::byte> encoded);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { png_destroy_read_struct(&png, &info, nullptr); }

  // Where libpng gives up, it leaves `call` by a jump: nothing in it may have a destructor.
  template <typename Call>
  bool survives(const Call& call) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    call();
    return true;
  }

  [[noreturn]] static void give_up(png_structp png, png_const_charp words) {
    static_cast<Library*>(png_get_error_ptr(png))->words = words;
    static_cast<Library*>(png_get_error_ptr(png))->words.insert(0, "libpng: ");
    png_longjmp(png, 1);
  }
  // Of what is beside the pixels.
  static void say_nothing(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep into, std::size_t size) {
    Library& library = *static_cast<Library*>(png_get_io_ptr(png));
    if (library.bytes.size() - library.taken < size) {
      library.taken = library.bytes.size();
      library.words = "it is cut short: its bytes end before the image does";
      png_longjmp(png, 1);
    }
    std::memcpy(into, library.bytes.data() + library.taken, size);
    library.taken += size;
  }
};

PngReader::Library::Library(std::span<const std::byte> encoded) : bytes(encoded) {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, give_up, say_nothing);
  if (png != nullptr) info = png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    throw std::bad_alloc();
  }
  png_set_read_fn(png, this, read);
}

namespace {

// Deflate makes at most this many bytes of one.
constexpr std::uint64_t most_inflated = 1032;

// What is beside the pixels and does not change them; some of it can be inflated to much more than the image.
constexpr png_byte passed_over[] = "tEXt\0zTXt\0iTXt\0eXIf\0tIME\0pHYs\0sPLT\0hIST\0bKGD\0oFFs\0pCAL\0sCAL";

std::uint32_t channels_of(png_structp png, png_infop info) {
  if (png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE) return png_get_channels(png, info);
  return png_get_valid(png, info, PNG_INFO_tRNS) != 0 ? 4 : 3;
}

// Eight bits a channel, and as many channels as are asked for. Grey is made by the weights of JPEG.
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
  return {library_->words, library_->taken};
}

std::variant<ImageInfo, Undecodable> PngReader::open(std::span<const std::byte> bytes, const ImageRequest& request) {
  library_ = std::make_unique<Library>(bytes);
  const png_structp png = library_->png;
  const png_infop info = library_->info;
  const bool read = library_->survives([&] {
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, passed_over, sizeof passed_over / 5);
    png_read_info(png, info);
  });
  if (!read) return fault();
  const ImageSize size = {png_get_image_height(png, info), png_get_image_width(png, info)};
  const std::uint64_t inflated = std::uint64_t{size.height} * (png_get_rowbytes(png, info) + 1);
  if (auto problem = problem_of_size(size, inflated / most_inflated, bytes.size(), request.pixels_max))
    return *problem;
  return ImageInfo{ImageKind::png, size, channels_of(png, info)};
}

std::optional<Undecodable> PngReader::start(const Way& way) {
  const png_structp png = library_->png;
  const png_infop info = library_->info;
  int passes = 1;
  const bool chosen = library_->survives([&] {
    convert_to(way.channels, png, info);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
  });
  if (!chosen) return fault();
  begin_ = std::size_t{way.box.left} * way.channels;
  row_ = way.box.top;
  end_ = way.box.top + way.box.height;
  row_size_ = png_get_rowbytes(png, info);
  interlaced_ = passes > 1;
  const std::uint32_t height = png_get_image_height(png, info);
  pixels_.resize(row_size_ * (interlaced_ ? height : 1) + slack);
  const bool come_to_box = library_->survives([&] {
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
  if (!library_->survives([&] { png_read_row(library_->png, pixels_.data(), nullptr); })) return fault();
  return pixels_.data() + begin_;
}

std::optional<Undecodable> PngReader::finish() {
  const png_structp png = library_->png;
  const bool finished = library_->survives([&] {
    for (; row_ < end_ && !interlaced_; ++row_) png_read_row(png, pixels_.data(), nullptr);
    if (end_ == png_get_image_height(png, library_->info)) png_read_end(png, nullptr);
  });
  return finished ? std::nullopt : std::optional(fault());
}

}  // namespace carrack::data
