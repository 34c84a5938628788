// larder view where the program was built without what it draws with.

#include "cli/cli.h"

cli_exit cli_view(const cli_arguments *arguments)
{
	(void)arguments;
	cli_error("view: this larder was built without it: that takes Vulkan's headers, SDL2 and glslc (on Debian "
			  "libvulkan-dev, libsdl2-dev and glslc), and LARDER_VIEW");
	return CLI_FAILED;
}
