#include "dataloader/images/jpeg_reader.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <string>

// Behind <cstdio>, whose names it takes for granted.
#include <jpeglib.h>

namespace carrack::data {

// libjpeg's state of one image, and what it calls. Tables of an image stay in it, so each image has a new one: else
// what one lacks would be taken from another.
struct JpegReader::Library {
  jpeg_decompress_struct image{};
  jpeg_error_mgr errors{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  std::jmp_buf back{};
  std::size_t size = 0;  // of the encoded image
  bool strict = false;
  const char* words = nullptr;  // for what libjpeg has none for

  Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { jpeg_destroy_decompress(&image); }

  // Where libjpeg gives up, it leaves `call` by a jump: nothing in it may have a destructor.
  template <typename Call>
  bool survives(const Call& call) {
    if (setjmp(back) != 0) return false;
    call();
    return true;
  }

  static Library& of(j_common_ptr image) { return *static_cast<Library*>(image->client_data); }
  [[noreturn]] static void give_up(j_common_ptr image) { std::longjmp(of(image).back, 1); }
  [[noreturn]] static void give_up(Library& library, const char* words) {
    library.words = words;
    std::longjmp(library.back, 1);
  }
  static void warn(j_common_ptr image, int level) {
    if (level < 0 && of(image).strict) give_up(image);
  }
  static void say_nothing(j_common_ptr) {}
  static void do_nothing(j_decompress_ptr) {}
  static boolean refill(j_decompress_ptr image) {
    Library& library = *static_cast<Library*>(image->client_data);
    library.source.bytes_in_buffer = 0;
    give_up(library, "it is cut short: its bytes end before the image does");
  }
  static void skip(j_decompress_ptr image, long bytes) {
    if (bytes <= 0) return;
    if (static_cast<std::size_t>(bytes) > image->src->bytes_in_buffer) refill(image);
    image->src->next_input_byte += bytes;
    image->src->bytes_in_buffer -= static_cast<std::size_t>(bytes);
  }
  static void count_scans(j_common_ptr image) {
    Library& library = of(image);
    if (library.image.input_scan_number > most_scans)
      give_up(library, "it has more than 500 scans; encoders write ten");
  }
};

JpegReader::Library::Library() {
  image.err = jpeg_std_error(&errors);
  errors.error_exit = give_up;
  errors.emit_message = warn;
  errors.output_message = say_nothing;
  image.client_data = this;
  if (!survives([&] { jpeg_create_decompress(&image); })) throw std::bad_alloc();
  source.init_source = do_nothing;
  source.fill_input_buffer = refill;
  source.skip_input_data = skip;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = do_nothing;
  image.src = &source;
  progress.progress_monitor = count_scans;
  image.progress = &progress;
}

namespace {

// libjpeg-turbo stores to an aligned row past the caches, so that every look at it would wait for memory.
constexpr std::size_t off_alignment = 4;

// The least in which an image of this size can be told: Huffman codes take a bit for each block of 8 by 8 values.
std::uint64_t least_bytes(const jpeg_decompress_struct& image) {
  if (image.arith_code) return 0;
  std::uint64_t blocks = 0;
  for (int i = 0; i < image.num_components; ++i)
    blocks += std::uint64_t{image.comp_info[i].width_in_blocks} * image.comp_info[i].height_in_blocks;
  return blocks / 8;
}

// As TensorFlow does: without a profile of the colours. Who writes an Adobe marker writes them inverted.
void cmyk_to_rgb(const std::uint8_t* from, std::size_t pixels, bool inverted, std::uint8_t* to) {
  const unsigned flip = inverted ? 0 : 255;
  for (; pixels > 0; --pixels, from += 4, to += 3)
    for (std::size_t i = 0; i < 3; ++i) to[i] = static_cast<std::uint8_t>((from[i] ^ flip) * (from[3] ^ flip) / 255);
}

// Rows are made from whole units of blocks. Colours between pixels are made of neighbours on both sides, so that a unit
// more on each gives the same pixels as the whole image.
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
  if (library_->words != nullptr) return {library_->words, offset};
  char words[JMSG_LENGTH_MAX] = {};
  library_->errors.format_message(reinterpret_cast<j_common_ptr>(&library_->image), words);
  return {std::string("libjpeg: ") + words, offset};
}

std::variant<ImageInfo, Undecodable> JpegReader::open(std::span<const std::byte> bytes, const ImageRequest& request) {
  library_ = std::make_unique<Library>();
  jpeg_decompress_struct& image = library_->image;
  library_->size = library_->source.bytes_in_buffer = bytes.size();
  library_->source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  library_->strict = request.strict;
  if (!library_->survives([&] { jpeg_read_header(&image, TRUE); })) return fault();
  const ImageInfo info = {ImageKind::jpeg,
                          {image.image_height, image.image_width},
                          static_cast<std::uint32_t>(std::min(image.num_components, 3))};
  if (auto problem = problem_of_size(info.size, least_bytes(image), bytes.size(), request.pixels_max)) return *problem;
  image.dct_method = request.dct == Dct::fast ? JDCT_IFAST : JDCT_ISLOW;
  image.do_fancy_upsampling = request.fancy_upsampling ? TRUE : FALSE;
  return info;
}

std::optional<Undecodable> JpegReader::start(const Way& way) {
  jpeg_decompress_struct& image = library_->image;
  if (way.channels == 4) return Undecodable{"a JPEG has no opacity; ask for 3 channels, 1 or 0"};
  const bool cmyk = image.jpeg_color_space == JCS_CMYK || image.jpeg_color_space == JCS_YCCK;
  image.out_color_space = way.channels == 1 ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
  image.scale_num = 1;
  image.scale_denom = way.shrink;
  JDIMENSION begin = 0;
  const bool started = library_->survives([&] {
    jpeg_start_decompress(&image);
    crop_columns(image, way.box, begin);
    jpeg_skip_scanlines(&image, way.box.top);
  });
  if (!started) return fault();
  width_ = way.box.width;
  end_ = way.box.top + way.box.height;
  begin_ = (way.box.left - begin) * static_cast<std::size_t>(image.output_components);
  row_.resize(off_alignment + std::size_t{image.output_width} * static_cast<std::size_t>(image.output_components) +
              slack);
  rgb_.resize(image.out_color_space == JCS_CMYK ? 3 * width_ + slack : 0);
  return {};
}

std::variant<const std::uint8_t*, Undecodable> JpegReader::next() {
  jpeg_decompress_struct& image = library_->image;
  JSAMPROW row = row_.data() + off_alignment;
  if (!library_->survives([&] { jpeg_read_scanlines(&image, &row, 1); })) return fault();
  if (rgb_.empty()) return row + begin_;
  cmyk_to_rgb(row + begin_, width_, image.saw_Adobe_marker, rgb_.data());
  return rgb_.data();
}

std::optional<Undecodable> JpegReader::finish() {
  jpeg_decompress_struct& image = library_->image;
  JSAMPROW row = row_.data() + off_alignment;
  const bool finished = library_->survives([&] {
    // jpeg_skip_scanlines would not look at an image's last rows.
    while (image.output_scanline < end_) jpeg_read_scanlines(&image, &row, 1);
    if (end_ == image.output_height) jpeg_finish_decompress(&image);
  });
  return finished ? std::nullopt : std::optional(fault());
}

}  // namespace carrack::data
