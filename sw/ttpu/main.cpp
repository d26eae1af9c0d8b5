// The `ttpu` command.
#include "ttpu/cli.h"

int main(int argc, char** argv) { return ttpu::cli::run_cli(argc, argv); }
