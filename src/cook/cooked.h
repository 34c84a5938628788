// cook/cooked.h: where a cook to memory puts its files (cook_memory.c). The driver's own thread alone writes to it.

#ifndef COOK_COOKED_H
#define COOK_COOKED_H

#include "larder/cook_memory.h"

/// How many files there are.
uint32_t lrd_cooked_count(const lrd_cooked *cooked);
/// Take over a file's bytes; `bytes` is empty then. False: memory, and nothing changed.
bool lrd_cooked_add(lrd_cooked *cooked, lrd_string key, lrd_buffer *bytes, lrd_error *error);
/// Free all files but the first `count`.
void lrd_cooked_truncate(lrd_cooked *cooked, uint32_t count);
/// Remember what became of a source. Memory that runs out is told when the cook ends.
void lrd_cooked_note(lrd_cooked *cooked, const lrd_source_report *report);

#endif
