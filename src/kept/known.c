/*
 * known.c: the kept scans that a session knows (catalog.c).
 *
 * A definition takes some ten microseconds to read, so a session keeps it until a message of the relation cache says
 * that one of its relations has changed: DDL on the table, its triggers or its columns, or a change of the catalog's
 * row.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "compat.h"
#include "kept/catalogs.h"

#define MOST_TRIES 3 /* to read a definition that changes meanwhile */

/* A kept scan, by its tree. */
typedef struct KnownKept
{
	Oid	  tree; /* hash key */
	Kept *kept;
} KnownKept;

/* The tree of the kept scan that a trigger has the name of. */
typedef struct KnownTrigger
{
	struct
	{
		NameData name;
		Oid		 table;
	} key;
	Oid tree;
} KnownTrigger;

static HTAB *known, *known_triggers;
static MemoryContext
			  expired; /* contexts of definitions that have changed, and may still be in use in this transaction */
static Kept	 *first_expired;
static uint64 invalidations; /* how often forget_relation() was called */

/* ---- what a session knows ---- */

static bool
reads_relation(const Kept *kept, Oid relation)
{
	return relation == kept->table || relation == kept->view || relation == kept->tree || relation == kept->log ||
		   (kept->leaves != NULL && list_member_oid(kept->leaves->above, relation));
}

/* Lets a definition that has changed be read no more; the table is read instead. */
static void
expire(Kept *kept)
{
	MemoryContextSetParent(kept->memory, expired);
	kept->expired = true;
	kept->next_expired = first_expired;
	first_expired = kept;
}

/* Forgets the definitions that read a relation; all of them if it is InvalidOid. */
static void
forget_relation(Datum only_own_code, Oid relation)
{
	HASH_SEQ_STATUS scan;
	KnownKept	   *entry;

	invalidations++;
	hash_seq_init(&scan, known);
	while ((entry = (KnownKept *) hash_seq_search(&scan)) != NULL)
		if ((!OidIsValid(relation) && (entry->kept->own_code || !DatumGetBool(only_own_code))) ||
			(OidIsValid(relation) && reads_relation(entry->kept, relation)))
		{
			expire(entry->kept);
			hash_search(known, &entry->tree, HASH_REMOVE, NULL);
		}
		else
			kept_leaf_changes(entry->kept, relation);
	for (Kept *kept = first_expired; kept != NULL; kept = kept->next_expired)
		kept_leaf_changes(kept, relation);
}

/* Queries have the names of schemas in them (sql.c); functions and types may get another owner (trusted.c). */
static void
forget_all(Datum only_own_code, int cache, uint32 hash)
{
	forget_relation(only_own_code, InvalidOid);
}

static void
free_expired(XactEvent event, void *unused)
{
	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE)
		return;
	for (Kept *kept = first_expired; kept != NULL; kept = kept->next_expired)
		kept_plans_free(kept);
	first_expired = NULL;
	MemoryContextReset(expired);
}

static void
make_known(void)
{
	HASHCTL trees = {.keysize = sizeof(Oid), .entrysize = sizeof(KnownKept)};
	HASHCTL triggers = {.keysize = sizeof(((KnownTrigger *) NULL)->key), .entrysize = sizeof(KnownTrigger)};

	if (known_triggers != NULL)
		return;
	expired = AllocSetContextCreate(CacheMemoryContext, "expired kept scans", ALLOCSET_SMALL_SIZES);
	known = hash_create("kept scans", 8, &trees, HASH_ELEM | HASH_BLOBS);
	known_triggers = hash_create("triggers of kept scans", 8, &triggers, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(forget_relation, BoolGetDatum(false));
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_all, BoolGetDatum(false));
	CacheRegisterSyscacheCallback(PROCOID, forget_all, BoolGetDatum(true));
	CacheRegisterSyscacheCallback(TYPEOID, forget_all, BoolGetDatum(true));
	CacheRegisterSyscacheCallback(AUTHOID, forget_all, BoolGetDatum(true));
	RegisterXactCallback(free_expired, NULL);
}

/* ---- looking up ---- */

