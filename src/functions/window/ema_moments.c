/*
 * ema_moments.c: scan_ema_var, scan_ema_stddev, scan_ema_covar, scan_ema_corr: exponentially weighted statistics.
 *
 * They are pandas' ewm(alpha, adjust, ignore_na=True).var(bias) and the like.  A row with a NULL neither ages the
 * values before nor counts.  op/ema_moments.h computes them, with the same operations on every way, so that the bits of
 * a result do not depend on where the scan ran.
 */
#include "postgres.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/window/argument.h"
#include "functions/window/window.h"
#include "op/ema_moments.h"

typedef enum EmaStatistic
{
	EMA_VAR,
	EMA_STDDEV,
	EMA_COVAR,
	EMA_CORR,
} EmaStatistic;

typedef struct EmaCall
{
	WindowConstant alpha, adjust, bias;
	EmaWeights	   weights;
	bool		   is_biased;
	EmaMoments	   moments; /* what goes to another process */
} EmaCall;

/* Reads (alpha, adjust, bias), or (alpha, adjust) of a correlation, from argument `arg` on. */
static void
ema_read_constants(WindowCall *call, EmaCall *ema, int arg, bool has_bias)
{
	bool  is_first = !ema->alpha.present;
	Datum alpha = window_constant_not_null(call, &ema->alpha, arg, "alpha");
	Datum adjust = window_constant_not_null(call, &ema->adjust, arg + 1, "adjust");
	Datum bias = has_bias ? window_constant_not_null(call, &ema->bias, arg + 2, "bias") : BoolGetDatum(true);

	if (likely(!is_first))
		return;
	ema_weights(&ema->weights, ema_alpha(alpha), DatumGetBool(adjust));
	ema->is_biased = DatumGetBool(bias);
}

/* f(value, alpha, adjust, bias, reset), f(y, x, alpha, adjust, bias, reset) or f(y, x, alpha, adjust, reset) */
static Datum
ema_statistic(FunctionCallInfo fcinfo, EmaStatistic statistic)
{
	WindowCall *call = window_call(fcinfo);
	EmaCall	   *ema = (EmaCall *) window_state(call, sizeof(EmaCall));
	EmaMoments *moments = &ema->moments;
	bool		pairs = statistic == EMA_COVAR || statistic == EMA_CORR;
	int			columns = pairs ? 2 : 1;
	bool		no_y, no_x = false;
	double		x, y;
	ScanStatus	status;

	ema_read_constants(call, ema, columns, statistic != EMA_CORR);
	window_keeps_bytes(call, moments, sizeof(*moments));
	if (window_flag(call, PG_NARGS() - 1))
		moments->count = 0;
	y = DatumGetFloat8(window_arg(call, 0, &no_y));
	x = pairs ? DatumGetFloat8(window_arg(call, 1, &no_x)) : y;
	if (!no_y && !no_x)
	{
		if (moments->count == 0)
			ema_moments_start(moments, y, x);
		else
			ema_moments_take(moments, &ema->weights, y, x, pairs);
	}
	if (moments->count == 0)
		PG_RETURN_NULL();
	status = statistic == EMA_CORR
				 ? ema_moments_correlate(moments, &y)
				 : ema_moments_covary(moments, &ema->weights, pairs, ema->is_biased, statistic == EMA_STDDEV, &y);
	if (status == SCAN_NULL)
		PG_RETURN_NULL();
	scan_check(status);
	PG_RETURN_FLOAT8(y);
}

#define EMA_STATISTIC(NAME, STATISTIC) SCAN_ENTRY(scan_##NAME##_float8, ema_statistic(fcinfo, STATISTIC))

EMA_STATISTIC(ema_var, EMA_VAR)
EMA_STATISTIC(ema_stddev, EMA_STDDEV)
EMA_STATISTIC(ema_covar, EMA_COVAR)
EMA_STATISTIC(ema_corr, EMA_CORR)
