#include "services/cli/cli.h"

int main(int argc, char** argv) { return oneagent::run_cli(argc, argv); }
