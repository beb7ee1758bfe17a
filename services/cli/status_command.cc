#include <cstdio>

#include "core/service/status.h"
#include "core/store/store.h"
#include "services/cli/cli.h"

namespace oneagent {
namespace {

// The run folder that changed last below `folder`.
fs::path newest_run(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type when{};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path store = entry.path() / "store.sqlite";
    if (!fs::exists(store)) continue;
    const auto changed =
        std::max(fs::last_write_time(store), fs::exists(store.string() + "-wal")
                                                 ? fs::last_write_time(store.string() + "-wal")
                                                 : fs::file_time_type{});
    if (newest.empty() || changed > when) {
      newest = entry.path();
      when = changed;
    }
  }
  OA_REQUIRE(!newest.empty(), "status: no run below ", folder.string(),
             "; name one, or give --store for a distributed run");
  return newest;
}

}  // namespace

int status_command(const StatusArguments& arguments) {
  std::string run = arguments.run, address = arguments.store;
  if (address.empty()) {
    fs::path folder = run.empty() ? newest_run(arguments.folder) : fs::path(run);
    if (!fs::exists(folder / "store.sqlite")) folder = fs::path(arguments.folder) / run;
    OA_REQUIRE(fs::exists(folder / "store.sqlite"), "status: ", folder.string(),
               " holds no store.sqlite; a distributed run needs --store redis://host:port");
    address = "sqlite:" + (folder / "store.sqlite").string();
    const fs::path absolute = fs::absolute(folder).lexically_normal();
    run = (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  }
  OA_REQUIRE(!run.empty(), "status: name the run: oneagent status RUN --store ", address);
  Result<std::unique_ptr<Store>> store = open_store(address, {2000, false});
  OA_REQUIRE(store.ok(), "status: ", store.status().message());
  const Result<RunStatus> status = read_status(**store, run);
  OA_REQUIRE(status.ok(), "status: ", status.status().message());
  if (!arguments.health.empty()) {
    for (const SeenService& service : status->services)
      if (service.beat.service == arguments.health ||
          service.beat.service.starts_with(arguments.health + "-"))
        if (service.lease && service.beat.state != ServiceState::kFailed) return 0;
    std::fprintf(stderr, "%s is not alive\n", arguments.health.c_str());
    return 1;
  }
  if (arguments.json)
    std::printf("%s\n", to_json(*status).dump().c_str());
  else
    std::fputs(to_text(*status).c_str(), stdout);
  for (const Finding& finding : status->findings)
    if (finding.kind == Finding::Kind::kStoreGone) return 1;
  return 0;
}

}  // namespace oneagent
