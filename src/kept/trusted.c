/*
 * trusted.c: whose code a definition runs.
 *
 * The expressions of a definition are evaluated in every session that writes or reads the table, and by maintenance.
 * So they may call only what a superuser answers for.
 *
 * A plain role's function in a definition would run in the sessions of others: when they write, when they read, and
 * when a superuser looks or compacts.  Core has the same danger in indexes, and answers with
 * SECURITY_RESTRICTED_OPERATION, which has had to be amended several times (CVE-2009-4136, CVE-2022-1552,
 * CVE-2024-0985).  A definition needs no code of others: a stored generated column computes whatever the owner's
 * functions compute.  So definitions that call such code are refused when they are made and each time they are read,
 * since a function may get another owner.
 *
 * An enum has no code of its own, so an enum of any owner is trusted; and so are composites, arrays, ranges and domains
 * of trusted types, unless a domain has a constraint or a range a function of somebody else's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "kept/catalogs.h"

typedef struct Trust
{
	bool  own;		 /* something is not pinned */
	char *untrusted; /* the first thing that is not trusted; NULL: none yet */
} Trust;

static void trust_type(Trust *trust, Oid type);

/* Returns the owner of a row of a catalog, InvalidOid if there is no such row. */
static Oid
owner_of(int cache, Oid object, AttrNumber column)
{
	HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
	bool	  isnull;
	Oid		  owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = DatumGetObjectId(SysCacheGetAttr(cache, tuple, column, &isnull));
	ReleaseSysCache(tuple);
	return owner;
}

/* True if an object has to be looked at: it is not pinned, so somebody owns it. */
static bool
is_owned(Trust *trust, Oid object, Oid first)
{
	if (object < first)
		return false;
	trust->own = true;
	return trust->untrusted == NULL;
}

static bool
belongs_to_superuser(Oid owner)
{
	return OidIsValid(owner) && superuser_arg(owner);
}

static void
trust_function(Trust *trust, Oid function)
{
	if (OidIsValid(function) && is_owned(trust, function, FirstUnpinnedObjectId) &&
		!belongs_to_superuser(owner_of(PROCOID, function, Anum_pg_proc_proowner)))
		trust->untrusted = psprintf("function %s", format_procedure(function));
}

static void
trust_functions(Trust *trust, const Oid *function, int n)
{
	for (int i = 0; i < n; i++)
		trust_function(trust, function[i]);
}

/* Collations that initdb has made are not pinned, but nobody else's either. */
static void
trust_collation(Trust *trust, Oid collation)
{
	const char *name = get_collation_name(collation);

	if (OidIsValid(collation) && is_owned(trust, collation, FirstNormalObjectId) &&
		!belongs_to_superuser(owner_of(COLLOID, collation, Anum_pg_collation_collowner)))
		trust->untrusted = name == NULL ? "a collation" : psprintf("collation %s", quote_identifier(name));
}

static void
trust_columns(Trust *trust, Oid type)
{
	TupleDesc desc = lookup_rowtype_tupdesc_copy(type, -1);

	for (int i = 0; i < desc->natts && trust->untrusted == NULL; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
		{
			trust_type(trust, TupleDescAttr(desc, i)->atttypid);
			trust_collation(trust, TupleDescAttr(desc, i)->attcollation);
		}
	FreeTupleDesc(desc);
}

static void
trust_range(Trust *trust, Oid range)
{
	HeapTuple	  tuple = SearchSysCache1(RANGETYPE, ObjectIdGetDatum(range));
	Form_pg_range form;

	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_range) GETSTRUCT(tuple);
	trust_function(trust, form->rngcanonical);
	trust_function(trust, form->rngsubdiff);
	trust_collation(trust, form->rngcollation);
	trust_type(trust, form->rngsubtype);
	ReleaseSysCache(tuple);
}

