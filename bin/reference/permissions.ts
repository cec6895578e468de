import { BUILT_IN_PERMISSIONS, BUILT_IN_ROLES } from '#identity/embedded/built_in_roles'

import { code, table } from './tables.js'

const INTRODUCTION = `# Roles and permissions

Written by \`npm run docs:generate\` from what the embedded identity provider comes with. \`hubctl describe role steward\` shows the same for a running
platform. A permission acts on records of its holder's realm; members of the master realm act on those of all realms.`

const ADMIN_ONLY = '–'

/** The page of all roles and permissions that come with the embedded provider. */
export function renderPermissions(): string {
  const roles = Object.entries(BUILT_IN_ROLES)
  const roleRows = roles.map(([name, { description }]) => [code(name), description])
  const permissionRows = Object.entries(BUILT_IN_PERMISSIONS).map(([name, description]) => [
    code(name),
    description,
    rolesWith(name) || ADMIN_ONLY,
  ])
  return `${[
    INTRODUCTION,
    '## Roles',
    table(['Role', 'What it is for'], roleRows),
    '## Permissions',
    'The role `admin` holds all of them.',
    table(['Permission', 'What it allows', 'Also held by'], permissionRows),
  ].join('\n\n')}\n`
}

const rolesWith = (permission: string): string =>
  Object.entries(BUILT_IN_ROLES)
    .filter(([name, { permissions }]) => name !== 'admin' && permissions.includes(permission))
    .map(([name]) => code(name))
    .join(', ')
