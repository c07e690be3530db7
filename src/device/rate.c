/*
 * rate.c: keeps rates, the times that the server's processes have measured, and the lines that turned out slower
 * on the device.
 *
 * Read by choice.c and by the offers of client.c, sort.c and fused_job.c, which compare the device with the CPU. The
 * process that spends the time reports it.  The rates that a device library reports of itself are in
 * worker_shared->info and are added to these.
 *
 * Disturbances make a measured time longer, never shorter, so the least of several times is nearest to the truth.  Only
 * the last five count, so a machine that becomes slower is noticed.  Each process publishes its rate after each
 * measurement, for processes that have none; the last one counts.  There is no lock: a rate with another rate's time
 * does no harm.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "device/shared.h"

#define RATE_SEEN 5

/* After SLOWER_MAX slower jobs in a row the line rests for REST_MINUTES. */
#define SLOWER_MAX 3
#define REST_MINUTES 10

/* Older times are ignored. */
#define RATE_MINUTES 10

typedef struct Rate
{
	double		seen[RATE_SEEN];
	int64		times;
	TimestampTz last;
} Rate;

static Rate own[RATES];

/* ---- rates ---- */

static bool
rate_is_old(TimestampTz seen, TimestampTz now)
{
	return TimestampDifferenceExceeds(seen, now, RATE_MINUTES * 60 * 1000);
}

/* Returns the rate that some process has published; 0: none, or an old one. */
static double
published_rate(int rate, TimestampTz now)
{
	PublishedRate *p = worker_shared == NULL ? NULL : &worker_shared->rate[rate];
	uint64		   bits;
	double		   ns;

	if (p == NULL || rate_is_old((TimestampTz) pg_atomic_read_u64(&p->last), now))
		return 0;
	bits = pg_atomic_read_u64(&p->bits);
	memcpy(&ns, &bits, sizeof(ns));
	return ns;
}

static void
publish_rate(int rate, double ns, TimestampTz now)
{
	PublishedRate *p = worker_shared == NULL ? NULL : &worker_shared->rate[rate];
	uint64		   bits;

	if (p == NULL)
		return;
	memcpy(&bits, &ns, sizeof(bits));
	pg_atomic_write_u64(&p->bits, bits);
	pg_atomic_write_u64(&p->last, (uint64) now);
}

static double
least_sample(const Rate *r)
{
	double least = r->seen[0];

	for (int i = 1; i < Min(r->times, RATE_SEEN); i++)
		least = Min(least, r->seen[i]);
	return least;
}

double
rate_of(int rate, double otherwise)
{
	const Rate *r = &own[rate];
	TimestampTz now = GetCurrentTimestamp();
	double		others;

	if (r->times > 0 && !rate_is_old(r->last, now))
		return least_sample(r);
	others = published_rate(rate, now);
	return others == 0 ? otherwise : others;
}

static void
remember_sample(Rate *r, double ns, TimestampTz now)
{
	r->seen[r->times++ % RATE_SEEN] = ns;
	r->last = now;
}

void
rate_seen(int rate, double ns)
{
	Rate	   *r = &own[rate];
	TimestampTz now = GetCurrentTimestamp();

	if (rate_is_old(r->last, now))
		r->times = 0;
	/* the rate that others have published counts as one of the five */
	if (r->times == 0 && published_rate(rate, now) != 0)
		remember_sample(r, published_rate(rate, now), now);
	remember_sample(r, ns, now);
	publish_rate(rate, least_sample(r), now);
}

/* ---- rests ---- */

TimestampTz
rate_rests_until(int line)
{
	TimestampTz until;

	if (worker_shared == NULL)
		return 0;
	until = (TimestampTz) pg_atomic_read_u64(&worker_shared->line[line].rests_until);
	return until != 0 && GetCurrentTimestamp() < until ? until : 0;
}

void
rate_was_slower(int line, bool slower)
{
	LineRecord *record = &worker_shared->line[line];

	if (!slower)
		pg_atomic_write_u32(&record->slower, 0);
	else if (pg_atomic_add_fetch_u32(&record->slower, 1) >= SLOWER_MAX)
	{
		pg_atomic_write_u32(&record->slower, 0);
		pg_atomic_write_u64(&record->rests_until,
							(uint64) TimestampTzPlusMilliseconds(GetCurrentTimestamp(), REST_MINUTES * 60 * 1000));
	}
}

void
rate_end_rests(void)
{
	for (int line = 0; line < JOB_LINES; line++)
	{
		pg_atomic_write_u32(&worker_shared->line[line].slower, 0);
		pg_atomic_write_u64(&worker_shared->line[line].rests_until, 0);
	}
}
