// pack/pipeline.h: preparing the payloads of a plan on several threads and handing them out in the plan's order. Cook
// half.

#ifndef PACK_PIPELINE_H
#define PACK_PIPELINE_H

#include "pack/payload.h"
#include "pack/plan.h"

typedef struct lrd_pipeline lrd_pipeline;

/// Everything handed in must outlive the pipeline.
lrd_pipeline *lrd_pipeline_create(const lrd_pack_plan *plan, const lrd_pack_write_desc *desc,
	const lrd_pack_payload_settings *settings, lrd_error *error);

/// The payload of the next entry, now the caller's to free. Waits for it. On failure there is none, and nothing but
/// destroying is left.
bool lrd_pipeline_next(lrd_pipeline *pipeline, lrd_pack_payload *payload, lrd_error *error);

/// Waits for what is still being prepared. NULL is allowed.
void lrd_pipeline_destroy(lrd_pipeline *pipeline);

#endif
