#include "core/service/host.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <vector>

#include "core/base/text.h"

namespace oneagent {
namespace {

// Containers that share a host name still differ in this.
std::string process_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? std::to_string(status.st_ino) : "0";
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string new_process_owner() {
  std::random_device random;
  return str(host_name(), ":", ::getpid(), ":", process_namespace(), ":", std::hex, random(),
             random());
}

std::string describe_owner(const std::string& owner) {
  const std::vector<std::string> parts = split(owner, ':');
  return parts.size() == 4 ? str("process ", parts[1], " on ", parts[0]) : owner;
}

bool owner_is_dead(const std::string& owner) {
  const std::vector<std::string> parts = split(owner, ':');
  if (parts.size() != 4 || parts[0] != host_name() || parts[2] != process_namespace()) return false;
  const auto pid = static_cast<pid_t>(std::atoi(parts[1].c_str()));
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace oneagent
