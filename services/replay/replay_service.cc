#include "services/replay/replay_service.h"

#include "core/strand/timer.h"
#include "services/replay/replay_server.h"

namespace oneagent {

ReplayService::ReplayService(net::Context& context, const ReplayOptions& options,
                             const RunPlace& place, std::vector<ring::TableSpec> tables)
    : net_(context), options_(options), place_(place), tables_(std::move(tables)) {}

void ReplayService::run(ServiceContext& context) {
  ReplayServer server(net_, context.waits(), options_, place_.folder, place_.run, tables_);
  const DrainWake wake(context, [&] { server.wake(); });
  context.ready(server.address().text());
  Timer tell(500);
  while (!context.draining()) {
    server.serve(Deadline::after_ms(100));
    if (!tell.due()) continue;
    const ReplayReport report = server.replay().report();
    context.metric("chunks_accepted", static_cast<double>(report.accepted));
    context.metric("chunks_live", static_cast<double>(report.chunks));
    context.metric("chunk_bytes", static_cast<double>(report.chunk_bytes));
    context.metric("segment_bytes", static_cast<double>(report.segment_bytes));
    context.metric("staged_bytes", static_cast<double>(report.staged_bytes));
    context.metric("quarantined", static_cast<double>(report.quarantined));
    context.metric("consumed_uncommitted", static_cast<double>(report.consumed_uncommitted));
    for (const TableReport& table : report.tables)
      context.metric(table.name + "_items", static_cast<double>(table.size));
    if (report.refusing.empty())
      context.clear_problem("disk");
    else
      context.problem("disk", report.refusing);
  }
}

}  // namespace oneagent
