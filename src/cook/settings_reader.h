// cook/settings_reader.h: a settings file being read, and the values that its sections share. Every key, type and range
// is checked; what is not known is an error with its place, never ignored. A section is a table of keys, which reads,
// refuses and describes it.

#ifndef COOK_SETTINGS_READER_H
#define COOK_SETTINGS_READER_H

#include "base/json.h"
#include "cook/settings.h"

#include <stddef.h>

typedef struct lrd_settings_reader
{
	const char *name; ///< as messages quote it
	lrd_string text;
	const cJSON *root;
	lrd_arena *arena;
	lrd_error *error;
} lrd_settings_reader;

/// How the value of a key is read, and what it is in the settings.
typedef enum lrd_setting_kind
{
	LRD_SETTING_NAME,   ///< one of `names`: its index, an enumeration
	LRD_SETTING_SWITCH, ///< one of two names: bool, the second is true
	LRD_SETTING_BOOL,   ///< bool
	LRD_SETTING_CHOICE, ///< true or false: lrd_choice
	LRD_SETTING_COUNT,  ///< a whole number within bounds: uint32_t
	LRD_SETTING_NUMBER, ///< a number within bounds: float
	LRD_SETTING_OWN,    ///< read and described by functions of its own
} lrd_setting_kind;

typedef enum lrd_setting_ends
{
	LRD_ENDS_CLOSED, ///< both are in range
	LRD_ENDS_ABOVE,  ///< the lower one is not
	LRD_ENDS_OPEN,   ///< neither is
} lrd_setting_ends;

/// A key of a section.
typedef struct lrd_setting
{
	const char *name;
	lrd_setting_kind kind;
	size_t offset; ///< of the value in the section's settings
	const char *const *names;
	size_t name_count;
	double low, high;
	lrd_setting_ends ends;
	const char *or_else; ///< ", or …": what messages list besides a number; NULL: nothing
	bool (*read)(const lrd_settings_reader *self, const cJSON *member, void *settings);
	bool (*describe)(const char *name, const void *settings, lrd_buffer *out);
} lrd_setting;

#define LRD_COUNT(array) (sizeof(array) / sizeof *(array))

// Rows of tables. LRD_KEY_TYPE is the settings that `member` is in; whoever makes a table defines it.
// clang-format off
#define LRD_KEY(key, what, member) .name = (key), .kind = (what), .offset = offsetof(LRD_KEY_TYPE, member)
#define LRD_KEY_PLAIN(key, what, member) { LRD_KEY(key, what, member) }
#define LRD_KEY_NAMED(key, what, member, list) { LRD_KEY(key, what, member), .names = (list), .name_count = LRD_COUNT(list) }
#define LRD_KEY_COUNT(key, member, least, most) { LRD_KEY(key, LRD_SETTING_COUNT, member), .low = (least), .high = (most) }
#define LRD_KEY_NUMBER(key, member, least, most, which) \
	{ LRD_KEY(key, LRD_SETTING_NUMBER, member), .low = (least), .high = (most), .ends = (which) }
#define LRD_KEY_OWN(key, what) { .name = (key), .kind = LRD_SETTING_OWN, .read = read_##what, .describe = describe_##what }
// clang-format on

/// A section: its keys.
typedef struct lrd_setting_table
{
	const lrd_setting *keys;
	size_t count;
} lrd_setting_table;

/// Read one member of a section into its settings. `other`: one more key to list where the member's is unknown, or
/// NULL.
bool lrd_settings_read_key(const lrd_settings_reader *self, const lrd_setting_table *table, const cJSON *member,
	const char *other, void *settings);

/// Read an object whose members are keys of the table. `expected` is for what is no object.
bool lrd_settings_read_object(const lrd_settings_reader *self, const lrd_setting_table *table, const cJSON *object,
	const char *expected, void *settings);

/// A line for each key, numbers bit for bit. Appends to `out`.
bool lrd_settings_describe_keys(const lrd_setting_table *table, const void *settings, lrd_buffer *out);

/// What a number is described by: digits would depend on the locale.
uint32_t lrd_settings_bits(float number);

/// Refuse a member: "FILE:LINE:COLUMN: "KEY": WHAT; expected EXPECTED". Always false.
bool lrd_settings_fail(const lrd_settings_reader *self, const cJSON *member, const char *what, const char *expected);

/// A whole number within bounds.
bool lrd_settings_read_count(
	const lrd_settings_reader *self, const cJSON *member, uint32_t low, uint32_t high, uint32_t *value);

/// A number within the bounds of `key`, whatever its kind.
bool lrd_settings_read_number(
	const lrd_settings_reader *self, const cJSON *member, const lrd_setting *key, float *value);

bool lrd_settings_read_bool(const lrd_settings_reader *self, const cJSON *member, bool *value);

/// One member of a "texture" section.
bool lrd_settings_read_texture(
	const lrd_settings_reader *self, const cJSON *member, lrd_texture_settings *texture, const char *other_keys);

/// Texture settings as canonical text. Appends to `out`.
bool lrd_settings_describe_texture(const lrd_texture_settings *texture, lrd_buffer *out);

/// One member of a "model" section.
bool lrd_settings_read_model(const lrd_settings_reader *self, const cJSON *member, lrd_model_settings *model);

/// Model settings in force as canonical text. Appends to `out`.
bool lrd_settings_describe_model(const lrd_model_settings *model, lrd_buffer *out);

#endif
