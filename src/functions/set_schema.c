/*
 * set_schema.c: scan_set_schema(schema), which moves the extension to another schema for its owner.
 *
 * The extension is trusted: a user who may create objects in the database owns it, and the bootstrap superuser owns its
 * functions.  ALTER EXTENSION ... SET SCHEMA checks the ownership of each of them, so it is refused to the owner of the
 * extension.  This function checks what core would check for an extension without members, and then runs the command as
 * the bootstrap superuser, as core runs the scripts of a trusted extension.
 *
 * Rejected: to give the functions to the owner of the extension (OWNER TO @extowner@).  An owner may take STRICT away
 * from a C function, and one that is then called with a NULL that it does not expect ends the server.  Rejected, too:
 * SECURITY DEFINER.  Such a function cannot tell who has called it if the caller is another such function.
 *
 * The command is a statement, not a call of core's AlterExtensionNamespace(), so that event triggers and the hooks of
 * other extensions see it; Citus moves the extension on all nodes by such a hook.  While the command runs, search_path
 * names pg_catalog alone.  Otherwise the function of an event trigger would look up its names in the caller's schemas,
 * with the privileges of a superuser.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "compat.h"

#define EXTENSION "scan"

/* Runs a command as the bootstrap superuser.  An error takes user and search_path back with its (sub)transaction. */
static void
run_as_superuser(const char *command)
{
	int nest = NewGUCNestLevel();
	int context, result;
	Oid user;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, context | SECURITY_LOCAL_USERID_CHANGE);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	result = SPI_execute(command, false, 0);
	if (result != SPI_OK_UTILITY)
		elog(ERROR, "could not run \"%s\": %s", command, SPI_result_code_string(result));
	SPI_finish();
	AtEOXact_GUC(true, nest);
	SetUserIdAndSecContext(user, context);
}

PG_FUNCTION_INFO_V1(scan_set_schema_name);
Datum
scan_set_schema_name(PG_FUNCTION_ARGS)
{
	const char *name = NameStr(*PG_GETARG_NAME(0));
	Oid			extension = get_extension_oid(EXTENSION, false);
	Oid			schema;

	if (!compat_extension_ownercheck(extension, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_EXTENSION, EXTENSION);
	/* finds the schema and checks that the caller may create objects in it */
	schema = LookupCreationNamespace(name);
	run_as_superuser(psprintf("ALTER EXTENSION " EXTENSION " SET SCHEMA %s", quote_identifier(name)));
	/* this function has moved with the extension: to another schema if somebody has renamed the one that was checked */
	CommandCounterIncrement();
	if (get_func_namespace(fcinfo->flinfo->fn_oid) != schema)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("schema \"%s\" was renamed while extension \"" EXTENSION "\" was moved to it", name)));
	PG_RETURN_VOID();
}