/* Looks at the functions that read, write and compare values of a type. */
static void
trust_type(Trust *trust, Oid type)
{
	HeapTuple	 tuple;
	Form_pg_type form;

	check_stack_depth();
	if (!OidIsValid(type) || !is_owned(trust, type, FirstUnpinnedObjectId))
		return;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_type) GETSTRUCT(tuple);
	trust_functions(trust,
					(const Oid[]){form->typinput, form->typoutput, form->typreceive, form->typsend, form->typsubscript,
								  lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc},
					6);
	if (trust->untrusted != NULL)
		;
	else if (form->typtype == TYPTYPE_DOMAIN && !belongs_to_superuser(form->typowner) &&
			 compat_domain_has_constraints(type))
		trust->untrusted = psprintf("domain %s", format_type_be(type));
	else if (form->typtype == TYPTYPE_DOMAIN)
		trust_type(trust, form->typbasetype);
	else if (form->typtype == TYPTYPE_COMPOSITE)
		trust_columns(trust, type);
	else if (form->typtype == TYPTYPE_RANGE)
		trust_range(trust, type);
	else if (form->typtype == TYPTYPE_MULTIRANGE)
		trust_type(trust, get_multirange_range(type));
	else if (OidIsValid(form->typelem))
		trust_type(trust, form->typelem);
	ReleaseSysCache(tuple);
}

static bool
visit_function(Oid function, void *trust)
{
	trust_function((Trust *) trust, function);
	return false;
}

/* Looks at the functions of an aggregate or window function. */
static void
trust_aggregate(Trust *trust, Oid aggregate)
{
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Form_pg_aggregate form;

	trust_function(trust, aggregate);
	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	trust_functions(trust,
					(const Oid[]){form->aggtransfn, form->aggfinalfn, form->aggcombinefn, form->aggmtransfn,
								  form->aggminvtransfn, form->aggmfinalfn},
					6);
	trust_type(trust, form->aggtranstype);
	ReleaseSysCache(tuple);
}

static bool
trust_node(Node *node, void *to)
{
	Trust *trust = (Trust *) to;

	if (node == NULL || trust->untrusted != NULL)
		return false;
	if (IsA(node, WindowFunc))
		trust_aggregate(trust, ((WindowFunc *) node)->winfnoid);
	else if (!IsA(node, TargetEntry) && !IsA(node, List))
	{
		(void) check_functions_in_node(node, visit_function, trust);
		trust_type(trust, exprType(node));
		trust_collation(trust, exprCollation(node));
		trust_collation(trust, exprInputCollation(node));
	}
	return expression_tree_walker(node, trust_node, to);
}

char *
kept_untrusted(const Kept *kept, const Query *query, bool *own)
{
	Trust trust = {.own = false};

	for (int i = 0; i < kept->partitions + kept->keys; i++)
	{
		const KeptColumn *column = i < kept->partitions ? &kept->partition[i] : &kept->key[i - kept->partitions];

		trust_type(&trust, column->type);
		trust_collation(&trust, column->collation);
		trust_function(&trust, column->compare.fn_oid);
	}
	(void) trust_node((Node *) query->targetList, &trust);
	(void) trust_node(query->jointree->quals, &trust);
	*own = trust.own;
	return trust.untrusted;
}

/* ---- privileges ---- */

static bool
is_denied(Oid function, void *role)
{
	return function >= FirstUnpinnedObjectId && compat_proc_aclcheck(function, *(Oid *) role) != ACLCHECK_OK;
}

static bool
has_denied(Node *node, void *role)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && compat_proc_aclcheck(((Aggref *) node)->aggfnoid, *(Oid *) role) != ACLCHECK_OK)
		return true;
	if (IsA(node, WindowFunc) && compat_proc_aclcheck(((WindowFunc *) node)->winfnoid, *(Oid *) role) != ACLCHECK_OK)
		return true;
	return check_functions_in_node(node, is_denied, role) || expression_tree_walker(node, has_denied, role);
}

bool
kept_may_execute_node(Node *node, Oid role)
{
	return !has_denied(node, &role);
}

bool
kept_may_execute(const Kept *kept, Oid role)
{
	if (!kept_may_execute_node((Node *) kept->where, role))
		return false;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];

		if (compat_proc_aclcheck(aggregate->named, role) != ACLCHECK_OK ||
			!kept_may_execute_node((Node *) aggregate->arguments, role) ||
			!kept_may_execute_node((Node *) aggregate->filter, role))
			return false;
	}
	return true;
}
