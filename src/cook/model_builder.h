// cook/model_builder.h: the model file as it comes together: model_file.c, and model_actors.c for the placement
// template.

#ifndef COOK_MODEL_BUILDER_H
#define COOK_MODEL_BUILDER_H

#include "cook/model.h"
#include "larder/write.h"

/// The part records that a use of a group came to. None: nothing of it has an area.
typedef struct lrd_model_records
{
	uint32_t first;
	uint32_t count;
} lrd_model_records;

typedef struct lrd_model_builder
{
	const lrd_model_recipe *recipe;
	lrd_arena *arena;
	lrd_text_table *table;
	lrd_model_view view;
	lrd_model_part *parts;
	lrd_model_records *records; ///< by use
	lrd_error *error;
} lrd_model_builder;

/// Translation, rotation (made unit length) and scale, as nodes and actors store them.
void lrd_model_store_transform(const lrd_transform *local, float translation[3], float rotation[4], float scale[3]);

/// The placement template, where the placement is editable. After the parts.
bool lrd_build_actors(lrd_model_builder *self);

#endif
