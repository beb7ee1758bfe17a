#include "core/io/zip.h"

#include <cstdint>
#include <cstring>

#include "core/base/check.h"

namespace oneagent::io {
namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  template <class T>
  T at(uint64_t offset) const {
    OA_REQUIRE(offset <= bytes_.size() && bytes_.size() - offset >= sizeof(T), what_,
               ": cut off at byte ", offset, " of ", bytes_.size());
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  std::string_view part(uint64_t offset, uint64_t size) const {
    OA_REQUIRE(offset <= bytes_.size() && bytes_.size() - offset >= size, what_, ": an entry of ",
               size, " bytes at ", offset, " reaches beyond the end at ", bytes_.size());
    return bytes_.substr(offset, size);
  }

 private:
  std::string_view bytes_;
  const std::string& what_;
};

constexpr uint32_t kEnd = 0x06054b50, kEntry = 0x02014b50, kLocal = 0x04034b50;
constexpr uint32_t kEnd64Locator = 0x07064b50, kEnd64 = 0x06064b50;
constexpr uint32_t kIn64 = 0xffffffff;

}  // namespace

std::map<std::string, std::string_view> read_zip(std::string_view bytes, const std::string& what) {
  const Reader reader(bytes, what);
  const size_t end = bytes.rfind("PK\x05\x06");
  OA_REQUIRE(end != std::string_view::npos, what,
             ": a zip archive without its directory; cut off?");
  OA_REQUIRE(reader.at<uint32_t>(end) == kEnd, what, ": no end record");
  uint64_t count = reader.at<uint16_t>(end + 10), at = reader.at<uint32_t>(end + 16);
  if (end >= 20 && reader.at<uint32_t>(end - 20) == kEnd64Locator) {
    const auto record = reader.at<uint64_t>(end - 12);
    OA_REQUIRE(reader.at<uint32_t>(record) == kEnd64, what, ": broken zip64 record");
    count = reader.at<uint64_t>(record + 32);
    at = reader.at<uint64_t>(record + 48);
  }
  std::map<std::string, std::string_view> entries;
  for (uint64_t i = 0; i < count; ++i) {
    OA_REQUIRE(reader.at<uint32_t>(at) == kEntry, what, ": directory entry ", i, " is broken");
    const auto method = reader.at<uint16_t>(at + 10);
    uint64_t size = reader.at<uint32_t>(at + 24), local = reader.at<uint32_t>(at + 42);
    const auto name_size = reader.at<uint16_t>(at + 28), extra_size = reader.at<uint16_t>(at + 30),
               comment_size = reader.at<uint16_t>(at + 32);
    const std::string name(reader.part(at + 46, name_size));
    OA_REQUIRE(method == 0, what, ": entry ", name,
               " is compressed; torch.save stores entries without compression");
    uint64_t extra = at + 46 + name_size;
    const uint64_t extra_end = extra + extra_size;
    while (extra + 4 <= extra_end) {
      const auto tag = reader.at<uint16_t>(extra), length = reader.at<uint16_t>(extra + 2);
      uint64_t field = extra + 4;
      if (tag == 1) {  // zip64: those of the sizes and the offset that did not fit
        if (size == kIn64) size = reader.at<uint64_t>(field), field += 8;
        if (reader.at<uint32_t>(at + 20) == kIn64) field += 8;
        if (local == kIn64) local = reader.at<uint64_t>(field);
      }
      extra += 4 + length;
    }
    OA_REQUIRE(reader.at<uint32_t>(local) == kLocal, what, ": entry ", name, " is broken");
    const uint64_t data =
        local + 30 + reader.at<uint16_t>(local + 26) + reader.at<uint16_t>(local + 28);
    entries[name] = reader.part(data, size);
    at += 46 + name_size + extra_size + comment_size;
  }
  return entries;
}

}  // namespace oneagent::io
