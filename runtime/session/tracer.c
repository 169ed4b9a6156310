// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/session/tracer.h"

#include "runtime/base/util.h"

#include <pthread.h>
#include <stdlib.h>

struct tracer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*run)(void *ctx); // to be done; NULL: nothing
	void *ctx;
	bool ends;
};

static void *tracer_main(void *arg)
{
	struct tracer *tracer = arg;

	pthread_mutex_lock(&tracer->lock);
	while (!tracer->ends) {
		if (tracer->run) {
			tracer->run(tracer->ctx);
			tracer->run = NULL;
			pthread_cond_broadcast(&tracer->changed);
		} else {
			pthread_cond_wait(&tracer->changed, &tracer->lock);
		}
	}
	pthread_mutex_unlock(&tracer->lock);
	return NULL;
}

struct sp_err *tracer_start(struct tracer **ret)
{
	struct tracer *tracer = sp_calloc(1, sizeof(*tracer));
	int error;

	pthread_mutex_init(&tracer->lock, NULL);
	pthread_cond_init(&tracer->changed, NULL);
	error = pthread_create(&tracer->thread, NULL, tracer_main, tracer);
	if (error) {
		free(tracer);
		return sp_err_errno(error, "cannot start the thread that traces");
	}
	*ret = tracer;
	return NULL;
}

void tracer_call(struct tracer *tracer, void (*run)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&tracer->lock);
	tracer->run = run;
	tracer->ctx = ctx;
	pthread_cond_broadcast(&tracer->changed);
	while (tracer->run)
		pthread_cond_wait(&tracer->changed, &tracer->lock);
	pthread_mutex_unlock(&tracer->lock);
}

void tracer_end(struct tracer *tracer)
{
	if (!tracer)
		return;
	pthread_mutex_lock(&tracer->lock);
	tracer->ends = true;
	pthread_cond_broadcast(&tracer->changed);
	pthread_mutex_unlock(&tracer->lock);
	pthread_join(tracer->thread, NULL);
	pthread_cond_destroy(&tracer->changed);
	pthread_mutex_destroy(&tracer->lock);
	free(tracer);
}
