// Files that survive a crash: written to a temporary name, fsynced, renamed. Every error names the
// path and the reason.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/bytes.h"

namespace oneagent {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path);  // throws Error
Bytes read_bytes(const fs::path& path);       // throws Error
// Atomic replace: the old content or the new one, never a mixture. Throws Error (full disk, no
// permission).
void write_atomic(const fs::path& path, std::span<const uint8_t> bytes);
void write_atomic(const fs::path& path, std::string_view text);
void append_line(const fs::path& path,
                 std::string_view line);  // one write() call; adds the newline
void make_folder(const fs::path& path);
void sync_folder(const fs::path& path);  // fsync of the directory entry list

}  // namespace oneagent
