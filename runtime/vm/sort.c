// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // qsort_r
#include "runtime/vm/sort.h"

#include "runtime/abi/uservm.h"
#include "runtime/vm/stat.h"

#include <stdlib.h>

static int compare(const struct sort *sort, const struct sortable *a, const struct sortable *b)
{
	int c;

	if (!sort->direction)
		return a->rank < b->rank ? -1 : 1;
	c = sort->by_text ? strncmp(a->text, b->text, sort->size)
		       : (a->number > b->number) - (a->number < b->number);
	if (sort->direction < 0)
		c = -c;
	return c ? c : a->rank < b->rank ? -1 : 1;
}

static int compare_qsort(const void *a, const void *b, void *sort)
{
	return compare(sort, a, b);
}

// Keeps the element that comes last in the order on top, as heap[0].
static void sift_down(const struct sort *sort, struct sortable *heap, size_t n, size_t i)
{
	struct sortable moved = heap[i];

	for (;;) {
		size_t child = i * 2 + 1;

		if (child >= n)
			break;
		if (child + 1 < n && compare(sort, &heap[child + 1], &heap[child]) > 0)
			child++;
		if (compare(sort, &heap[child], &moved) < 0)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

// A histogram counts as many as are in its buckets.
static int64_t stat_number(const struct sort *sort, const uint64_t *record)
{
	int64_t number = 0;
	uint32_t n = 0;
	const uint64_t *buckets;

	if (sort->stat < SP_STAT_LOG) {
		stat_read(sort->shape, record, sort->stat, &number);
		return number;
	}
	buckets = stat_buckets(sort->shape, record, sort->stat, &n);
	for (uint32_t i = 0; i < n; i++)
		number += (int64_t)buckets[i];
	return number;
}

static struct sortable sortable_of(const struct sort *sort, const char *element, uint32_t rank)
{
	struct sortable s = { .element = element, .rank = rank };

	if (sort->direction && sort->shape)
		s.number = stat_number(sort, (const uint64_t *)(const void *)(element + sort->offset));
	else if (sort->direction && sort->by_text)
		s.text = element + sort->offset;
	else if (sort->direction)
		memcpy(&s.number, element + sort->offset, sizeof(s.number));
	return s;
}

void selection_add(struct selection *sel, const char *element)
{
	struct sortable s = sortable_of(sel->sort, element, sel->rank++);

	if (sel->n < sel->limit) {
		if (sel->n == sel->room) {
			sel->room = sel->room ? SP_MIN(sel->room * 2, sel->limit)
					      : SP_MIN((size_t)64, sel->limit);
			sel->v = sp_realloc(sel->v, sel->room * sizeof(*sel->v));
		}
		sel->v[sel->n++] = s;
		if (sel->n == sel->limit)
			for (size_t i = sel->n / 2; i-- > 0;)
				sift_down(sel->sort, sel->v, sel->n, i);
	} else if (sel->limit && compare(sel->sort, &s, &sel->v[0]) < 0) {
		sel->v[0] = s;
		sift_down(sel->sort, sel->v, sel->n, 0);
	}
}

void selection_finish(struct selection *sel)
{
	if (sel->n)
		qsort_r(sel->v, sel->n, sizeof(*sel->v), compare_qsort, (void *)(uintptr_t)sel->sort);
}

char *selection_copy(struct selection *sel, size_t stride)
{
	char *elements = sp_malloc(sel->n * stride + 1);

	for (size_t i = 0; i < sel->n; i++)
		sel->v[i].element = memcpy(elements + i * stride, sel->v[i].element, stride);
	return elements;
}

// What stands for the value of an aggregate: its count or, where it is not kept, the first statistic that is.
static enum sp_stat value_of(const struct sp_stat_shape *shape)
{
	unsigned what = SP_STAT_COUNT;

	while (shape->reads && !(shape->reads >> what & 1))
		what++;
	return (enum sp_stat)what;
}

// Aggregates are sorted by one of their statistics. False: it is not kept.
static bool sort_by_stat(const struct sp_map *map, unsigned key, struct sort *ret)
{
	ret->shape = &map->stat;
	ret->stat = key ? (enum sp_stat)(key - SP_VM_SORT_STAT) : value_of(&map->stat);
	return !key || (ret->stat < SP_STAT_LOG && map->stat.reads >> ret->stat & 1);
}

bool sort_init(const struct sp_map *map, const struct sp_field *keys, unsigned key, int direction, struct sort *ret)
{
	*ret = (struct sort){ .direction = direction, .by_text = map->value_type == SP_STRING,
			      .offset = map->key_size, .size = map->value_size };
	if (map->kind == SP_MAP_STAT && direction && (!key || key >= SP_VM_SORT_STAT))
		return sort_by_stat(map, key, ret);
	if (key > map->n_keys)
		return false;
	if (key) {
		ret->by_text = keys[key - 1].type == SP_STRING;
		ret->offset = keys[key - 1].offset;
		ret->size = keys[key - 1].size;
	}
	return true;
}
