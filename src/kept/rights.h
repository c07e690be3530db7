/*
 * rights.h: as whom a kept scan is read and maintained.
 */
#ifndef SCAN_KEPT_RIGHTS_H
#define SCAN_KEPT_RIGHTS_H

#include "kept/kept.h"

/* Raises an error unless the user is a member of the owner of the table, and the owner sees all of its rows. */
extern void kept_require_owner(const Kept *kept);

/* Returns the function of a name and types in the schema of another one of the extension; InvalidOid: there is none. */
extern Oid kept_extension_function(Oid beside, const char *name, int types, const Oid *type);

/* Returns a call of scan_kept_check() for a kept scan, as text. */
extern char *kept_remedy(const FmgrInfo *caller, const Kept *kept);

/*
 * Becomes another role as core's maintenance does: in a security-restricted operation, with settings of its own and a
 * safe search_path.  kept_become_again() undoes that, and does nothing if is_set is false; an error undoes it, too.
 */
typedef struct KeptUser
{
	bool is_set;
	Oid	 role;
	int	 context;
	int	 nest; /* of settings */
} KeptUser;

extern KeptUser kept_become(Oid role);

/*
 * The same as the owner of the table, for a user who may read it: the rows are read, and the expressions of the
 * definition evaluated.
 */
extern KeptUser kept_become_to_read(const Kept *kept);

/* Raises an error if a statement of this session uses the table.  The caller has the table locked. */
extern void kept_require_unused(Oid table, const char *command);

/* Raises an error if the expressions of the definition may not be evaluated. */
extern void kept_require_trusted(const Kept *kept);
extern void kept_become_again(KeptUser user);

#endif /* SCAN_KEPT_RIGHTS_H */
