// Which part, layer and channels of an EXR file are the picture. Names are "layer.channel", layers may nest; red, green,
// blue, alpha, luminance and its chroma have the names R, G, B, A, Y, RY and BY ("OpenEXR File Layout" and "Technical
// Introduction to OpenEXR", "Channel Names").

#include "base/error.h"
#include "image/exr.h"

// A layer is looked for among all channels for each channel; no renderer writes so many.
#define CHANNELS_MAX 1024

typedef struct layer
{
	const exr_attr_chlist_t *list;
	const char *name; // not terminated
	size_t length;    // with the dot; 0: the root
} layer;

static layer layer_of(const exr_attr_chlist_t *list, int channel)
{
	const char *name = list->entries[channel].name.str;
	const char *dot = strrchr(name, '.');
	return (layer){ list, name, dot != NULL ? (size_t)(dot - name) + 1 : 0 };
}

static bool is_in_layer(const layer *in, int channel)
{
	layer its = layer_of(in->list, channel);
	return its.length == in->length && memcmp(its.name, in->name, in->length) == 0;
}

static int find_channel(const layer *in, const char *name)
{
	for (int i = 0; i < in->list->num_channels; i++)
	{
		if (is_in_layer(in, i) && strcmp(in->list->entries[i].name.str + in->length, name) == 0)
		{
			return i;
		}
	}
	return -1;
}

static uint32_t count_found(const lrd_exr_picture *picture)
{
	uint32_t alpha = picture->channels[LRD_EXR_ALPHA] >= 0;
	return (picture->kind == LRD_EXR_GREY ? 1 : 3) + alpha;
}

static bool take(lrd_exr_picture *picture, lrd_exr_kind kind, int first, int second, int third, int alpha)
{
	picture->kind = kind;
	picture->channels[LRD_EXR_FIRST] = first;
	picture->channels[LRD_EXR_SECOND] = second;
	picture->channels[LRD_EXR_THIRD] = third;
	picture->channels[LRD_EXR_ALPHA] = alpha;
	picture->source_channels = count_found(picture);
	return true;
}

static bool take_color(const layer *in, lrd_exr_picture *picture)
{
	int alpha = find_channel(in, "A");
	int red = find_channel(in, "R");
	int green = find_channel(in, "G");
	int blue = find_channel(in, "B");
	if (red >= 0 || green >= 0 || blue >= 0)
	{
		return take(picture, LRD_EXR_RGB, red, green, blue, alpha);
	}
	int luminance = find_channel(in, "Y");
	if (luminance < 0 || find_channel(in, "X") >= 0) // Y beside X is a direction
	{
		return false;
	}
	int red_chroma = find_channel(in, "RY");
	int blue_chroma = find_channel(in, "BY");
	bool has_chroma = red_chroma >= 0 && blue_chroma >= 0;
	return take(picture, has_chroma ? LRD_EXR_CHROMA : LRD_EXR_GREY, luminance, has_chroma ? red_chroma : -1,
		has_chroma ? blue_chroma : -1, alpha);
}

// Vectors as they are; of anything else the first channel, as grey.
static bool take_numbers(const layer *in, lrd_exr_picture *picture)
{
	int x = find_channel(in, "X");
	int y = find_channel(in, "Y");
	if (x >= 0 && y >= 0)
	{
		return take(picture, LRD_EXR_RGB, x, y, find_channel(in, "Z"), -1);
	}
	for (int i = 0; i < in->list->num_channels; i++)
	{
		if (is_in_layer(in, i))
		{
			return take(picture, LRD_EXR_GREY, i, -1, -1, -1);
		}
	}
	return false;
}

static bool choose_layer(const exr_attr_chlist_t *list, bool (*take_layer)(const layer *in, lrd_exr_picture *picture),
	lrd_exr_picture *picture)
{
	layer root = { list, "", 0 };
	if (take_layer(&root, picture))
	{
		return true;
	}
	for (int i = 0; i < list->num_channels; i++)
	{
		layer its = layer_of(list, i);
		bool is_known = its.length == 0 || (i > 0 && is_in_layer(&its, i - 1));
		if (!is_known && take_layer(&its, picture))
		{
			return true;
		}
	}
	return false;
}

