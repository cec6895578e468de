import type { PageRoutes } from '#console/page_routes'
import { atEmbeddedProvider } from './embedded_provider.js'
import { changeAccount } from './change_account.js'
import { showClient } from './client_page.js'
import { endSessions } from './end_sessions.js'
import { listing } from './list_page.js'
import { showPermission } from './permission_page.js'
import { showRole } from './role_page.js'
import { rotateClient } from './rotate_client.js'
import { showUser } from './user_page.js'

export function peopleRoutes(pages: PageRoutes): void {
  pages
    .page('/people', 'showUsers', 'List the users', atEmbeddedProvider(listing('users')))
    .page(
      '/people/clients',
      'showClients',
      'List the programs (clients)',
      atEmbeddedProvider(listing('clients'))
    )
    .page('/people/roles', 'showRoles', 'List the roles', atEmbeddedProvider(listing('roles')))
    .page(
      '/people/permissions',
      'showPermissions',
      'List the permissions',
      atEmbeddedProvider(listing('permissions'))
    )
    .page(
      '/people/users/:id',
      'showUser',
      'Show a user with roles, permissions and sessions',
      atEmbeddedProvider(showUser)
    )
    .action('/people/users/:id/block', 'blockUser', 'Block a user', changeAccount('user', false))
    .action(
      '/people/users/:id/unblock',
      'unblockUser',
      'Unblock a user',
      changeAccount('user', true)
    )
    .action('/people/users/:id/sessions', 'endSessions', 'End the sessions of a user', endSessions)
    .page(
      '/people/clients/:id',
      'showClient',
      'Show a program with its roles and permissions',
      atEmbeddedProvider(showClient)
    )
    .action(
      '/people/clients/:id/secret',
      'rotateClient',
      'Replace the secret of a program',
      rotateClient
    )
    .action(
      '/people/clients/:id/block',
      'blockClient',
      'Block a program',
      changeAccount('client', false)
    )
    .action(
      '/people/clients/:id/unblock',
      'unblockClient',
      'Unblock a program',
      changeAccount('client', true)
    )
    .page(
      '/people/roles/:id',
      'showRole',
      'Show a role: its permissions and its holders',
      atEmbeddedProvider(showRole)
    )
    .page(
      '/people/permissions/:id',
      'showPermission',
      'Show the holders of a permission',
      atEmbeddedProvider(showPermission)
    )
}
