// Writing .lclip: blocks in the order of clip.h, then lrd_clip_open over the result. Channels whose times are equal are
// given one run of times, whether or not they shared it before; values are laid out in the order of the channels.

#include "format/clip.h"
#include "format/text_table.h"
#include "format/write.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>

typedef struct clip_writer
{
	lrd_writer base;
	const lrd_clip_view *clip;
	lrd_clip_header header;
	lrd_text_table *times; // runs of f32 as bytes
	size_t channels_at;
} clip_writer;

/// The channel as it stands in the file so far; moves when the file grows.
static lrd_clip_channel *channel_at(clip_writer *writer, uint32_t index)
{
	return (lrd_clip_channel *)(void *)(writer->base.file.data + writer->channels_at) + index;
}

static bool check_ranges(const clip_writer *writer, uint32_t index)
{
	const lrd_clip_view *clip = writer->clip;
	const lrd_clip_channel *channel = &clip->channels[index];
	uint64_t key_size = lrd_clip_key_size(channel);
	if ((uint64_t)channel->times_offset + channel->key_count > clip->time_count ||
		channel->values_offset > clip->value_count ||
		(channel->key_count > 0 && key_size > (clip->value_count - channel->values_offset) / channel->key_count))
	{
		return lrd_fail(writer->base.error, LRD_ERROR_ARGUMENT,
			"lclip: channel %" PRIu32 ": %" PRIu32 " keys of %" PRIu64 " floats at time %" PRIu32 ", value %" PRIu32
			" pass times (%" PRIu32 ") or values (%" PRIu32 ")",
			index, channel->key_count, key_size, channel->times_offset, channel->values_offset, clip->time_count,
			clip->value_count);
	}
	return true;
}

static bool put_times(clip_writer *writer)
{
	const lrd_clip_view *clip = writer->clip;
	for (uint32_t i = 0; i < clip->channel_count; i++)
	{
		const lrd_clip_channel *channel = &clip->channels[i];
		lrd_text place;
		if (!check_ranges(writer, i))
		{
			return false;
		}
		if (channel->key_count == 0)
		{
			continue; // which the reader refuses
		}
		lrd_string run = { (const char *)(clip->times + channel->times_offset), channel->key_count * sizeof(float) };
		if (!lrd_text_table_add_bytes(writer->times, run, &place, writer->base.error))
		{
			return lrd_fail_in(writer->base.error, "lclip: times");
		}
		channel_at(writer, i)->times_offset = place.offset / (uint32_t)sizeof(float);
	}
	lrd_string block = lrd_text_table_block(writer->times);
	writer->header.time_count = (uint32_t)(block.size / sizeof(float));
	return lrd_writer_block(&writer->base, "times", block.data, writer->header.time_count, sizeof(float), NULL);
}

static bool put_values(clip_writer *writer)
{
	const lrd_clip_view *clip = writer->clip;
	lrd_buffer *file = &writer->base.file;
	uint64_t count = 0;
	for (uint32_t i = 0; i < clip->channel_count; i++)
	{
		const lrd_clip_channel *channel = &clip->channels[i];
		uint64_t added = lrd_clip_key_size(channel) * channel->key_count;
		if (count + added > UINT32_MAX)
		{
			return lrd_fail(writer->base.error, LRD_ERROR_LIMIT, "lclip: values: more than %" PRIu32, UINT32_MAX);
		}
		channel_at(writer, i)->values_offset = (uint32_t)count;
		size_t size = (size_t)added * sizeof(float);
		if (added > 0 && ((count == 0 && !lrd_buffer_align(file, LRD_LAYOUT_ALIGNMENT)) ||
							 !lrd_buffer_append(file, clip->values + channel->values_offset, size)))
		{
			return lrd_fail_memory(writer->base.error, "values", size);
		}
		count += added;
	}
	writer->header.value_count = (uint32_t)count;
	return true;
}

static bool put_blocks(clip_writer *writer)
{
	const lrd_clip_view *clip = writer->clip;
	lrd_writer *base = &writer->base;
	if ((clip->times == NULL && clip->time_count > 0) || (clip->values == NULL && clip->value_count > 0))
	{
		return lrd_fail(base->error, LRD_ERROR_ARGUMENT, "lclip: times or values: expected, but the pointer is NULL");
	}
	writer->times = lrd_text_table_create(base->out->allocator);
	if (writer->times == NULL)
	{
		return lrd_fail_memory(base->error, "a table of times", 0);
	}
	return lrd_writer_text(base, "name", clip->name, &writer->header.name_offset, &writer->header.name_size) &&
		   lrd_writer_block(
			   base, "channels", clip->channels, clip->channel_count, sizeof *clip->channels, &writer->channels_at) &&
		   lrd_writer_texts(base, "channel", writer->channels_at, sizeof *clip->channels, clip->channel_count,
			   offsetof(lrd_clip_channel, target_offset), offsetof(lrd_clip_channel, target_size), clip->strings) &&
		   put_times(writer) && put_values(writer);
}

bool lrd_clip_write(const lrd_clip_view *clip, lrd_buffer *out, lrd_error *error)
{
	clip_writer writer = {
		.clip = clip,
		.header = {
			.flags = clip->flags,
			.duration = clip->duration,
			.joint_count = clip->joint_count,
			.channel_count = clip->channel_count,
		},
	};
	bool put = lrd_writer_begin(&writer.base, "lclip", sizeof writer.header, out, error) && put_blocks(&writer);
	lrd_text_table_destroy(writer.times);
	if (!put)
	{
		return lrd_writer_abandon(&writer.base);
	}
	writer.header.string_size = lrd_writer_text_size(&writer.base);
	if (!lrd_writer_end(&writer.base, &writer.header, sizeof writer.header, LRD_CLIP_MAGIC, LRD_CLIP_VERSION))
	{
		return lrd_writer_abandon(&writer.base);
	}
	lrd_clip_view written;
	lrd_error reason;
	bool accepted = lrd_clip_open(writer.base.file.data, writer.base.file.size, &written, &reason);
	return lrd_writer_finish(&writer.base, accepted, &reason);
}
