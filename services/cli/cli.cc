#include "services/cli/cli.h"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "core/backends/backend.h"
#include "core/base/log.h"
#include "core/base/version.h"

namespace oneagent {
namespace {

void add_experiment(CLI::App* command, ExperimentArguments& arguments) {
  command->add_option("FILE", arguments.file, "experiment file (TOML) or the name of a preset")
      ->required();
  command
      ->add_option("--set", arguments.overrides,
                   "overrides a key: --set learner.checkpoint_seconds=60")
      ->take_all()
      ->allow_extra_args(false);
}

// A file that got the number of a closed stdin, stdout or stderr would receive what is printed.
void keep_standard_files_open() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR);
}

// A result that could not be written (full disk) is no success.
int finish_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (code == 0) std::fprintf(stderr, "oneagent: the output could not be written\n");
  return code == 0 ? 1 : code;
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  CLI::App app{
      "OneAgent trains, judges and serves decision policies.\n\n"
      "  oneagent train ppo-cartpole                 train a preset in this process\n"
      "  oneagent train my.toml --set run.seed=2     train your own experiment file\n"
      "  oneagent status                             who is there, who waits for whom\n"
      "  oneagent resume runs/ppo-cartpole           go on from the last checkpoint"};
  app.require_subcommand(0, 1);
  app.fallthrough(false);
  app.set_version_flag("--version", "oneagent " + code_version());
  std::string log_level = "info";
  app.add_option("--log", log_level, "debug, info, warning, error or off")->capture_default_str();
  int code = 0;

  TrainArguments train;
  auto* train_app = app.add_subcommand("train", "train: the whole ring in this process");
  add_experiment(train_app, train.experiment);
  train_app->add_flag("--json", train.json, "one JSON object a line; the last holds eval_return");
  train_app->add_flag("--dashboard", train.dashboard,
                      "serve the dashboard, and leave it open after the run until Ctrl-C");
  train_app->add_flag("--quiet", train.quiet, "no progress display");
  train_app->add_flag("--no-final-eval", train.skip_final_eval,
                      "end without judging the final policy");
  train_app->callback([&] { code = train_command(train); });

  TrainArguments resume;
  std::string resume_folder;
  auto* resume_app = app.add_subcommand("resume", "go on from the last checkpoint of a run");
  resume_app->add_option("RUN", resume_folder, "run folder, such as runs/ppo-cartpole")->required();
  resume_app
      ->add_option("--set", resume.experiment.overrides,
                   "overrides a key, such as stop.steps=200000")
      ->take_all()
      ->allow_extra_args(false);
  resume_app->add_flag("--json", resume.json, "one JSON object a line; the last holds eval_return");
  resume_app->add_flag("--dashboard", resume.dashboard,
                       "serve the dashboard, and leave it open after the run until Ctrl-C");
  resume_app->add_flag("--quiet", resume.quiet, "no progress display");
  resume_app->add_flag("--no-final-eval", resume.skip_final_eval,
                       "end without judging the final policy");
  resume_app->callback([&] { code = resume_command(resume_folder, resume); });

  PlanArguments plan;
  auto* plan_app = app.add_subcommand(
      "plan", "how the learner's phases run: calls, memory, and what is split over ranks and why");
  add_experiment(plan_app, plan.experiment);
  auto* pipeline = plan_app
                       ->add_option("--pipeline", plan.pipeline,
                                    "show the stages of a pipeline of so many ranks instead")
                       ->check(CLI::Range(2, 64));
  plan_app->add_option("--micro-batches", plan.micro_batches, "of the pipeline; 0: twice its ranks")
      ->check(CLI::Range(0, 4096))
      ->needs(pipeline);
  plan_app->add_option("--schedule", plan.schedule, "gpipe, 1f1b, interleaved, zb-h1 or zb-h2")
      ->needs(pipeline);
  plan_app->add_option("--stages-per-rank", plan.stages_per_rank, "above 1: of interleaved")
      ->check(CLI::Range(1, 64))
      ->needs(pipeline);
  plan_app->callback([&] { code = plan_command(plan); });

  EvalArguments eval;
  auto* eval_app = app.add_subcommand("eval", "judge a run's policy beside its baselines");
  eval_app->add_option("RUN", eval.run_folder, "run folder, such as runs/ppo-cartpole")->required();
  eval_app
      ->add_option("--set", eval.overrides,
                   "overrides a key, such as evaluator.env.map=maps/other.map")
      ->take_all()
      ->allow_extra_args(false);
  eval_app->add_option("--episodes", eval.episodes,
                       "number of fixed-seed episodes; 0 = all official ones");
  eval_app->add_flag("!--no-baselines", eval.baselines, "the policy only");
  eval_app->add_flag("--json", eval.json, "one JSON object");
  eval_app->callback([&] { code = eval_command(eval); });

  StatusArguments status;
  auto* status_app = app.add_subcommand("status", "services of a run, and who waits for whom");
  status_app->add_option("RUN", status.run,
                         "name or folder of the run; the newest one when left out");
  status_app->add_option("--folder", status.folder, "where run folders are")->capture_default_str();
  status_app->add_option("--store", status.store,
                         "store of a distributed run, such as redis://127.0.0.1:6379");
  status_app->add_option("--health", status.health,
                         "exit 0 when this service is alive, 1 when not");
  status_app->add_flag("--json", status.json, "one JSON object");
  status_app->callback([&] { code = status_command(status); });

  std::string audit_folder;
  bool audit_json = false;
  auto* audit_app = app.add_subcommand(
      "audit", "whether each acknowledged chunk of a stopped run is in the replay's ledger");
  audit_app->add_option("RUN", audit_folder, "run folder, such as runs/ppo-cartpole")->required();
  audit_app->add_flag("--json", audit_json, "one JSON object");
  audit_app->callback([&] { code = audit_command(audit_folder, audit_json); });

  std::string list_what;
  bool list_json = false;
  auto* list_app =
      app.add_subcommand("list", "names of envs, algorithms, presets or ops, one a line");
  list_app->add_option("WHAT", list_what, "envs, algorithms, presets or ops")->required();
  list_app->add_flag("--json", list_json, "a JSON list");
  list_app->callback([&] { code = list_command(list_what, list_json); });

  std::string describe_kind, describe_name;
  bool describe_json = false;
  auto* describe_app = app.add_subcommand(
      "describe",
      "options and meaning of an env, an algorithm, or a section of the experiment file");
  describe_app->add_option("KIND", describe_kind, "env, algorithm or section")->required();
  describe_app->add_option("NAME", describe_name, "such as grid_path, ppo, learner")->required();
  describe_app->add_flag("--json", describe_json, "one JSON object");
  describe_app->callback(
      [&] { code = describe_command(describe_kind, describe_name, describe_json); });

  bool version_json = false;
  auto* version_app = app.add_subcommand(
      "version", "code and schema version, and the devices that this build can use");
  version_app->add_flag("--json", version_json, "one JSON object");
  version_app->callback([&] { code = version_command(version_json); });

  ExperimentArguments serve;
  for (const auto& [service, meaning] :
       std::map<std::string, std::string>{{"actor", "steps environments, sends chunks"},
                                          {"replay", "keeps chunks and tables"},
                                          {"learner", "trains and publishes weights"},
                                          {"evaluator", "judges published weights"},
                                          {"gateway", "HTTP API and dashboard"}}) {
    auto* app_of = app.add_subcommand(service, "one service of a distributed run: " + meaning);
    add_experiment(app_of, serve);
    app_of->callback([&, name = service] { code = serve_command(name, serve); });
  }

  RankArguments rank;
  auto* rank_app = app.add_subcommand(
      "rank", "one more rank of a distributed run's learner: computes its part of each update");
  add_experiment(rank_app, rank.experiment);
  rank_app->add_option("--index", rank.index, "of the rank, from 1; left out: the first free one");
  rank_app->add_option("--parent", rank.parent, "process of the learner that starts it")->group("");
  rank_app->callback([&] { code = rank_command(rank); });

  app.parse_complete_callback([&] { set_log_level(parse_log_level(log_level)); });
  keep_standard_files_open();
  try {
    app.parse(argc, argv);
    OA_REQUIRE(!app.get_subcommands().empty(),
               "a command is missing, such as `oneagent train ppo-cartpole`; `oneagent --help` "
               "lists all");
    code = finish_output(code);
  } catch (const CLI::ExtrasError& error) {
    if (!app.get_subcommands().empty()) return app.exit(error) == 0 ? 0 : 2;
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    const std::string word = app.remaining().front();
    std::fprintf(stderr, "oneagent: unknown command \"%s\"%s\n", word.c_str(),
                 suggestion(word, names).c_str());
    return 2;
  } catch (const CLI::ParseError& error) {
    const int shown = app.exit(error);
    return shown == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "oneagent: %s\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "oneagent: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oneagent: unexpected failure: %s\n", error.what());
    return 1;
  }
  return code;
}

