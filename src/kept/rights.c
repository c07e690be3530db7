/*
 * rights.c: as whom a kept scan is read and maintained.
 */
#include "postgres.h"

#include "access/table.h"
#include "commands/tablecmds.h"
#include "miscadmin.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "compat.h"
#include "kept/catalogs.h"

void
kept_require_owner(const Kept *kept)
{
	if (!has_privs_of_role(GetUserId(), kept->owner))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, kept_relation_name(kept->table));
	/* the rows are read as the owner; who does not see all of them must not say what they add up to */
	if (check_enable_rls(kept->table, kept->owner, true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("row security of table \"%s\" applies to its owner", kept_relation_name(kept->table)),
						errhint("ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.")));
}

static KeptUser
become(Oid role)
{
	KeptUser user = {.is_set = true, .nest = NewGUCNestLevel()};

	GetUserIdAndSecContext(&user.role, &user.context);
	SetUserIdAndSecContext(role, user.context | SECURITY_RESTRICTED_OPERATION | SECURITY_NOFORCE_RLS);
	return user;
}

KeptUser
kept_become(Oid role)
{
	KeptUser user = become(role);

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
	return user;
}

/* A path is set, which takes some microseconds, only if there is code that could look for anything in it. */
KeptUser
kept_become_to_read(const Kept *kept)
{
	return kept->own_code ? kept_become(kept->owner) : become(kept->owner);
}

/* A statement that is under way has looked at the triggers of its table, so it would not fire new ones. */
void
kept_require_unused(Oid table, const char *command)
{
	Relation relation = table_open(table, NoLock);

	CheckTableNotInUse(relation, command);
	table_close(relation, NoLock);
}

void
kept_require_trusted(const Kept *kept)
{
	if (kept->untrusted != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot read kept scan \"%s\": its definition uses %s, which does not belong to a superuser",
						NameStr(kept->name), kept->untrusted)));
}

void
kept_become_again(KeptUser user)
{
	if (!user.is_set)
		return;
	AtEOXact_GUC(false, user.nest);
	SetUserIdAndSecContext(user.role, user.context);
}

/* ---- calls ---- */

Oid
kept_extension_function(Oid beside, const char *name, int types, const Oid *type)
{
	char *schema = kept_schema_name(get_func_namespace(beside));

	return LookupFuncName(list_make2(makeString(schema), makeString(pstrdup(name))), types, type, true);
}

/* The name of the tree, which may have been renamed. */
char *
kept_remedy(const FmgrInfo *caller, const Kept *kept, bool adopts)
{
	return psprintf("%s %s.%s(%s::pg_catalog.text)", adopts ? "CALL" : "SELECT",
					quote_identifier(kept_schema_name(get_func_namespace(caller->fn_oid))),
					adopts ? "scan_kept_compact" : "scan_kept_check",
					quote_literal_cstr(kept_sql_relation(kept->tree)));
}
