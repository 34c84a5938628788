// format/text_table.h: the string table's other use: runs of bytes that need not be text.

#ifndef FORMAT_TEXT_TABLE_H
#define FORMAT_TEXT_TABLE_H

#include "larder/write.h"

/// As lrd_text_table_add, for any bytes.
bool lrd_text_table_add_bytes(lrd_text_table *table, lrd_string bytes, lrd_text *place, lrd_error *error);

#endif
