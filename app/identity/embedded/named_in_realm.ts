/** How kinds are asked for whose records belong to a realm, or to none, and have a name in it. */
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
