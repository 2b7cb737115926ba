/*
 * trace_lanes.c
 *	  The threads of a trace (see trace_lanes.h).
 */
#include "core/browsers/trace_lanes.h"

#include "core/reading/timeline.h"

bool
fg_trace_lanes_begin(FgContext *ctx, FgTraceLanes *lanes)
{
	*lanes = (FgTraceLanes) {.ctx = ctx, .texts.ctx = ctx, .text.ctx = ctx};
	return fg_names_begin(ctx, &lanes->ids);
}

void
fg_trace_lanes_free(FgTraceLanes *lanes)
{
	if (lanes->ctx == NULL)
		return;
	fg_names_free(&lanes->ids);
	fg_release(lanes->ctx, lanes->names);
	fg_release(lanes->ctx, lanes->texts.data);
	fg_release(lanes->ctx, lanes->text.data);
}

static bool
is_text(const char *text, const FgBuffer *buffer)
{
	return buffer->size == 0 || memcmp(text, buffer->data, buffer->size) == 0;
}

/* Is it the one that was found last?  Events mostly come in rows of one thread. */
static bool
is_last(const FgTraceLanes *lanes, const FgBuffer *process, const FgBuffer *thread)
{
	const char *text;

	if (lanes->count == 0 || lanes->ids.length[lanes->last] != process->size + 1 + thread->size)
		return false;
	text = lanes->ids.bytes + lanes->ids.offset[lanes->last];
	return is_text(text, process) && text[process->size] == '/' && is_text(text + process->size + 1, thread);
}

bool
fg_trace_lane(FgTraceLanes *lanes, const FgBuffer *process, const FgBuffer *thread, uint32_t *lane)
{
	FgBuffer   *text = &lanes->text;

	*lane = lanes->last;
	if (is_last(lanes, process, thread))
		return true;
	text->size = 0;
	if (!fg_buffer_append(text, process->data, process->size) || !fg_buffer_append(text, "/", 1) ||
		!fg_buffer_append(text, thread->data, thread->size) ||
		!fg_names_add(&lanes->ids, (char *) text->data, text->size, lane))
		return false;
	lanes->last = *lane;
	if (*lane < lanes->count)
		return true;
	if (lanes->count >= FG_MAX_LANES)
		return fg_fail(lanes->ctx, FG_ERROR_LIMIT, "there are more than %u threads", FG_MAX_LANES);
	if (!fg_reserve(lanes->ctx, (void **) &lanes->names, &lanes->capacity, lanes->count + 1,
					sizeof(FgLaneName)))
		return false;
	lanes->names[lanes->count++] = (FgLaneName) {0, 0};
	return true;
}

bool
fg_trace_lane_name(FgTraceLanes *lanes, uint32_t lane, const FgBuffer *name)
{
	lanes->names[lane] = (FgLaneName) {lanes->texts.size, name->size};
	return fg_buffer_append(&lanes->texts, name->data, name->size);
}

bool
fg_trace_lane_text(FgTraceLanes *lanes, uint32_t lane)
{
	const FgLaneName *name = &lanes->names[lane];
	FgBuffer   *text = &lanes->text;

	text->size = 0;
	return (name->length == 0 ||
			(fg_buffer_append(text, lanes->texts.data + name->start, name->length) &&
			 fg_buffer_append(text, "-", 1))) &&
		fg_buffer_append(text, lanes->ids.bytes + lanes->ids.offset[lane], lanes->ids.length[lane]);
}
