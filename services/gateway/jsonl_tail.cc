#include "services/gateway/jsonl_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "core/base/check.h"

namespace oneagent {
namespace {

constexpr int64_t kLastRowBytes = 256 << 10;

// An open file, or none when it does not exist.
class ReadFile final {
 public:
  explicit ReadFile(const fs::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    OA_REQUIRE(descriptor_ >= 0 || errno == ENOENT || errno == ENOTDIR, path_.string(), ": ",
               std::strerror(errno));
  }
  ~ReadFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  int64_t size() const {
    struct stat info {};
    return descriptor_ >= 0 && ::fstat(descriptor_, &info) == 0 ? info.st_size : 0;
  }

  std::string read(int64_t offset, int64_t bytes) const {
    std::string text(static_cast<size_t>(bytes), '\0');
    size_t got = 0;
    while (got < text.size()) {
      const ssize_t count = ::pread(descriptor_, text.data() + got, text.size() - got,
                                    offset + static_cast<int64_t>(got));
      if (count < 0 && errno == EINTR) continue;
      OA_REQUIRE(count >= 0, path_.string(), ": ", std::strerror(errno));
      if (count == 0) break;
      got += static_cast<size_t>(count);
    }
    text.resize(got);
    return text;
  }

 private:
  fs::path path_;
  int descriptor_;
};

bool is_object(std::string_view line) {
  return !line.empty() && line.front() == '{' && Json::accept(line.begin(), line.end());
}

void take_line(std::string_view line, JsonlPart& part) {
  line = trim(line);
  if (line.empty()) return;
  if (is_object(line)) {
    part.rows.emplace_back(line);
  } else {
    ++part.malformed;
  }
}

}  // namespace

JsonlPart read_jsonl(const fs::path& path, int64_t after, int64_t max_bytes) {
  const ReadFile file(path);
  const int64_t size = file.size();
  JsonlPart part;
  part.after = part.next = after > size ? 0 : after;
  if (size == part.after) return part;
  // One byte before the cursor tells whether it stands at the start of a line.
  const int64_t from = std::max<int64_t>(part.after - 1, 0);
  const std::string text = file.read(from, std::min(size - from, max_bytes + 1));
  size_t at = 0;
  if (part.after > 0) {
    const size_t line_end = text.find('\n');
    at = line_end == std::string::npos ? text.size() : line_end + 1;
  }
  while (true) {
    const size_t line_end = text.find('\n', at);
    if (line_end == std::string::npos) break;
    take_line(std::string_view(text).substr(at, line_end - at), part);
    at = line_end + 1;
  }
  const bool full = static_cast<int64_t>(text.size()) > max_bytes;
  if (full && part.rows.empty() && part.malformed == 0) {  // one line longer than the bound
    ++part.malformed;
    at = text.size();
  }
  part.next = std::max(part.after, from + static_cast<int64_t>(at));
  part.more = full;
  return part;
}

Json last_jsonl_row(const fs::path& path) {
  const ReadFile file(path);
  const int64_t size = file.size();
  const int64_t from = std::max<int64_t>(0, size - kLastRowBytes);
  const std::string text = size > 0 ? file.read(from, size - from) : "";
  size_t end = text.rfind('\n');
  while (end != std::string::npos && end > 0) {
    const size_t before = text.rfind('\n', end - 1);
    if (before == std::string::npos && from > 0) break;
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (is_object(line)) return Json::parse(line);
    end = before;
  }
  return nullptr;
}

int64_t file_size_or_zero(const fs::path& path) { return ReadFile(path).size(); }

}  // namespace oneagent