static bool is_flat(const lrd_exr_file *file, int part, bool *tiled)
{
	exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
	if (exr_get_storage(file->context, part, &storage) != EXR_ERR_SUCCESS)
	{
		return false;
	}
	*tiled = storage == EXR_STORAGE_TILED;
	return *tiled || storage == EXR_STORAGE_SCANLINE;
}

static bool choose_part(
	const lrd_exr_file *file, bool (*take_layer)(const layer *in, lrd_exr_picture *picture), lrd_exr_picture *picture)
{
	int count = 0;
	exr_get_count(file->context, &count);
	for (int part = 0; part < count; part++)
	{
		const exr_attr_chlist_t *list = NULL;
		bool has_list = is_flat(file, part, &picture->tiled) &&
						exr_get_channels(file->context, part, &list) == EXR_ERR_SUCCESS && list != NULL;
		if (has_list && list->num_channels <= CHANNELS_MAX && choose_layer(list, take_layer, picture))
		{
			picture->part = part;
			picture->list = list;
			return true;
		}
	}
	return false;
}

static bool fail_choice(const lrd_exr_file *file, lrd_error *error)
{
	int count = 0;
	bool tiled;
	exr_get_count(file->context, &count);
	for (int part = 0; part < count; part++)
	{
		if (is_flat(file, part, &tiled))
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "part %d has no channels, or more than %d", part, CHANNELS_MAX);
		}
	}
	return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "deep data; a flat picture is read: merge the samples first");
}

// The library's arithmetic for chunks of subsampled lines holds for what writers do: every second texel and line.
static bool check_sampling(const lrd_exr_picture *picture, lrd_error *error)
{
	for (int i = 0; i < picture->list->num_channels; i++)
	{
		const exr_attr_chlist_entry_t *channel = &picture->list->entries[i];
		bool is_chroma = picture->kind == LRD_EXR_CHROMA &&
						 (i == picture->channels[LRD_EXR_SECOND] || i == picture->channels[LRD_EXR_THIRD]);
		bool is_shown = i == picture->channels[LRD_EXR_FIRST] || i == picture->channels[LRD_EXR_SECOND] ||
						i == picture->channels[LRD_EXR_THIRD] || i == picture->channels[LRD_EXR_ALPHA];
		int x = channel->x_sampling;
		int y = channel->y_sampling;
		bool holds = is_chroma ? x == 2 && y == 2 : is_shown ? x == 1 && y == 1 : x >= 1 && x <= 2 && y >= 1 && y <= 2;
		if (!holds)
		{
			return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
				"channel \"%.64s\" is sampled %d x %d; colours are read at 1 x 1, chroma at 2 x 2", channel->name.str,
				x, y);
		}
		if (channel->pixel_type > EXR_PIXEL_FLOAT)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT, "channel \"%.64s\" has type %u; there are uint, half and float",
				channel->name.str, (unsigned)channel->pixel_type);
		}
	}
	return true;
}

bool lrd_exr_choose(const lrd_exr_file *file, lrd_exr_picture *picture, lrd_error *error)
{
	*picture = (lrd_exr_picture){ 0 };
	picture->is_color = choose_part(file, take_color, picture);
	if (!picture->is_color && !choose_part(file, take_numbers, picture))
	{
		return fail_choice(file, error);
	}
	exr_result_t code = exr_get_data_window(file->context, picture->part, &picture->data);
	code = code != EXR_ERR_SUCCESS ? code : exr_get_display_window(file->context, picture->part, &picture->display);
	code = code != EXR_ERR_SUCCESS ? code : exr_get_compression(file->context, picture->part, &picture->compression);
	return code == EXR_ERR_SUCCESS ? check_sampling(picture, error) : lrd_exr_fail(file, code, error);
}

uint64_t lrd_exr_texel_size(const exr_attr_chlist_t *list)
{
	uint64_t size = 0;
	for (int i = 0; i < list->num_channels; i++)
	{
		size += list->entries[i].pixel_type == EXR_PIXEL_HALF ? 2 : 4;
	}
	return size;
}
