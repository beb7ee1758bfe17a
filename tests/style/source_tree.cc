#include "tests/style/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace oneagent::style {
namespace {

namespace fs = std::filesystem;

bool left_out(const fs::path& path, const fs::path& root) {
  static const std::set<std::string> folders = {".git", "runs",   "node_modules",
                                                "dist", ".cache", "__pycache__"};
  const std::string name = path.filename().string();
  return folders.contains(name) || (path.parent_path() == root && name.starts_with("build"));
}

void read_into(std::vector<SourceFile>& files, const fs::path& root, const fs::path& path) {
  constexpr uintmax_t kLargestFile = 1 << 20;
  if (fs::file_size(path) > kLargestFile) return;
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (text.find('\0') != std::string::npos) return;
  files.push_back({fs::relative(path, root).string(), std::move(text)});
}

std::vector<SourceFile> read_tree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
       ++it) {
    if (it->is_directory() && left_out(it->path(), root)) it.disable_recursion_pending();
    if (it->is_regular_file()) read_into(files, root, it->path());
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace

std::string_view SourceFile::name() const {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

std::string_view SourceFile::stem() const { return name().substr(0, name().rfind('.')); }

std::string_view SourceFile::folder() const {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(path).substr(0, slash);
}

bool SourceFile::is_cpp() const { return path.ends_with(".h") || path.ends_with(".cc"); }

std::vector<std::string> SourceFile::includes() const {
  static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::vector<std::string> result;
  for (const std::string& line : lines(text)) {
    std::smatch match;
    if (std::regex_search(line, match, include)) result.push_back(match[1]);
  }
  return result;
}

const std::vector<SourceFile>& source_tree() {
  static const std::vector<SourceFile> files = read_tree(OA_SOURCE);
  return files;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string join(const std::vector<std::string>& complaints) {
  std::string text;
  for (const std::string& complaint : complaints) text += "  " + complaint + "\n";
  return text;
}

}  // namespace oneagent::style
