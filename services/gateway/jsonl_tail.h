// Reads a growing file of JSON objects, one a line, from a byte cursor on. A last line without its
// newline is left for the next call; a malformed line is counted and skipped. Never locks the file,
// so that its writer is never held up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"

namespace oneagent {

struct JsonlPart {
  std::vector<std::string> rows;  // the text of each object
  int64_t after = 0;  // cursor that was read from; 0 when the file had become shorter than asked
  int64_t next = 0;   // cursor for the next call
  bool more = false;  // true: stopped at the bound, call again at once
  int64_t malformed = 0;
};

inline constexpr int64_t kJsonlPartBytes = 1 << 20;

// A missing file reads as an empty one. Throws Error when it exists and cannot be read.
JsonlPart read_jsonl(const fs::path& path, int64_t after, int64_t max_bytes = kJsonlPartBytes);

// The last well-formed object, or null. Looks at the last 256 KiB only.
Json last_jsonl_row(const fs::path& path);

int64_t file_size_or_zero(const fs::path& path);

}  // namespace oneagent
