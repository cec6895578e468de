/**
 * SQL condition that selects the rows of `pg_locks` that show an advisory lock as granted. `key` is a SQL expression;
 * its 64 bits are shown there in two halves.
 */
export const isAdvisoryLockGranted = (key: string): string => `
  locktype = 'advisory' and objsubid = 1 and granted
  and database = (select oid from pg_database where datname = current_database())
  and (classid::bigint << 32 | objid::bigint) = ${key}`
