/** The query options of kinds with a name and an optional realm. */
export const NAMED_IN_REALM = {
  filters: ['id', 'name', 'displayName', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['displayName'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['realm'],
  realm: 'realmId',
} as const
