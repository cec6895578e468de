import { holding } from '#kernel/access'
import { client } from '#identity/clients/client'
import { defineAssignment } from '#identity/embedded/assignment'
import { scope } from '#identity/scopes/scope'

export const clientScope = defineAssignment(
  'client',
  'scope',
  { owner: () => client, given: () => scope },
  {
    read: holding('client_scope_read'),
    create: holding('client_scope_create'),
    update: holding('client_scope_update'),
    remove: holding('client_scope_delete'),
  }
)
