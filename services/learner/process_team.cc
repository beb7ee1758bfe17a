#include "services/learner/process_team.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "core/base/log.h"
#include "core/comm/own_address.h"
#include "core/service/host.h"
#include "services/learner/store_rendezvous.h"

extern char** environ;

namespace oneagent {
namespace {

constexpr int64_t kGoodbyeMs = 3000;

std::unique_ptr<Store> store_at(const std::string& address) {
  Result<std::unique_ptr<Store>> store = open_store(address);
  OA_REQUIRE(store.ok(), "ranks: ", store.status().message());
  return *std::move(store);
}

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  OA_REQUIRE(size > 0, "ranks: the program of this process is unknown: ", std::strerror(errno));
  return std::string(path.data(), static_cast<size_t>(size));
}

// In a process group of its own, so that Ctrl-C at the learner's terminal is the learner's to
// handle; what it prints goes to stderr, as stdout may carry a result.
pid_t start_process(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  const int failed =
      ::posix_spawn(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  OA_REQUIRE(failed == 0, "ranks: cannot start ", words[0], ": ", std::strerror(failed));
  return process;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return str("by signal ", WTERMSIG(status));
  return str("with exit code ", WEXITSTATUS(status));
}

}  // namespace

std::string host_of_rank(const MeshOptions& mesh) {
  if (!mesh.host.empty()) return mesh.host;
  return mesh.kind == "services" ? host_name() : "127.0.0.1";
}

void require_own_host(const MeshOptions& mesh) {
  const std::string host = host_of_rank(mesh), problem = comm::own_address_problem(host);
  if (!problem.empty())
    throw RankRefused(str("[learner.parallel] host is \"", host, "\"",
                          mesh.host.empty() ? ", as this machine calls itself" : "",
                          ", where the other ranks cannot reach this one: ", problem,
                          "; give a name or number of this machine"));
}

ProcessTeam::ProcessTeam(ProcessTeamOptions options, Trainer& trainer)
    : options_(std::move(options)),
      store_(store_at(options_.store)),
      meeting_(*store_, options_.run, options_.cancelled),
      call_{0,
            options_.mesh.data,
            options_.mesh.tensor,
            options_.mesh.lost_after_s,
            options_.mesh.step_timeout_s,
            options_.mesh.pipeline,
            options_.mesh.micro_batches,
            options_.mesh.stages_per_rank,
            options_.mesh.schedule} {
  require_own_host(options_.mesh);
  try {
    meeting_.call(call_);
    if (options_.mesh.kind == "processes")
      for (int rank = 1; rank < call_.ranks(); ++rank) start(rank);
    meet();
    StoreRendezvous rendezvous(*store_);
    groups_.emplace(0, call_, rendezvous, options_.run, host_of_rank(options_.mesh));
    lead_.emplace(groups_->commands(), groups_->work(), mesh_of(options_.mesh), trainer,
                  options_.seed);
    log_info("learner: ", call_.ranks(), " ranks are together, incarnation ", call_.incarnation);
  } catch (...) {
    groups_.reset();
    end_processes(false);
    throw;
  }
}

ProcessTeam::~ProcessTeam() {
  lead_.reset();
  groups_.reset();
  end_processes(!aborted_);
}

void ProcessTeam::abort(const std::string& reason) {
  aborted_ = true;
  groups_->abort(reason);
}

void ProcessTeam::start(int rank) {
  processes_[rank] = start_process({options_.program.empty() ? own_program() : options_.program,
                                    "rank", options_.run_folder.string(), "--index", str(rank),
                                    "--parent", str(::getpid())});
}

bool ProcessTeam::has_come(int rank) {
  const std::optional<RankIdentity> identity = meeting_.answered(call_.incarnation, rank);
  if (!identity) return false;
  const std::string reason = difference(RankIdentity::of(options_.config_hash), rank, *identity);
  if (reason.empty()) {
    meeting_.take(call_.incarnation, rank);
    return true;
  }
  meeting_.refuse(call_.incarnation, rank, reason);
  if (!processes_.empty()) throw RankRefused(reason);
  log_error("learner: ", reason);
  options_.problem(reason);
  return false;
}

void ProcessTeam::require_alive() {
  for (auto& [rank, process] : processes_) {
    int status = 0;
    if (process <= 0 || ::waitpid(process, &status, WNOHANG) != process) continue;
    process = 0;
    throw_error(str("rank ", rank, " ended ", how_it_ended(status),
                    " before the ranks were "
                    "together; its reason stands above"));
  }
}

void ProcessTeam::meet() {
  if (options_.mesh.kind == "services" && !options_.cancelled())
    log_info("learner: waits for ", call_.ranks() - 1,
             " other ranks; start each with `oneagent "
             "rank FILE`, with the file and --set of the learner");
  for (int rank = 1; rank < call_.ranks(); ++rank) {
    std::optional<WaitScope> wait;
    if (options_.board != nullptr)
      wait.emplace(*options_.board, "learner", str("rank-", rank),
                   str("to join the learner's ranks, incarnation ", call_.incarnation));
    while (!has_come(rank)) {
      if (options_.cancelled()) throw RanksCancelled("drained before all ranks had come");
      require_alive();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  options_.problem("");
}

// SIGKILL also ends a process that is stopped.
void ProcessTeam::end_processes(bool politely) {
  const Deadline until = Deadline::after_ms(politely ? kGoodbyeMs : 0);
  for (auto& [rank, process] : processes_) {
    if (process <= 0) continue;
    int status = 0;
    pid_t ended = ::waitpid(process, &status, WNOHANG);
    while (ended == 0 && !until.expired()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ended = ::waitpid(process, &status, WNOHANG);
    }
    if (ended == 0) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
    }
    process = 0;
  }
}

}  // namespace oneagent
