// generate/describe_bundle.h: what a bundle looks like, in the words of format/layout.h. Here and not in src/pack/, which does without
// that room.

#ifndef GENERATE_DESCRIBE_BUNDLE_H
#define GENERATE_DESCRIBE_BUNDLE_H

#include "format/layout.h"

extern const lrd_layout_description lrd_bundle_layout;

#endif
