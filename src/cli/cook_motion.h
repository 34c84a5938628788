// cli/cook_motion.h: what `larder cook` says of skeletons and clips that it made, and of all of them together.

#ifndef CLI_COOK_MOTION_H
#define CLI_COOK_MOTION_H

#include "cli/cli.h"
#include "larder/cook.h"

/// What became of a skeleton or a clip, on one line without its end.
void cli_put_skeleton(FILE *file, const lrd_skeleton_report *report);
void cli_put_clip(FILE *file, const lrd_clip_report *report);

/// The same as members of an object.
void cli_json_skeleton(cJSON *json, const lrd_skeleton_report *report);
void cli_json_clip(cJSON *json, const lrd_clip_report *report);

/// Of the skeletons and clips that were made in one run.
typedef struct cli_motion_sums
{
	uint32_t skeletons;
	uint64_t skin_joints, joints;
	uint32_t clips;
	uint64_t channels, constant;
	uint64_t keys_before, keys;
} cli_motion_sums;

void cli_add_skeleton(cli_motion_sums *sums, const lrd_skeleton_report *report);
void cli_add_clip(cli_motion_sums *sums, const lrd_clip_report *report);

/// A line for those of which there are some.
void cli_put_motion_sums(FILE *file, const cli_motion_sums *sums);

/// Members "skeletons" and "clips".
void cli_json_motion_sums(cJSON *json, const cli_motion_sums *sums);

#endif
