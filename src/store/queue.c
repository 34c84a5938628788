// store/queue.c: which request is next: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap: a new form of
// self-adjusting heap", Algorithmica 1, 1986) whose nodes are the requests, so that queueing allocates nothing and any of
// them can be taken out of the middle.

#include "store/store.h"

// Earlier askers come first, and each step of priority is worth LRD_PRIORITY_STEP of them: so whoever waits rises against
// those who come later, without anything being done about it. Requests' numbers start high enough to subtract from.
uint64_t lrd_queue_order(uint64_t asked, int32_t priority)
{
	const uint64_t start = (uint64_t)LRD_PRIORITY_MAX * LRD_PRIORITY_STEP;
	int64_t steps = (int64_t)priority * LRD_PRIORITY_STEP;
	return start + asked - (uint64_t)steps;
}

static bool comes_before(const lrd_request *a, const lrd_request *b)
{
	return a->order != b->order ? a->order < b->order : a->asked < b->asked;
}

static void set_link(lrd_request **link, lrd_request *request)
{
	*link = request;
	if (request != NULL)
	{
		request->link = link;
	}
}

// Two heaps into one; neither has siblings. The result's link is the caller's to set.
static lrd_request *meld(lrd_request *a, lrd_request *b)
{
	if (a == NULL || b == NULL)
	{
		return a != NULL ? a : b;
	}
	lrd_request *first = comes_before(b, a) ? b : a;
	lrd_request *second = first == a ? b : a;
	set_link(&second->sibling, first->child);
	set_link(&first->child, second);
	return first;
}

// A list of siblings into one heap: melded in pairs from the left, then the pairs from the right.
static lrd_request *meld_siblings(lrd_request *first)
{
	lrd_request *pairs = NULL; // linked by sibling, the last pair first
	while (first != NULL)
	{
		lrd_request *second = first->sibling;
		lrd_request *rest = second != NULL ? second->sibling : NULL;
		first->sibling = NULL;
		if (second != NULL)
		{
			second->sibling = NULL;
		}
		lrd_request *pair = meld(first, second);
		pair->sibling = pairs;
		pairs = pair;
		first = rest;
	}
	lrd_request *heap = NULL;
	while (pairs != NULL)
	{
		lrd_request *rest = pairs->sibling;
		pairs->sibling = NULL;
		heap = meld(pairs, heap);
		pairs = rest;
	}
	return heap;
}

void lrd_queue_push(lrd_queue *queue, lrd_request *request)
{
	request->child = NULL;
	request->sibling = NULL;
	set_link(&queue->root, meld(queue->root, request));
	queue->count++;
}

lrd_request *lrd_queue_pop(lrd_queue *queue)
{
	lrd_request *request = queue->root;
	if (request != NULL)
	{
		lrd_queue_remove(queue, request);
	}
	return request;
}

void lrd_queue_remove(lrd_queue *queue, lrd_request *request)
{
	lrd_request *children = meld_siblings(request->child);
	if (request == queue->root)
	{
		set_link(&queue->root, children);
	}
	else
	{
		set_link(request->link, request->sibling);
		set_link(&queue->root, meld(queue->root, children));
	}
	request->child = NULL;
	request->sibling = NULL;
	request->link = NULL;
	queue->count--;
}