/*
 * While kept_catalog_read() waits for a lock, what it has read may change; then it is read again.  The message of the
 * relation cache comes before there is an entry to forget.  With debug_discard_caches such messages never end.
 */
Kept *
kept_if_any(const FmgrInfo *caller, Oid tree)
{
	KnownKept *entry;
	Kept	  *kept;

	make_known();
	AcceptInvalidationMessages();
	entry = (KnownKept *) hash_search(known, &tree, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->kept;
	for (int tries = 1;; tries++)
	{
		uint64 before = invalidations;

		kept = kept_catalog_read(caller, tree);
		if (kept == NULL || before == invalidations)
			break;
		if (tries == MOST_TRIES)
		{
			expire(kept);
			return kept;
		}
		MemoryContextDelete(kept->memory);
	}
	if (kept == NULL)
		return NULL;
	MemoryContextSetParent(kept->memory, CacheMemoryContext);
	entry = (KnownKept *) hash_search(known, &tree, HASH_ENTER, NULL);
	entry->kept = kept;
	return kept;
}

Kept *
kept_of_trigger(const FmgrInfo *caller, Oid table, const char *name)
{
	KnownTrigger  wanted;
	KnownTrigger *entry;
	Oid			  tree;

	make_known();
	MemSet(&wanted, 0, sizeof(wanted));
	namestrcpy(&wanted.key.name, name);
	wanted.key.table = table;
	entry = (KnownTrigger *) hash_search(known_triggers, &wanted.key, HASH_FIND, NULL);
	for (int tries = 0; tries < 2; tries++)
	{
		Kept *kept = entry == NULL ? NULL : kept_if_any(caller, entry->tree);

		if (kept != NULL && kept->adopted && kept->table == table && namestrcmp(&kept->name, name) == 0)
			return kept;
		if (kept_catalog_find(caller, table, name, &tree) == 0)
			return NULL;
		entry = (KnownTrigger *) hash_search(known_triggers, &wanted.key, HASH_ENTER, NULL);
		entry->tree = tree;
	}
	return NULL;
}

Kept *
kept_of_tree(const FmgrInfo *caller, Oid tree)
{
	Kept *kept = OidIsValid(tree) ? kept_if_any(caller, tree) : NULL;

	if (kept == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no kept scan \"%s\"",
						OidIsValid(tree) && get_rel_name(tree) != NULL ? get_rel_name(tree) : psprintf("%u", tree))));
	return kept;
}

/* Returns the kept scan whose tree has a name in a schema, NULL if there is none. */
static Kept *
kept_in_schema(const FmgrInfo *caller, Oid schema, const char *name)
{
	Oid tree = OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;

	return OidIsValid(tree) ? kept_if_any(caller, tree) : NULL;
}

/* Returns the kept scan of a name in the search_path, or else in any schema, NULL if there is none. */
static Kept *
kept_in_path(const FmgrInfo *caller, const char *name)
{
	Kept *kept;
	Oid	  tree;
	int	  found;

	foreach_oid (schema, fetch_search_path(false))
		if ((kept = kept_in_schema(caller, schema, name)) != NULL)
			return kept;
	found = kept_catalog_find(caller, InvalidOid, name, &tree);
	if (found > 1)
		ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_ALIAS), errmsg("several schemas have a kept scan \"%s\"", name),
						errhint("Write the name of the schema before it, with a point.")));
	return found == 1 ? kept_if_any(caller, tree) : NULL;
}

/* A name as the view scan_kept has it comes first: it need not be quoted as an identifier. */
Kept *
kept_by_name(const FmgrInfo *caller, text *text_name)
{
	char *name = text_to_cstring(text_name);
	Kept *kept = kept_in_path(caller, name);
	List *parts;

	if (kept == NULL && SplitIdentifierString(pstrdup(name), '.', &parts))
	{
		if (list_length(parts) == 1)
			kept = kept_in_path(caller, linitial(parts));
		else if (list_length(parts) == 2)
			kept = kept_in_schema(caller, get_namespace_oid(linitial(parts), true), lsecond(parts));
	}
	if (kept == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("there is no kept scan \"%s\"", name)));
	return kept;
}
