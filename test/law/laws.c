/*
 * laws.c: the algebra's laws, for every line of list.h, on edge and random values:
 *
 *   associativity  (a + b) + c = a + (b + c), by value: exact sums are compared as
 *                  the integers they are, whatever form they are kept in
 *   accumulate     a + lift(x) is what accumulate does
 *   items          segments and NULLs keep the law, and the empty item is the identity
 *   answers        equal accumulators give equal answers
 *
 *   laws [LABEL [FUNCTION]]
 *
 * Built by cc and, as CUDA C++ host code, by nvcc: the same bits are asked of both.
 */
#include "law.h"
#include "op/dot.h"
#include "op/lines.h"
#include "op/recurrence.h" /* that they compile in both languages */
#include "same.h"

#define ROUNDS 20000

/* Draws up to `max_n` values into an accumulator.  One in four is NULL, where NULL is a value. */
#define LAWS(D, FUNCTION, TYPE, FLAGS)                                                                               \
	static const D##_in *D##_value(int kind, D##_in *x)                                                              \
	{                                                                                                                \
		law_value(FUNCTION, TYPE, kind, x);                                                                          \
		return ((FLAGS) &SCAN_NULL_IS_VALUE) != 0 && law_random() >> 62 == 0 ? NULL : x;                             \
	}                                                                                                                \
	static void D##_draw(const void *param, int kind, int max_n, D##_acc *a)                                         \
	{                                                                                                                \
		D##_in x;                                                                                                    \
		D##_lift(param, D##_value(kind, &x), 0, a);                                                                  \
		for (int n = (int) (law_random() >> 33) % max_n; n > 0; n--)                                                 \
			D##_accumulate(param, a, D##_value(kind, &x), n);                                                        \
	}                                                                                                                \
	static void D##_draw_item(const void *param, int kind, D##_item *item)                                           \
	{                                                                                                                \
		item->item.any = law_random() >> 33 & 1;                                                                     \
		item->item.head = (law_random() >> 33 & 3) == 0;                                                             \
		if (item->item.any)                                                                                          \
			D##_draw(param, kind, 3, &item->acc);                                                                    \
	}                                                                                                                \
	static bool D##_item_same(const D##_item *a, const D##_item *b)                                                  \
	{                                                                                                                \
		return a->item.any == b->item.any && a->item.head == b->item.head &&                                         \
			   (!a->item.any || law_same(FUNCTION, TYPE, &a->acc, &b->acc, sizeof(D##_acc)));                        \
	}                                                                                                                \
	static bool D##_answers_same(const void *param, const D##_acc *a, const D##_acc *b)                              \
	{                                                                                                                \
		D##_acc	   zero;                                                                                             \
		D##_out	   y, z;                                                                                             \
		ScanStatus s, t;                                                                                             \
		memset(&zero, 0, sizeof(zero));                                                                              \
		memset(&y, 0, sizeof(y));                                                                                    \
		memset(&z, 0, sizeof(z));                                                                                    \
		s = D##_lower(param, &zero, a, 9, &y);                                                                       \
		t = D##_lower(param, &zero, b, 9, &z);                                                                       \
		return s == t && (s != SCAN_OK || memcmp(&y, &z, sizeof(y)) == 0);                                           \
	}                                                                                                                \
	static void D##_laws(void)                                                                                       \
	{                                                                                                                \
		int broken[4] = {0, 0, 0, 0};                                                                                \
		for (int round = 0; round < ROUNDS; round++)                                                                 \
		{                                                                                                            \
			const void *param = law_param(FUNCTION);                                                                 \
			int			kind = round % 3;                                                                            \
			D##_acc		a, b, c, left, right, bc;                                                                    \
			D##_item	p, q, r, pq, qr, identity;                                                                   \
			D##_in		x;                                                                                           \
			D##_draw(param, kind, 6, &a);                                                                            \
			D##_draw(param, kind, 6, &b);                                                                            \
			D##_draw(param, kind, 6, &c);                                                                            \
			D##_copy(&left, &a);                                                                                     \
			D##_join(&left, &b);                                                                                     \
			D##_join(&left, &c);                                                                                     \
			D##_copy(&bc, &b);                                                                                       \
			D##_join(&bc, &c);                                                                                       \
			D##_copy(&right, &a);                                                                                    \
			D##_join(&right, &bc);                                                                                   \
			broken[0] += !law_same(FUNCTION, TYPE, &left, &right, sizeof(D##_acc));                                  \
			broken[3] += law_same(FUNCTION, TYPE, &left, &right, sizeof(D##_acc)) &&                                 \
						 !D##_answers_same(param, &left, &right);                                                    \
			const D##_in *value = D##_value(kind, &x);                                                               \
			D##_lift(param, value, 7, &c);                                                                           \
			D##_join(&left, &c);                                                                                     \
			D##_accumulate(param, &right, value, 7);                                                                 \
			broken[1] += !law_same(FUNCTION, TYPE, &left, &right, sizeof(D##_acc));                                  \
			D##_draw_item(param, kind, &p);                                                                          \
			D##_draw_item(param, kind, &q);                                                                          \
			D##_draw_item(param, kind, &r);                                                                          \
			D##_item_copy(&pq, &p);                                                                                  \
			D##_item_join(&pq, &q);                                                                                  \
			D##_item_join(&pq, &r);                                                                                  \
			D##_item_copy(&qr, &q);                                                                                  \
			D##_item_join(&qr, &r);                                                                                  \
			D##_item_copy(&identity, &p);                                                                            \
			D##_item_join(&identity, &qr);                                                                           \
			broken[2] += !D##_item_same(&pq, &identity);                                                             \
			identity.item.any = identity.item.head = false;                                                          \
			D##_item_copy(&pq, &p);                                                                                  \
			D##_item_join(&pq, &identity);                                                                           \
			broken[2] += !D##_item_same(&pq, &p);                                                                    \
			D##_item_join(&identity, &p);                                                                            \
			broken[2] += !D##_item_same(&identity, &p);                                                              \
		}                                                                                                            \
		if (broken[0] + broken[1] + broken[2] + broken[3] != 0)                                                      \
			printf("# %s %s: broken of %d: associativity %d, accumulate %d, items %d, answers %d\n", FUNCTION, TYPE, \
				   ROUNDS, broken[0], broken[1], broken[2], broken[3]);                                              \
		snprintf(law_text, sizeof(law_text), "laws of %s %s (%s)", FUNCTION, TYPE, law_compiler);                    \
		law_report(broken[0] + broken[1] + broken[2] + broken[3] == 0, law_text);                                    \
	}

static char		   law_text[200];
static const char *law_compiler;

#define SCAN_ROW(function, type, arguments, result, flags, call) LAWS(function##_##type, #function, #type, flags)
#define SCAN_KERNEL(function, type, flags) LAWS(function##_##type, #function, #type, flags)
#include "op/list.h"

#ifdef __CUDACC__
/* Device code of every binding is compiled, not run: there need be no device. */
#define SCAN_ROW(function, type, arguments, result, flags, call) SCAN_KERNEL(function, type, flags)
#define SCAN_KERNEL(function, type, flags)                                                         \
	__global__ void function##_##type##_device(const void *param, const function##_##type##_in *x, \
											   function##_##type##_out *y)                         \
	{                                                                                              \
		function##_##type##_item a, b;                                                             \
		a.item.any = b.item.any = true;                                                            \
		a.item.head = b.item.head = false;                                                         \
		function##_##type##_lift(param, x, 0, &a.acc);                                             \
		function##_##type##_lift(param, x + 1, 1, &b.acc);                                         \
		function##_##type##_item_join(&a, &b);                                                     \
		(void) function##_##type##_lower(param, &b.acc, &a.acc, 1, y);                             \
	}
#include "op/list.h"
#endif

/* the identity is one by value only if the sums of zeros know their sign */
static void
law_of_signed_zeros(void)
{
	const double zeros[4] = {-0.0, 0.0, -0.0, -0.0};
	bool		 ok = true;

	for (int first = 0; first < 4; first++)
		for (int n = 1; first + n <= 4; n++)
		{
			ExactSum a;
			double	 y, plain = zeros[first];

			exact_lift(zeros[first], &a);
			for (int i = first + 1; i < first + n; i++)
			{
				exact_accumulate(&a, zeros[i]);
				plain += zeros[i];
			}
			ok = ok && exact_round(&a, &y) == SCAN_OK && double_bits(y) == double_bits(plain);
		}
	law_report(ok, "sums of signed zeros");
}

int
main(int argc, char **argv)
{
	/* `few`, which makes the other programs of the laws do less, names no function */
	const char *only = argc > 2 && strcmp(argv[2], "few") != 0 ? argv[2] : NULL;

	law_compiler = argc > 1 ? argv[1] : "cc";
#define SCAN_ROW(function, type, arguments, result, flags, call) \
	if (law_is_asked(only, #function))                           \
		function##_##type##_laws();
#define SCAN_KERNEL(function, type, flags) \
	if (law_is_asked(only, #function))     \
		function##_##type##_laws();
#include "op/list.h"
	if (only == NULL)
		law_of_signed_zeros();
	law_report_unknown(only);
	return law_failures != 0;
}
