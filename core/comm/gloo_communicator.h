// Ranks as processes that talk over TCP, by gloo's transport. The algorithms are ours, so that
// reductions are in the order of ranks and bit-equal with those of threads: every rank sends each
// other one a header that says what it calls, with small parts inside; then large parts follow. An
// all_reduce is a direct reduce_scatter and an all_gather.
//
// A rank that dies is noticed by its connections, within a second; one that is stopped, at the
// deadline. Making a communicator ignores SIGPIPE unless the program handles it.
#pragma once

#include <memory>
#include <string>

#include "core/comm/communicator.h"
#include "core/comm/rendezvous.h"

namespace oneagent::comm {

struct GlooOptions {
  std::string run_id = "run";
  int64_t incarnation = 0;
  std::string group = "world";        // of a run: one for each communicator that it makes
  std::string address = "127.0.0.1";  // where this process listens: a name or a number
  int64_t connect_ms = 0;             // the longest that connecting may take; 0: the deadline
  GroupOptions options;
};

// Called by each of `size` processes; returns when all are connected. Throws Error when they do not
// come in time. Its destruction says goodbye: who still waits for this rank gets an
// Error at once.
std::unique_ptr<Communicator> make_gloo_communicator(int rank, int size, Rendezvous& rendezvous,
                                                     const GlooOptions& options);

}  // namespace oneagent::comm
