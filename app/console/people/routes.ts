import type { PageRoutes } from '#console/page_routes'
import { atEmbeddedProvider } from './embedded_provider.js'
import { changeClient, rotateClient } from './client_actions.js'
import { showClient } from './client_page.js'
import { listing } from './list_page.js'
import { showPermission } from './permission_page.js'
import { showRole } from './role_page.js'
import { blockUser, endSessions, unblockUser } from './user_actions.js'
import { showUser } from './user_page.js'

export function peopleRoutes(pages: PageRoutes): void {
  pages
    .page('/people', 'showUsers', 'The users', atEmbeddedProvider(listing('users')))
    .page('/people/clients', 'showClients', 'The programs', atEmbeddedProvider(listing('clients')))
    .page('/people/roles', 'showRoles', 'The roles', atEmbeddedProvider(listing('roles')))
    .page(
      '/people/permissions',
      'showPermissions',
      'The permissions, to see who has them',
      atEmbeddedProvider(listing('permissions'))
    )
    .page('/people/users/:id', 'showUser', 'One user', atEmbeddedProvider(showUser))
    .action('/people/users/:id/block', 'blockUser', 'Block a user', blockUser)
    .action('/people/users/:id/unblock', 'unblockUser', 'Unblock a user', unblockUser)
    .action('/people/users/:id/sessions', 'endSessions', 'End the sessions of a user', endSessions)
    .page('/people/clients/:id', 'showClient', 'One program', atEmbeddedProvider(showClient))
    .action('/people/clients/:id/secret', 'rotateClient', 'Replace its secret', rotateClient)
    .action('/people/clients/:id/block', 'blockClient', 'Block a program', changeClient(false))
    .action('/people/clients/:id/unblock', 'unblockClient', 'Unblock a program', changeClient(true))
    .page('/people/roles/:id', 'showRole', 'One role', atEmbeddedProvider(showRole))
    .page(
      '/people/permissions/:id',
      'showPermission',
      'Who has a permission',
      atEmbeddedProvider(showPermission)
    )
}
