#include "dataloader/images/jpeg_reader.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <limits>
#include <new>
#include <string>

// <jpeglib.h> must come after <cstdio>, which it needs and does not include.
#include <jpeglib.h>

namespace carrack::data {

// The state of libjpeg for one image, and the functions that libjpeg calls. Each image gets a new state, because
// libjpeg would decode an image without tables with the tables of the previous image.
struct JpegReader::Library {
  jpeg_decompress_struct image{};
  jpeg_error_mgr errors{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  std::jmp_buf on_error{};
  std::size_t size = 0;  // bytes of the encoded image
  bool strict = false;
  const char* error_text = nullptr;  // the message of an error that this struct found; nullptr: libjpeg has the message

  Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { jpeg_destroy_decompress(&image); }

  // Returns false if libjpeg reports an error. An error leaves `call` by longjmp, so no object in `call` may have a
  // destructor.
  template <typename Call>
  bool succeeds(const Call& call) {
    if (setjmp(on_error) != 0) return false;
    call();
    return true;
  }

  static Library& of(j_common_ptr image) { return *static_cast<Library*>(image->client_data); }
  [[noreturn]] static void fail(j_common_ptr image) { std::longjmp(of(image).on_error, 1); }
  [[noreturn]] static void fail(Library& library, const char* text) {
    library.error_text = text;
    std::longjmp(library.on_error, 1);
  }
  // Negative levels are warnings about damage; other levels are traces.
  static void warn(j_common_ptr image, int level) {
    if (level < 0 && of(image).strict) fail(image);
  }
  static void ignore_message(j_common_ptr) {}
  static void ignore_source(j_decompress_ptr) {}
  // libjpeg calls this function when it has used all bytes. It already had the whole file, so this is an error.
  static boolean refill(j_decompress_ptr image) {
    Library& library = *static_cast<Library*>(image->client_data);
    library.source.bytes_in_buffer = 0;
    fail(library, "it is cut short: its bytes end before the image does");
  }
  static void skip(j_decompress_ptr image, long bytes) {
    if (bytes <= 0) return;
    if (static_cast<std::size_t>(bytes) > image->src->bytes_in_buffer) refill(image);
    image->src->next_input_byte += bytes;
    image->src->bytes_in_buffer -= static_cast<std::size_t>(bytes);
  }
  // Each scan takes time for the whole image, so a small file with many scans could keep a thread busy for long.
  static void limit_scans(j_common_ptr image) {
    Library& library = of(image);
    if (library.image.input_scan_number > scans_max) fail(library, "it has more than 500 scans; encoders write ten");
  }
};

JpegReader::Library::Library() {
  image.err = jpeg_std_error(&errors);
  errors.error_exit = fail;
  errors.emit_message = warn;
  errors.output_message = ignore_message;
  image.client_data = this;
  if (!succeeds([&] { jpeg_create_decompress(&image); })) throw std::bad_alloc();
  source.init_source = ignore_source;
  source.fill_input_buffer = refill;
  source.skip_input_data = skip;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = ignore_source;
  image.src = &source;
  progress.progress_monitor = limit_scans;
  image.progress = &progress;
}

namespace {

// Rows begin at this offset in row_, so that they are not aligned. libjpeg-turbo writes aligned rows with instructions
// that bypass the caches, and reading these rows would then wait for memory.
constexpr std::size_t off_alignment = 4;

// Returns the number of blocks of 8 by 8 values in the arrays that libjpeg allocates for all coefficients. libjpeg
// rounds the width and height of each array up to multiples of the component's sampling factors.
std::uint64_t blocks_in(const jpeg_decompress_struct& image) {
  std::uint64_t blocks = 0;
  for (int i = 0; i < image.num_components; ++i) {
    const jpeg_component_info& component = image.comp_info[i];
    const auto rounded_up = [](std::uint64_t size, int unit) {
      const auto step = static_cast<std::uint64_t>(unit);
      return (size + step - 1) / step * step;
    };
    blocks += rounded_up(component.width_in_blocks, component.h_samp_factor) *
              rounded_up(component.height_in_blocks, component.v_samp_factor);
  }
  return blocks;
}

// Returns an upper bound of the memory that libjpeg allocates. Its buffers before and after upsampling take at most 64
// rows. If all scans must be read before the first row, all coefficients are stored, too.
std::uint64_t memory_for(jpeg_decompress_struct& image) {
  constexpr std::uint64_t rows_max = 64, block_bytes = DCTSIZE2 * sizeof(JCOEF);
  const std::uint64_t row_bytes = std::uint64_t{image.image_width} * static_cast<std::uint64_t>(image.num_components);
  return rows_max * row_bytes + (jpeg_has_multiple_scans(&image) ? block_bytes * blocks_in(image) : 0);
}

// The maximum number of pixels of a JPEG with arithmetic codes. A Huffman code has at least one bit for each block.
// Arithmetic codes have no such bound, so a few hundred bytes could keep a thread busy with any number of pixels.
constexpr std::uint64_t arithmetic_pixels_max = std::uint64_t{1} << 24;

// Returns why the image must not be decoded: its header claims more pixels or memory than the request allows, or more
// pixels than its bytes can hold. Returns nullopt if it may be decoded.
std::optional<Undecodable> check_header(jpeg_decompress_struct& image, std::size_t encoded_bytes,
                                        ImageRequest request) {
  ImageClaim claim = {{image.image_height, image.image_width}, blocks_in(image) / 8, memory_for(image)};
  if (image.arith_code) {
    claim.encoded_min_bytes = 0;
    request.pixels_max = std::min(request.pixels_max, arithmetic_pixels_max);
  }
  return check_claim(claim, encoded_bytes, request);
}

// Converts CMYK to RGB without a colour profile, as TensorFlow does. `inverted` is for files with an Adobe marker,
// which store inverted values.
void cmyk_to_rgb(const std::uint8_t* from, std::size_t pixels, bool inverted, std::uint8_t* to) {
  const unsigned flip = inverted ? 0 : 255;
  for (; pixels > 0; --pixels, from += 4, to += 3)
    for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<std::uint8_t>((from[i] ^ flip) * (from[3] ^ flip) / 255);
}

// Restricts decoding to the columns of the box and one more block unit on each side. Upsampling reads these neighbours,
// so the pixels are the same as in the whole image. Sets `begin` to the first decoded column.
void crop_columns(jpeg_decompress_struct& image, Box box, JDIMENSION& begin) {
  const auto unit = static_cast<JDIMENSION>(image.max_h_samp_factor * image.min_DCT_scaled_size);
  begin = box.left - std::min(box.left, unit);
  JDIMENSION width = std::min(box.left + box.width + unit, image.output_width) - begin;
  if (width < image.output_width) jpeg_crop_scanline(&image, &begin, &width);
}

}  // namespace

JpegReader::JpegReader() = default;
JpegReader::~JpegReader() = default;

Undecodable JpegReader::fault() const {
  const std::size_t offset = library_->size - library_->source.bytes_in_buffer;
  if (library_->error_text != nullptr) return {library_->error_text, offset};
  char text[JMSG_LENGTH_MAX] = {};
  library_->errors.format_message(reinterpret_cast<j_common_ptr>(&library_->image), text);
  return {std::string("libjpeg: ") + text, offset};
}

std::variant<ImageInfo, Undecodable> JpegReader::open(std::span<const std::byte> bytes, const ImageRequest& request) {
  library_ = std::make_unique<Library>();
  jpeg_decompress_struct& image = library_->image;
  library_->size = library_->source.bytes_in_buffer = bytes.size();
  library_->source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  library_->strict = request.strict;
  if (!library_->succeeds([&] { jpeg_read_header(&image, TRUE); })) return fault();
  const ImageInfo info = {ImageKind::jpeg,
                          {image.image_height, image.image_width},
                          static_cast<std::uint32_t>(std::min(image.num_components, 3))};
  if (auto refusal = check_header(image, bytes.size(), request)) return *refusal;
  // check_header() computes an upper bound; this limit holds even if a header makes libjpeg allocate more than that.
  image.mem->max_memory_to_use =
      static_cast<long>(std::min<std::uint64_t>(request.memory_max_bytes, std::numeric_limits<long>::max()));
  image.dct_method = request.dct == Dct::fast ? JDCT_IFAST : JDCT_ISLOW;
  image.do_fancy_upsampling = request.fancy_upsampling ? TRUE : FALSE;
  return info;
}

std::optional<Undecodable> JpegReader::start(const RowRequest& rows) {
  jpeg_decompress_struct& image = library_->image;
  if (rows.channels == 4) return Undecodable{"a JPEG has no opacity; ask for 3 channels, 1 or 0"};
  const bool cmyk = image.jpeg_color_space == JCS_CMYK || image.jpeg_color_space == JCS_YCCK;
  image.out_color_space = rows.channels == 1 ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
  image.scale_num = 1;
  image.scale_denom = rows.shrink;
  JDIMENSION begin = 0;
  const bool started = library_->succeeds([&] {
    jpeg_start_decompress(&image);
    crop_columns(image, rows.box, begin);
    jpeg_skip_scanlines(&image, rows.box.top);
  });
  if (!started) return fault();
  width_ = rows.box.width;
  end_ = rows.box.top + rows.box.height;
  begin_ = (rows.box.left - begin) * static_cast<std::size_t>(image.output_components);
  row_.resize(off_alignment + std::size_t{image.output_width} * static_cast<std::size_t>(image.output_components) +
              padding_bytes);
  rgb_.resize(image.out_color_space == JCS_CMYK ? 3 * width_ + padding_bytes : 0);
  return {};
}

std::variant<const std::uint8_t*, Undecodable> JpegReader::next() {
  jpeg_decompress_struct& image = library_->image;
  JSAMPROW row = row_.data() + off_alignment;
  if (!library_->succeeds([&] { jpeg_read_scanlines(&image, &row, 1); })) return fault();
  if (rgb_.empty()) return row + begin_;
  cmyk_to_rgb(row + begin_, width_, image.saw_Adobe_marker, rgb_.data());
  return rgb_.data();
}

std::optional<Undecodable> JpegReader::finish() {
  jpeg_decompress_struct& image = library_->image;
  JSAMPROW row = row_.data() + off_alignment;
  const bool finished = library_->succeeds([&] {
    // The rest of the box is read, because jpeg_skip_scanlines() would not check the last rows of an image.
    while (image.output_scanline < end_) jpeg_read_scanlines(&image, &row, 1);
    if (end_ == image.output_height) jpeg_finish_decompress(&image);
  });
  return finished ? std::nullopt : std::optional(fault());
}

}  // namespace carrack::data
