#include "services/gateway/dashboard_files.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

const fs::path kDashboard = fs::path(OA_SOURCE) / "services/dashboard";

std::map<std::string, std::string> hashes_of_sources() {
  std::map<std::string, std::string> hashes;
  for (const char* file :
       {"index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.js"})
    hashes[file] = sha256(read_text(kDashboard / file));
  for (const char* folder : {"public", "src"})
    for (const auto& entry : fs::recursive_directory_iterator(kDashboard / folder))
      if (entry.is_regular_file())
        hashes[fs::relative(entry.path(), kDashboard).string()] = sha256(read_text(entry.path()));
  return hashes;
}

TEST(DashboardFiles, TheCheckedInBuildBelongsToTheSources) {
  std::map<std::string, std::string> stamped;
  for (const std::string& line : split(read_text(kDashboard / "dist/sources.sha256"), '\n'))
    if (line.size() > 66) stamped[line.substr(66)] = line.substr(0, 64);
  EXPECT_EQ(stamped, hashes_of_sources())
      << "build the dashboard again: cd services/dashboard && npm ci && npm run build";
}

TEST(DashboardFiles, EveryEmbeddedFileHasItsBytesAndHash) {
  ASSERT_GE(dashboard_files().size(), 4u);
  for (const DashboardFile& file : dashboard_files()) {
    EXPECT_FALSE(file.bytes.empty()) << file.path;
    EXPECT_EQ(sha256(file.bytes), file.hash) << file.path;
  }
}

TEST(DashboardFiles, ThePageNamesOnlyFilesThatAreEmbedded) {
  const DashboardFile* page = find_dashboard_file("index.html");
  ASSERT_NE(page, nullptr);
  for (const char* path : {"assets/dashboard.js", "assets/dashboard.css", "favicon.svg"}) {
    EXPECT_NE(page->bytes.find(path), std::string_view::npos) << path;
    EXPECT_NE(find_dashboard_file(path), nullptr) << path;
  }
  EXPECT_EQ(page->bytes.find("http://"), std::string_view::npos) << "the page must work offline";
  EXPECT_EQ(page->bytes.find("https://"), std::string_view::npos) << "the page must work offline";
}

TEST(DashboardFiles, TheLockFileRecordsNoDownloadAddresses) {
  const std::string lock = read_text(kDashboard / "package-lock.json");
  EXPECT_EQ(lock.find("\"resolved\""), std::string::npos)
      << "run npm with omit-lockfile-registry-resolved=true";
}

}  // namespace
}  // namespace oneagent