int version_command(bool json) {
  BackendTable backends;
  register_all(backends);
  const std::vector<DeviceInfo> devices = backends.devices();
  if (json) {
    Json shown = {{"version", code_version()},
                  {"schema", kSchemaVersion},
                  {"toolkits", Json::array()},
                  {"devices", Json::array()}};
    for (const Backend& backend : backends.entries())
      if (!backend.toolkit.empty()) shown["toolkits"].push_back(backend.toolkit);
    for (const DeviceInfo& d : devices)
      shown["devices"].push_back({{"kind", d.kind},
                                  {"index", d.index},
                                  {"name", d.name},
                                  {"compute", d.compute},
                                  {"units", d.units},
                                  {"memory", d.memory}});
    std::printf("%s\n", shown.dump().c_str());
    return 0;
  }
  std::printf("oneagent %s, schema %d\n", code_version().c_str(), kSchemaVersion);
  for (const Backend& backend : backends.entries())
    if (!backend.toolkit.empty()) std::printf("built with %s\n", backend.toolkit.c_str());
  for (const DeviceInfo& d : devices)
    std::printf("%s:%d  %s, %s, %lld processors, %.1f GiB\n", d.kind.c_str(), d.index,
                d.name.c_str(), d.compute.c_str(), static_cast<long long>(d.units),
                static_cast<double>(d.memory) / (1LL << 30));
  return 0;
}

}  // namespace oneagent
