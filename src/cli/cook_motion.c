// What `larder cook` says of a skeleton or a clip that it made, and of all of them together.

#include "cli/cook_motion.h"

#include "cli/cook_mesh.h"

static void put_keys(FILE *file, uint64_t channels, uint64_t constant, uint64_t before, uint64_t after)
{
	fprintf(file, "channels %llu", (unsigned long long)channels);
	if (constant != 0)
	{
		fprintf(file, ", constant %llu", (unsigned long long)constant);
	}
	cli_put_change(file, ", keys", before, after);
}

void cli_put_skeleton(FILE *file, const lrd_skeleton_report *report)
{
	cli_put_change(file, "joints", report->skin_joints, report->joints);
}

void cli_put_clip(FILE *file, const lrd_clip_report *report)
{
	fprintf(file, "%.3g s, ", (double)report->duration);
	put_keys(file, report->channels, report->constant, report->keys_before, report->keys);
}

void cli_json_skeleton(cJSON *json, const lrd_skeleton_report *report)
{
	cli_json_number(json, "skin_joints", report->skin_joints);
	cli_json_number(json, "joints", report->joints);
}

void cli_json_clip(cJSON *json, const lrd_clip_report *report)
{
	cli_json_float(json, "duration", report->duration);
	cli_json_number(json, "channels", report->channels);
	cli_json_number(json, "constant", report->constant);
	cli_json_number(json, "keys_before", report->keys_before);
	cli_json_number(json, "keys", report->keys);
}

void cli_add_skeleton(cli_motion_sums *sums, const lrd_skeleton_report *report)
{
	sums->skeletons++;
	sums->skin_joints += report->skin_joints;
	sums->joints += report->joints;
}

void cli_add_clip(cli_motion_sums *sums, const lrd_clip_report *report)
{
	sums->clips++;
	sums->channels += report->channels;
	sums->constant += report->constant;
	sums->keys_before += report->keys_before;
	sums->keys += report->keys;
}

void cli_put_motion_sums(FILE *file, const cli_motion_sums *sums)
{
	if (sums->skeletons != 0)
	{
		fprintf(file, "%u skeleton%s: ", sums->skeletons, sums->skeletons == 1 ? "" : "s");
		cli_put_change(file, "joints", sums->skin_joints, sums->joints);
		fputc('\n', file);
	}
	if (sums->clips != 0)
	{
		fprintf(file, "%u clip%s: ", sums->clips, sums->clips == 1 ? "" : "s");
		put_keys(file, sums->channels, sums->constant, sums->keys_before, sums->keys);
		fputc('\n', file);
	}
}

void cli_json_motion_sums(cJSON *json, const cli_motion_sums *sums)
{
	cJSON *skeletons = cJSON_AddObjectToObject(json, "skeletons");
	cli_json_number(skeletons, "count", sums->skeletons);
	cli_json_number(skeletons, "skin_joints", (double)sums->skin_joints);
	cli_json_number(skeletons, "joints", (double)sums->joints);
	cJSON *clips = cJSON_AddObjectToObject(json, "clips");
	cli_json_number(clips, "count", sums->clips);
	cli_json_number(clips, "channels", (double)sums->channels);
	cli_json_number(clips, "constant", (double)sums->constant);
	cli_json_number(clips, "keys_before", (double)sums->keys_before);
	cli_json_number(clips, "keys", (double)sums->keys);
}
