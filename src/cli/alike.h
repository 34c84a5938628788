// cli/alike.h: which rows of a table say the same but for their numbers, as the instances of one thing do.

#ifndef CLI_ALIKE_H
#define CLI_ALIKE_H

#include "cli/cli.h"

/// Of a group of more rows than this, the first CLI_ALIKE_SHOWN are printed and the others counted.
#define CLI_ALIKE_MAX 8u
#define CLI_ALIKE_SHOWN 3u

/// A row's place in its group.
typedef struct cli_alike
{
	uint32_t group; ///< its first row
	uint32_t nth;   ///< which of them it is, from 0
	uint32_t count; ///< of the group's rows; at its first row alone
} cli_alike;

/// Group the rows of an array of objects: those of the same texts, one at least, and the same "parent" where they have
/// one. `apart`: rows that are groups by themselves; NULL: none are. NULL where memory runs out; freed by free().
cli_alike *cli_find_alike(const cJSON *array, const bool *apart);

/// Whether a row is printed.
static inline bool cli_is_shown(const cli_alike *rows, uint32_t row)
{
	return rows[row].nth < CLI_ALIKE_SHOWN || rows[rows[row].group].count <= CLI_ALIKE_MAX;
}

/// How many of its group are not printed; 0 but for the last that is.
static inline uint32_t cli_left_out(const cli_alike *rows, uint32_t row)
{
	uint32_t count = rows[rows[row].group].count;
	return count > CLI_ALIKE_MAX && rows[row].nth == CLI_ALIKE_SHOWN - 1 ? count - CLI_ALIKE_SHOWN : 0;
}

#endif
