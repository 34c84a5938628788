// larder view: looking at a source, a cooked tree or a bundle, in a window or as pictures.

#include "cli/view/window.h"

#include <stdlib.h>
#include <string.h>

static void put_statistics(view_session *self, cJSON *json)
{
	const view_draw_stats *draws = &self->renderer.stats;
	lrd_residents_stats residents;
	lrd_residents_get_stats(self->residents, &residents);
	cli_json_string(json, "device", lrd_string_from(lrd_vulkan_device_name(self->device)));
	cli_json_string(json, "textures_by", lrd_string_from(self->renderer.pipelines.has_table ? "table" : "sets"));
	cli_json_string(json, "shown", lrd_string_from(self->content.stem));
	cli_json_number(json, "pictures", self->pictures);
	cli_json_number(json, "first_picture_seconds",
		self->first_picture != 0 ? (double)(self->first_picture - self->began) * 1e-9 : 0.0);
	cli_json_number(json, "parts", self->scene.part_count);
	cli_json_number(json, "culled", draws->culled);
	cli_json_number(json, "draws", draws->draws);
	cli_json_number(json, "instances", draws->instances);
	cli_json_number(json, "triangles", (double)draws->triangles);
	cli_json_number(json, "pipelines", self->renderer.pipelines.surface_count);
	cli_json_number(json, "textures", residents.textures);
	cli_json_number(json, "texture_bytes", (double)residents.texture_bytes);
	view_stream_line stream;
	view_session_stream(self, &stream);
	cli_json_number(json, "budget", (double)stream.budget);
	cli_json_number(json, "demanded_bytes", (double)stream.demanded);
	cli_json_number(json, "limited", stream.limited);
	cli_json_number(json, "meshes", residents.meshes);
	cli_json_number(json, "mesh_bytes", (double)residents.mesh_bytes);
	cli_json_number(json, "uploaded_bytes", (double)residents.uploaded_bytes);
	cli_json_number(json, "validation_messages", lrd_vulkan_device_messages(self->device));
}

cli_exit view_session_report(view_session *self, cli_exit result)
{
	bool is_open = self->device != NULL && self->stream != NULL && self->content.stem != NULL;
	uint32_t messages = self->device != NULL ? lrd_vulkan_device_messages(self->device) : 0;
	if (messages != 0 && self->options.validate)
	{
		cli_error("view: the validation layer had %u thing%s to say", messages, messages == 1 ? "" : "s");
		result = CLI_FAILED;
	}
	if (self->options.json && is_open && result == CLI_OK)
	{
		cJSON *json = cJSON_CreateObject();
		put_statistics(self, json);
		result = cli_json_print(json) ? result : CLI_FAILED;
	}
	return result;
}

cli_exit cli_view(const cli_arguments *arguments)
{
	view_session *self = calloc(1, sizeof *self);
	if (self == NULL)
	{
		cli_error("out of memory");
		return CLI_FAILED;
	}
	self->began = view_now();
	cli_exit result = CLI_BAD_COMMAND_LINE;
	if (view_options_read(&self->options, arguments))
	{
		result = self->options.screenshot != NULL ? view_session_shoot(self) : view_window_run(self);
	}
	free(self);
	return result;
}
